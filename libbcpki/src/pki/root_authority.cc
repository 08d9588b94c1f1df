#include "bcpki/root_authority.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bcpki/identifier.h"

#include "pki/certificate_facts.h"
#include "pki/root_authority_impl.h"
#include "pki/state.h"

namespace bcpki {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(Code::invalid_input, message);
}

[[noreturn]] void refuse(std::string_view slug, const std::string& message) {
  throw Error(Code::invalid_input, message, {{"reason", std::string(slug)}});
}

void require_lifetime(std::chrono::seconds lifetime) {
  if (lifetime < kMinCaLifetime || lifetime > kMaxCaLifetime)
    refuse(fmt::format("a CA's certificate lives from {} to {} days", kMinCaLifetime / kDay,
                       kMaxCaLifetime / kDay));
}

Certificate assemble(View tbs, const Sig64& signature) {
  const auto der = x509::encode_certificate(tbs, signature);
  return certificate_facts(der, x509::parse_certificate(der).value());
}

// The root key's file.

bool is_json(View file) {
  const auto text = as_text(file);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

RootKey open_json(View file, const RootKeyOptions& options) {
  const auto* bundle = options.bundle ? &options.bundle->state().document : nullptr;
  const auto document = read_document(kRootKeyFile, as_text(file), options.open, bundle);
  if (!document.has_keys()) seal::throw_sealed("the private key of the root");
  const auto& root = document.entries[0];
  if (!options.trust_domain.empty() && options.trust_domain != document.trust_domain)
    throw Error(Code::invalid_config,
                fmt::format("the root key file is of trust domain {}, not {}",
                            document.trust_domain, options.trust_domain),
                {{"reason", "trust-domain"}});
  if (options.certificate && !equal(*options.certificate, root.chain[0].der))
    throw Error(Code::invalid_config, "the root key file is not of the root that was given",
                {{"reason", "root-key"}});
  return {RootAuthority(document.trust_domain, root.chain[0].der, signer_of(root)),
          !document.sealed, document.unvouched};
}

// named_trust_domain is what a root's subject says, or "" where that is too long to say it.
std::string named_trust_domain(View certificate) {
  const auto fields = x509::parse_certificate(certificate);
  if (!fields) refuse("the root's certificate is no DER certificate");
  const auto name = common_name(*fields);
  const auto suffix = fmt::format(" {}", profile_of(Job::root_ca).common_name);
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : "";
}

std::string trust_domain_of(const RootKeyOptions& options) {
  if (options.bundle) return options.bundle->trust_domain();
  if (!options.trust_domain.empty()) return options.trust_domain;
  auto named = named_trust_domain(*options.certificate);
  if (named.empty()) refuse("the root's certificate names no trust domain: give it");
  return named;
}

RootKey open_pem(View file, const RootKeyOptions& options) {
  if (!options.bundle && !options.certificate)
    refuse("it is no root key file, and a key in PEM needs the root's certificate beside it");
  const auto& certificate = options.bundle
                                ? options.bundle->state().document.entry("rootCa")->chain[0].der
                                : *options.certificate;
  bool in_clear = true;
  const auto passphrase = [&] {
    in_clear = false;
    return options.passphrase();
  };
  auto key = PrivateKey::read_pem(file, options.passphrase ? passphrase : PrivateKey::Passphrase())
                 .value_or_throw(Code::invalid_input);
  const auto fields = x509::parse_certificate(certificate);
  if (fields && !equal(fields->spki, key.public_key().spki()))
    refuse("root-key", "it is not the key of the root's certificate");
  return {RootAuthority(trust_domain_of(options), certificate, make_signer(std::move(key))),
          in_clear, false};
}

}  // namespace

void RootAuthority::Impl::require_valid(UnixTime now) const {
  if (now.floor_seconds() < certificate.not_before)
    throw Error(Code::invalid_state,
                fmt::format("the root is not valid before {}; it is {} now",
                            format_time(certificate.not_before), format_time(now)));
  if (now.floor_seconds() + kMinCaLifetime > certificate.not_after)
    throw Error(Code::invalid_state,
                fmt::format("the root ends at {}; it is {} now: a new deployment has to follow it",
                            format_time(certificate.not_after), format_time(now)));
}

RootAuthority::RootAuthority(std::string trust_domain, View certificate,
                             std::shared_ptr<Signer> signer) {
  const auto fields = x509::parse_certificate(certificate);
  if (!fields) refuse("the root's certificate is no DER certificate");
  if (!is_trust_domain(trust_domain))
    refuse(fmt::format("\"{}\" is no trust domain", trust_domain));
  auto key = PublicKey::read(fields->spki).value_or_throw(Code::invalid_input);
  auto organization = subject_text(*fields, x509::oid::organization_name);
  const auto violation = profile_violation(profile_of(Job::root_ca), *fields, key, organization,
                                           trust_domain, nullptr);
  if (violation)
    refuse(fmt::format("\"{}\" is no root CA of {}: {}", common_name(*fields), trust_domain,
                       *violation));
  if (!is_signed_by(*fields, key)) refuse("the root's certificate does not sign itself");
  if (!(signer->public_key() == key)) refuse("root-key", "the key is not the root's");
  impl_ = std::make_shared<const Impl>(Impl{
      std::move(trust_domain), std::move(organization), certificate_facts(certificate, *fields),
      key, std::move(signer), to_bytes(fields->subject), bcpki::key_identifier(key)});
}

RootAuthority RootAuthority::of(const Bundle& bundle) {
  if (!bundle.has_keys()) seal::throw_sealed("the private key of the root");
  const auto& root = *bundle.state().document.entry("rootCa");
  if (!root.private_key)
    throw Error(Code::invalid_state,
                "the bundle does not hold the root's key: give the root key file");
  return {bundle.trust_domain(), root.chain[0].der, signer_of(root)};
}

const std::string& RootAuthority::trust_domain() const noexcept {
  return impl_->trust_domain;
}

const Certificate& RootAuthority::certificate() const noexcept {
  return impl_->certificate;
}

const PublicKey& RootAuthority::public_key() const noexcept {
  return impl_->key;
}

Signer& RootAuthority::signer() const noexcept {
  return *impl_->signer;
}

Draft<Certificate> RootAuthority::renew(View ca_certificate, std::chrono::seconds lifetime,
                                        UnixTime now, Rng& rng) const {
  const auto former =
      read_subordinate(ca_certificate, trust_domain(), certificate().der, public_key());
  require_lifetime(lifetime);
  impl_->require_valid(now);

  x509::Renewal renewal;
  renewal.serial = draw_serial(rng);
  renewal.not_before = std::max(now.floor_seconds() - kSkew, certificate().not_before);
  const auto wanted = renewal.not_before + lifetime;
  renewal.not_after = std::min(wanted, certificate().not_after);
  std::optional<std::string> shortened;
  if (renewal.not_after < wanted)
    shortened = fmt::format("it ends at {} with the root, not at {}",
                            format_time(renewal.not_after), format_time(wanted));
  return {x509::encode_renewed_tbs(former, renewal), public_key(), assemble, std::move(shortened)};
}

RootKey open_root_key(View file, const RootKeyOptions& options) {
  return is_json(file) ? open_json(file, options) : open_pem(file, options);
}

SecretBytes reseal_root_key(View file, const OpenOptions& options, bool accept_unvouched,
                            const SecretBytes& secret, Rng& rng) {
  const auto document = read_document(kRootKeyFile, as_text(file), options);
  if (!document.has_keys()) seal::throw_sealed("the private key of the root");
  if (document.unvouched && !accept_unvouched)
    throw Error(Code::invalid_state, "nothing vouches for this root key file");
  return finish_file(kRootKeyFile, document.trust_domain, public_half_of(document),
                     private_keys_of(document), &secret, rng);
}

}  // namespace bcpki
