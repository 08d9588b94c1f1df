// What a batch admits: a tree over its operations, its root and its proofs. formats.md section 4
// (RFC 6962 over leaves that are sorted by hash).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/error.h"

namespace bcpki {

inline constexpr std::uint32_t kMaxBatchLeaves = 50'000;  // distinct ones, in one batch

// BatchEntry is one operation: `kind` on `subject`, bound to the one payload of that digest or,
// without a digest, open to any.
struct BatchEntry {
  std::string subject{};
  std::string kind{};
  std::optional<Digest32> payload_sha256{};

  friend bool operator==(const BatchEntry&, const BatchEntry&) = default;
};

// ScopeRoot stands for a whole scope: approvers sign it and proofs lead to it. One that came from
// elsewhere may hold anything.
struct ScopeRoot {
  std::string batch_id{};
  Digest32 root{};
  std::uint32_t size = 0;  // distinct leaves

  friend bool operator==(const ScopeRoot&, const ScopeRoot&) = default;
};

// BatchProof is a leaf's place and, from the bottom up, the sibling at each level that has one. One
// that came from elsewhere may hold anything.
struct BatchProof {
  std::uint64_t index = 0;
  std::vector<Bytes> siblings{};
};

// batch_leaf is the hash of the leaf that `entry` is in the batch, whatever the names are.
Digest32 batch_leaf(std::string_view batch_id, const BatchEntry& entry);

// BatchScope is the tree of one batch. Leaves are counted from 0, ascending by hash. Immutable;
// copies share.
class BatchScope {
 public:
  // make builds the tree; equal entries are one leaf. It needs 125 bytes a leaf beside the entries,
  // which it does not keep. Throws INVALID_INPUT for a batch id, subject or kind that is none, no
  // entry, and more than kMaxBatchLeaves distinct ones.
  static BatchScope make(std::string_view batch_id, std::span<const BatchEntry> entries);

  const ScopeRoot& root() const noexcept;
  std::uint32_t size() const noexcept { return root().size; }

  // leaf, entry_of and proof throw INVALID_INPUT where `index` is not below `size()`.

  // leaf is the hash of a leaf, and entry_of the place of its entry among those that `make` was
  // given: the first of equal ones.
  const Digest32& leaf(std::uint32_t index) const;
  std::size_t entry_of(std::uint32_t index) const;
  BatchProof proof(std::uint32_t index) const;

  // find returns the place of the leaf that `entry` is, or nullopt where it is not in the scope.
  std::optional<std::uint32_t> find(const BatchEntry& entry) const;

  // ProofTaker sees the proof of the leaf at `index`; `siblings` end with the call.
  using ProofTaker = std::function<void(std::uint32_t index, std::span<const Digest32> siblings)>;

  // each_proof shows every proof to `take`, in the order of the leaves and in one buffer.
  void each_proof(const ProofTaker& take) const;

  struct Impl;
  explicit BatchScope(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// ProvenLeaf is a leaf whose proof led to the root: only the functions below make one.
class ProvenLeaf {
 public:
  // hash names the leaf in every scope of its batch: what must run at most once.
  const Digest32& hash() const noexcept { return hash_; }

  // is_bound says whether the leaf admits one payload only.
  bool is_bound() const noexcept { return is_bound_; }

 private:
  friend Verdict<ProvenLeaf> verify_batch_proof(const ScopeRoot&, const BatchEntry&,
                                                const BatchProof&);

  ProvenLeaf(const Digest32& hash, bool is_bound) : hash_(hash), is_bound_(is_bound) {}

  Digest32 hash_;
  bool is_bound_;
};

// verify_batch_proof says whether exactly `entry` is in `scope`, whose size must be the one that
// approvers signed. The leaf's hash is computed here, so no inner node passes for a leaf. Refused:
// `not-in-scope`, also for names that are none, a size of 0, an index that is not below the size, a
// sibling that is not 32 bytes, and one too few or too many.
Verdict<ProvenLeaf> verify_batch_proof(const ScopeRoot& scope, const BatchEntry& entry,
                                       const BatchProof& proof);

// verify_batch_member is what an agent asks about an operation whose payload it has: whether the
// leaf bound to that payload is in the scope, and else whether the unbound leaf is. Refused:
// `not-in-scope`.
Verdict<ProvenLeaf> verify_batch_member(const ScopeRoot& scope, const BatchEntry& operation,
                                        const BatchProof& proof);

}  // namespace bcpki
