// Private keys as bytes: PKCS#8 (RFC 5958), SEC1 (RFC 5915) and PBES2 parameters (RFC 8018, 7914),
// read strictly as DER. No cryptography.
#pragma once

#include <cstdint>
#include <optional>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace bcpki::pkcs8 {

enum class Algorithm { p256, ed25519, other };

// KeyFields are what a private key file says. Views lie in the input.
struct KeyFields {
  Algorithm algorithm = Algorithm::other;  // `other`: well-formed, but neither; the rest is empty
  View secret;                             // 32 bytes: scalar or seed
  std::optional<View> public_part;         // the point or raw key, where the file holds one
};

// parse_private_key takes a PrivateKeyInfo: version 0, or 1 where it holds a public key.
std::optional<KeyFields> parse_private_key(View der);

// parse_ec_private_key takes a SEC1 ECPrivateKey; one without parameters is taken for P-256. The
// scalar is 32 bytes, or 33 as GnuTLS writes it: a zero before a first byte from 0x80.
std::optional<KeyFields> parse_ec_private_key(View der);

// encode_p256 and encode_ed25519 write PrivateKeyInfo: for P-256 version 0 with the public point
// inside the ECPrivateKey, as OpenSSL writes it; for Ed25519 version 0 without a public key.
SecretBytes encode_p256(View scalar32, View point65);
SecretBytes encode_ed25519(View seed32);

// names_p256 says whether `parameters` (of an AlgorithmIdentifier or an ECPrivateKey, or an
// `EC PARAMETERS` block) are exactly the OBJECT IDENTIFIER of P-256.
bool names_p256(View parameters);

enum class Prf { sha256, sha384, sha512 };

// Pbes2 is an EncryptedPrivateKeyInfo under AES-CBC.
struct Pbes2 {
  bool scrypt = false;
  Prf prf = Prf::sha256;              // PBKDF2
  std::uint64_t iterations = 0;       // PBKDF2
  std::uint64_t n = 0, r = 0, p = 0;  // scrypt
  View salt;
  std::size_t key_size = 0;  // 16, 24 or 32
  View iv;                   // 16
  View ciphertext;
};

// EncryptedForm is what an `ENCRYPTED PRIVATE KEY` is: PBES2 that we read, or `refused`, the name
// of the scheme that we do not ("PBKDF2 with SHA-1", "3DES", "RC2", "PBES1", …).
struct EncryptedForm {
  std::optional<Pbes2> pbes2;
  const char* refused = nullptr;
};

// parse_encrypted returns nullopt for what is no EncryptedPrivateKeyInfo at all.
std::optional<EncryptedForm> parse_encrypted(View der);

}  // namespace bcpki::pkcs8
