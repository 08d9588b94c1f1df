// AES-256-GCM (NIST SP 800-38D) with a 12-byte iv and a 16-byte tag.
#pragma once

#include <cstddef>
#include <optional>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace bcpki::aes256gcm {

inline constexpr std::size_t kKeyBytes = 32, kIvBytes = 12, kTagBytes = 16;

// seal returns ciphertext || tag. Throws INTERNAL for a key or iv of another size.
Bytes seal(const SecretBytes& key, View iv, View aad, View plaintext);

// open returns the plaintext, or nullopt where the tag does not vouch for it, also for an iv of
// another size. Throws INTERNAL for a key of another size.
std::optional<SecretBytes> open(const SecretBytes& key, View iv, View aad, View sealed);

// The two that `open` chooses between, for inputs of the right sizes; they agree on every input.
// has_libsodium says whether this CPU lets libsodium do it.
bool has_libsodium();
std::optional<SecretBytes> open_with_libsodium(const SecretBytes& key, View iv, View aad,
                                               View sealed);
std::optional<SecretBytes> open_with_openssl(const SecretBytes& key, View iv, View aad,
                                             View sealed);

}  // namespace bcpki::aes256gcm
