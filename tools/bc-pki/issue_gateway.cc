#include <array>

#include "bc-pki/commands.h"
#include "bc-pki/issue.h"

namespace cli {
namespace {

Report issue_gateway(const Args& args, Env& env) {
  return issue_service({.stem = args.text("name"),
                        .ca = &bcpki::Bundle::serving_ca,
                        .draft =
                            [&](const auto& ca, const auto& names, auto lifetime, const auto& key) {
                              return ca.gateway({.names = names, .lifetime = lifetime}, key,
                                                env.now, env.rng());
                            }},
                       args, env);
}

constexpr std::array kFlags = with_bundle_flags(std::array{
    kSanFlag, days_flag<bcpki::kMaxGatewayLifetime>(),
    with_default(kOutFlag, ".better-compute/gateway"),
    Flag{.name = "name", .value_name = "STEM", .help = "File name stem", .fallback = "gateway"},
    kCsrFlag, kIfExpiringFlag});

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
