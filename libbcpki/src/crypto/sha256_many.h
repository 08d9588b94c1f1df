// SHA-256 of many short messages, such as the nodes of a tree.
//
// Each stands in memory with its padding behind it, so that whatever hashes it runs over whole
// blocks and copies nothing.
#pragma once

#include <cstddef>
#include <span>

#include "bcpki/bytes.h"

namespace bcpki {

inline constexpr std::size_t kSha256Block = 64;

// PaddedMessage is `size` bytes and behind them what `pad` wrote.
struct PaddedMessage {
  const std::byte* data;
  std::size_t size;
};

// padded_size is the room that a message and its padding take: whole blocks.
constexpr std::size_t padded_size(std::size_t size) {
  constexpr std::size_t kEndBytes = 1 + 8;
  return (size + kEndBytes + kSha256Block - 1) / kSha256Block * kSha256Block;
}

// pad writes the padding (FIPS 180-4, section 5.1.1) behind the message of `size` bytes, which has
// room for it.
void pad(std::byte* message, std::size_t size) noexcept;

// Sha256Path is how the messages are hashed. All give the same.
enum class Sha256Path {
  portable,  // one after the other, by OpenSSL
  paired,    // two at a time, by the SHA instructions of x86
  wide,      // sixteen at a time, by AVX-512
};

// has_sha256_path says whether this CPU can; best_sha256_path is the fastest that it can.
bool has_sha256_path(Sha256Path path) noexcept;
Sha256Path best_sha256_path() noexcept;

// sha256_many writes the digest of each message to the same place of `digests`, which has as many.
// The CPU has `path`.
void sha256_many(std::span<const PaddedMessage> messages, std::span<Digest32> digests,
                 Sha256Path path);

}  // namespace bcpki
