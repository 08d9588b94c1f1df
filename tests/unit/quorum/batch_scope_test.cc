#include "bcpki/batch_scope.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

#include "quorum/scope_tree.h"
#include "support/code_of.h"

namespace {

using bcpki::BatchEntry;
using bcpki::BatchProof;
using bcpki::BatchScope;
using bcpki::Bytes;
using bcpki::Code;
using bcpki::Digest32;
using bcpki::ScopeRoot;
using bcpki::Sha256Path;
using bcpki::test::code_of;

const std::string kBatch = "batch_1";

Digest32 payload(std::string_view text) {
  return bcpki::sha256(bcpki::as_bytes(text));
}

std::vector<BatchEntry> entries(std::size_t count) {
  std::vector<BatchEntry> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({"node_" + std::to_string(i), "disk.wipe", payload(std::to_string(i))});
  return out;
}

std::string message_of(const std::vector<BatchEntry>& list, std::string_view batch = kBatch) {
  try {
    BatchScope::make(batch, list);
  } catch (const bcpki::Error& error) {
    return error.what();
  }
  return "";
}

bool is_proven(const ScopeRoot& scope, const BatchEntry& entry, const BatchProof& proof) {
  const auto verdict = bcpki::verify_batch_proof(scope, entry, proof);
  if (!verdict) CHECK(verdict.reason().slug == "not-in-scope");
  return static_cast<bool>(verdict);
}

}  // namespace

TEST_CASE("a leaf's hash is that of its fields behind their lengths") {
  // 0x00, lp("b"), lp("s"), lp("a.b"), lp(""), by hand.
  const Bytes unbound = bcpki::parse_hex(
                            "00"
                            "00000001"
                            "62"
                            "00000001"
                            "73"
                            "00000003"
                            "612e62"
                            "00000000")
                            .value();
  CHECK(bcpki::batch_leaf("b", {"s", "a.b"}) == bcpki::sha256(unbound));

  Bytes bound = unbound;
  bound.resize(bound.size() - 4);
  const Digest32 digest = payload("x");
  for (const int octet : {0, 0, 0, 32}) bound.push_back(static_cast<std::byte>(octet));
  bound.insert(bound.end(), digest.begin(), digest.end());
  CHECK(bcpki::batch_leaf("b", {"s", "a.b", digest}) == bcpki::sha256(bound));
}

TEST_CASE("leaves ascend by hash, whatever order the entries have") {
  auto list = entries(1000);
  const BatchScope scope = BatchScope::make(kBatch, list);
  CHECK(scope.size() == 1000);
  for (std::uint32_t i = 1; i < scope.size(); ++i) CHECK(scope.leaf(i - 1) < scope.leaf(i));
  for (std::uint32_t i = 0; i < scope.size(); ++i)
    CHECK(scope.leaf(i) == bcpki::batch_leaf(kBatch, list[scope.entry_of(i)]));

  std::reverse(list.begin(), list.end());
  CHECK(BatchScope::make(kBatch, list).root() == scope.root());
}

TEST_CASE("equal entries are one leaf, whose entry is the first of them") {
  auto list = entries(3);
  list.push_back(list[1]);
  list.push_back(list[1]);
  const BatchScope scope = BatchScope::make(kBatch, list);
  CHECK(scope.root() == BatchScope::make(kBatch, entries(3)).root());
  CHECK(scope.entry_of(scope.find(list[1]).value()) == 1);
}

TEST_CASE("every entry is found with a proof that holds, bound and unbound apart") {
  auto list = entries(33);
  list.push_back({"node_0", "disk.wipe"});
  const BatchScope scope = BatchScope::make(kBatch, list);
  for (const BatchEntry& entry : list) {
    const auto index = scope.find(entry);
    REQUIRE(index.has_value());
    const auto proven = bcpki::verify_batch_proof(scope.root(), entry, scope.proof(*index));
    REQUIRE(static_cast<bool>(proven));
    CHECK(proven->hash() == scope.leaf(*index));
    CHECK(proven->is_bound() == entry.payload_sha256.has_value());
  }
  CHECK_FALSE(scope.find({"node_1", "disk.wipe"}).has_value());
  CHECK_FALSE(scope.find({"node_99", "disk.wipe", payload("99")}).has_value());
}

TEST_CASE("all proofs are shown in the order of the leaves") {
  const BatchScope scope = BatchScope::make(kBatch, entries(100));
  std::uint32_t next = 0;
  scope.each_proof([&](std::uint32_t index, std::span<const Digest32> siblings) {
    CHECK(index == next++);
    const BatchProof proof = scope.proof(index);
    REQUIRE(siblings.size() == proof.siblings.size());
    for (std::size_t i = 0; i < siblings.size(); ++i)
      CHECK(bcpki::equal(siblings[i], proof.siblings[i]));
  });
  CHECK(next == 100);
}

TEST_CASE("a scope has 1 to 50,000 distinct leaves") {
  CHECK(code_of([] { return BatchScope::make(kBatch, {}); }) == Code::invalid_input);
  auto list = entries(50'000);
  list.push_back(list.front());
  CHECK(BatchScope::make(kBatch, list).size() == 50'000);
  list.push_back({"node_more", "disk.wipe"});
  CHECK(message_of(list).find("50001 distinct") != std::string::npos);
}

TEST_CASE("the tree itself takes more than a batch may have") {
  const auto list = entries(70'000);
  const auto tree = bcpki::make_scope_tree(kBatch, list, bcpki::best_sha256_path());
  CHECK(tree.tree.size() == 70'000);
  CHECK(bcpki::make_scope_tree(kBatch, list, Sha256Path::portable).tree.root() == tree.tree.root());
}

// Leaves whose hashes begin alike are sorted and merged like others: 2,000 entries whose leading
// bits were searched for.
TEST_CASE("hashes that were made to collide in front are sorted too") {
  std::vector<BatchEntry> list;
  for (std::size_t i = 0; list.size() < 300; ++i) {
    BatchEntry entry{"node_" + std::to_string(i), "disk.wipe"};
    if (bcpki::batch_leaf(kBatch, entry)[0] == std::byte{0x5a}) list.push_back(std::move(entry));
  }
  list.insert(list.end(), list.begin(), list.begin() + 100);
  const BatchScope scope = BatchScope::make(kBatch, list);
  CHECK(scope.size() == 300);
  for (std::uint32_t i = 1; i < scope.size(); ++i) CHECK(scope.leaf(i - 1) < scope.leaf(i));
  for (std::uint32_t i = 0; i < scope.size(); ++i) CHECK(scope.entry_of(i) < 300);
}

TEST_CASE("names that are none make no scope, and the message shows them harmlessly") {
  const auto refuses = [](const BatchEntry& entry) {
    return !message_of({{"node_1", "disk.wipe"}, entry}).empty();
  };
  CHECK(refuses({"", "disk.wipe"}));
  CHECK(refuses({"two words", "disk.wipe"}));
  CHECK(refuses({std::string(513, 'n'), "disk.wipe"}));
  CHECK(refuses({"node\xc3\xa9", "disk.wipe"}));
  CHECK(refuses({"node_1", ""}));
  CHECK(refuses({"node_1", "wipe"}));
  CHECK(refuses({"node_1", "Disk.wipe"}));
  CHECK_FALSE(message_of(entries(1), "").empty());
  CHECK_FALSE(message_of(entries(1), "../x").empty());

  const std::string message = message_of({{"h1\n  approvals: 3 of 3 OK\x1b[2K", "disk.wipe"}});
  CHECK(message.find("leaf 0") != std::string::npos);
  CHECK(std::ranges::none_of(message, [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  CHECK(message_of({{std::string(65536, 'n'), "disk.wipe"}}).size() < 300);
}

TEST_CASE("a leaf that is not there is misuse") {
  const BatchScope scope = BatchScope::make(kBatch, entries(3));
  CHECK(code_of([&] { return scope.leaf(3); }) == Code::invalid_input);
  CHECK(code_of([&] { return scope.entry_of(3); }) == Code::invalid_input);
  CHECK(code_of([&] { return scope.proof(3); }) == Code::invalid_input);
}

TEST_CASE("a proof holds for its batch, subject, kind and payload alone") {
  const auto list = entries(13);
  const BatchScope scope = BatchScope::make(kBatch, list);
  const BatchEntry entry = list[5];
  const BatchProof proof = scope.proof(scope.find(entry).value());
  REQUIRE(is_proven(scope.root(), entry, proof));

  CHECK_FALSE(is_proven({"batch_2", scope.root().root, 13}, entry, proof));
  CHECK_FALSE(is_proven(scope.root(), {"node_6", entry.kind, entry.payload_sha256}, proof));
  CHECK_FALSE(is_proven(scope.root(), {entry.subject, "node.reboot", entry.payload_sha256}, proof));
  CHECK_FALSE(is_proven(scope.root(), {entry.subject, entry.kind, payload("other")}, proof));
  CHECK_FALSE(is_proven(scope.root(), {entry.subject, entry.kind}, proof));

  const BatchScope other = BatchScope::make(kBatch, entries(12));
  CHECK_FALSE(is_proven(other.root(), entry, proof));
}

TEST_CASE("what is moved from one field into the next is another leaf") {
  const ScopeRoot scope =
      BatchScope::make("batch_1", std::vector<BatchEntry>{{"node_1", "disk.wipe"}}).root();
  CHECK(is_proven(scope, {"node_1", "disk.wipe"}, {}));
  CHECK_FALSE(is_proven({"batch_", scope.root, 1}, {"1node_1", "disk.wipe"}, {}));
  CHECK_FALSE(is_proven(scope, {"node_", "1disk.wipe"}, {}));
}

// The hash of a leaf is never taken from outside: an inner node can only be offered as the fields
// of a leaf, which are hashed behind another prefix.
TEST_CASE("an inner node passes for no leaf, and a payload like one for nothing else") {
  const auto list = entries(4);
  const BatchScope scope = BatchScope::make(kBatch, list);
  const BatchProof proof = scope.proof(0);
  REQUIRE(proof.siblings.size() == 2);
  const BatchProof shortened{0, {proof.siblings[1]}};
  for (const BatchEntry& entry : list) {
    CHECK_FALSE(is_proven(scope.root(), entry, shortened));
    CHECK_FALSE(is_proven({kBatch, scope.root().root, 2}, entry, shortened));
  }

  Bytes inner{std::byte{1}};
  inner.insert(inner.end(), scope.leaf(0).begin(), scope.leaf(0).end());
  inner.insert(inner.end(), scope.leaf(1).begin(), scope.leaf(1).end());
  const BatchEntry like_inner{"node_x", "disk.wipe", bcpki::sha256(inner)};
  CHECK_FALSE(is_proven(scope.root(), like_inner, shortened));
  CHECK_FALSE(is_proven(scope.root(), like_inner, proof));
}

TEST_CASE("an empty proof holds in a scope of one leaf alone") {
  const BatchEntry entry{"node_1", "disk.wipe"};
  const BatchScope one = BatchScope::make(kBatch, std::vector<BatchEntry>{entry});
  CHECK(one.root().root == bcpki::batch_leaf(kBatch, entry));
  CHECK(is_proven(one.root(), entry, {}));
  CHECK_FALSE(is_proven({kBatch, one.root().root, 0}, entry, {}));
  CHECK_FALSE(is_proven({kBatch, one.root().root, 2}, entry, {}));
  CHECK_FALSE(is_proven(one.root(), entry, {1, {}}));

  const BatchScope three = BatchScope::make(kBatch, entries(3));
  CHECK_FALSE(is_proven({kBatch, three.root().root, 1}, entries(3)[0], {}));
  CHECK_FALSE(is_proven({kBatch, Digest32{}, 1}, entry, {}));
}

TEST_CASE("a proof for names that are none is refused, even where the root was made of them") {
  const BatchEntry entry{"two words", "disk.wipe"};
  CHECK_FALSE(is_proven({kBatch, bcpki::batch_leaf(kBatch, entry), 1}, entry, {}));
  CHECK_FALSE(is_proven({"", bcpki::batch_leaf("", {"node_1", "disk.wipe"}), 1},
                        {"node_1", "disk.wipe"}, {}));
}

TEST_CASE("an agent takes the leaf of its payload, and else the one of any payload") {
  const BatchEntry bound{"node_1", "disk.wipe", payload("all disks")};
  const BatchEntry unbound{"node_2", "disk.wipe"};
  const BatchScope scope = BatchScope::make(kBatch, std::vector<BatchEntry>{bound, unbound});
  const auto proof = [&](const BatchEntry& leaf) { return scope.proof(scope.find(leaf).value()); };

  const auto exact = bcpki::verify_batch_member(scope.root(), bound, proof(bound));
  REQUIRE(static_cast<bool>(exact));
  CHECK(exact->is_bound());

  const BatchEntry any{"node_2", "disk.wipe", payload("whatever")};
  const auto free = bcpki::verify_batch_member(scope.root(), any, proof(unbound));
  REQUIRE(static_cast<bool>(free));
  CHECK_FALSE(free->is_bound());
  CHECK(free->hash() == bcpki::batch_leaf(kBatch, unbound));

  const BatchEntry other{"node_1", "disk.wipe", payload("another")};
  CHECK_FALSE(bcpki::verify_batch_member(scope.root(), other, proof(bound)));
  CHECK_FALSE(bcpki::verify_batch_member(scope.root(), {"node_1", "disk.wipe"}, proof(bound)));
}
