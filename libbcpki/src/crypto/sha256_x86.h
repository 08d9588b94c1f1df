// SHA-256 of a few messages at once, where an x86 CPU can. On other machines nothing can.
//
// One message is bound by the latency of its rounds, each of which waits for the one before, while
// most of the CPU idles: others fill the gaps. Messages of a tree have two or three blocks, for
// which OpenSSL also sets up a context at the cost of another one.
//
// Both are here because CPUs differ. AMD's run two messages through the SHA instructions in the
// time of one, and AVX-512 is no faster there. Intel's servers have one slow unit for the SHA
// instructions, which a single message fills: there AVX-512 takes less than half the time. Others
// have no AVX-512.
#pragma once

#include <cstddef>

#include "bcpki/bytes.h"

#include "crypto/sha256_many.h"

namespace bcpki::x86 {

inline constexpr std::size_t kWide = 16;

bool has_sha256_pair() noexcept;
bool has_sha256_wide() noexcept;

// sha256_pair and sha256_wide hash 2 and kWide messages. Only where has_… says so.
void sha256_pair(const PaddedMessage* messages, Digest32* digests) noexcept;
void sha256_wide(const PaddedMessage* messages, Digest32* digests) noexcept;

}  // namespace bcpki::x86
