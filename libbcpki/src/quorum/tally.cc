#include "quorum/tally.h"

#include <algorithm>

namespace bcpki {
namespace {

constexpr std::string_view kUnknownKey = "unknown-key", kRepeated = "repeated",
                           kBadSignature = "bad-signature";

bool contains(const std::vector<std::string>& kids, std::string_view kid) {
  return std::ranges::find(kids, kid) != kids.end();
}

// fault says why `signature` does not count beside those that did, or "".
std::string_view fault(const ApproverSet& set, const Statement& statement,
                       const ClaimedSignature& signature, const std::vector<std::string>& counted) {
  const Approver* approver = set.find(signature.kid);
  if (!approver) return kUnknownKey;
  if (contains(counted, signature.kid)) return kRepeated;
  const bool is_theirs = verify_purpose(approver->key, statement.purpose, statement.parts,
                                        statement.trust_domain, signature.sig);
  return is_theirs ? "" : kBadSignature;
}

}  // namespace

Tally tally(const ApproverSet& set, const Statement& statement,
            std::span<const ClaimedSignature> signatures, std::uint32_t needed) {
  Tally tally{.needed = needed};
  for (const ClaimedSignature& signature : signatures) {
    const auto slug = fault(set, statement, signature, tally.counted);
    if (slug.empty())
      tally.counted.push_back(signature.kid);
    else
      tally.ignored.push_back({signature.kid, slug});
  }
  for (const std::string& kid : set.kids())
    if (!contains(tally.counted, kid)) tally.missing.push_back(kid);
  std::ranges::sort(tally.counted);
  std::ranges::sort(tally.missing);
  return tally;
}

}  // namespace bcpki
