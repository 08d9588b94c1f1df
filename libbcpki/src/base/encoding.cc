#include "bcpki/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "bcpki/secret.h"

#include "base/utf8.h"

namespace bcpki {
namespace {

constexpr std::uint8_t kNoDigit = 0x80;  // a bit that no digit's value has
using Values = std::array<std::uint8_t, 256>;

constexpr void set_values(Values& values, std::string_view digits) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  }
}

constexpr Values values_of(std::string_view digits) {
  Values values{};
  values.fill(kNoDigit);
  set_values(values, digits);
  return values;
}

std::uint32_t value_at(const Values& values, std::string_view text, std::size_t i) {
  return values[static_cast<unsigned char>(text[i])];
}

// accepted returns bytes whose digits, all `seen`, were digits; others may be half a private key.
std::optional<Bytes> accepted(Bytes bytes, std::uint32_t seen) {
  if ((seen & kNoDigit) == 0) return bytes;
  wipe(bytes);
  return std::nullopt;
}

// Base64 is one alphabet of RFC 4648.
struct Base64 {
  std::string_view digits;
  Values values;
  bool padded;

  constexpr Base64(std::string_view alphabet, bool has_padding)
      : digits(alphabet), values(values_of(alphabet)), padded(has_padding) {}

  std::string encode(View bytes) const {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (; bytes.size() >= 3; bytes = bytes.subspan(3)) {
      put(text, 4,
          std::to_integer<std::uint32_t>(bytes[0]) << 16 |
              std::to_integer<std::uint32_t>(bytes[1]) << 8 |
              std::to_integer<std::uint32_t>(bytes[2]));
    }
    if (!bytes.empty()) {
      std::uint32_t group = std::to_integer<std::uint32_t>(bytes[0]) << 16;
      if (bytes.size() == 2) group |= std::to_integer<std::uint32_t>(bytes[1]) << 8;
      put(text, bytes.size() + 1, group);
      if (padded) text.append(3 - bytes.size(), '=');
    }
    return text;
  }

  std::optional<Bytes> parse(std::string_view text) const {
    if (padded) {
      if (text.size() % 4 != 0) return std::nullopt;
      for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    }
    const std::size_t rest = text.size() % 4;
    if (rest == 1) return std::nullopt;

    Bytes bytes(text.size() * 3 / 4);
    std::uint32_t seen = 0;
    std::size_t out = 0;
    for (; text.size() >= 4; text.remove_prefix(4)) {
      const std::uint32_t group = take(text, 4, seen);
      bytes[out++] = static_cast<std::byte>(group >> 16);
      bytes[out++] = static_cast<std::byte>(group >> 8);
      bytes[out++] = static_cast<std::byte>(group);
    }
    if (rest != 0) {
      const std::uint32_t group = take(text, rest, seen);
      const std::uint32_t trailing_bits = group & (rest == 2 ? 0xffffU : 0xffU);
      if (trailing_bits != 0) seen |= kNoDigit;
      bytes[out++] = static_cast<std::byte>(group >> 16);
      if (rest == 3) bytes[out++] = static_cast<std::byte>(group >> 8);
    }
    return accepted(std::move(bytes), seen);
  }

 private:
  // put writes the first `count` digits of a group of 24 bits.
  void put(std::string& text, std::size_t count, std::uint32_t group) const {
    for (std::size_t i = 0; i < count; ++i) text += digits[group >> (18 - 6 * i) & 63];
  }

  // take reads a group of `count` digits and adds their values to `seen`, so that what is no digit
  // is found at the end instead of by a branch for each.
  std::uint32_t take(std::string_view text, std::size_t count, std::uint32_t& seen) const {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t value = value_at(values, text, i);
      seen |= value;
      group |= (value & 63) << (18 - 6 * i);
    }
    return group;
  }
};

constexpr Base64 kBase64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true);
constexpr Base64 kBase64Url("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                            false);

constexpr Values kHexValues = [] {
  Values values = values_of("0123456789abcdef");
  set_values(values, "0123456789ABCDEF");
  return values;
}();

// Two digits at once are four times as fast as one after the other.
constexpr std::array<std::array<char, 2>, 256> kHexPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i >> 4], kDigits[i & 15]};
  return pairs;
}();

// read_hex reads two digits of `text` for each of `bytes` and returns what was seen.
std::uint32_t read_hex(std::string_view text, std::span<std::byte> bytes) {
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t high = value_at(kHexValues, text, 2 * i);
    const std::uint32_t low = value_at(kHexValues, text, (2 * i) + 1);
    seen |= high | low;
    bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return seen;
}

struct Range {
  char32_t first, last;
};

// What a terminal obeys or does not show, ascending: control characters, line separators, bidi
// controls, annotation anchors, and Unicode's Default_Ignorable_Code_Point.
constexpr std::array kHidden = {
    Range{0x0000, 0x001f},   Range{0x007f, 0x009f},   Range{0x00ad, 0x00ad},
    Range{0x034f, 0x034f},   Range{0x061c, 0x061c},   Range{0x115f, 0x1160},
    Range{0x17b4, 0x17b5},   Range{0x180b, 0x180f},   Range{0x200b, 0x200f},
    Range{0x2028, 0x202e},   Range{0x2060, 0x206f},   Range{0x3164, 0x3164},
    Range{0xfdd0, 0xfdef},   Range{0xfe00, 0xfe0f},   Range{0xfeff, 0xfeff},
    Range{0xffa0, 0xffa0},   Range{0xfff0, 0xfffb},   Range{0x1bca0, 0x1bca3},
    Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff},
};

bool is_hidden(char32_t code) {
  const bool ends_a_plane = (code & 0xfffe) == 0xfffe;  // noncharacters
  const auto* range = std::ranges::lower_bound(kHidden, code, {}, &Range::last);
  return ends_a_plane || (range != kHidden.end() && range->first <= code);
}

bool is_plain_ascii(char c) {
  return c >= 0x20 && c < 0x7f;
}

std::string escaped(char32_t code) {
  return code > 0xffff ? fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(code))
                       : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
}

}  // namespace

std::string base64(View bytes) {
  return kBase64.encode(bytes);
}

std::string base64url(View bytes) {
  return kBase64Url.encode(bytes);
}

std::string hex(View bytes) {
  std::string text(bytes.size() * 2, '\0');
  auto out = text.begin();
  for (const std::byte b : bytes) {
    out = std::ranges::copy(kHexPairs[std::to_integer<std::size_t>(b)], out).out;
  }
  return text;
}

std::optional<Bytes> parse_base64(std::string_view text) {
  return kBase64.parse(text);
}

std::optional<Bytes> parse_base64url(std::string_view text) {
  return kBase64Url.parse(text);
}

std::optional<Bytes> parse_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  Bytes bytes(text.size() / 2);
  const std::uint32_t seen = read_hex(text, bytes);
  return accepted(std::move(bytes), seen);
}

std::optional<Digest32> parse_digest(std::string_view text) {
  Digest32 digest;
  if (text.size() != 2 * digest.size() || (read_hex(text, digest) & kNoDigit) != 0)
    return std::nullopt;
  return digest;
}

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, is_plain_ascii)) return std::string(text);
  std::string shown;
  shown.reserve(text.size() * 2);
  while (!text.empty()) {
    const utf8::Character c = utf8::decode(text);
    if (c.size == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else {
      shown += is_hidden(c.code) ? escaped(c.code) : std::string(c.text());
    }
    text.remove_prefix(std::max<std::size_t>(c.size, 1));
  }
  return shown;
}

}  // namespace bcpki
