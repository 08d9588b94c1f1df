// The tree of RFC 6962 section 2.1 over leaf hashes in the order that the caller gives them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bcpki/bytes.h"

#include "crypto/sha256_many.h"

namespace bcpki {

inline constexpr std::size_t kMaxTreeLevels = 33;  // of 2^32 - 1 leaves

// MerkleTree holds every node: 64 bytes a leaf.
class MerkleTree {
 public:
  // node_count is how many nodes a tree of `leaves` has, itself included.
  static std::size_t node_count(std::uint32_t leaves);

  // `leaves` are 1 to 2^32 - 1 hashes; room for `node_count` saves a copy.
  MerkleTree(std::vector<Digest32> leaves, Sha256Path path);

  std::uint32_t size() const { return size_; }
  const Digest32& root() const { return nodes_.back(); }
  std::span<const Digest32> leaves() const { return std::span(nodes_).first(size_); }

  using Siblings = std::array<Digest32, kMaxTreeLevels>;

  // siblings_of writes the audit path of the leaf at `index`, nearest sibling first, and returns
  // how long it is.
  std::size_t siblings_of(std::uint32_t index, Siblings& out) const;

  // each_path calls `take(index, path)` for every leaf in order, with all paths in one buffer.
  template <class Take>
  void each_path(const Take& take) const {
    Siblings path;
    std::size_t length = 0;
    const std::uint32_t short_from = first_short_path();
    for (std::uint32_t index = 0; index < size_; ++index) {
      if (index == 0 || index >= short_from)
        length = siblings_of(index, path);
      else
        move_to(index, path);
      take(index, std::span<const Digest32>(path).first(length));
    }
  }

 private:
  // first_short_path is the first leaf whose path has a level without a sibling.
  std::uint32_t first_short_path() const;

  // move_to makes the full path to `index` of that to the leaf before it: the higher siblings are
  // the same ones.
  void move_to(std::uint32_t index, Siblings& path) const;

  std::uint32_t size_;
  std::vector<Digest32> nodes_;  // the leaves, then each level above, the root last
};

// leads_to says whether `siblings` lead from the leaf hash `leaf` at `index` to `root` in a tree of
// `size` leaves (RFC 9162 section 2.1.3.2). Any bytes may be given.
bool leads_to(View root, const Digest32& leaf, std::uint64_t index, std::uint64_t size,
              std::span<const Bytes> siblings);

}  // namespace bcpki
