#include <array>
#include <chrono>
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
  const OutputFiles files = output_files(args, args.given("name") ? args.text("name") : role);
  const LoadedBundle loaded = load_bundle(args, env);
  const bcpki::CertificateAuthority& ca = loaded.bundle.internal_ca();
  const std::vector<std::string> names = bcpki::normalize_dns_names(args.list(kSanFlag.name));
  const bcpki::InternalProfile profile{.role = bcpki::parse_service_role(role).value(),
                                       .names = names,
                                       .lifetime = std::chrono::days(args.number("days"))};
  return issue(
      {.loaded = loaded,
       .ca = ca,
       .files = files,
       .names = names,
       .draft =
           [&](const bcpki::PublicKey& key) {
             return ca.internal(profile, key, env.now, env.rng());
           },
       .describe =
           [&](Report& report) { report.add("role", "role", role).add("names", "names", names); }},
      args, env);
}

constexpr std::array kFlags = {
    Flag{.name = "role",
         .value_name = "ROLE",
         .help = "What the process is",
         .kind = Kind::choice,
         .choices = role_names,
         .required = true},
    kSanFlag,
    Flag{.name = "days",
         .value_name = "N",
         .help = "Lifetime in days",
         .kind = Kind::number,
         .min = 1,
         .max = 7,
         .fallback = "7"},
    Flag{.name = "out",
         .value_name = "DIR",
         .help = "Directory for the key and certificate",
         .kind = Kind::path,
         .required = true},
    Flag{.name = "name", .value_name = "STEM", .help = "File name stem; the role by default"},
    kCsrFlag,
    kIfExpiringFlag,
    kPkiFlag,
};

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
