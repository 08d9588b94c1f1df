// A scope file's text, read as a stream: it may have 64 MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bcpki/scope_file.h"

namespace bcpki {

inline constexpr std::string_view kScopeFileFormat = "better-compute-batch-scope";
inline constexpr std::string_view kScopeFileName = "scope file";

// ScopeDocument is what the text says. Subjects and kinds are not judged yet.
struct ScopeDocument {
  ScopeContents contents{};
  bool is_bare = false;  // a list of leaves, and nothing else of the contents
  Digest32 root{};
  std::uint64_t size = 0;
};

// parse_scope throws INVALID_INPUT.
ScopeDocument parse_scope(std::string_view text);

}  // namespace bcpki
