// Bytes as values: what every other header speaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bcpki {

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;
using Digest32 = std::array<std::byte, 32>;  // a SHA-256
using Sig64 = std::array<std::byte, 64>;     // P1363 r || s, or an Ed25519 signature

// as_bytes views `text` as its bytes; the view lives as long as `text`.
inline View as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// as_text views `bytes` as text without judging it; the view lives as long as `bytes`.
inline std::string_view as_text(View bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// to_bytes copies `view`.
inline Bytes to_bytes(View view) {
  return {view.begin(), view.end()};
}

// equal compares two public values; secrets have SecretBytes::equals.
inline bool equal(View a, View b) noexcept {
  return as_text(a) == as_text(b);
}

}  // namespace bcpki
