// UTF-8, read strictly (RFC 3629).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace bcpki::utf8 {

inline constexpr char32_t kMaxCode = 0x10ffff;

constexpr bool is_surrogate(char32_t code) noexcept {
  return code >= 0xd800 && code <= 0xdfff;
}

// Character is one code point and its bytes.
struct Character {
  char32_t code = 0;
  std::size_t size = 0;  // 1 to 4; 0 where the bytes are no UTF-8
  std::array<char, 4> bytes{};

  std::string_view text() const noexcept { return {bytes.data(), size}; }
};

// decode reads the first character of `text`, which is not empty. Overlong forms, surrogates, codes
// above U+10FFFF and characters that are cut off have size 0.
inline Character decode(std::string_view text) noexcept {
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xc0 ? 0
                           : lead < 0xe0 ? 2
                           : lead < 0xf0 ? 3
                                         : 4;
  if (size == 0 || lead >= 0xf8 || text.size() < size) return {};
  Character c{.code = size == 1 ? lead : lead & (0x7fU >> size), .size = size, .bytes = {text[0]}};
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    c.code = c.code << 6 | (byte & 0x3fU);
    c.bytes[i] = text[i];
  }
  const bool ok = c.code >= kSmallest[size] && c.code <= kMaxCode && !is_surrogate(c.code);
  return ok ? c : Character{};
}

// encode returns the character `code`, which is no surrogate and at most U+10FFFF.
inline Character encode(char32_t code) noexcept {
  Character c{.code = code,
              .size = code < 0x80      ? 1U
                      : code < 0x800   ? 2U
                      : code < 0x10000 ? 3U
                                       : 4U};
  for (std::size_t i = c.size - 1; i > 0; --i, code >>= 6) {
    c.bytes[i] = static_cast<char>(0x80 | (code & 0x3f));
  }
  const unsigned mark = c.size == 1 ? 0 : 0xf00U >> c.size & 0xf0U;
  c.bytes[0] = static_cast<char>(mark | code);
  return c;
}

}  // namespace bcpki::utf8
