// What the JSON reader and writer know of strings.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bcpki::json {

constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

constexpr bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// is_plain is a character that a string holds as it stands, and is_ascii.
constexpr bool is_plain(char c) {
  return c != '"' && c != '\\' && !is_control(c) && is_ascii(c);
}

// special_bytes sets the high bit of each of eight bytes that is not plain. A subtraction sets it
// in a byte below what is subtracted and borrows from the bytes above only there, so that the first
// mark is always right.
inline std::uint64_t special_bytes(const char* eight) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = kEach << 7;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  const std::uint64_t control = word - (kEach * 0x20);
  const std::uint64_t quote = (word ^ (kEach * '"')) - kEach;
  const std::uint64_t backslash = (word ^ (kEach * '\\')) - kEach;
  return (word | control | quote | backslash) & kHighBits;
}

// end_of_plain returns where the run of plain characters that starts at `at` ends. Nearly all bytes
// of our documents stand in such runs.
inline std::size_t end_of_plain(std::string_view text, std::size_t at) {
  for (; text.size() - at >= 8; at += 8) {
    const std::uint64_t special = special_bytes(text.data() + at);
    if (special != 0) return at + (static_cast<std::size_t>(std::countr_zero(special)) / 8);
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

// Escape is a backslash and `letter`, and the character that they mean.
struct Escape {
  char letter;
  char means;
};

// kEscapes are those of RFC 8259; RFC 8785 writes all of them but the solidus.
inline constexpr std::array kEscapes = {
    Escape{'n', '\n'}, Escape{'"', '"'},  Escape{'\\', '\\'}, Escape{'t', '\t'},
    Escape{'r', '\r'}, Escape{'b', '\b'}, Escape{'f', '\f'},  Escape{'/', '/'},
};

}  // namespace bcpki::json
