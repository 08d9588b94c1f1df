// SHA-256 of many short messages, such as the nodes of a tree.
#pragma once

#include <span>

#include "bcpki/bytes.h"

namespace bcpki {

// Sha256Path is how they are hashed: message by message by OpenSSL, or two at a time by the CPU's
// own instructions.
enum class Sha256Path { portable, paired };

// best_sha256_path is `paired` where this CPU has the instructions.
Sha256Path best_sha256_path() noexcept;

// sha256_each writes the digest of each of `messages` to the same place of `digests`, which has as
// many. `path` must be one that this CPU has.
void sha256_each(std::span<const View> messages, std::span<Digest32> digests, Sha256Path path);

}  // namespace bcpki
