// Keys from secrets: HKDF (RFC 5869), and for passphrases PBKDF2 (RFC 8018), scrypt (RFC 7914) and
// the AES-CBC that PBES2 puts behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace bcpki {

// hkdf_sha256 extracts and expands to `size` bytes, 1 to 8,160.
SecretBytes hkdf_sha256(View ikm, View salt, std::string_view info, std::size_t size);

// pbkdf2 takes `digest` as OpenSSL names it: "SHA256", "SHA384", "SHA512".
SecretBytes pbkdf2(View passphrase, View salt, std::uint64_t iterations, const char* digest,
                   std::size_t size);

inline constexpr std::uint64_t kMaxScryptBytes = std::uint64_t{1} << 30;

// ScryptCost is `n` blocks of 128 `r` bytes, `p` times over.
struct ScryptCost {
  std::uint64_t n = 0, r = 0, p = 0;

  // fits says whether these are scrypt's (RFC 7914 section 2), with at most 1 GiB for the blocks
  // and in the time that 4 GiB of them take.
  bool fits() const noexcept;
};

// scrypt throws UNSUPPORTED for a cost that does not fit.
SecretBytes scrypt(View passphrase, View salt, const ScryptCost& cost, std::size_t size);

// aes_cbc_decrypt takes off the PKCS#7 padding; nullopt where there is none. The key's size says
// which AES it is. Throws INTERNAL for a key or iv of no AES.
std::optional<SecretBytes> aes_cbc_decrypt(const SecretBytes& key, View iv, View ciphertext);

}  // namespace bcpki
