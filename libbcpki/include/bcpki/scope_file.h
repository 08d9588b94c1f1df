// The scope file: all that an approver reviews before signing a batch. formats.md section 4.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/batch_approval.h"
#include "bcpki/batch_scope.h"
#include "bcpki/bytes.h"
#include "bcpki/time.h"

namespace bcpki {

inline constexpr std::size_t kMaxScopeFileBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxScopeEntries = 100'000;                    // equal ones counted
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{64} << 10;      // of one leaf
inline constexpr std::size_t kMaxBatchPayloadBytes = std::size_t{8} << 20;  // of all leaves
inline constexpr std::size_t kMaxReason = 500;                              // characters

// ScopePayload is what a leaf is bound to, as its creator gave it. Whether `type_url` is that of
// the leaf's kind is still to be judged.
struct ScopePayload {
  std::string type_url{};
  Bytes value{};

  friend bool operator==(const ScopePayload&, const ScopePayload&) = default;
};

// ServerWords is what nobody signs.
struct ServerWords {
  std::optional<std::string> reason{};
  std::optional<std::string> created_by{};
  std::optional<std::string> created_by_agent{};
  std::optional<std::string> delegation_id{};
  std::optional<UnixTime> created_at{};
};

// ScopeEntries is operations in a file's order, equal ones included. `payloads` stand at their
// entries' places and may end earlier.
struct ScopeEntries {
  std::vector<BatchEntry> entries{};
  std::vector<std::optional<ScopePayload>> payloads{};

  // payload returns that of the entry at `place`, or null where it has none.
  const ScopePayload* payload(std::size_t place) const;
};

// ScopeContents is what a scope file says beside what follows from it.
struct ScopeContents {
  std::string batch_id{};
  std::string trust_domain{};
  UnixTime not_after{};
  ServerWords words{};
  ScopeEntries leaves{};
};

// ScopeFile is contents that have been checked, and their tree. Each entry with a payload has its
// digest, and of equal entries the one that stands for their leaf has a payload where any has.
struct ScopeFile {
  ScopeContents contents;
  BatchScope scope;

  // terms is what an approver of this file signs.
  ApprovalTerms terms() const { return {scope.root(), contents.not_after, contents.trust_domain}; }

  // payload_of returns the payload of the leaf at `index`, or null where it has none.
  const ScopePayload* payload_of(std::uint32_t index) const;
};

// ScopeFlags is what a caller knows about a scope from elsewhere. It adds what a bare list of
// leaves does not say, and overrides nothing.
struct ScopeFlags {
  std::optional<std::string> batch_id{};
  std::optional<std::string> trust_domain{};
  std::optional<UnixTime> not_after{};
  std::optional<Digest32> root{};
};

// read_scope_file takes a scope file, or a bare list of leaves with its batch id, trust domain and
// end in `flags`. Root and size are made anew of the leaves. Throws INVALID_INPUT for what is no
// such file and for a flag that contradicts it; SCOPE_MISMATCH where the leaves give another root
// or size than the file says, SCOPE_CHANGED where they give another root than the flags.
ScopeFile read_scope_file(std::string_view text, const ScopeFlags& flags = {});

// make_scope_file checks contents as read_scope_file does; the end is cut to whole seconds. Throws
// INVALID_INPUT.
ScopeFile make_scope_file(ScopeContents contents);

// write_scope_file lays the file out for people.
std::string write_scope_file(const ScopeFile& file);

// read_scope_entries takes the leaves of a new scope: a JSON list as in a scope file, or lines of a
// subject and a kind, where empty ones and those that start with `#` are skipped. Throws
// INVALID_INPUT.
ScopeEntries read_scope_entries(std::string_view text);

}  // namespace bcpki
