// Public and private keys and their names: formats.md section 2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bcpki/bytes.h"
#include "bcpki/error.h"
#include "bcpki/rng.h"
#include "bcpki/secret.h"

namespace bcpki {

enum class KeyAlgorithm {
  p256,     // ECDSA over P-256 with SHA-256 (ES256)
  ed25519,  // the SSH CAs' default
};

// PublicKey is a P-256 or Ed25519 public key that has been checked to be one. Immutable; copies
// share; safe between threads.
class PublicKey {
 public:
  // read takes a DER SubjectPublicKeyInfo of exactly the one encoding of a P-256 key: 91 bytes,
  // uncompressed, on the curve. Refused: `key-form`.
  static Verdict<PublicKey> read(View spki);

  // read_point takes the uncompressed point, 65 bytes `04 || x || y`. Refused: `key-form`.
  static Verdict<PublicKey> read_point(View point);

  // read_ed25519 takes the 32 bytes of RFC 8032 section 5.1.5, of a point of the prime-order group.
  // Refused: `key-form`.
  static Verdict<PublicKey> read_ed25519(View raw);

  // from_spki_pem takes one `PUBLIC KEY` block of a P-256 key. Throws INVALID_INPUT with detail
  // "reason": `pem-form` or `key-form`.
  static PublicKey from_spki_pem(std::string_view pem);

  KeyAlgorithm algorithm() const noexcept;

  // spki is the DER SubjectPublicKeyInfo: 91 bytes for P-256, 44 for Ed25519.
  View spki() const noexcept;

  // raw is the key without its frame: the 65-byte point of a P-256 key, the 32 bytes of Ed25519.
  View raw() const noexcept;

  // pin is `sha256/` and the base64 of SHA-256(SPKI).
  std::string pin() const;

  // kid is the base64url of SHA-256(SPKI): the name of approver, node and signing keys.
  std::string kid() const;

  // thumbprint is the RFC 7638 JWK thumbprint, base64url; P-256 only, else INVALID_INPUT.
  std::string thumbprint() const;

  // verify says whether `sig` is this key's signature over `message`. P-256: exactly 64 bytes
  // r || s, each from 1 to n-1, high and low s alike, over SHA-256. Never throws on any bytes.
  bool verify(View message, View sig) const;

  friend bool operator==(const PublicKey& a, const PublicKey& b) noexcept;

  struct Impl;
  explicit PublicKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// PrivateKey is a P-256 or Ed25519 private key. Move-only and wiped.
class PrivateKey {
 public:
  // generate draws a new key from `rng`. Throws INTERNAL where it gives no key in 128 draws.
  static PrivateKey generate(KeyAlgorithm algorithm, Rng& rng);

  // read_raw takes 32 secret bytes: a P-256 scalar from 1 to n-1 or an Ed25519 seed. Refused:
  // `key-form`.
  static Verdict<PrivateKey> read_raw(KeyAlgorithm algorithm, View raw);

  // Passphrase is asked at most once, and only for an encrypted key.
  using Passphrase = std::function<SecretBytes()>;

  // read_pem takes one `PRIVATE KEY` or `EC PRIVATE KEY` block (after an `EC PARAMETERS` block that
  // names P-256, which `openssl ecparam -genkey` writes), or, with a passphrase, one
  // `ENCRYPTED PRIVATE KEY` (PBES2). P-256 or Ed25519; a public part inside must be the key's.
  // Refused: `pem-form`, `key-form`, `key-algorithm`, `key-public-part`, `key-encrypted` (no
  // passphrase given), `key-encryption` (a scheme that is not taken), `passphrase`.
  static Verdict<PrivateKey> read_pem(View pem, const Passphrase& passphrase = {});

  PrivateKey(PrivateKey&&) noexcept;
  PrivateKey& operator=(PrivateKey&&) noexcept;
  ~PrivateKey();

  const PublicKey& public_key() const noexcept;

  // sign returns 64 bytes: ES256 in P1363 form, or Ed25519.
  Sig64 sign(View message) const;

  // pkcs8_pem is the key as one `PRIVATE KEY` block: PKCS#8 by named curve with the public part
  // (RFC 5958 version 0 for Ed25519).
  SecretBytes pkcs8_pem() const;

  struct Impl;
  explicit PrivateKey(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcpki
