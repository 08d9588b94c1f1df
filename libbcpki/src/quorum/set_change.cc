// How one set of approvers takes another's place.
#include <array>

#include <fmt/format.h>

#include "bcpki/approver_set.h"
#include "bcpki/identifier.h"

#include "base/wire.h"
#include "quorum/tally.h"

namespace bcpki {
namespace {

constexpr std::string_view kPurpose = "approver-set";

// EpochStatement is what approvers sign: a set and its epoch.
class EpochStatement {
 public:
  EpochStatement(const ApproverSet& set, std::uint64_t epoch) : digest_(set.digest()) {
    wire::put_u64(epoch_, epoch);
    parts_ = {epoch_, digest_};
  }
  EpochStatement(const EpochStatement&) = delete;
  EpochStatement& operator=(const EpochStatement&) = delete;
  ~EpochStatement() = default;

  std::span<const View> parts() const { return parts_; }

 private:
  Digest32 digest_;
  Bytes epoch_;
  std::array<View, 2> parts_;
};

using Refusal = std::optional<Reason>;

Refusal judge_epoch(const NextApprovers& next) {
  if (next.epoch > kMaxEpoch || (next.epoch == 0 && !next.set.is_removal()))
    return Reason{"malformed-set", fmt::format("{} is no epoch of a set", next.epoch)};
  return std::nullopt;
}

bool is_held(const HeldApprovers& held, const NextApprovers& next) {
  return held.set && next.epoch == held.epoch && next.set.digest() == held.set->digest();
}

Reason stale(const HeldApprovers& held, const NextApprovers& next) {
  return Reason{"stale-epoch", fmt::format("epoch {} is not above {}, which was held already",
                                           next.epoch, held.epoch)};
}

Verdict<Tally> judge_first(const HeldApprovers& held, const NextApprovers& next) {
  if (held.epoch > 0 && next.epoch <= held.epoch) return stale(held, next);
  if (held.pin && *held.pin != next.set.digest())
    return Reason{"pin-mismatch", "it is not the set that was pinned"};
  return Tally{};
}

Verdict<Tally> judge_signed(const HeldApprovers& held, const NextApprovers& next,
                            std::string_view trust_domain) {
  if (next.epoch <= held.epoch) return stale(held, next);
  if (!is_trust_domain(trust_domain))
    return Reason{"no-trust-domain", "signatures are checked only by who knows its trust domain"};
  if (held.set->threshold() == 0)
    return Reason{"no-threshold", "the held set has a threshold of 0, which admits no change"};
  auto tally = tally_approver_set(*held.set, next, trust_domain);
  if (tally.is_enough()) return tally;
  return Reason{"approver-set-unsigned",
                fmt::format("{} of the {} current approvers that are needed signed it",
                            tally.counted.size(), tally.needed)};
}

}  // namespace

Signature sign_approver_set(Signer& signer, const ApproverSet& set, std::uint64_t epoch,
                            std::string_view trust_domain) {
  if (epoch == 0 || epoch > kMaxEpoch)
    throw Error(Code::invalid_input, fmt::format("an epoch is a number from 1 to {}", kMaxEpoch));
  return sign_purpose(signer, kPurpose, EpochStatement(set, epoch).parts(), trust_domain);
}

Tally tally_approver_set(const ApproverSet& current, const NextApprovers& next,
                         std::string_view trust_domain) {
  const EpochStatement statement(next.set, next.epoch);
  return tally(current, {kPurpose, statement.parts(), trust_domain}, next.signatures,
               current.threshold());
}

Verdict<Tally> verify_approver_set_change(const HeldApprovers& held, const NextApprovers& next,
                                          std::string_view trust_domain) {
  if (auto refusal = judge_epoch(next)) return *std::move(refusal);
  if (is_held(held, next)) return Tally{};
  const bool has_keys = held.set && !held.set->is_removal();
  return has_keys ? judge_signed(held, next, trust_domain) : judge_first(held, next);
}

}  // namespace bcpki
