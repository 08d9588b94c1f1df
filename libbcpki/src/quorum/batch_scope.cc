#include "bcpki/batch_scope.h"

#include <algorithm>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "quorum/excerpt.h"
#include "quorum/scope_tree.h"

namespace bcpki {

struct BatchScope::Impl {
  ScopeRoot root;
  ScopeTree tree;

  std::span<const Digest32> leaves() const { return tree.tree.leaves(); }
};

namespace {

constexpr std::size_t kMaxTreeEntries = 0xffffffff;

[[noreturn]] void refuse(std::string_view message) {
  throw Error(Code::invalid_input, message);
}

void require_names(std::string_view batch_id, std::span<const BatchEntry> entries) {
  if (!is_id(batch_id)) refuse(fmt::format("\"{}\" is no batch id", excerpt(batch_id)));
  std::string_view last_kind;  // a batch has few kinds and many entries
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [subject, kind, payload] = entries[i];
    if (!is_subject(subject))
      refuse(
          fmt::format("leaf {}: \"{}\" is no subject, which is 1 to 512 printable ASCII "
                      "characters without space",
                      i, excerpt(subject)));
    if (kind == last_kind) continue;
    if (!is_kind(kind))
      refuse(fmt::format("leaf {}: \"{}\" is no kind such as node.reboot", i, excerpt(kind)));
    last_kind = kind;
  }
}

void require_index(std::uint32_t index, std::uint32_t size) {
  if (index >= size) refuse(fmt::format("there is no leaf {} in a scope of {}", index, size));
}

// are_names says whether a leaf of these names can be in any scope.
bool are_names(std::string_view batch_id, const BatchEntry& entry) {
  return is_id(batch_id) && is_subject(entry.subject) && is_kind(entry.kind);
}

}  // namespace

BatchScope BatchScope::make(std::string_view batch_id, std::span<const BatchEntry> entries) {
  if (entries.empty()) refuse("a batch without an operation admits nothing: give at least one");
  if (entries.size() > kMaxTreeEntries) refuse("there are too many operations for one batch");
  require_names(batch_id, entries);
  ScopeTree tree = make_scope_tree(batch_id, entries, best_sha256_path());
  const std::uint32_t size = tree.tree.size();
  if (size > kMaxBatchLeaves)
    refuse(fmt::format("the batch has {} distinct operations: split it, {} fit into one", size,
                       kMaxBatchLeaves));
  ScopeRoot root{std::string(batch_id), tree.tree.root(), size};
  return BatchScope(std::make_shared<const Impl>(Impl{std::move(root), std::move(tree)}));
}

const ScopeRoot& BatchScope::root() const noexcept {
  return impl_->root;
}

const Digest32& BatchScope::leaf(std::uint32_t index) const {
  require_index(index, size());
  return impl_->leaves()[index];
}

std::size_t BatchScope::entry_of(std::uint32_t index) const {
  require_index(index, size());
  return impl_->tree.entries[index];
}

BatchProof BatchScope::proof(std::uint32_t index) const {
  require_index(index, size());
  MerkleTree::Siblings buffer;
  const auto siblings = std::span(buffer).first(impl_->tree.tree.siblings_of(index, buffer));
  BatchProof proof{index};
  for (const Digest32& sibling : siblings) proof.siblings.push_back(to_bytes(sibling));
  return proof;
}

std::optional<std::uint32_t> BatchScope::find(const BatchEntry& entry) const {
  const Digest32 hash = batch_leaf(root().batch_id, entry);
  const auto leaves = impl_->leaves();
  const auto found = std::ranges::lower_bound(leaves, hash);
  if (found == leaves.end() || *found != hash) return std::nullopt;
  return static_cast<std::uint32_t>(found - leaves.begin());
}

void BatchScope::each_proof(const ProofTaker& take) const {
  impl_->tree.tree.each_path(take);
}

Verdict<ProvenLeaf> verify_batch_proof(const ScopeRoot& scope, const BatchEntry& entry,
                                       const BatchProof& proof) {
  const Digest32 leaf = batch_leaf(scope.batch_id, entry);
  if (are_names(scope.batch_id, entry) &&
      leads_to(scope.root, leaf, proof.index, scope.size, proof.siblings))
    return ProvenLeaf(leaf, entry.payload_sha256.has_value());
  return Reason{"not-in-scope",
                printable(fmt::format("{} on {} is not in the approved scope", excerpt(entry.kind),
                                      excerpt(entry.subject)))};
}

Verdict<ProvenLeaf> verify_batch_member(const ScopeRoot& scope, const BatchEntry& operation,
                                        const BatchProof& proof) {
  auto bound = verify_batch_proof(scope, operation, proof);
  if (bound || !operation.payload_sha256) return bound;
  return verify_batch_proof(scope, {operation.subject, operation.kind}, proof);
}

}  // namespace bcpki
