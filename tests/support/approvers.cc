#include "support/approvers.h"

#include <algorithm>
#include <stdexcept>

#include "support/test_data.h"

namespace bcpki::test {
namespace {

PrivateKey approver_key(std::string_view name) {
  static const json::Value keys = json::parse(golden_text("approver-keys.json"));
  const json::Value* entry = keys.find(name);
  const auto pem = entry ? entry->text("pkcs8") : std::nullopt;
  if (!pem) throw std::runtime_error("no approver is called " + std::string(name));
  return PrivateKey::read_pem(as_bytes(*pem)).value_or_throw(Code::invalid_input);
}

}  // namespace

std::unique_ptr<Signer> approver_signer(std::string_view name) {
  return make_signer(approver_key(name));
}

std::string approver_kid(std::string_view name) {
  return approver_key(name).public_key().kid();
}

std::vector<std::string> kids_of(const Names& names) {
  std::vector<std::string> kids;
  for (const std::string& name : names) kids.push_back(approver_kid(name));
  std::ranges::sort(kids);
  return kids;
}

ApproverSet approver_set(const Names& names, std::uint32_t threshold, std::vector<Tier> tiers,
                         std::uint32_t unbatched_per_hour) {
  Quorum quorum{{}, threshold, std::move(tiers), unbatched_per_hour};
  for (const std::string& name : names)
    quorum.approvers.push_back({approver_key(name).public_key(), name});
  return ApproverSet::make(std::move(quorum));
}

ClaimedQuorum claimed(const ApproverSet& set) {
  ClaimedQuorum out{{}, set.threshold(), set.tiers(), set.unbatched_per_hour()};
  for (std::size_t i = 0; i < set.kids().size(); ++i)
    out.keys.push_back(
        {set.kids()[i], to_bytes(set.approvers()[i].key.spki()), set.approvers()[i].name});
  return out;
}

}  // namespace bcpki::test
