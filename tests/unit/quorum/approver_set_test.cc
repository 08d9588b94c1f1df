#include "bcpki/approver_set.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/rng.h"

#include "support/approvers.h"
#include "support/code_of.h"

namespace {

using bcpki::ApproverSet;
using bcpki::Bytes;
using bcpki::ClaimedQuorum;
using bcpki::Code;
using bcpki::KeyAlgorithm;
using bcpki::PrivateKey;
using bcpki::Quorum;
using bcpki::Tier;
using bcpki::test::approver_kid;
using bcpki::test::approver_set;
using bcpki::test::claimed;
using bcpki::test::code_of;
using std::string_literals::operator""s;

const ApproverSet kSet = approver_set({"alice", "bob", "carol"}, 2, {{5, 1}});

bcpki::PublicKey new_key(KeyAlgorithm algorithm = KeyAlgorithm::p256) {
  return PrivateKey::generate(algorithm, bcpki::system_rng()).public_key();
}

// is_valid asks both ways in: a caller's quorum, and one from a wire.
bool is_valid(const std::function<void(Quorum&)>& change) {
  Quorum quorum{kSet.approvers(), 2, {{5, 1}}, 0};
  change(quorum);
  ClaimedQuorum wire{{}, quorum.threshold, quorum.tiers, quorum.unbatched_per_hour};
  for (const auto& approver : quorum.approvers)
    wire.keys.push_back({approver.key.kid(), bcpki::to_bytes(approver.key.spki()), approver.name});
  const auto verdict = ApproverSet::check(wire);
  if (verdict) {
    CHECK_NOTHROW(ApproverSet::make(quorum));
  } else {
    CHECK(verdict.reason().slug == "malformed-set");
    CHECK(code_of([&] { return ApproverSet::make(quorum); }) == Code::invalid_input);
  }
  return static_cast<bool>(verdict);
}

std::string message_of(const std::string& json) {
  try {
    bcpki::read_approver_set(json);
  } catch (const bcpki::Error& error) {
    CHECK(error.code() == Code::invalid_input);
    return error.what();
  }
  return "";
}

bool is_refused(const std::string& json) {
  return !message_of(json).empty();
}

std::string file_of(const ApproverSet& set) {
  return bcpki::write_approver_set({set});
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("a set is the one quorum that it was made of") {
  CHECK(kSet.threshold() == 2);
  CHECK(kSet.tiers() == std::vector<Tier>{{5, 1}});
  CHECK(kSet.unbatched_per_hour() == 0);
  CHECK(kSet.approvers().size() == 3);
  CHECK(kSet.kids()[1] == approver_kid("bob"));
  CHECK(kSet.find(approver_kid("carol"))->name == "carol");
  CHECK(kSet.find(approver_kid("dave")) == nullptr);
  CHECK_FALSE(kSet.is_removal());
}

TEST_CASE("neither the order of keys nor their names change the digest; everything else does") {
  CHECK(approver_set({"carol", "alice", "bob"}, 2, {{5, 1}}).digest() == kSet.digest());
  auto unnamed = kSet.approvers();
  for (auto& approver : unnamed) approver.name.clear();
  CHECK(ApproverSet::make({unnamed, 2, {{5, 1}}, 0}).digest() == kSet.digest());

  CHECK(approver_set({"alice", "bob", "dave"}, 2, {{5, 1}}).digest() != kSet.digest());
  CHECK(approver_set({"alice", "bob"}, 2, {{5, 1}}).digest() != kSet.digest());
  CHECK(approver_set({"alice", "bob", "carol"}, 3, {{5, 1}}).digest() != kSet.digest());
  CHECK(approver_set({"alice", "bob", "carol"}, 2).digest() != kSet.digest());
  CHECK(approver_set({"alice", "bob", "carol"}, 2, {{6, 1}}).digest() != kSet.digest());
  CHECK(approver_set({"alice", "bob", "carol"}, 2, {{5, 1}}, 1).digest() != kSet.digest());
}

TEST_CASE("a batch needs what the first tier that covers it says, else the threshold") {
  const auto set = approver_set({"alice", "bob", "carol", "dave"}, 3, {{5, 1}, {100, 2}});
  CHECK(set.required_approvals(1) == 1);
  CHECK(set.required_approvals(5) == 1);
  CHECK(set.required_approvals(6) == 2);
  CHECK(set.required_approvals(100) == 2);
  CHECK(set.required_approvals(101) == 3);
  CHECK(set.required_approvals(std::numeric_limits<std::uint32_t>::max()) == 3);
  CHECK(set.required_approvals(0) == 1);
  CHECK(ApproverSet::removal().required_approvals(1) == 1);
}

TEST_CASE("thresholds are 1 to the number of keys") {
  CHECK(is_valid([](Quorum& q) { q.threshold = 3; }));
  CHECK(is_valid([](Quorum& q) { q.threshold = 1; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.threshold = 0; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.threshold = 0, q.tiers.clear(); }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.threshold = 4; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.threshold = 0xffffffff; }));
}

TEST_CASE("tiers ascend by size from 1, with thresholds that never fall or pass the set's") {
  CHECK(is_valid([](Quorum& q) { q.tiers = {}; }));
  CHECK(is_valid([](Quorum& q) { q.tiers = {{1, 1}, {0xffffffff, 2}}; }));
  CHECK(is_valid([](Quorum& q) { q.tiers = {{1, 1}, {2, 1}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{0, 1}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{5, 0}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{5, 3}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{5, 1}, {5, 2}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{9, 1}, {5, 2}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.tiers = {{5, 2}, {9, 1}}; }));
}

TEST_CASE("without keys there is only the removal") {
  CHECK(is_valid([](Quorum& q) { q = {}; }));
  CHECK(ApproverSet::make({}).is_removal());
  CHECK(ApproverSet::removal().digest() == ApproverSet::make({}).digest());
  CHECK_FALSE(is_valid([](Quorum& q) { q.approvers.clear(); }));
  CHECK_FALSE(is_valid([](Quorum& q) { q = {}, q.threshold = 1; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q = {}, q.tiers = {{5, 1}}; }));
  CHECK_FALSE(is_valid([](Quorum& q) { q = {}, q.unbatched_per_hour = 1; }));
}

TEST_CASE("a set has at most 64 keys, each once and each P-256") {
  const auto with = [](std::size_t count) {
    return [count](Quorum& q) {
      while (q.approvers.size() < count) q.approvers.push_back({new_key()});
    };
  };
  CHECK(is_valid(with(64)));
  CHECK_FALSE(is_valid(with(65)));
  CHECK_FALSE(is_valid([](Quorum& q) { q.approvers.push_back(q.approvers[0]); }));
  CHECK_FALSE(
      is_valid([](Quorum& q) { q.approvers.push_back({q.approvers[0].key, "another name"}); }));
  CHECK_FALSE(is_valid([](Quorum& q) { q.approvers.push_back({new_key(KeyAlgorithm::ed25519)}); }));
}

TEST_CASE("a name is printable ASCII, or is not there") {
  const auto named = [](std::string name) {
    return [name = std::move(name)](Quorum& q) { q.approvers[0].name = name; };
  };
  CHECK(is_valid(named("")));
  CHECK(is_valid(named("a b ~")));
  CHECK(is_valid(named(std::string(64, 'x'))));
  CHECK_FALSE(is_valid(named(std::string(65, 'x'))));
  CHECK_FALSE(is_valid(named("bob\x1b[2J")));
  CHECK_FALSE(
      is_valid(named("b\xd0\xbe"
                     "b")));
  CHECK_FALSE(is_valid(named("a\nb")));
}

// A key has one encoding, so six spellings of one key are one key and five refusals.
TEST_CASE("a key has one encoding and one kid, however else it is written") {
  const auto refuses = [](Bytes spki) {
    auto wire = claimed(kSet);
    wire.keys[0].spki = std::move(spki);
    const auto verdict = ApproverSet::check(wire);
    if (!verdict) CHECK(verdict.reason().slug == "malformed-set");
    return !verdict;
  };
  const Bytes spki = bcpki::to_bytes(kSet.approvers()[0].key.spki());
  CHECK_FALSE(refuses(spki));

  const bool is_odd = std::to_integer<int>(spki[90]) % 2 == 1;
  Bytes hybrid = spki;
  hybrid[26] = is_odd ? std::byte{7} : std::byte{6};
  CHECK(refuses(hybrid));
  Bytes compressed =
      bcpki::parse_hex("3039301306072a8648ce3d020106082a8648ce3d030107032200").value();
  compressed.push_back(is_odd ? std::byte{3} : std::byte{2});
  compressed.insert(compressed.end(), spki.begin() + 27, spki.begin() + 59);
  CHECK(refuses(compressed));
  Bytes long_length = spki;
  long_length.insert(long_length.begin() + 1, std::byte{0x81});
  CHECK(refuses(long_length));
  Bytes trailing = spki;
  trailing.push_back(std::byte{0});
  CHECK(refuses(trailing));
  Bytes infinity =
      bcpki::parse_hex("3019301306072a8648ce3d020106082a8648ce3d03010703020000").value();
  CHECK(refuses(infinity));
  CHECK(refuses({}));
}

TEST_CASE("a key under another kid than its own is refused") {
  auto wire = claimed(kSet);
  std::swap(wire.keys[0].kid, wire.keys[1].kid);
  CHECK(ApproverSet::check(wire).reason().slug == "malformed-set");
  for (const auto& suffix : {"="s, "\n"s, " "s, "\0"s}) {
    wire = claimed(kSet);
    wire.keys[0].kid += suffix;
    CHECK_FALSE(ApproverSet::check(wire));
  }
  wire = claimed(kSet);
  wire.keys[0].kid.clear();
  CHECK_FALSE(ApproverSet::check(wire));
}

TEST_CASE("only a set that is held already may have a threshold of 0 beside keys") {
  auto wire = claimed(kSet);
  wire.threshold = 0;
  CHECK_FALSE(ApproverSet::check(wire));
  const auto held = ApproverSet::check_held(wire);
  REQUIRE(static_cast<bool>(held));
  CHECK(held->required_approvals(1000) == 1);
  wire.keys.push_back(wire.keys[0]);
  CHECK_FALSE(ApproverSet::check_held(wire));
}

TEST_CASE("kids are shown short, beside the name where there is one") {
  CHECK(bcpki::short_kid("H4Oeg9tyXfI58MDqGi53nob1xLB7Crbx77BH0nMnydk") == "H4Oe…ydk");
  CHECK(bcpki::short_kid("short") == "short");
  CHECK(bcpki::short_kid("\x1b[2J") == "\\u001b[2J");
  CHECK(bcpki::shown_approver(kSet.approvers()[0]) == "alice (H4Oe…ydk)");
  CHECK(bcpki::shown_approver({kSet.approvers()[0].key}) == "H4Oe…ydk");
}

TEST_CASE("a file of a set is read as it was written, bare and signed") {
  const auto bare = bcpki::read_approver_set(file_of(kSet));
  CHECK(bare.set.digest() == kSet.digest());
  CHECK(bare.set.approvers()[1].name == "bob");
  CHECK_FALSE(bare.signed_epoch.has_value());

  auto signer = bcpki::test::approver_signer("alice");
  const auto signature = bcpki::sign_approver_set(*signer, kSet, 2, "compute.example.com");
  const auto text = bcpki::write_approver_set(
      {kSet, bcpki::SignedEpoch{2, "compute.example.com", bcpki::claim(signature)}});
  const auto read = bcpki::read_approver_set(text);
  CHECK(read.signed_epoch->epoch == 2);
  CHECK(read.signed_epoch->trust_domain == "compute.example.com");
  CHECK(read.signed_epoch->signature == bcpki::claim(signature));
  CHECK(bcpki::write_approver_set(read) == text);

  CHECK(bcpki::read_approver_set(file_of(ApproverSet::removal())).set.is_removal());
}

TEST_CASE("a file of a set says only what its form has") {
  const std::string good = file_of(kSet);
  REQUIRE_FALSE(is_refused(good));
  CHECK(is_refused(""));
  CHECK(is_refused("[]"));
  CHECK(is_refused(good + "x"));
  CHECK(is_refused(std::string(1 << 20, ' ') + good));
  CHECK(is_refused(replaced(good, "approver-set", "batch-scope")));
  CHECK(is_refused(replaced(good, "\"version\": 1", "\"version\": 0")));
  CHECK(is_refused(replaced(good, "\"version\": 1", "\"version\": \"1\"")));
  CHECK(is_refused(replaced(good, "\"threshold\": 2", "\"threshold\": 2, \"x\": 1")));
  CHECK(is_refused(replaced(good, "\"name\": \"alice\"", "\"name\": \"\"")));
  CHECK(is_refused(replaced(good, "\"name\": \"alice\"", "\"name\": \"al\\u200bice\"")));
  CHECK(is_refused(replaced(good, "\"name\": \"alice\"", "\"nick\": \"alice\"")));
  CHECK(is_refused(replaced(good, "\"tiers\"", "\"Tiers\"")));
  CHECK(message_of(replaced(good, "\"version\": 1", "\"version\": 2")).find("newer version") !=
        std::string::npos);
  CHECK(message_of(replaced(good, "\"threshold\": 2", "\"threshold\": null"))
            .find("/set/threshold") != std::string::npos);
}

TEST_CASE("the digest in a file is its own set's, in either case") {
  const std::string good = file_of(kSet);
  const std::string digest = bcpki::hex(kSet.digest());
  std::string upper = digest;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  CHECK_FALSE(is_refused(replaced(good, digest, upper)));
  CHECK(is_refused(replaced(good, digest, bcpki::hex(ApproverSet::removal().digest()))));
  CHECK(is_refused(replaced(good, digest, digest.substr(2))));
}

TEST_CASE("numbers in a file are 32 bits, whole and plain, in the set and in every tier") {
  const std::string good = file_of(kSet);
  for (const std::string value :
       {"0", "-1", "1.5", "2.0", "2e0", "02", "\"2\"", "true", "null", "[2]", "4294967298",
        "9007199254740993", "18446744073709551618"}) {
    CAPTURE(value);
    CHECK(is_refused(replaced(good, "\"threshold\": 2", "\"threshold\": " + value)));
    CHECK(is_refused(replaced(good, "\"threshold\": 1", "\"threshold\": " + value)));
    CHECK(is_refused(replaced(good, "\"maxScopeSize\": 5", "\"maxScopeSize\": " + value)));
  }
  CHECK(is_refused(replaced(good, "    \"threshold\": 2,\n", "")));
}

TEST_CASE("a member stands once, however it is spelled and wherever it is") {
  const std::string good = file_of(kSet);
  CHECK(is_refused(replaced(good, "\"threshold\": 2", "\"threshold\": 2, \"threshold\": 1")));
  CHECK(is_refused(replaced(good, "\"threshold\": 2", "\"threshold\": 2, \"\\u0074hreshold\": 1")));
  CHECK(is_refused(replaced(good, "\"threshold\": 1", "\"threshold\": 1, \"threshold\": 1")));
  CHECK(is_refused(replaced(good, "\"name\": \"bob\"", "\"name\": \"bob\", \"name\": \"eve\"")));
}

TEST_CASE("epoch, trust domain and signature stand in a file together") {
  auto signer = bcpki::test::approver_signer("alice");
  const auto signature = bcpki::sign_approver_set(*signer, kSet, 2, "compute.example.com");
  const auto good = bcpki::write_approver_set(
      {kSet, bcpki::SignedEpoch{2, "compute.example.com", bcpki::claim(signature)}});
  REQUIRE_FALSE(is_refused(good));
  CHECK(is_refused(replaced(good, "  \"epoch\": 2,\n", "")));
  CHECK(is_refused(replaced(good, "  \"trustDomain\": \"compute.example.com\",\n", "")));
  CHECK(is_refused(replaced(good, "\"epoch\": 2", "\"epoch\": 0")));
  CHECK(is_refused(replaced(good, "\"epoch\": 2", "\"epoch\": 9007199254740992")));
  CHECK(is_refused(replaced(good, "compute.example.com", "Compute.example.com")));
  const std::string sig = bcpki::base64url(signature.sig);
  CHECK(is_refused(replaced(good, sig, sig + "=")));
  CHECK(is_refused(replaced(good, sig, sig + "\\n")));
  CHECK_FALSE(is_refused(replaced(good, sig, sig.substr(0, 84))));
}

TEST_CASE("an epoch to sign is 1 to 2^53-1, and a set is signed by a P-256 key") {
  auto signer = bcpki::test::approver_signer("alice");
  const auto sign = [&](std::uint64_t epoch) {
    return bcpki::sign_approver_set(*signer, kSet, epoch, "compute.example.com");
  };
  CHECK_NOTHROW(sign(1));
  CHECK_NOTHROW(sign((std::uint64_t{1} << 53) - 1));
  CHECK(code_of([&] { return sign(0); }) == Code::invalid_input);
  CHECK(code_of([&] { return sign(std::uint64_t{1} << 53); }) == Code::invalid_input);
  CHECK(code_of([&] { return bcpki::sign_approver_set(*signer, kSet, 1, ""); }) ==
        Code::invalid_input);
  auto ed25519 =
      bcpki::make_signer(PrivateKey::generate(KeyAlgorithm::ed25519, bcpki::system_rng()));
  CHECK(code_of([&] { return bcpki::sign_approver_set(*ed25519, kSet, 1, "a.example"); }) ==
        Code::invalid_input);
}
