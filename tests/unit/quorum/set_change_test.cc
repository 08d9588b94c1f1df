// How one set of approvers takes another's place, and what people are told about it.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/approver_set.h"

#include "support/approvers.h"

namespace {

using bcpki::ApproverSet;
using bcpki::ChangeLine;
using bcpki::ClaimedSignature;
using bcpki::HeldApprovers;
using bcpki::NextApprovers;
using bcpki::Tally;
using bcpki::test::approver_kid;
using bcpki::test::approver_set;
using bcpki::test::approver_signer;
using bcpki::test::kids_of;
using bcpki::test::Names;

const std::string kTrustDomain = "compute.example.com";

const ApproverSet kHeld = approver_set({"alice", "bob", "carol"}, 2, {{5, 1}});
const ApproverSet kNext = approver_set({"alice", "bob", "dave"}, 2, {{5, 1}});

ClaimedSignature signed_by(std::string_view name, const ApproverSet& set, std::uint64_t epoch,
                           std::string_view trust_domain = kTrustDomain) {
  return bcpki::claim(bcpki::sign_approver_set(*approver_signer(name), set, epoch, trust_domain));
}

NextApprovers next_by(const Names& names, std::uint64_t epoch, const ApproverSet& set = kNext) {
  NextApprovers next{set, epoch};
  for (const auto& name : names) next.signatures.push_back(signed_by(name, set, epoch));
  return next;
}

std::string reason(const HeldApprovers& held, const NextApprovers& next,
                   std::string_view trust_domain = kTrustDomain) {
  const auto verdict = bcpki::verify_approver_set_change(held, next, trust_domain);
  return verdict ? "" : std::string(verdict.reason().slug);
}

std::vector<std::string> allowed_by(const HeldApprovers& held, const NextApprovers& next) {
  return bcpki::verify_approver_set_change(held, next, kTrustDomain)
      .value_or_throw(bcpki::Code::access_denied)
      .counted;
}

std::string text_of(const std::vector<ChangeLine>& lines) {
  std::string out;
  for (const auto& line : lines) {
    out += line.mark;
    out += ' ';
    out += line.text;
    out += '\n';
  }
  return out;
}

bool has_line(const std::vector<ChangeLine>& lines, char mark, std::string_view part) {
  return std::ranges::any_of(lines, [&](const ChangeLine& line) {
    return line.mark == mark && line.text.find(part) != std::string::npos;
  });
}

bool is_dangerous(const std::vector<ChangeLine>& lines) {
  return std::ranges::any_of(lines, &ChangeLine::is_dangerous);
}

}  // namespace

TEST_CASE("the held threshold of held keys allows a change") {
  CHECK(allowed_by({kHeld, 1}, next_by({"alice", "bob"}, 2)) == kids_of({"alice", "bob"}));
  CHECK(allowed_by({kHeld, 1}, next_by({"carol", "alice", "bob"}, 2)) ==
        kids_of({"alice", "bob", "carol"}));
  CHECK(reason({kHeld, 1}, next_by({"alice"}, 2)) == "approver-set-unsigned");
  CHECK(reason({kHeld, 1}, next_by({}, 2)) == "approver-set-unsigned");
}

TEST_CASE("one key counts once in a change, by whatever signatures") {
  CHECK(reason({kHeld, 1}, next_by({"alice", "alice"}, 2)) == "approver-set-unsigned");
  auto next = next_by({"alice"}, 2);
  next.signatures.push_back(next.signatures[0]);
  CHECK(reason({kHeld, 1}, next) == "approver-set-unsigned");
}

TEST_CASE("members of the next set alone count for nothing, once or twice") {
  CHECK(reason({kHeld, 1}, next_by({"alice", "dave"}, 2)) == "approver-set-unsigned");
  CHECK(reason({kHeld, 1}, next_by({"dave", "dave"}, 2)) == "approver-set-unsigned");
  CHECK(reason({kHeld, 1}, next_by({"alice", "dave", "dave"}, 2)) == "approver-set-unsigned");
  CHECK(allowed_by({kHeld, 1}, next_by({"dave", "alice", "bob"}, 2)) == kids_of({"alice", "bob"}));
}

TEST_CASE("a signature is over this set, this epoch and this deployment") {
  const auto refused = [](const ClaimedSignature& signature) {
    auto next = next_by({"alice"}, 2);
    next.signatures.push_back(signature);
    return reason({kHeld, 1}, next) == "approver-set-unsigned";
  };
  CHECK_FALSE(refused(signed_by("bob", kNext, 2)));
  CHECK(refused(signed_by("bob", kHeld, 2)));
  CHECK(refused(signed_by("bob", kNext, 3)));
  CHECK(refused(signed_by("bob", kNext, 1)));
  CHECK(refused(signed_by("bob", kNext, 2, "staging.example.com")));
  const auto swapped = ClaimedSignature{approver_kid("bob"), signed_by("carol", kNext, 2).sig};
  CHECK(refused(swapped));
}

TEST_CASE("epochs only go up") {
  const HeldApprovers held{kHeld, 5};
  CHECK(reason(held, next_by({"alice", "bob"}, 6)).empty());
  CHECK(reason(held, next_by({"alice", "bob"}, 7)).empty());
  CHECK(reason(held, next_by({"alice", "bob"}, 5)) == "stale-epoch");
  CHECK(reason(held, next_by({"alice", "bob"}, 4)) == "stale-epoch");
  CHECK(reason(held, next_by({"alice", "bob"}, (std::uint64_t{1} << 53) - 1)).empty());
  CHECK(reason(held, {kNext, std::uint64_t{1} << 53}) == "malformed-set");
  CHECK(reason(held, {kNext, std::uint64_t{1} << 63}) == "malformed-set");
  CHECK(reason(held, {kNext, ~std::uint64_t{0}}) == "malformed-set");
  CHECK(reason(held, {kNext, 0}) == "malformed-set");
}

TEST_CASE("the held set at the held epoch is taken without a word, at another one never") {
  CHECK(allowed_by({kHeld, 2}, {kHeld, 2}).empty());
  CHECK(allowed_by({kHeld, 2}, {approver_set({"carol", "bob", "alice"}, 2, {{5, 1}}), 2}).empty());
  CHECK(bcpki::verify_approver_set_change({kHeld, 2}, {kHeld, 2}, "").operator bool());
  CHECK(reason({kHeld, 2}, {kHeld, 3}) == "approver-set-unsigned");
  CHECK(reason({kHeld, 2}, next_by({"alice", "bob"}, 3, kHeld)).empty());
  CHECK(reason({kHeld, 2}, next_by({"alice", "bob"}, 1, kHeld)) == "stale-epoch");
}

TEST_CASE("tiers never lower the bar of a change") {
  const auto held = approver_set({"alice", "bob", "carol"}, 3, {{100, 1}});
  CHECK(reason({held, 1}, next_by({"alice", "bob"}, 2)) == "approver-set-unsigned");
  CHECK(reason({held, 1}, next_by({"alice", "bob", "carol"}, 2)).empty());
}

TEST_CASE("a holder without keys takes any set, or only the pinned one") {
  CHECK(reason({}, {kNext, 1}).empty());
  CHECK(reason({}, {kNext, 1}, "").empty());
  CHECK(reason({{}, 0, kNext.digest()}, {kNext, 1}).empty());
  CHECK(reason({{}, 0, kHeld.digest()}, {kNext, 1}) == "pin-mismatch");
  CHECK(reason({{}, 0, kNext.digest()}, {ApproverSet::removal(), 0}) == "pin-mismatch");
  CHECK(reason({}, {ApproverSet::removal(), 0}).empty());
}

TEST_CASE("a removal needs signatures, keeps its epoch, and lets any later set in") {
  const auto removal = ApproverSet::removal();
  CHECK(reason({kHeld, 1}, next_by({"alice", "carol"}, 2, removal)).empty());
  CHECK(reason({kHeld, 1}, {removal, 2}) == "approver-set-unsigned");
  CHECK(reason({kHeld, 1}, next_by({"alice", "carol"}, 1, removal)) == "stale-epoch");

  const HeldApprovers removed{removal, 3};
  CHECK(reason(removed, {kNext, 4}).empty());
  CHECK(reason(removed, {kNext, 3}) == "stale-epoch");
  CHECK(reason(removed, {kNext, 2}) == "stale-epoch");
  CHECK(reason(removed, {removal, 3}).empty());
  CHECK(reason({removal, 3, kHeld.digest()}, {kNext, 4}) == "pin-mismatch");
  CHECK(reason({removal, 3, kHeld.digest()}, {kNext, 3}) == "stale-epoch");
}

TEST_CASE("a pin does not bind who holds keys, and reasons come in their order") {
  CHECK(reason({kHeld, 1, kHeld.digest()}, next_by({"alice", "bob"}, 2)).empty());
  CHECK(reason({kHeld, 2}, {kNext, 1}, "") == "stale-epoch");
  CHECK(reason({kHeld, 1}, next_by({"alice", "bob"}, 2), "") == "no-trust-domain");
  CHECK(reason({kHeld, 1}, next_by({"alice", "bob"}, 2), "No.Domain") == "no-trust-domain");

  auto wire = bcpki::test::claimed(kHeld);
  wire.threshold = 0;
  const HeldApprovers open{*ApproverSet::check_held(wire), 1};
  CHECK(reason(open, next_by({"alice", "bob", "carol"}, 2)) == "no-threshold");
  CHECK(reason(open, next_by({"alice"}, 2), "") == "no-trust-domain");
  CHECK(reason(open, next_by({"alice"}, 1)) == "stale-epoch");
}

TEST_CASE("what does not count is named and spoils nothing") {
  auto next = next_by({"alice", "dave"}, 2);
  next.signatures.insert(next.signatures.begin(), {approver_kid("bob"), bcpki::Bytes(64)});
  next.signatures.push_back(signed_by("alice", kNext, 2));
  next.signatures.push_back({"", {}});
  next.signatures.push_back(signed_by("bob", kNext, 2));
  const auto tally = bcpki::tally_approver_set(kHeld, next, kTrustDomain);
  CHECK(tally.counted == kids_of({"alice", "bob"}));
  CHECK(tally.missing == kids_of({"carol"}));
  CHECK(tally.needed == 2);
  CHECK(tally.is_enough());
  std::vector<std::string> ignored;
  for (const auto& one : tally.ignored) ignored.emplace_back(one.slug);
  CHECK(ignored ==
        std::vector<std::string>{"bad-signature", "unknown-key", "repeated", "unknown-key"});
  CHECK(reason({kHeld, 1}, next).empty());
}

TEST_CASE("a change is described member by member") {
  const auto lines = bcpki::describe_change(kHeld, kNext);
  CHECK(text_of(lines) ==
        "- carol (_sPd…15k)\n"
        "  alice (H4Oe…ydk)\n"
        "  bob (UWw0…6b0)\n"
        "+ dave (RWC0…rmQ)\n"
        "  2 of 3 approvers must sign\n"
        "  batches of up to 5 need 1\n"
        "  0 destructive commands an hour run on each machine without a batch\n"
        "  any 1 of 3 keys may be lost\n");
  CHECK_FALSE(is_dangerous(lines));

  const auto more =
      bcpki::describe_change(kHeld, approver_set({"alice", "bob", "carol"}, 2, {}, 3));
  CHECK(has_line(more, '-', "batches of up to 5 need 1"));
  CHECK(has_line(more, '-', "0 destructive commands an hour"));
  CHECK(has_line(more, '+', "3 destructive commands an hour"));
  CHECK(has_line(more, '!', "without any approval"));
  CHECK(is_dangerous(more));
}

TEST_CASE("a key that takes another's place under its name goes and comes") {
  auto approvers = kHeld.approvers();
  approvers[1].key = approver_set({"erin"}, 1).approvers()[0].key;
  const auto next = ApproverSet::make({approvers, 2, {{5, 1}}, 0});
  const auto lines = bcpki::describe_change(kHeld, next);
  CHECK(has_line(lines, '-', "bob (UWw0…6b0)"));
  CHECK(has_line(lines, '+', "bob (9dV6…wv8)"));
}

TEST_CASE("a name that changes is said, since nobody signs it") {
  auto approvers = kHeld.approvers();
  approvers[1].name = "carol";
  approvers[2].name = "bob";
  const auto lines = bcpki::describe_change(kHeld, ApproverSet::make({approvers, 2, {{5, 1}}, 0}));
  CHECK(has_line(lines, '!', "its name was bob (UWw0…6b0)"));
  CHECK(has_line(lines, '!', "its name was carol (_sPd…15k)"));
}

TEST_CASE("one name beside two keys is dangerous: it counts twice") {
  auto approvers = kHeld.approvers();
  approvers[1].name = "alice";
  const auto set = ApproverSet::make({approvers, 2, {}, 0});
  CHECK(has_line(bcpki::describe_set(set), '!', "the name alice stands beside two keys"));
  CHECK(is_dangerous(bcpki::describe_set(set)));
  CHECK_FALSE(is_dangerous(bcpki::describe_set(kHeld)));
}

TEST_CASE("what may be lost is said, and that nothing may be") {
  CHECK(bcpki::tolerance(kHeld) == "any 1 of 3 keys may be lost");
  CHECK(bcpki::tolerance(approver_set({"alice", "bob", "carol", "dave", "erin"}, 2)) ==
        "any 3 of 5 keys may be lost");
  const auto all = approver_set({"alice", "bob", "carol"}, 3);
  CHECK(bcpki::tolerance(all).find("no key may be lost") == 0);
  CHECK(has_line(bcpki::describe_set(all), '!', "no key may be lost"));
  CHECK(is_dangerous(bcpki::describe_change(kHeld, all)));
}

TEST_CASE("a removal is loud and names everyone who goes") {
  const auto lines = bcpki::describe_change(kHeld, ApproverSet::removal());
  CHECK(has_line(lines, '!', "REMOVAL"));
  CHECK(is_dangerous(lines));
  for (const std::string name : {"alice", "bob", "carol"}) CHECK(has_line(lines, '-', name));
  CHECK(has_line(bcpki::describe_set(ApproverSet::removal()), '!', "REMOVAL"));
}

TEST_CASE("a batch that needs less than before is dangerous, at whatever size") {
  const auto lowered = [](const ApproverSet& next) {
    return has_line(bcpki::describe_change(kHeld, next), '!', "as before");
  };
  CHECK(lowered(approver_set({"alice", "bob", "carol"}, 1)));
  CHECK(lowered(approver_set({"alice", "bob", "carol"}, 2, {{6, 1}})));
  CHECK_FALSE(lowered(approver_set({"alice", "bob", "carol"}, 2, {{4, 1}})));
  CHECK_FALSE(lowered(approver_set({"alice", "bob", "carol", "dave"}, 3, {{5, 1}, {9, 2}})));
  CHECK_FALSE(lowered(kNext));
}

TEST_CASE("the first set is a change from nobody") {
  const auto lines = bcpki::describe_change(ApproverSet::removal(), kHeld);
  CHECK(has_line(lines, '+', "alice (H4Oe…ydk)"));
  CHECK(has_line(lines, '-', "nobody must sign"));
  CHECK(has_line(lines, '+', "2 of 3 approvers must sign"));
  CHECK_FALSE(is_dangerous(lines));
}
