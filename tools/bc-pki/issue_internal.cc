#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bc-pki/commands.h"
#include "bc-pki/issue.h"

namespace cli {
namespace {

using bcpki::ServiceRole;

std::vector<std::string_view> role_names() {
  return {bcpki::role_name(ServiceRole::gateway), bcpki::role_name(ServiceRole::internal),
          bcpki::role_name(ServiceRole::worker)};
}

Report issue_internal(const Args& args, Env& env) {
  const std::string& role = args.text("role");
  return issue_service({.stem = args.given("name") ? args.text("name") : role,
                        .ca = &bcpki::Bundle::internal_ca,
                        .draft =
                            [&](const auto& ca, const auto& names, auto lifetime, const auto& key) {
                              return ca.internal({.role = bcpki::parse_service_role(role).value(),
                                                  .names = names,
                                                  .lifetime = lifetime},
                                                 key, env.now, env.rng());
                            },
                        .role = role},
                       args, env);
}

constexpr std::array kFlags = with_bundle_flags(std::array{
    Flag{.name = "role",
         .value_name = "ROLE",
         .help = "What the process is",
         .kind = Kind::choice,
         .choices = role_names,
         .required = true},
    kSanFlag, days_flag<bcpki::kMaxInternalLifetime>(), required(kOutFlag),
    Flag{.name = "name", .value_name = "STEM", .help = "File name stem; the role by default"},
    kCsrFlag, kIfExpiringFlag});

}  // namespace

constinit const Command kIssueInternal{
    .name = "issue-internal",
    .summary = "issue a certificate for mutual TLS inside the control plane",
    .description =
        "As issue-gateway, from the internal CA: a certificate that api, workers and gateways\n"
        "show each other, as server and as client.",
    .example = "bc-pki issue-internal --role worker --san worker-1.internal --out /etc/tls",
    .flags = kFlags,
    .run = issue_internal};

}  // namespace cli
