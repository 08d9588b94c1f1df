#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bcpki/root_authority.h"
#include "bcpki/upkeep.h"

#include "bc-pki/ca.h"
#include "bc-pki/commands.h"
#include "common/root_key.h"
#include "common/secrets.h"
#include "common/write_back.h"

namespace cli {
namespace {

using bcpki::Certificate;
using bcpki::CertificateAuthority;

constexpr std::string_view kAll = "all";
constexpr std::string_view kCa = "ca";
constexpr std::string_view kCertificate = "certificate";

std::vector<std::string_view> ca_choices() {
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : CertificateAuthority::kind_names()) names.push_back(name);
  names.push_back(kAll);
  return names;
}

const CertificateAuthority& ca_of(const bcpki::Bundle& bundle, CertificateAuthority::Kind kind) {
  switch (kind) {
    case CertificateAuthority::Kind::node:
      return bundle.node_ca();
    case CertificateAuthority::Kind::serving:
      return bundle.serving_ca();
    case CertificateAuthority::Kind::internal:
      break;
  }
  return bundle.internal_ca();
}

void judge_flags(const Args& args) {
  if (args.given(kCa) == args.given(kCertificate)) {
    fail_usage("give either --ca or --certificate");
  }
  if (!args.given(kCertificate)) return;
  for (const std::string_view flag : {kRootKeyFlag.name, kRootSecretFlag.name, kCaDaysFlag.name}) {
    if (args.given(flag)) fail_usage(fmt::format("--{} does not go with --certificate", flag));
  }
}

// renew signs the CAs that `--ca` names anew.
std::vector<Certificate> renew(const bcpki::Bundle& bundle, const bcpki::RootAuthority& root,
                               const Args& args, Env& env) {
  std::vector<Certificate> renewed;
  for (const auto& [name, kind] : CertificateAuthority::kind_names()) {
    if (args.text(kCa) != kAll && args.text(kCa) != name) continue;
    auto draft =
        root.renew(ca_of(bundle, kind).chain().front().der, ca_lifetime(args), env.now, env.rng());
    if (draft.shortened()) env.warn(fmt::format("{} CA: {}", name, *draft.shortened()));
    renewed.push_back(std::move(draft).sign(root.signer()));
  }
  return renewed;
}

// What each CA's certificate is deployed in besides the bundle.
std::string_view deployed_in(CertificateAuthority::Kind kind) {
  switch (kind) {
    case CertificateAuthority::Kind::node:
      return "what gateways trust (`bc-pki export node-ca`)";
    case CertificateAuthority::Kind::serving:
      return "gateways' certificate files, which carry the CA (`bc-pki issue-gateway`)";
    case CertificateAuthority::Kind::internal:
      break;
  }
  return "control-plane certificate and trust files (`bc-pki issue-internal`, `bc-pki export "
         "internal-ca`)";
}

struct Renewed {
  std::vector<Report> reports;
  Report::List next;
};

Renewed compare(const bcpki::Bundle& before, const bcpki::Bundle& after, bcpki::UnixTime now) {
  Renewed out;
  for (const auto& [name, kind] : CertificateAuthority::kind_names()) {
    const Certificate& former = ca_of(before, kind).chain().front();
    const Certificate& present = ca_of(after, kind).chain().front();
    if (former.der == present.der) continue;
    Report report;
    add_ca(report, name, present);
    if (kind == CertificateAuthority::Kind::serving) {
      report.add("servingCaSpkiPin", "serving CA pin", after.bootstrap_pins().serving_ca);
    }
    out.reports.push_back(std::move(report));
    const std::string when =
        former.not_after < now ? "now" : "before " + bcpki::format_time(former.not_after);
    out.next.push_back(
        fmt::format("{}: replace the bundle in every process, and {}", when, deployed_in(kind)));
  }
  return out;
}

Report renew_ca(const Args& args, Env& env) {
  judge_flags(args);
  std::vector<Certificate> renewed;
  if (args.given(kCertificate)) renewed.push_back(read_certificate_file(args.text(kCertificate)));
  const std::optional<RootKeyFile> root_key = RootKeyFile::find(args, env);
  WriteBack write_back(args, env);
  if (renewed.empty()) {
    renewed = renew(write_back.bundle(), root_of(write_back.bundle(), root_key, env), args, env);
  }
  const bcpki::Bundle written =
      write_back.finish(bcpki::install_ca_certificates(write_back.bundle(), renewed, env.now));

  Renewed changes = compare(write_back.bundle(), written, env.now);
  Report report = write_back.report(written);
  // One CA also stands by itself, for programs that asked for one.
  if (changes.reports.size() == 1) {
    for (const Item& item : changes.reports[0].items()) report.add(item.name, "", item.value);
  }
  report.add("renewed", "renewed", std::move(changes.reports));
  return report.add("", "next", std::move(changes.next));
}

constexpr std::array kFlags = with_write_back_flags(std::array{
    Flag{.name = kCa,
         .value_name = "CA",
         .help = "Which CA to renew",
         .kind = Kind::choice,
         .choices = ca_choices},
    kRootKeyFlag,
    kRootSecretFlag,
    kCaDaysFlag,
    Flag{.name = kCertificate,
         .value_name = "FILE",
         .help = "Install this certificate, which `sign-ca` made where the root's key is",
         .kind = Kind::path},
});

}  // namespace

constinit const Command kRenewCa{
    .name = "renew-ca",
    .summary = "give the node, serving or internal CA a new certificate",
    .description =
        "Same key, same subject, same extensions: what the CA issued stays valid and no pin\n"
        "changes. The root signs, with the key in the bundle or of --root-key, which is not\n"
        "written into the bundle. For a root that never meets a server, run `sign-ca` where its\n"
        "key is and pass what it wrote as --certificate.",
    .example = "bc-pki renew-ca --ca all --root-key /media/usb/root-ca.key",
    .flags = kFlags,
    .run = renew_ca};

}  // namespace cli
