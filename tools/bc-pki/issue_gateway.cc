#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "bc-pki/commands.h"
#include "bc-pki/issue.h"

namespace cli {
namespace {

Report issue_gateway(const Args& args, Env& env) {
  const OutputFiles files = output_files(args, args.text("name"));
  const LoadedBundle loaded = load_bundle(args, env);
  const bcpki::CertificateAuthority& ca = loaded.bundle.serving_ca();
  const std::vector<std::string> names = bcpki::normalize_dns_names(args.list(kSanFlag.name));
  const bcpki::GatewayProfile profile{.names = names,
                                      .lifetime = std::chrono::days(args.number("days"))};
  return issue({.loaded = loaded,
                .ca = ca,
                .files = files,
                .names = names,
                .draft =
                    [&](const bcpki::PublicKey& key) {
                      return ca.gateway(profile, key, env.now, env.rng());
                    },
                .describe = [&](Report& report) { report.add("names", "names", names); }},
               args, env);
}

constexpr std::array kFlags = {
    kSanFlag,
    Flag{.name = "days",
         .value_name = "N",
         .help = "Lifetime in days",
         .kind = Kind::number,
         .min = 1,
         .max = 30,
         .fallback = "30"},
    Flag{.name = "out",
         .value_name = "DIR",
         .help = "Directory for the key and certificate",
         .kind = Kind::path,
         .fallback = ".better-compute/gateway"},
    Flag{.name = "name", .value_name = "STEM", .help = "File name stem", .fallback = "gateway"},
    kCsrFlag,
    kIfExpiringFlag,
    kPkiFlag,
};

}  // namespace

constinit const Command kIssueGateway{
    .name = "issue-gateway",
    .summary = "issue a gateway's serving certificate",
    .description =
        "Makes a P-256 key and a certificate from the gateway serving CA. Writes STEM.key (0600)\n"
        "and STEM.crt (the certificate, then the CA; the root stays out) and replaces earlier\n"
        "ones. With --csr no key is made and nothing but the key is taken from the request.",
    .example = "bc-pki issue-gateway --san gw.eu-1.compute.example.com --out /etc/tls --days 14",
    .flags = kFlags,
    .run = issue_gateway};

}  // namespace cli
