#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/identifier.h"

#include "bc-pki/commands.h"
#include "bc-pki/issue.h"

namespace cli {
namespace {

using bcpki::Role;

std::vector<std::string_view> role_names() {
  return {bcpki::role_name(Role::node), bcpki::role_name(Role::site),
          bcpki::role_name(Role::ramdisk), bcpki::role_name(Role::node_tenant)};
}

bcpki::NodeProfile profile_of(const Args& args) {
  bcpki::NodeProfile profile{.site = args.text("site"),
                             .node = args.text("node"),
                             .role = bcpki::parse_role(args.text("role")).value(),
                             .statements = args.list("statement")};
  if (args.given("hours")) profile.lifetime = std::chrono::hours(args.number("hours"));
  return profile;
}

Report issue_node(const Args& args, Env& env) {
  const LoadedBundle loaded = load_bundle(args, env);
  const bcpki::CertificateAuthority& ca = loaded.bundle.node_ca();
  const bcpki::NodeProfile profile = profile_of(args);
  // An id that gives no SPIFFE ID is refused by the CA.
  const std::string id =
      bcpki::SpiffeId{loaded.bundle.trust_domain(), profile.site, profile.node}.uri().value_or("");
  std::vector<std::string> uris{id};
  uris.insert(uris.end(), profile.statements.begin(), profile.statements.end());
  return issue(
      {.loaded = loaded,
       .ca = ca,
       .files = {.certificate = absolute_path(args.text("out")), .key = std::nullopt},
       .names = uris,
       .draft =
           [&](const bcpki::PublicKey& key) { return ca.node(profile, key, env.now, env.rng()); },
       .describe =
           [&](Report& report) {
             report.add("role", "role", args.text("role"));
             report.add("spiffeId", "SPIFFE ID", id);
             report.add("statements", "statements", profile.statements);
           }},
      args, env);
}

constexpr std::array kFlags = with_bundle_flags(std::array{
    required(kCsrFlag),
    Flag{.name = "site", .value_name = "ID", .help = "The site's id", .required = true},
    Flag{.name = "node", .value_name = "ID", .help = "The node's id", .required = true},
    Flag{.name = "role",
         .value_name = "ROLE",
         .help = "What the agent is",
         .kind = Kind::choice,
         .choices = role_names,
         .required = true},
    Flag{.name = "hours",
         .value_name = "N",
         .help = "Lifetime in hours; by default the longest of the role: 2 for a ramdisk, else 24",
         .kind = Kind::number,
         .min = 1,
         .max = 24},
    Flag{.name = "statement",
         .value_name = "URN",
         .help = "A urn:bc: statement about the node's key",
         .kind = Kind::repeated},
    Flag{.name = "out",
         .value_name = "FILE",
         .help = "Where to write the certificate and its CA",
         .kind = Kind::path,
         .required = true},
    kIfExpiringFlag});

}  // namespace

constinit const Command kIssueNode{
    .name = "issue-node",
    .summary = "issue an agent's client certificate for a request",
    .description =
        "Issues from the node CA for the key of a certificate request; everything else comes\n"
        "from the flags. Writes the certificate, then the CA, and replaces an earlier file.",
    .example =
        "bc-pki issue-node --csr node.csr --site eu-1 --node node_7 --role node --out node.crt",
    .flags = kFlags,
    .run = issue_node};

}  // namespace cli
