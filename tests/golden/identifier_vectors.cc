#include <array>

#include "bcpki/identifier.h"

#include "golden/vectors.h"

namespace bcpki::golden {
namespace {

struct Group {
  std::string_view name;
  bool (*takes)(std::string_view value);
};

bool takes_spiffe_id(std::string_view value) {
  const auto id = SpiffeId::parse(value);
  if (id) expect_equal("the id written again", id->uri().value_or("refused"), value);
  return id.has_value();
}

bool takes_dns_name(std::string_view value) {
  return normalize_dns_name(value).has_value();
}

constexpr std::array<Group, 9> kGroups = {{
    {"trustDomain", is_trust_domain},
    {"spiffeId", takes_spiffe_id},
    {"statement", is_statement},
    {"tpmAk", is_tpm_ak_statement},
    {"dnsName", takes_dns_name},
    {"role", is_role_unit},
    {"kind", is_kind},
    {"subject", is_subject},
    {"id", is_id},
}};

}  // namespace

void replay_identifiers(Members& document, Folder&, Report& report) {
  for (const Group& group : kGroups) {
    if (document.optional(group.name) == nullptr) continue;
    each_case(document.list(group.name), report, [&group](Members& members) {
      expect_verdict(group.takes(members.text("value")), members.flag("valid"));
    });
  }
}

}  // namespace bcpki::golden
