#include "quorum/scope_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

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

// LeafEncoder writes `0x00 || lp(batchId) || lp(subject) || lp(kind) || lp(payloadSha256)`. It is
// called for every leaf: the buffer only grows, and each part is copied at once.
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

  // write fills `size(entry)` bytes.
  void write(const BatchEntry& entry, std::byte* out) const {
    out = put(out, start_);
    out = put_lp(out, as_bytes(entry.subject));
    out = put_lp(out, as_bytes(entry.kind));
    put_lp(out, payload_of(entry));
  }

 private:
  static std::byte* put(std::byte* out, View bytes) {
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    return out + bytes.size();
  }

  static std::byte* put_lp(std::byte* out, View bytes) {
    for (std::size_t i = 0; i < kLengthBytes; ++i)
      *out++ = static_cast<std::byte>(bytes.size() >> (8 * (kLengthBytes - 1 - i)));
    return put(out, bytes);
  }

  Bytes start_;
};

// hash_leaves hashes in groups, whose messages stay in the nearest cache.
std::vector<Digest32> hash_leaves(const LeafEncoder& encoder, std::span<const BatchEntry> entries,
                                  Sha256Path path) {
  std::vector<Digest32> hashes(entries.size());
  Bytes messages;
  std::array<View, kGroup> views;
  for (std::size_t done = 0; done < entries.size(); done += kGroup) {
    const auto group = entries.subspan(done, std::min(kGroup, entries.size() - done));
    std::size_t total = 0;
    for (const BatchEntry& entry : group) total += encoder.size(entry);
    if (messages.size() < total) messages.resize(total);
    std::byte* at = messages.data();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t size = encoder.size(group[i]);
      encoder.write(group[i], at);
      views[i] = View(at, size);
      at += size;
    }
    sha256_each(std::span(views).first(group.size()), std::span(hashes).subspan(done, group.size()),
                path);
  }
  return hashes;
}

std::uint32_t leading_bits(const Digest32& hash) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) bits = bits << 8 | std::to_integer<std::uint32_t>(hash[i]);
  return bits;
}

// sorted_order returns the places of `hashes`, ascending by hash and then by place. Hashes spread
// evenly over buckets by their leading bits; a bucket of hashes that were made to collide is sorted
// like any other list.
std::vector<std::uint32_t> sorted_order(std::span<const Digest32> hashes) {
  const std::size_t bits = std::min<std::size_t>(std::bit_width(hashes.size()), kMaxBucketBits);
  const auto bucket = [&](std::size_t i) { return leading_bits(hashes[i]) >> (32 - bits); };

  std::vector<std::uint32_t> ends((std::size_t{1} << bits) + 1);
  for (std::size_t i = 0; i < hashes.size(); ++i) ++ends[bucket(i) + 1];
  for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
  std::vector<std::uint32_t> order(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i)
    order[ends[bucket(i)]++] = static_cast<std::uint32_t>(i);

  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const auto compared = hashes[a] <=> hashes[b];
    return compared == 0 ? a < b : compared < 0;
  };
  std::uint32_t start = 0;
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
    if (ends[b] - start > 1) std::sort(order.begin() + start, order.begin() + ends[b], before);
    start = ends[b];
  }
  return order;
}

}  // namespace

Digest32 batch_leaf(std::string_view batch_id, const BatchEntry& entry) {
  const LeafEncoder encoder(batch_id);
  Bytes message(encoder.size(entry));
  encoder.write(entry, message.data());
  return sha256(message);
}

ScopeTree make_scope_tree(std::string_view batch_id, std::span<const BatchEntry> entries,
                          Sha256Path path) {
  const std::vector<Digest32> hashes = hash_leaves(LeafEncoder(batch_id), entries, path);
  std::vector<std::uint32_t> order = sorted_order(hashes);
  const auto equals = [&](std::uint32_t a, std::uint32_t b) { return hashes[a] == hashes[b]; };
  order.erase(std::unique(order.begin(), order.end(), equals), order.end());

  std::vector<Digest32> leaves;
  leaves.reserve(MerkleTree::node_count(static_cast<std::uint32_t>(order.size())));
  for (const std::uint32_t entry : order) leaves.push_back(hashes[entry]);
  return {MerkleTree(std::move(leaves), path), std::move(order)};
}

}  // namespace bcpki
