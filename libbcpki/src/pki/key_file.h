// Private keys from what a file says of them.
#pragma once

#include <optional>

#include "bcpki/error.h"
#include "bcpki/key.h"

#include "format/pkcs8.h"

namespace bcpki {

// private_key_from makes the key of `fields`, whose public part, if any, must be the key's.
// Refused: `key-form` (also without fields), `key-algorithm`, `key-public-part`.
Verdict<PrivateKey> private_key_from(const std::optional<pkcs8::KeyFields>& fields);

}  // namespace bcpki
