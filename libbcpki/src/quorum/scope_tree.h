// From operations to the tree of their leaves.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bcpki/batch_scope.h"

#include "crypto/sha256_many.h"
#include "quorum/merkle.h"

namespace bcpki {

// ScopeTree is the tree over the distinct leaves of some entries, ascending by hash.
struct ScopeTree {
  MerkleTree tree;
  std::vector<std::uint32_t> entries;  // for each leaf the place of its entry, the first of equals
};

// make_scope_tree takes 1 to 2^32 - 1 entries and does not judge their names.
ScopeTree make_scope_tree(std::string_view batch_id, std::span<const BatchEntry> entries,
                          Sha256Path path);

}  // namespace bcpki
