#include "bc-pki/issue.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "bcpki/error.h"
#include "bcpki/identifier.h"

#include "common/io.h"
#include "common/transaction.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Certificate;
using bcpki::Code;
using bcpki::Error;
using bcpki::PrivateKey;
using bcpki::PublicKey;

constexpr std::size_t kMaxRequestBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxStem = 64;

PublicKey read_request(const fs::path& path) {
  const File file = read_file(path, kMaxRequestBytes);
  auto request = bcpki::CertificateRequest::read(file.content.reveal());
  if (request) return request->public_key();
  const bcpki::Reason& reason = request.reason();
  throw Error(Code::invalid_input, fmt::format("{}: {}", path.native(), reason.detail),
              {{"reason", std::string(reason.slug)}});
}

std::optional<File> read_if_there(const fs::path& path) {
  try {
    return read_file(path, kMaxFileBytes);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return std::nullopt;
  }
}

void require_replaceable(const OutputFiles& files) {
  require_replaceable(files.certificate, kCertificateFile);
  if (files.key) require_replaceable(*files.key, kKeyFile);
}

// A key keeps the owner and mode of the one before it, or is itself the one that stays.
void warn_about_access(const fs::path& key, Env& env) {
  const std::optional<File> there = read_if_there(key);
  if (!there) return;
  if (there->open_to_others()) env.warn(mode_advice(key, there->mode));
  if (there->owner != ::geteuid()) {
    env.warn(fmt::format("{} belongs to user {}, and so will a key that replaces it", key.native(),
                         there->owner));
  }
}

// chain_of is what the certificate's file holds.
std::string chain_of(const Order& order, const Certificate& certificate) {
  return certificate.pem() + order.ca.chain().front().pem();
}

// The key that the certificate in place must be for: the request's, or the one beside it.
std::optional<PublicKey> key_in_place(const OutputFiles& files, const PublicKey& ordered) {
  if (!files.key) return ordered;
  const std::optional<File> file = read_if_there(*files.key);
  if (!file) return std::nullopt;
  const auto key = PrivateKey::read_pem(file->content.reveal());
  return key ? std::optional(key->public_key()) : std::nullopt;
}

// certificate_in_place returns the one that is there where it need not be replaced.
std::optional<Certificate> certificate_in_place(const Order& order, const CertificateDraft& draft,
                                                const PublicKey& ordered,
                                                std::chrono::seconds within, bcpki::UnixTime now) {
  const std::optional<File> file = read_if_there(order.files.certificate);
  const std::optional<PublicKey> key = key_in_place(order.files, ordered);
  if (!file || !key) return std::nullopt;
  const auto found = order.ca.still_serves(file->content.reveal(), draft, *key, now, within);
  const bool whole = found && chain_of(order, *found) == bcpki::as_text(file->content.reveal());
  return whole ? std::optional(*found) : std::nullopt;
}

void write(Transaction& files, const Order& order, const Certificate& certificate,
           const std::optional<PrivateKey>& key) {
  // The key first: a certificate never stands beside a key that is older than it.
  if (key) {
    const bcpki::SecretBytes pem = key->pkcs8_pem();
    files.replace(*order.files.key, kKeyFile, pem.reveal());
  }
  files.replace(order.files.certificate, kCertificateFile,
                bcpki::as_bytes(chain_of(order, certificate)));
  files.commit();
}

Report report_of(const Order& order, const Certificate& certificate, bool changed) {
  Report report = report_on(order.loaded);
  report.add("changed", "changed", changed);
  report.add("certificate", "certificate", order.files.certificate.native());
  if (order.files.key) report.add("key", "key", order.files.key->native());
  report.add("serial", "serial", certificate.serial_hex);
  report.add("sha256", "SHA-256", certificate.sha256_hex());
  report.add("notBefore", "valid from", bcpki::format_time(certificate.not_before));
  report.add("notAfter", "valid until", bcpki::format_time(certificate.not_after));
  report.add("renewBy", "renew by", bcpki::format_time(bcpki::renew_by(certificate)));
  order.describe(report);
  report.add("issuerNotAfter", "issuer valid until",
             bcpki::format_time(order.ca.chain().front().not_after));
  return report;
}

}  // namespace

OutputFiles output_files(const Args& args, const std::string& stem) {
  if (!bcpki::is_id(stem) || stem.size() > kMaxStem) {
    fail_usage(
        fmt::format("--name must be 1 to {} of A-Z, a-z, 0-9, `.`, `_` and `-`, starting "
                    "with a letter or digit",
                    kMaxStem));
  }
  const fs::path directory = absolute_path(args.text("out"));
  OutputFiles files{.certificate = directory / (stem + ".crt"), .key = std::nullopt};
  if (!args.given(kCsrFlag.name)) files.key = directory / (stem + ".key");
  return files;
}

Report issue(const Order& order, const Args& args, Env& env) {
  bcpki::Signer& signer = order.ca.signer();
  Transaction files;
  // What is judged from here on stays as it is until it is replaced.
  files.lock(order.files.certificate);
  require_replaceable(order.files);
  if (order.files.key) warn_about_access(*order.files.key, env);
  std::optional<PrivateKey> made;
  if (order.files.key) made = PrivateKey::generate(bcpki::KeyAlgorithm::p256, env.rng());
  const PublicKey key = made ? made->public_key() : read_request(args.text(kCsrFlag.name));
  CertificateDraft draft = order.draft(key);
  if (args.given(kIfExpiringFlag.name)) {
    const auto within = args.duration(kIfExpiringFlag.name);
    if (const auto certificate = certificate_in_place(order, draft, key, within, env.now)) {
      return report_of(order, *certificate, false);
    }
  }
  if (draft.shortened()) env.warn(*draft.shortened());
  for (const std::string& overlap : bcpki::overlapping_names(order.names)) env.warn(overlap);
  for (const std::string& broad : bcpki::broad_wildcards(order.names)) env.warn(broad);
  const Certificate certificate = std::move(draft).sign(signer);
  write(files, order, certificate, made);
  return report_of(order, certificate, true);
}

Report issue_service(const Service& service, const Args& args, Env& env) {
  const OutputFiles files = output_files(args, service.stem);
  const LoadedBundle loaded = load_bundle(args, env);
  const bcpki::CertificateAuthority& ca = (loaded.bundle.*service.ca)();
  const std::vector<std::string> names = bcpki::normalize_dns_names(args.list(kSanFlag.name));
  const std::chrono::days lifetime(args.number("days"));
  return issue(
      {.loaded = loaded,
       .ca = ca,
       .files = files,
       .names = names,
       .draft = [&](const PublicKey& key) { return service.draft(ca, names, lifetime, key); },
       .describe =
           [&](Report& report) {
             if (service.role) report.add("role", "role", *service.role);
             report.add("names", "names", names);
           }},
      args, env);
}

}  // namespace cli
