// SHA-1 and SHA-256 (FIPS 180-4). sha256 is public, in bcpki/draft.h.
#pragma once

#include <array>

#include "bcpki/bytes.h"
#include "bcpki/draft.h"

namespace bcpki {

// sha1 serves key identifiers alone (RFC 5280 section 4.2.1.2, method 1).
std::array<std::byte, 20> sha1(View bytes);

}  // namespace bcpki
