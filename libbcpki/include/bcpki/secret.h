// Secrets are a class: they cannot be copied, compared or printed by accident.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "bcpki/bytes.h"

namespace bcpki {

// SecretBytes owns secret bytes and wipes them. Move-only; its bytes are reached through `reveal`
// alone, so that every use can be found by that word.
class SecretBytes {
 public:
  SecretBytes() = default;                 // empty
  explicit SecretBytes(std::size_t size);  // `size` zero bytes
  explicit SecretBytes(View bytes);        // a copy; the caller wipes the original
  explicit SecretBytes(std::string_view text);

  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes();

  // read takes the whole of a regular file of at most 1 MiB. Throws IO_ERROR where it cannot be
  // read, INVALID_INPUT where it is not a regular file or too large.
  static SecretBytes read(const std::filesystem::path& path);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // reveal gives the bytes; the view ends with this object or its next assignment.
  View reveal() const noexcept { return {data_.get(), size_}; }
  std::span<std::byte> reveal() noexcept { return {data_.get(), size_}; }

  // equals compares in a time that depends on the sizes alone.
  bool equals(const SecretBytes& other) const noexcept;

  // clone makes a second owner.
  SecretBytes clone() const { return SecretBytes(reveal()); }

  // append grows the secret; the former storage is wiped.
  void append(View bytes);

  // truncate drops and wipes everything behind the first `size` bytes.
  void truncate(std::size_t size) noexcept;

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// wipe overwrites `bytes` so that no compiler leaves it out.
void wipe(std::span<std::byte> bytes) noexcept;

}  // namespace bcpki
