#include "quorum/scope_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

#include "bcpki/draft.h"

namespace bcpki {
namespace {

constexpr std::byte kLeafPrefix{0};
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kGroup = 64;

// Buckets for as many leaves as there are; beyond this they would cost more than they save.
constexpr std::size_t kMaxBucketBits = 22;

View payload_of(const BatchEntry& entry) {
  return entry.payload_sha256 ? View(*entry.payload_sha256) : View();
}

// LeafEncoder writes `0x00 || lp(batchId) || lp(subject) || lp(kind) || lp(payloadSha256)`. It runs
// for every leaf: nothing grows, and each part is copied at once.
class LeafEncoder {
 public:
  explicit LeafEncoder(std::string_view batch_id) {
    start_.resize(1 + kLengthBytes + batch_id.size(), kLeafPrefix);
    put_lp(start_.data() + 1, as_bytes(batch_id));
  }

  std::size_t size(const BatchEntry& entry) const {
    return start_.size() + (3 * kLengthBytes) + entry.subject.size() + entry.kind.size() +
           payload_of(entry).size();
  }

  // write fills `size(entry)` bytes and returns where they end.
  std::byte* write(const BatchEntry& entry, std::byte* out) const {
    out = put(out, start_);
    out = put_lp(out, as_bytes(entry.subject));
    out = put_lp(out, as_bytes(entry.kind));
    return put_lp(out, payload_of(entry));
  }

 private:
  static std::byte* put(std::byte* out, View bytes) {
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    return out + bytes.size();
  }

  static std::byte* put_lp(std::byte* out, View bytes) {
    out[0] = static_cast<std::byte>(bytes.size() >> 24);
    out[1] = static_cast<std::byte>(bytes.size() >> 16);
    out[2] = static_cast<std::byte>(bytes.size() >> 8);
    out[3] = static_cast<std::byte>(bytes.size());
    return put(out + kLengthBytes, bytes);
  }

  Bytes start_;
};

// LeafHasher hashes leaves in groups, whose messages stay in the nearest cache.
class LeafHasher {
 public:
  LeafHasher(std::string_view batch_id, Sha256Path path) : encoder_(batch_id), path_(path) {}

  void hash(std::span<const BatchEntry> entries, std::span<Digest32> hashes) {
    while (!entries.empty()) {
      const std::size_t count = std::min(entries.size(), kGroup);
      hash_group(entries.first(count), hashes.first(count));
      entries = entries.subspan(count);
      hashes = hashes.subspan(count);
    }
  }

 private:
  void hash_group(std::span<const BatchEntry> group, std::span<Digest32> hashes) {
    reserve(group);
    std::byte* at = buffer_.data();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto size = static_cast<std::size_t>(encoder_.write(group[i], at) - at);
      pad(at, size);
      messages_[i] = {at, size};
      at += padded_size(size);
    }
    sha256_many(std::span(messages_).first(group.size()), hashes, path_);
  }

  void reserve(std::span<const BatchEntry> group) {
    std::size_t total = 0;
    for (const BatchEntry& entry : group) total += padded_size(encoder_.size(entry));
    if (buffer_.size() < total) buffer_.resize(total);
  }

  LeafEncoder encoder_;
  Sha256Path path_;
  Bytes buffer_;
  std::array<PaddedMessage, kGroup> messages_{};
};

std::uint32_t leading_bits(const Digest32& hash) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) bits = bits << 8 | std::to_integer<std::uint32_t>(hash[i]);
  return bits;
}

// Leaves are hashes and, for each, the place of its entry.
struct Leaves {
  std::span<Digest32> hashes;
  std::span<std::uint32_t> entries;
};

// Sorter sorts hashes by buckets of their leading bits, over which they spread evenly. Those of one
// bucket, which somebody may have made so, are sorted like any other list.
class Sorter {
 public:
  explicit Sorter(std::span<const Digest32> hashes)
      : hashes_(hashes),
        bits_(std::min<std::size_t>(std::bit_width(hashes.size()), kMaxBucketBits)),
        ends_((std::size_t{1} << bits_) + 1) {}

  // sort fills `sorted`, ascending by hash and then by entry.
  void sort(Leaves sorted) {
    for (const Digest32& hash : hashes_) ++ends_[bucket(hash) + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      const std::uint32_t place = ends_[bucket(hashes_[i])]++;
      sorted.hashes[place] = hashes_[i];
      sorted.entries[place] = static_cast<std::uint32_t>(i);
    }
    std::uint32_t start = 0;
    for (const std::uint32_t end : std::span(ends_).first(ends_.size() - 1)) {
      if (end - start > 1) sort_bucket(sorted, start, end);
      start = end;
    }
  }

 private:
  std::size_t bucket(const Digest32& hash) const { return leading_bits(hash) >> (32 - bits_); }

  void sort_bucket(const Leaves& leaves, std::uint32_t start, std::uint32_t end) {
    bucket_.clear();
    for (std::uint32_t i = start; i < end; ++i)
      bucket_.emplace_back(leaves.hashes[i], leaves.entries[i]);
    std::ranges::sort(bucket_);
    for (std::uint32_t i = start; i < end; ++i)
      std::tie(leaves.hashes[i], leaves.entries[i]) = bucket_[i - start];
  }

  std::span<const Digest32> hashes_;
  std::size_t bits_;
  std::vector<std::uint32_t> ends_;  // of the buckets, behind the end of none
  std::vector<std::pair<Digest32, std::uint32_t>> bucket_;
};

// merge moves the first of equal leaves together and returns how many are left.
std::size_t merge(const Leaves& leaves) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < leaves.hashes.size(); ++i) {
    if (kept > 0 && leaves.hashes[i] == leaves.hashes[kept - 1]) continue;
    leaves.hashes[kept] = leaves.hashes[i];
    leaves.entries[kept] = leaves.entries[i];
    ++kept;
  }
  return kept;
}

}  // namespace

Digest32 batch_leaf(std::string_view batch_id, const BatchEntry& entry) {
  const LeafEncoder encoder(batch_id);
  Bytes message(encoder.size(entry));
  encoder.write(entry, message.data());
  return sha256(message);
}

// The hashes stand in the half of the nodes that the levels above will fill, until they are sorted
// into the other.
ScopeTree make_scope_tree(std::string_view batch_id, std::span<const BatchEntry> entries,
                          Sha256Path path) {
  const std::size_t count = entries.size();
  std::vector<Digest32> nodes;
  nodes.reserve(std::max(2 * count, MerkleTree::node_count(static_cast<std::uint32_t>(count))));
  nodes.resize(2 * count);
  const std::span<Digest32> unsorted = std::span(nodes).last(count);
  LeafHasher(batch_id, path).hash(entries, unsorted);

  std::vector<std::uint32_t> order(count);
  const Leaves leaves{std::span(nodes).first(count), order};
  Sorter(unsorted).sort(leaves);
  const std::size_t size = merge(leaves);
  nodes.resize(size);
  order.resize(size);
  return {MerkleTree(std::move(nodes), path), std::move(order)};
}

}  // namespace bcpki
