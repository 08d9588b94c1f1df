#include "bcpki/batch_approval.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"

#include "support/approvers.h"
#include "support/code_of.h"

namespace {

using bcpki::ApprovalTerms;
using bcpki::ApproverSet;
using bcpki::BatchApproval;
using bcpki::Bytes;
using bcpki::ClaimedSignature;
using bcpki::Code;
using bcpki::UnixTime;
using bcpki::test::approver_kid;
using bcpki::test::approver_set;
using bcpki::test::approver_signer;
using bcpki::test::code_of;
using bcpki::test::kids_of;
using bcpki::test::Names;

const std::string kTrustDomain = "compute.example.com";
constexpr UnixTime kEnd = UnixTime::seconds(1796040000);

const ApproverSet kSet = approver_set({"alice", "bob", "carol"}, 2, {{5, 1}});

ApprovalTerms terms(std::uint32_t size = 412) {
  bcpki::Digest32 root;
  root.fill(std::byte{0x42});
  return {{"batch_9", root, size}, kEnd, kTrustDomain};
}

ClaimedSignature signed_by(std::string_view name, const ApprovalTerms& over = terms()) {
  return bcpki::claim(bcpki::sign_batch_approval(*approver_signer(name), over));
}

BatchApproval approval_by(const Names& names, const ApprovalTerms& over = terms()) {
  bcpki::ApprovalFile file{over};
  for (const auto& name : names) file.signatures.push_back(signed_by(name, over));
  return file.approval();
}

struct Asked {
  std::string batch_id = "batch_9";
  UnixTime now = kEnd;
  std::string trust_domain = kTrustDomain;
};

std::string reason(const BatchApproval& approval, const Asked& asked = {},
                   const ApproverSet& set = kSet) {
  const auto verdict =
      bcpki::verify_batch_approval(&approval, asked.batch_id, {set, asked.trust_domain}, asked.now);
  return verdict ? "" : std::string(verdict.reason().slug);
}

std::vector<std::string> approved_by(const BatchApproval& approval) {
  return bcpki::verify_batch_approval(&approval, "batch_9", {kSet, kTrustDomain}, kEnd)
      .value_or_throw(Code::access_denied)
      .approved_by();
}

std::string changed(const std::function<void(BatchApproval&)>& change) {
  auto approval = approval_by({"alice", "bob"});
  change(approval);
  return reason(approval);
}

}  // namespace

TEST_CASE("enough different approvers allow a batch") {
  const auto approval = approval_by({"bob", "alice"});
  const auto verdict =
      bcpki::verify_batch_approval(&approval, "batch_9", {kSet, kTrustDomain}, kEnd);
  REQUIRE(static_cast<bool>(verdict));
  CHECK(verdict->approved_by() == kids_of({"alice", "bob"}));
  CHECK(verdict->scope() == terms().scope);
  CHECK(verdict->not_after() == kEnd);
  CHECK(verdict->tally().missing == kids_of({"carol"}));
  CHECK(reason(approval_by({"alice"})) == "too-few-approvals");
  CHECK(reason(approval_by({})) == "too-few-approvals");
}

TEST_CASE("tiers ask for fewer approvals of a small batch, by its signed size") {
  CHECK(reason(approval_by({"carol"}, terms(5))).empty());
  CHECK(reason(approval_by({"carol"}, terms(6))) == "too-few-approvals");
  auto approval = approval_by({"carol"}, terms(6));
  approval.scope_size = 5;
  CHECK(reason(approval) == "too-few-approvals");
}

TEST_CASE("one approver counts once, by whatever signatures and files") {
  CHECK(reason(approval_by({"alice", "alice"})) == "too-few-approvals");
  auto same = approval_by({"alice"});
  same.signatures.push_back(same.signatures[0]);
  CHECK(reason(same) == "too-few-approvals");

  const auto first = bcpki::ApprovalFile{terms(), {signed_by("alice")}};
  const auto second = bcpki::ApprovalFile{terms(), {signed_by("alice")}};
  CHECK(reason(bcpki::combine_signatures({first, second}).approval()) == "too-few-approvals");
}

TEST_CASE("one key under two kids counts once") {
  auto approval = approval_by({"alice"});
  approval.signatures.push_back({approver_kid("bob"), signed_by("alice").sig});
  CHECK(reason(approval) == "too-few-approvals");
}

TEST_CASE("strangers, garbage and former approvers spoil nothing") {
  auto approval = approval_by({"dave", "alice", "bob"});
  approval.signatures.insert(approval.signatures.begin(), {approver_kid("alice"), Bytes(64)});
  approval.signatures.push_back({approver_kid("carol"), {}});
  approval.signatures.push_back({"", Bytes(3)});
  CHECK(approved_by(approval) == kids_of({"alice", "bob"}));

  const auto tally = bcpki::tally_batch_approval(approval, {kSet, kTrustDomain});
  std::vector<std::string> ignored;
  for (const auto& one : tally.ignored) ignored.emplace_back(one.slug);
  CHECK(ignored ==
        std::vector<std::string>{"bad-signature", "unknown-key", "bad-signature", "unknown-key"});
}

TEST_CASE("numbers that verify for any key elsewhere count for none here") {
  BatchApproval approval = approval_by({});
  for (const std::string& kid : kSet.kids()) approval.signatures.push_back({kid, Bytes(64)});
  CHECK(reason(approval) == "too-few-approvals");

  // r = n, s = n, and r or s of 0 beside a good half.
  const Bytes n =
      bcpki::parse_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").value();
  const Bytes good = signed_by("alice").sig;
  for (const std::size_t half : {0, 32}) {
    for (const Bytes& number : {n, Bytes(32)}) {
      Bytes sig = good;
      std::copy(number.begin(), number.end(), sig.begin() + static_cast<std::ptrdiff_t>(half));
      auto one = approval_by({"bob"});
      one.signatures.push_back({approver_kid("alice"), sig});
      CHECK(reason(one) == "too-few-approvals");
    }
  }
}

TEST_CASE("a signature is 64 bytes, r and s, and nothing else") {
  const Bytes good = signed_by("alice").sig;
  const auto counts = [](Bytes sig) {
    auto approval = approval_by({"bob"});
    approval.signatures.push_back({approver_kid("alice"), std::move(sig)});
    return reason(approval).empty();
  };
  CHECK(counts(good));
  for (const std::size_t size : {0, 1, 63, 65, 66, 68, 70, 71, 72, 82, 128}) {
    Bytes sig = good;
    sig.resize(size);
    CHECK_FALSE(counts(sig));
  }
  Bytes padded{std::byte{0}};
  padded.insert(padded.end(), good.begin(), good.begin() + 32);
  padded.push_back(std::byte{0});
  padded.insert(padded.end(), good.begin() + 32, good.end());
  CHECK_FALSE(counts(padded));

  Bytes der = bcpki::parse_hex("30440220").value();
  der.insert(der.end(), good.begin(), good.begin() + 32);
  der.push_back(std::byte{2});
  der.push_back(std::byte{0x20});
  der.insert(der.end(), good.begin() + 32, good.end());
  CHECK_FALSE(counts(der));
}

TEST_CASE("a kid is one text: other spellings are unknown") {
  const auto good = signed_by("alice");
  for (std::string kid : {good.kid + "=", good.kid + "\n", " " + good.kid, good.kid + '\0',
                          good.kid.substr(0, 42), std::string()}) {
    auto approval = approval_by({"bob"});
    approval.signatures.push_back({std::move(kid), good.sig});
    CHECK(reason(approval) == "too-few-approvals");
  }
  std::string other = good.kid;
  other.back() = static_cast<char>(other.back() + 1);
  auto approval = approval_by({"bob"});
  approval.signatures.push_back({other, good.sig});
  CHECK(reason(approval) == "too-few-approvals");
}

TEST_CASE("every signed field is signed") {
  CHECK(changed([](BatchApproval&) {}).empty());
  CHECK(changed([](BatchApproval& a) { a.scope_root[0] ^= std::byte{1}; }) == "too-few-approvals");
  CHECK(changed([](BatchApproval& a) { a.scope_size = 413; }) == "too-few-approvals");
  CHECK(changed([](BatchApproval& a) { a.not_after = kEnd + std::chrono::seconds(1); }) ==
        "too-few-approvals");
  auto approval = approval_by({"alice", "bob"});
  approval.batch_id = "batch_8";
  CHECK(reason(approval, {.batch_id = "batch_8"}) == "too-few-approvals");
  CHECK(reason(approval_by({"alice", "bob"}), {.trust_domain = "staging.example.com"}) ==
        "too-few-approvals");
  CHECK(reason(approval_by({"alice", "bob"}), {.trust_domain = ""}) == "too-few-approvals");
}

TEST_CASE("what was signed under another purpose is no approval") {
  auto signer = approver_signer("alice");
  const auto other = bcpki::sign_approver_set(*signer, kSet, 1, kTrustDomain);
  auto approval = approval_by({"bob"});
  approval.signatures.push_back(bcpki::claim(other));
  CHECK(reason(approval) == "too-few-approvals");
}

TEST_CASE("an approval that is malformed is refused before anything is verified") {
  CHECK(changed([](BatchApproval& a) { a.scope_root.pop_back(); }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.scope_root.push_back({}); }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.scope_root.clear(); }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.scope_size = 0; }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.scope_size = 50'001; }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.scope_size = (std::uint64_t{1} << 32) + 412; }) ==
        "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.not_after.reset(); }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.not_after = UnixTime::seconds(-1); }) ==
        "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.not_after = kEnd + std::chrono::milliseconds(1); }) ==
        "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.signatures.resize(257); }) == "malformed-approval");
  CHECK(changed([](BatchApproval& a) { a.signatures.resize(256); }).empty());
}

TEST_CASE("an approval of 50,000 leaves holds") {
  CHECK(reason(approval_by({"alice", "bob"}, terms(50'000))).empty());
}

TEST_CASE("an approval holds to the last millisecond of its end") {
  const auto approval = approval_by({"alice", "bob"});
  CHECK(reason(approval, {.now = UnixTime()}).empty());
  CHECK(reason(approval, {.now = kEnd}).empty());
  CHECK(reason(approval, {.now = kEnd + std::chrono::milliseconds(1)}) == "expired");
}

TEST_CASE("reasons come in their order") {
  CHECK(
      bcpki::verify_batch_approval(nullptr, "batch_9", {kSet, kTrustDomain}, kEnd).reason().slug ==
      "no-approval");
  BatchApproval nothing;
  CHECK(reason(nothing) == "other-batch");
  nothing.batch_id = "batch_9";
  CHECK(reason(nothing) == "malformed-approval");
  const auto late = kEnd + std::chrono::seconds(1);
  CHECK(reason(approval_by({"alice"}), {.now = late}) == "expired");
  CHECK(reason(approval_by({"alice", "bob"}), {.batch_id = "batch_8", .now = late}) ==
        "other-batch");
  auto broken = approval_by({"alice"});
  broken.scope_size = 0;
  CHECK(reason(broken, {.now = late}) == "malformed-approval");
}

TEST_CASE("one set serves many threads, with good and bad signatures in between") {
  const auto good = approval_by({"alice", "bob"});
  auto bad = good;
  bad.signatures[1].sig[5] ^= std::byte{1};
  std::atomic<int> approved = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        const auto& approval = (i + j) % 2 == 0 ? good : bad;
        ++(reason(approval).empty() ? approved : refused);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(approved == 40);
  CHECK(refused == 40);
}

TEST_CASE("without approvers nothing is approved") {
  CHECK(reason(approval_by({"alice", "bob"}), {}, ApproverSet::removal()) == "too-few-approvals");
  auto wire = bcpki::test::claimed(kSet);
  wire.threshold = 0;
  CHECK(reason(approval_by({}), {}, *ApproverSet::check_held(wire)) == "too-few-approvals");
}

TEST_CASE("a malformed approval counts nobody") {
  auto approval = approval_by({"alice", "bob"});
  approval.scope_size = 0;
  const auto tally = bcpki::tally_batch_approval(approval, {kSet, kTrustDomain});
  CHECK(tally.counted.empty());
  CHECK(tally.missing.size() == 3);
  CHECK(tally.ignored.size() == 2);
  CHECK_FALSE(tally.is_enough());
}

TEST_CASE("only terms that a verifier takes are signed") {
  auto signer = approver_signer("alice");
  const auto sign = [&](const std::function<void(ApprovalTerms&)>& change) {
    auto over = terms();
    change(over);
    return code_of([&] { return bcpki::sign_batch_approval(*signer, over); });
  };
  CHECK(sign([](ApprovalTerms& t) { t.scope.batch_id = ""; }) == Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.scope.batch_id = "a b"; }) == Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.scope.size = 0; }) == Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.scope.size = 50'001; }) == Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.not_after = UnixTime::milliseconds(1500); }) ==
        Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.not_after = UnixTime::seconds(-1); }) == Code::invalid_input);
  CHECK(sign([](ApprovalTerms& t) { t.trust_domain = ""; }) == Code::invalid_input);
}

TEST_CASE("a window that has closed, or stays open too long, is not signed for") {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  const auto code = [](UnixTime now, hours longest) {
    return code_of([&] {
      bcpki::require_open_window(kEnd, now, longest);
      return 0;
    });
  };
  CHECK_NOTHROW(bcpki::require_open_window(kEnd, kEnd));
  CHECK_NOTHROW(bcpki::require_open_window(kEnd, kEnd - hours(72)));
  CHECK_NOTHROW(bcpki::require_open_window(kEnd, kEnd - hours(720), hours(720)));
  CHECK(code(kEnd + milliseconds(1), hours(72)) == Code::invalid_state);
  CHECK(code(kEnd - hours(72) - milliseconds(1), hours(72)) == Code::invalid_state);
  CHECK(code(kEnd, hours(0)) == Code::invalid_input);
  CHECK(code(kEnd, hours(721)) == Code::invalid_input);
}
