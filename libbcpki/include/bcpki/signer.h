// The one seam for keys, and signatures with a purpose: formats.md section 3.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bcpki/bytes.h"
#include "bcpki/key.h"

namespace bcpki {

// Signer is a key that signs, wherever it lives: a bundle, a file, an agent, a token, a TPM, a KMS.
// `sign` is called on the caller's thread, may block and must be thread-safe.
class Signer {
 public:
  virtual ~Signer() = default;

  virtual const PublicKey& public_key() const = 0;

  // sign takes the message, not its digest, since some keys do the hashing; it returns 64
  // bytes: ES256 in P1363 form, or Ed25519. Throws Error: UNAVAILABLE where the key does not
  // answer.
  virtual Sig64 sign(View message) = 0;
};

// make_signer signs with a key in memory.
std::unique_ptr<Signer> make_signer(PrivateKey key);

// Signature is an ES256 signature and the name of its key.
struct Signature {
  std::string kid;
  Sig64 sig;
};

// purpose_input is what is hashed and signed: the frame, `purpose` and `parts`, the trust domain
// being the last of them: it adds none.
Bytes purpose_input(std::string_view purpose, std::span<const View> parts);

// sign_purpose signs `parts` and, behind them, `trust_domain` under `purpose`, and verifies what it
// made. Throws INVALID_INPUT without a valid trust domain or with a key that is not P-256,
// INVALID_RESPONSE where the signature is not the key's, and whatever the signer throws.
Signature sign_purpose(Signer& signer, std::string_view purpose, std::span<const View> parts,
                       std::string_view trust_domain);

// verify_purpose says whether `sig` is `key`'s over `parts` and the caller's own `trust_domain`. It
// is not where the trust domain is not valid or the key is not P-256. Never throws on any bytes.
bool verify_purpose(const PublicKey& key, std::string_view purpose, std::span<const View> parts,
                    std::string_view trust_domain, View sig);

}  // namespace bcpki
