#include "quorum/merkle.h"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

#include "support/test_data.h"

namespace {

using bcpki::Bytes;
using bcpki::Digest32;
using bcpki::MerkleTree;
using bcpki::Sha256Path;
using bcpki::View;
namespace json = bcpki::json;

Digest32 leaf_hash(View leaf) {
  Bytes message{std::byte{0}};
  message.insert(message.end(), leaf.begin(), leaf.end());
  return bcpki::sha256(message);
}

Digest32 numbered(std::uint32_t number) {
  return leaf_hash(bcpki::as_bytes(std::to_string(number)));
}

MerkleTree tree_of(std::uint32_t size, Sha256Path path = bcpki::best_sha256_path()) {
  std::vector<Digest32> leaves;
  for (std::uint32_t i = 0; i < size; ++i) leaves.push_back(numbered(i));
  return {std::move(leaves), path};
}

std::vector<Bytes> path_to(const MerkleTree& tree, std::uint32_t index) {
  MerkleTree::Siblings buffer;
  std::vector<Bytes> path;
  for (const auto& sibling : std::span(buffer).first(tree.siblings_of(index, buffer)))
    path.push_back(bcpki::to_bytes(sibling));
  return path;
}

// MTH of RFC 6962 section 2.1, word for word.
Digest32 root_by_definition(std::span<const Digest32> leaves) {
  if (leaves.size() == 1) return leaves[0];
  std::size_t split = 1;
  while (split * 2 < leaves.size()) split *= 2;
  const Digest32 left = root_by_definition(leaves.first(split));
  const Digest32 right = root_by_definition(leaves.subspan(split));
  Bytes message{std::byte{1}};
  message.insert(message.end(), left.begin(), left.end());
  message.insert(message.end(), right.begin(), right.end());
  return bcpki::sha256(message);
}

Bytes base64_member(const json::Value& value, std::string_view name) {
  return bcpki::parse_base64(value.text(name).value()).value();
}

// The cases of `inclusion.json` as our verifier takes them: it computes leaf hashes itself, so one
// that is not 32 bytes cannot reach it.
struct Inclusion {
  std::uint64_t index, size;
  Bytes root, leaf;
  std::vector<Bytes> siblings;
  bool is_refused;
  std::string name;
};

// An integer above 2^53 is a string here; those of the cases fit into 64 bits, or are negative.
std::uint64_t number_member(const json::Value& value, std::string_view name) {
  const json::Value* member = value.find(name);
  if (const auto* number = member->integer()) return *number;
  return std::stoull(*member->string());
}

Inclusion read_inclusion(const json::Value& value) {
  Inclusion out{number_member(value, "leafIdx"),
                number_member(value, "treeSize"),
                base64_member(value, "root"),
                base64_member(value, "leafHash"),
                {},
                *value.find("wantErr")->boolean(),
                *value.find("file")->string()};
  if (const auto* proof = value.find("proof")->array())
    for (const json::Value& sibling : *proof)
      out.siblings.push_back(bcpki::parse_base64(*sibling.string()).value());
  return out;
}

bool is_taken(const Inclusion& given) {
  Digest32 leaf{};
  if (given.leaf.size() != leaf.size()) return false;
  std::copy(given.leaf.begin(), given.leaf.end(), leaf.begin());
  return bcpki::leads_to(given.root, leaf, given.index, given.size, given.siblings);
}

}  // namespace

TEST_CASE("roots are those of the Certificate Transparency reference tree") {
  const auto document = json::parse(bcpki::test::data_text("merkle/reference-roots.json"));
  std::vector<Digest32> leaves;
  for (const auto& leaf : *document.find("leaves_hex")->array())
    leaves.push_back(leaf_hash(bcpki::parse_hex(*leaf.string()).value()));
  const auto& roots = *document.find("roots_by_size")->array();
  REQUIRE(roots.size() == leaves.size() + 1);
  for (std::size_t size = 1; size <= leaves.size(); ++size) {
    const std::vector<Digest32> first(leaves.begin(),
                                      leaves.begin() + static_cast<std::ptrdiff_t>(size));
    const MerkleTree tree(first, bcpki::best_sha256_path());
    CHECK(bcpki::hex(tree.root()) == *roots[size].string());
  }

  const auto& examples = *document.find("hash_examples")->object();
  CHECK(bcpki::hex(leaf_hash(bcpki::as_bytes("L123456"))) == *examples[0].second.string());
}

TEST_CASE("inclusion proofs of transparency-dev are taken and refused as they say") {
  const auto document = bcpki::test::foreign_json(bcpki::test::data_text("merkle/inclusion.json"));
  const auto& cases = *document.find("cases")->array();
  REQUIRE(cases.size() == 58);
  for (const auto& value : cases) {
    const Inclusion given = read_inclusion(value);
    CAPTURE(given.name);
    CHECK(is_taken(given) != given.is_refused);
  }
}

TEST_CASE("roots of every size to 300 are those of RFC 6962's definition") {
  for (std::uint32_t size = 1; size <= 300; ++size) {
    const MerkleTree tree = tree_of(size);
    CHECK(tree.root() == root_by_definition(tree.leaves()));
  }
}

TEST_CASE("every path of hashing gives the same tree") {
  for (const std::uint32_t size : {1U, 2U, 3U, 15U, 31U, 63U, 64U, 65U, 1000U, 4097U}) {
    const MerkleTree portable = tree_of(size, Sha256Path::portable);
    for (const auto path : {Sha256Path::paired, Sha256Path::wide})
      if (bcpki::has_sha256_path(path)) {
        const MerkleTree tree = tree_of(size, path);
        CHECK(tree.root() == portable.root());
        CHECK(path_to(tree, size - 1) == path_to(portable, size - 1));
      }
  }
}

TEST_CASE("each leaf's path leads to the root, and to no other place") {
  for (std::uint32_t size = 1; size <= 70; ++size) {
    const MerkleTree tree = tree_of(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      const auto path = path_to(tree, i);
      CHECK(bcpki::leads_to(tree.root(), numbered(i), i, size, path));
      if (size > 1) CHECK_FALSE(bcpki::leads_to(tree.root(), numbered(i), i ^ 1, size, path));
      CHECK_FALSE(bcpki::leads_to(tree.root(), numbered(i + 1), i, size, path));
    }
  }
}

TEST_CASE("paths shown in one buffer are those that are asked for one by one") {
  for (std::uint32_t size = 1; size <= 300; ++size) {
    const MerkleTree tree = tree_of(size);
    std::uint32_t next = 0;
    tree.each_path([&](std::uint32_t index, std::span<const Digest32> path) {
      CHECK(index == next++);
      std::vector<Bytes> copied;
      for (const auto& sibling : path) copied.push_back(bcpki::to_bytes(sibling));
      CHECK(copied == path_to(tree, index));
    });
    CHECK(next == size);
  }
}

TEST_CASE("a path that is short, long, of other sizes or for no leaf is refused") {
  const MerkleTree tree = tree_of(13);
  const auto good = path_to(tree, 5);
  const auto leads = [&](std::uint64_t index, std::uint64_t size, const std::vector<Bytes>& path) {
    return bcpki::leads_to(tree.root(), numbered(5), index, size, path);
  };
  REQUIRE(leads(5, 13, good));

  auto path = good;
  path.pop_back();
  CHECK_FALSE(leads(5, 13, path));
  path = good;
  path.push_back(good.back());
  CHECK_FALSE(leads(5, 13, path));
  path = good;
  path[1].pop_back();
  CHECK_FALSE(leads(5, 13, path));
  path = good;
  path[1].push_back(std::byte{0});
  CHECK_FALSE(leads(5, 13, path));
  path = good;
  path[1].clear();
  CHECK_FALSE(leads(5, 13, path));
  CHECK_FALSE(leads(5, 13, {}));

  CHECK_FALSE(leads(5, 0, good));
  CHECK_FALSE(leads(5, 5, good));
  CHECK_FALSE(leads(13, 13, good));
  CHECK_FALSE(leads(5 + (std::uint64_t{1} << 32), 13, good));
  CHECK_FALSE(leads(~std::uint64_t{0}, ~std::uint64_t{0}, good));
  CHECK_FALSE(bcpki::leads_to({}, numbered(5), 5, 13, good));
}
