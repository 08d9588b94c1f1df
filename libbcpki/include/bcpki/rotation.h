// A new key in place of an old one, in three steps, so that whoever checks knows the new key before
// it is used and the old one as long as something it signed still counts: formats.md section 6,
// "Rotation".
//
// Functions that return a bundle return the next generation and throw as those of upkeep.h do.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bcpki/bundle.h"
#include "bcpki/rng.h"
#include "bcpki/root_authority.h"
#include "bcpki/time.h"

namespace bcpki {

// RotatingKey is a key that no machine pins.
enum class RotatingKey {
  command_root,
  node_ca,
  internal_ca,
  exec_ticket,
  ssh_ca,
  sandbox_ssh_ca,
  audit,
};

// rotating_key_names pairs each key with its name on the command line, in help order.
std::span<const std::pair<std::string_view, RotatingKey>> rotating_key_names() noexcept;

// needs_root says whether the root signs the certificate of such a key.
bool needs_root(RotatingKey key);

// Rotation is where a key stands.
struct Rotation {
  enum class Stage {
    settled,   // one key
    added,     // the next one is published and not used yet
    switched,  // the next one is in use; the former is still trusted
  };
  Stage stage = Stage::settled;

  // How each key is called in `show`: a root's SHA-256, a kid, a pin or an SSH line.
  std::string current;
  std::optional<std::string> next{};
  std::optional<std::string> previous{};

  std::optional<UnixTime> switched_at{};

  // drop_at is when the last credential of the former key has ended: from then on it may be
  // dropped. nullopt where it never ends (the audit key), and where nothing is to be dropped.
  std::optional<UnixTime> drop_at{};
};

// rotation_of says where `key` stands. Throws NOT_FOUND where the bundle has no such key.
Rotation rotation_of(const Bundle& bundle, RotatingKey key);

// add_next_key makes the next key. `root` signs it where needs_root says so, and may be null
// elsewhere. Throws NOT_FOUND where the bundle has no such key, INVALID_STATE where a rotation of
// it is half done or `root` is missing, INVALID_INPUT where that is another root, and as
// RootAuthority::renew where it is not valid.
Bundle add_next_key(const Bundle& bundle, RotatingKey key, const RootAuthority* root, UnixTime now,
                    Rng& rng);

// switch_keys has the next key used. The former one's private key is gone from then on. Throws
// NOT_FOUND, and INVALID_STATE where there is no next key, or for the command root without
// `acknowledged`: every connected machine must know the next one first.
Bundle switch_keys(const Bundle& bundle, RotatingKey key, bool acknowledged, UnixTime now);

// drop_previous_key ends the trust in the former key. Throws NOT_FOUND, and INVALID_STATE where
// there is none, or before `drop_at` without `force`.
Bundle drop_previous_key(const Bundle& bundle, RotatingKey key, bool force, UnixTime now);

}  // namespace bcpki
