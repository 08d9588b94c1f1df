#include "quorum/merkle.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bcpki/draft.h"

namespace bcpki {
namespace {

constexpr std::byte kInnerPrefix{1};
constexpr std::size_t kPairBytes = 2 * sizeof(Digest32);
constexpr std::size_t kInnerBytes = 1 + kPairBytes;

// Nodes are hashed in groups, whose messages stay in the nearest cache.
constexpr std::size_t kGroup = 64;

// PairHasher hashes neighbours of one level into nodes of the next. Its messages differ only in the
// nodes: their frame is written once.
class PairHasher {
 public:
  explicit PairHasher(Sha256Path path) : path_(path) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      buffers_[i][0] = kInnerPrefix;
      pad(buffers_[i].data(), kInnerBytes);
      messages_[i] = {buffers_[i].data(), kInnerBytes};
    }
  }
  PairHasher(const PairHasher&) = delete;
  PairHasher& operator=(const PairHasher&) = delete;
  ~PairHasher() = default;

  // hash makes each of `parents` of two of `children`.
  void hash(std::span<const Digest32> children, std::span<Digest32> parents) {
    while (!parents.empty()) {
      const std::size_t count = std::min(parents.size(), kGroup);
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(buffers_[i].data() + 1, &children[2 * i], kPairBytes);
      sha256_many(std::span(messages_).first(count), parents.first(count), path_);
      children = children.subspan(2 * count);
      parents = parents.subspan(count);
    }
  }

 private:
  Sha256Path path_;
  std::array<std::array<std::byte, padded_size(kInnerBytes)>, kGroup> buffers_{};
  std::array<PaddedMessage, kGroup> messages_{};
};

Digest32 inner(View left, View right) {
  std::array<std::byte, kInnerBytes> message{kInnerPrefix};
  std::ranges::copy(right, std::ranges::copy(left, message.begin() + 1).out);
  return sha256(message);
}

// An odd last node moves up as it is.
constexpr std::size_t level_above(std::size_t width) {
  return width - (width / 2);
}

}  // namespace

std::size_t MerkleTree::node_count(std::uint32_t leaves) {
  std::size_t count = leaves;
  for (std::size_t width = leaves; width > 1; width = level_above(width))
    count += level_above(width);
  return count;
}

MerkleTree::MerkleTree(std::vector<Digest32> leaves, Sha256Path path)
    : size_(static_cast<std::uint32_t>(leaves.size())), nodes_(std::move(leaves)) {
  nodes_.resize(node_count(size_));
  PairHasher hasher(path);
  std::span<Digest32> level = std::span(nodes_).first(size_);
  while (level.size() > 1) {
    const std::span<Digest32> above(level.data() + level.size(), level_above(level.size()));
    hasher.hash(level, above.first(level.size() / 2));
    if (level.size() % 2 == 1) above.back() = level.back();
    level = above;
  }
}

std::size_t MerkleTree::siblings_of(std::uint32_t index, Siblings& out) const {
  std::size_t count = 0;
  const Digest32* level = nodes_.data();
  std::size_t at = index;
  for (std::size_t width = size_; width > 1; width = level_above(width)) {
    const std::size_t sibling = at ^ 1;
    if (sibling < width) out[count++] = level[sibling];
    level += width;
    at /= 2;
  }
  return count;
}

std::uint32_t MerkleTree::first_short_path() const {
  std::uint32_t first = size_;
  std::uint32_t level = 0;
  for (std::size_t width = size_; width > 1; width = level_above(width), ++level)
    if (width % 2 == 1) first = std::min(first, static_cast<std::uint32_t>((width - 1) << level));
  return first;
}

void MerkleTree::move_to(std::uint32_t index, Siblings& path) const {
  const Digest32* level = nodes_.data();
  std::size_t width = size_;
  const auto changed = static_cast<std::size_t>(std::countr_zero(index)) + 1;
  for (std::size_t i = 0; i < changed && width > 1; ++i) {
    path[i] = level[(index >> i) ^ 1];
    level += width;
    width = level_above(width);
  }
}

bool leads_to(View root, const Digest32& leaf, std::uint64_t index, std::uint64_t size,
              std::span<const Bytes> siblings) {
  if (index >= size) return false;
  Digest32 node = leaf;
  for (std::uint64_t last = size - 1; last > 0; index /= 2, last /= 2) {
    const bool is_right = index % 2 == 1;
    if (!is_right && index == last) continue;
    if (siblings.empty() || siblings.front().size() != node.size()) return false;
    node = is_right ? inner(siblings.front(), node) : inner(node, siblings.front());
    siblings = siblings.subspan(1);
  }
  return siblings.empty() && equal(root, node);
}

}  // namespace bcpki
