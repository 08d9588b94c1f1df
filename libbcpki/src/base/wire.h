// The length-prefixed encoding of formats.md section 1.
#pragma once

#include <cstdint>

#include "bcpki/bytes.h"

namespace bcpki::wire {

// put_u32 appends `n`, big-endian.
inline void put_u32(Bytes& out, std::uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(n >> shift));
}

// put_u64 appends `n`, big-endian.
inline void put_u64(Bytes& out, std::uint64_t n) {
  put_u32(out, static_cast<std::uint32_t>(n >> 32));
  put_u32(out, static_cast<std::uint32_t>(n));
}

// put appends `bytes` as they are.
inline void put(Bytes& out, View bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// put_lp appends `lp(bytes)`: the length as u32, then the bytes, fewer than 2^32.
inline void put_lp(Bytes& out, View bytes) {
  put_u32(out, static_cast<std::uint32_t>(bytes.size()));
  put(out, bytes);
}

}  // namespace bcpki::wire
