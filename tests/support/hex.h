// Bytes as tests write them.
#pragma once

#include <stdexcept>
#include <string_view>

#include "bcpki/encoding.h"

namespace bcpki::test {

// from_hex takes hex that the test itself wrote.
inline Bytes from_hex(std::string_view text) {
  auto bytes = parse_hex(text);
  if (!bytes) throw std::invalid_argument("not hex: " + std::string(text));
  return *std::move(bytes);
}

}  // namespace bcpki::test
