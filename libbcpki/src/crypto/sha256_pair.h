// SHA-256 of two messages at once.
//
// One message is bound by the latency of the CPU's rounds: each waits for the one before it, and
// half of the unit idles. A second message fills the gaps, so that two take as long as one.
// Messages of a tree are two or three blocks long; for these OpenSSL also sets up its context,
// which costs as much again. Together this hashes a tree three times as fast.
#pragma once

#include "bcpki/bytes.h"

namespace bcpki {

// has_sha256_pair says whether this CPU has the instructions that sha256_pair is made of.
bool has_sha256_pair() noexcept;

// sha256_pair writes the digests of `first` and `second` to `digests[0]` and `digests[1]`. Only
// where has_sha256_pair.
void sha256_pair(View first, View second, Digest32* digests) noexcept;

}  // namespace bcpki
