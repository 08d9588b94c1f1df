#include "bcpki/approver_set.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

#include "base/wire.h"
#include "quorum/approver_set_impl.h"

namespace bcpki {
namespace {

constexpr std::size_t kMaxName = 64;

// Fault is why a quorum is no valid set.
using Fault = std::optional<std::string>;

bool is_empty(const Quorum& quorum) {
  return quorum.threshold == 0 && quorum.tiers.empty() && quorum.unbatched_per_hour == 0;
}

Fault fault_of_approvers(const std::vector<Approver>& approvers,
                         const std::vector<std::string>& kids) {
  if (approvers.size() > kMaxApprovers)
    return fmt::format("it has {} keys, at most {} are allowed", approvers.size(), kMaxApprovers);
  for (std::size_t i = 0; i < approvers.size(); ++i) {
    if (approvers[i].key.algorithm() != KeyAlgorithm::p256) return "approver keys are P-256 keys";
    if (!approvers[i].name.empty() && !is_approver_name(approvers[i].name))
      return "a name is 1 to 64 printable ASCII characters";
    if (std::ranges::count(kids, kids[i]) > 1)
      return fmt::format("the key {} stands in it twice", kids[i]);
  }
  return std::nullopt;
}

Fault fault_of_tiers(const Quorum& quorum) {
  Tier before;
  for (const Tier& tier : quorum.tiers) {
    if (tier.max_scope_size <= before.max_scope_size)
      return "the sizes of its tiers must ascend from 1";
    if (tier.threshold == 0 || tier.threshold < before.threshold)
      return "the thresholds of its tiers start at 1 and never fall";
    if (tier.threshold > quorum.threshold) return "a tier needs more approvals than the threshold";
    before = tier;
  }
  return std::nullopt;
}

enum class Zero : std::uint8_t { refused, taken };

Fault fault_of(const Quorum& quorum, const std::vector<std::string>& kids, Zero threshold) {
  if (quorum.approvers.empty()) {
    if (is_empty(quorum)) return std::nullopt;
    return "without keys there is no threshold, tier or allowance";
  }
  if (auto fault = fault_of_approvers(quorum.approvers, kids)) return fault;
  if (quorum.threshold == 0 && threshold == Zero::taken) return std::nullopt;
  if (quorum.threshold == 0 || quorum.threshold > quorum.approvers.size())
    return fmt::format("a threshold of {} with {} keys: it is 1 to the number of keys",
                       quorum.threshold, quorum.approvers.size());
  return fault_of_tiers(quorum);
}

std::shared_ptr<ApproverSet::Impl> hold(Quorum quorum) {
  auto impl = std::make_shared<ApproverSet::Impl>();
  for (const Approver& approver : quorum.approvers) impl->kids.push_back(approver.key.kid());
  impl->quorum = std::move(quorum);
  impl->by_kid.resize(impl->kids.size());
  std::iota(impl->by_kid.begin(), impl->by_kid.end(), 0U);
  std::ranges::sort(impl->by_kid, {}, [&](std::size_t i) { return impl->kids[i]; });
  return impl;
}

Reason malformed(std::string_view why) {
  return Reason{"malformed-set", printable(fmt::format("it is no valid approver set: {}", why))};
}

Verdict<ApproverSet> judge(Quorum quorum, Zero threshold) {
  auto impl = hold(std::move(quorum));
  if (const auto fault = fault_of(impl->quorum, impl->kids, threshold)) return malformed(*fault);
  return ApproverSet(std::move(impl));
}

Verdict<ApproverSet> judge(const ClaimedQuorum& claimed, Zero threshold) {
  if (claimed.keys.size() > kMaxApprovers) return malformed("it has too many keys");
  Quorum quorum{{}, claimed.threshold, claimed.tiers, claimed.unbatched_per_hour};
  for (const ClaimedQuorum::Key& key : claimed.keys) {
    auto read = PublicKey::read(key.spki);
    if (!read) return malformed(read.reason().detail);
    quorum.approvers.push_back({*std::move(read), key.name});
  }
  auto set = judge(std::move(quorum), threshold);
  if (set && !std::ranges::equal(set->kids(), claimed.keys, {}, {}, &ClaimedQuorum::Key::kid))
    return malformed("a key is listed under another kid than its own");
  return set;
}

}  // namespace

ClaimedSignature claim(const Signature& signature) {
  return {signature.kid, to_bytes(signature.sig)};
}

bool is_approver_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName &&
         std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::string short_kid(std::string_view kid) {
  constexpr std::size_t kFirst = 4, kLast = 3;
  if (kid.size() <= kFirst + kLast) return printable(kid);
  return printable(fmt::format("{}…{}", kid.substr(0, kFirst), kid.substr(kid.size() - kLast)));
}

std::string shown_approver(const Approver& approver) {
  const std::string kid = short_kid(approver.key.kid());
  return approver.name.empty() ? kid : fmt::format("{} ({})", printable(approver.name), kid);
}

ApproverSet ApproverSet::make(Quorum quorum) {
  return judge(std::move(quorum), Zero::refused).value_or_throw(Code::invalid_input);
}

ApproverSet ApproverSet::removal() {
  return make({});
}

Verdict<ApproverSet> ApproverSet::check(const ClaimedQuorum& claimed) {
  return judge(claimed, Zero::refused);
}

Verdict<ApproverSet> ApproverSet::check_held(const ClaimedQuorum& claimed) {
  return judge(claimed, Zero::taken);
}

const std::vector<Approver>& ApproverSet::approvers() const noexcept {
  return impl_->quorum.approvers;
}

const std::vector<std::string>& ApproverSet::kids() const noexcept {
  return impl_->kids;
}

std::uint32_t ApproverSet::threshold() const noexcept {
  return impl_->quorum.threshold;
}

const std::vector<Tier>& ApproverSet::tiers() const noexcept {
  return impl_->quorum.tiers;
}

std::uint32_t ApproverSet::unbatched_per_hour() const noexcept {
  return impl_->quorum.unbatched_per_hour;
}

const Approver* ApproverSet::find(std::string_view kid) const noexcept {
  const auto found = std::ranges::find(kids(), kid);
  return found == kids().end() ? nullptr : &approvers()[found - kids().begin()];
}

std::uint32_t ApproverSet::required_approvals(std::uint32_t scope_size) const noexcept {
  const auto covers = [&](const Tier& tier) { return tier.max_scope_size >= scope_size; };
  const auto tier = std::ranges::find_if(tiers(), covers);
  return std::max(tier == tiers().end() ? threshold() : tier->threshold, 1U);
}

Bytes ApproverSet::input() const {
  const auto put_size = [](Bytes& out, std::size_t size) {
    wire::put_u32(out, static_cast<std::uint32_t>(size));
  };
  Bytes out;
  put_size(out, approvers().size());
  for (const std::size_t i : impl_->by_kid) {
    wire::put_lp(out, as_bytes(kids()[i]));
    wire::put_lp(out, approvers()[i].key.spki());
  }
  wire::put_u32(out, threshold());
  put_size(out, tiers().size());
  for (const Tier& tier : tiers()) {
    wire::put_u32(out, tier.max_scope_size);
    wire::put_u32(out, tier.threshold);
  }
  wire::put_u32(out, unbatched_per_hour());
  return out;
}

Digest32 ApproverSet::digest() const {
  return sha256(input());
}

}  // namespace bcpki
