#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/error.h"
#include "bcpki/root_authority.h"

#include "bc-pki/ca.h"
#include "bc-pki/commands.h"
#include "common/root_key.h"
#include "common/secrets.h"
#include "common/transaction.h"

namespace cli {
namespace {

using bcpki::CertificateAuthority;

constexpr std::string_view kRootCert = "root-cert";
constexpr std::string_view kCaCert = "ca-cert";

constexpr Flag required(Flag flag) {
  flag.required = true;
  return flag;
}

bcpki::RootAuthority open_root(const Args& args, Env& env) {
  bcpki::RootKeyOptions options{.trust_domain = args.text("trust-domain")};
  if (args.given(kRootCert)) {
    options.certificate = read_certificate_file(args.text(kRootCert)).der;
  }
  return RootKeyFile(args, env).open(std::move(options), env).authority;
}

std::string_view name_of(const bcpki::RootAuthority& root, const bcpki::Certificate& certificate) {
  const std::array chain{certificate.der, root.certificate().der};
  const auto kind = CertificateAuthority(root.trust_domain(), chain).kind();
  const auto names = CertificateAuthority::kind_names();
  return std::ranges::find(names, kind, [](const auto& row) { return row.second; })->first;
}

Report sign_ca(const Args& args, Env& env) {
  const auto out = absolute_path(args.text("out"));
  require_absent(out);
  const bcpki::Certificate former = read_certificate_file(args.text(kCaCert));
  const bcpki::RootAuthority root = open_root(args, env);
  auto draft = naming(args.text(kCaCert), [&] {
    return root.renew(former.der, ca_lifetime(args), env.now, env.rng());
  });
  if (draft.shortened()) env.warn(*draft.shortened());
  const bcpki::Certificate renewed = std::move(draft).sign(root.signer());

  Transaction transaction;
  transaction.create(out, Access::everyone, bcpki::as_bytes(renewed.pem()));
  transaction.commit();
  Report report;
  report.add("certificate", "certificate", out.native());
  report.add("trustDomain", "trust domain", root.trust_domain());
  report.add("changed", "changed", true);
  add_ca(report, name_of(root, renewed), renewed);
  return report.add(
      "", "next",
      Report::List{fmt::format("where the bundle is: bc-pki renew-ca --certificate {}",
                               shell_quoted(out.filename().native()))});
}

constexpr std::array kFlags = {
    required(kRootKeyFlag),
    kRootSecretFlag,
    Flag{.name = kRootCert,
         .value_name = "FILE",
         .help = "The root's certificate, where --root-key is a PEM key",
         .kind = Kind::path},
    Flag{.name = kCaCert,
         .value_name = "FILE",
         .help = "The CA's present certificate, alone in its file (`bc-pki export node-ca`)",
         .kind = Kind::path,
         .required = true},
    kCaDaysFlag,
    Flag{.name = "trust-domain",
         .value_name = "DOMAIN",
         .help = "The trust domain, where the root's certificate is too short to name it",
         .variable = "BETTER_COMPUTE_TRUST_DOMAIN"},
    Flag{.name = "out",
         .value_name = "FILE",
         .help = "The new certificate; never over an existing file",
         .kind = Kind::path,
         .required = true},
};

}  // namespace

constinit const Command kSignCa{
    .name = "sign-ca",
    .summary = "sign a CA's certificate anew on the machine that has the root's key",
    .description =
        "Takes no bundle. The CA keeps its key, its subject and its extensions; what --root-key\n"
        "did not sign is refused. `renew-ca --certificate` puts the result into the bundle.",
    .example = "bc-pki sign-ca --root-key root.json --ca-cert node-ca.pem --out node-ca-2027.pem",
    .flags = kFlags,
    .run = sign_ca};

}  // namespace cli
