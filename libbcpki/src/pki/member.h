// The members of a bundle: what each is, and what it may do beside another.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pki/profile.h"

namespace bcpki {

// Form is how a member's public part stands in the document.
enum class Form { chain, jwk, ssh_line };

// kCoordinateBytes is the size of a P-256 coordinate in a JWK (RFC 7518 section 6.2.1.2).
inline constexpr std::size_t kCoordinateBytes = 32;

struct MemberSpec {
  std::string_view name;
  Form form;
  bool required;              // every bundle has it; others came with later versions
  bool rotates;               // may have a Next or a Previous
  Job job;                    // chain: its profile
  std::string_view use, alg;  // jwk: RFC 7517 sections 4.2 and 4.4
  std::string_view comment;   // ssh_line: behind the trust domain
};

// member_specs lists the members in the order in which a new bundle is written.
std::span<const MemberSpec> member_specs() noexcept;

// Stage is where a key stands in its rotation.
enum class Stage {
  current,
  next,      // published, not used yet
  previous,  // still trusted; its private key is gone
};

// Slot names one member of a document: `commandSigningNext` is the command root's next.
struct Slot {
  const MemberSpec* spec;
  Stage stage = Stage::current;
};

// member_name is how a slot is called in a document.
std::string member_name(Slot slot);

// find_slot returns what `name` is a name of, or nullopt.
std::optional<Slot> find_slot(std::string_view name);

}  // namespace bcpki
