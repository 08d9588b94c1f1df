#include "quorum/set_json.h"

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

namespace bcpki {
namespace {

constexpr FileFormat kSetFile{"better-compute-approver-set", "approver set"};

ClaimedQuorum::Key read_key(Fields fields) {
  ClaimedQuorum::Key key{fields.text("kid"), fields.base64("spki")};
  if (fields.optional("name"))
    key.name = fields.named("name", is_approver_name, "1 to 64 printable ASCII characters");
  fields.finish();
  return key;
}

Tier read_tier(Fields fields) {
  const Tier tier{fields.u32("maxScopeSize"), fields.u32("threshold")};
  fields.finish();
  return tier;
}

json::Value key_json(const Approver& approver) {
  json::Object key;
  key.emplace_back("kid", approver.key.kid());
  key.emplace_back("spki", base64(approver.key.spki()));
  if (!approver.name.empty()) key.emplace_back("name", approver.name);
  return key;
}

json::Value tier_json(const Tier& tier) {
  json::Object out;
  out.emplace_back("maxScopeSize", std::uint64_t{tier.max_scope_size});
  out.emplace_back("threshold", std::uint64_t{tier.threshold});
  return out;
}

template <class Items, class Write>
json::Value list_json(const Items& items, Write write) {
  json::Array list;
  for (const auto& item : items) list.push_back(write(item));
  return list;
}

std::uint64_t read_epoch(Fields& fields) {
  const std::uint64_t epoch = fields.integer("epoch");
  if (epoch == 0) fields.refuse("epoch", "a number from 1 on");
  return epoch;
}

// The three members of a signed file stand together.
std::optional<SignedEpoch> read_signed_epoch(Fields& fields) {
  bool is_signed = false;
  for (const std::string_view name : {"epoch", "trustDomain", "signature"})
    is_signed = fields.optional(name) != nullptr || is_signed;
  if (!is_signed) return std::nullopt;
  return SignedEpoch{read_epoch(fields),
                     fields.named("trustDomain", is_trust_domain, "a trust domain"),
                     read_signature(fields.inner("signature"))};
}

}  // namespace

ClaimedQuorum claimed_quorum(Fields fields) {
  ClaimedQuorum quorum;
  for (std::size_t i = 0; i < fields.list("approvers").size(); ++i)
    quorum.keys.push_back(read_key(fields.element("approvers", i)));
  quorum.threshold = fields.u32("threshold");
  for (std::size_t i = 0; i < fields.list("tiers").size(); ++i)
    quorum.tiers.push_back(read_tier(fields.element("tiers", i)));
  quorum.unbatched_per_hour = fields.u32("unbatchedDestructivePerHour");
  fields.finish();
  return quorum;
}

json::Value set_json(const ApproverSet& set) {
  json::Object out;
  out.emplace_back("approvers", list_json(set.approvers(), key_json));
  out.emplace_back("threshold", std::uint64_t{set.threshold()});
  out.emplace_back("tiers", list_json(set.tiers(), tier_json));
  out.emplace_back("unbatchedDestructivePerHour", std::uint64_t{set.unbatched_per_hour()});
  return out;
}

ClaimedSignature read_signature(Fields fields) {
  ClaimedSignature signature{fields.text("kid"), fields.base64url("sig")};
  fields.finish();
  return signature;
}

json::Value signature_json(const ClaimedSignature& signature) {
  json::Object out;
  out.emplace_back("kid", signature.kid);
  out.emplace_back("sig", base64url(signature.sig));
  return out;
}

ApproverSetFile read_approver_set(std::string_view text) {
  const json::Value top = parse_file(kSetFile.name, text);
  require_format(top, {&kSetFile, 1});
  Fields fields(top, kSetFile.name);
  fields.member("format");
  fields.member("version");
  ApproverSetFile file{
      ApproverSet::check(claimed_quorum(fields.inner("set"))).value_or_throw(Code::invalid_input),
      read_signed_epoch(fields)};
  if (fields.digest("setSha256") != file.set.digest())
    fields.refuse("setSha256", "the digest of the set beside it");
  fields.finish();
  return file;
}

std::string write_approver_set(const ApproverSetFile& file) {
  json::Object top;
  top.emplace_back("format", kSetFile.format);
  top.emplace_back("version", kFormatVersion);
  const auto& epoch = file.signed_epoch;
  if (epoch) {
    top.emplace_back("epoch", epoch->epoch);
    top.emplace_back("trustDomain", epoch->trust_domain);
  }
  top.emplace_back("setSha256", hex(file.set.digest()));
  top.emplace_back("set", set_json(file.set));
  if (epoch) top.emplace_back("signature", signature_json(epoch->signature));
  return laid_out(std::move(top));
}

}  // namespace bcpki
