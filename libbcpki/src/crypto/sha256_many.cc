#include "crypto/sha256_many.h"

#include <algorithm>
#include <cstdint>

#include "bcpki/draft.h"

#include "crypto/sha256_x86.h"

namespace bcpki {
namespace {

constexpr std::size_t kPair = 2;

// by hashes groups of `count` and returns how many messages that were.
std::size_t by(std::size_t count, void (*hash)(const PaddedMessage*, Digest32*) noexcept,
               std::span<const PaddedMessage> messages, std::span<Digest32> digests) {
  std::size_t done = 0;
  for (; done + count <= messages.size(); done += count)
    hash(messages.data() + done, digests.data() + done);
  return done;
}

Digest32 by_openssl(const PaddedMessage& message) {
  return sha256({message.data, message.size});
}

}  // namespace

void pad(std::byte* message, std::size_t size) noexcept {
  constexpr std::size_t kLengthBytes = 8;
  std::byte* const length = message + padded_size(size) - kLengthBytes;
  message[size] = std::byte{0x80};
  std::fill(message + size + 1, length, std::byte{0});
  const std::uint64_t bits = std::uint64_t{size} * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length[i] = static_cast<std::byte>(bits >> (8 * (kLengthBytes - 1 - i)));
}

bool has_sha256_path(Sha256Path path) noexcept {
  static const bool has_pair = x86::has_sha256_pair();
  static const bool has_wide = x86::has_sha256_wide();
  switch (path) {
    case Sha256Path::paired:
      return has_pair;
    case Sha256Path::wide:
      return has_wide;
    case Sha256Path::portable:
      break;
  }
  return true;
}

Sha256Path best_sha256_path() noexcept {
  if (has_sha256_path(Sha256Path::wide)) return Sha256Path::wide;
  return has_sha256_path(Sha256Path::paired) ? Sha256Path::paired : Sha256Path::portable;
}

void sha256_many(std::span<const PaddedMessage> messages, std::span<Digest32> digests,
                 Sha256Path path) {
  const auto skip = [&](std::size_t count) {
    messages = messages.subspan(count);
    digests = digests.subspan(count);
  };
  if (path == Sha256Path::wide) skip(by(x86::kWide, x86::sha256_wide, messages, digests));
  if (path != Sha256Path::portable && has_sha256_path(Sha256Path::paired))
    skip(by(kPair, x86::sha256_pair, messages, digests));
  std::ranges::transform(messages, digests.begin(), by_openssl);
}

}  // namespace bcpki
