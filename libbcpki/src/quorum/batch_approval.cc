#include "bcpki/batch_approval.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/identifier.h"

#include "base/wire.h"
#include "quorum/tally.h"

namespace bcpki {
namespace {

constexpr std::string_view kPurpose = "batch-approval";

// ApprovalStatement is what approvers sign of a batch; it refers to `scope`.
class ApprovalStatement {
 public:
  ApprovalStatement(const ScopeRoot& scope, UnixTime not_after) {
    wire::put_u32(size_, scope.size);
    wire::put_u64(not_after_, static_cast<std::uint64_t>(not_after.to_milliseconds()));
    parts_ = {as_bytes(scope.batch_id), scope.root, size_, not_after_};
  }
  ApprovalStatement(const ApprovalStatement&) = delete;
  ApprovalStatement& operator=(const ApprovalStatement&) = delete;
  ~ApprovalStatement() = default;

  std::span<const View> parts() const { return parts_; }

 private:
  Bytes size_;
  Bytes not_after_;
  std::array<View, 4> parts_;
};

bool is_end(UnixTime not_after) {
  return not_after.to_milliseconds() >= 0 && not_after.floor_seconds() == not_after;
}

bool is_size(std::uint64_t size) {
  return size >= 1 && size <= kMaxBatchLeaves;
}

// Signed is the part of an approval that is signed, where it is well formed.
struct Signed {
  ScopeRoot scope;
  UnixTime not_after;
};

std::optional<Signed> signed_part(const BatchApproval& approval) {
  Digest32 root;
  if (approval.scope_root.size() != root.size() || !is_size(approval.scope_size)) return {};
  if (!approval.not_after || !is_end(*approval.not_after)) return {};
  if (approval.signatures.size() > kMaxApprovalSignatures) return {};
  std::ranges::copy(approval.scope_root, root.begin());
  const auto size = static_cast<std::uint32_t>(approval.scope_size);
  return Signed{{approval.batch_id, root, size}, *approval.not_after};
}

Tally tally_signed(const Signed& part, std::span<const ClaimedSignature> signatures,
                   const ApprovalRules& rules) {
  const ApprovalStatement statement(part.scope, part.not_after);
  return tally(rules.set, {kPurpose, statement.parts(), rules.trust_domain}, signatures,
               rules.set.required_approvals(part.scope.size));
}

}  // namespace

void require_open_window(UnixTime not_after, UnixTime now, std::chrono::hours longest) {
  if (longest < std::chrono::hours(1) || longest > kLongestMaxWindow)
    throw Error(Code::invalid_input, fmt::format("a batch may be let open for 1 to {} hours",
                                                 kLongestMaxWindow.count()));
  if (now > not_after)
    throw Error(
        Code::invalid_state,
        fmt::format("the batch ended at {}: nothing is left to approve", format_time(not_after)));
  if (not_after > now + longest)
    throw Error(Code::invalid_state,
                fmt::format("the batch stays open until {}, for more than {} hours: ask for one "
                            "that ends sooner",
                            format_time(not_after), longest.count()));
}

Signature sign_batch_approval(Signer& signer, const ApprovalTerms& terms) {
  const auto require = [](bool holds, std::string_view what) {
    if (!holds) throw Error(Code::invalid_input, what);
  };
  require(is_id(terms.scope.batch_id), "an approval needs a valid batch id");
  require(is_size(terms.scope.size),
          fmt::format("an approval is for 1 to {} leaves", kMaxBatchLeaves));
  require(is_end(terms.not_after), "a batch ends at a whole second, not before 1970");
  const ApprovalStatement statement(terms.scope, terms.not_after);
  return sign_purpose(signer, kPurpose, statement.parts(), terms.trust_domain);
}

Tally tally_batch_approval(const BatchApproval& approval, const ApprovalRules& rules) {
  const auto part = signed_part(approval);
  if (part) return tally_signed(*part, approval.signatures, rules);
  Tally nothing = tally(rules.set, {}, {}, rules.set.required_approvals(kMaxBatchLeaves));
  for (const auto& signature : approval.signatures)
    nothing.ignored.push_back({signature.kid, "bad-signature"});
  return nothing;
}

Verdict<ApprovedBatch> verify_batch_approval(const BatchApproval* approval,
                                             std::string_view batch_id, const ApprovalRules& rules,
                                             UnixTime now) {
  if (!approval) return Reason{"no-approval", "no approval came with it"};
  if (approval->batch_id != batch_id)
    return Reason{"other-batch", "the approval is for another batch"};
  auto part = signed_part(*approval);
  if (!part) return Reason{"malformed-approval", "the approval is not of the form that is signed"};
  if (now > part->not_after)
    return Reason{"expired", fmt::format("the approval ended at {}", format_time(part->not_after))};
  auto tally = tally_signed(*part, approval->signatures, rules);
  if (!tally.is_enough())
    return Reason{"too-few-approvals",
                  fmt::format("{} of {} approvals that a batch of {} needs", tally.counted.size(),
                              tally.needed, part->scope.size)};
  return ApprovedBatch(std::move(part->scope), part->not_after, std::move(tally));
}

}  // namespace bcpki
