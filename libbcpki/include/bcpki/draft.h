// What lacks only its signature. Whoever drafts has met every rule before a key is used, so the key
// may be anywhere: in memory, in another process, on a machine without a network.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "bcpki/bytes.h"
#include "bcpki/error.h"
#include "bcpki/key.h"
#include "bcpki/signer.h"

namespace bcpki {

// sha256 of `bytes` (FIPS 180-4), 32 bytes.
Digest32 sha256(View bytes);

// Draft is a `T` that lacks only its signature.
template <class T>
class [[nodiscard]] Draft {
 public:
  using Assemble = std::function<T(View to_be_signed, const Sig64& signature)>;

  Draft(Bytes to_be_signed, PublicKey issuer, Assemble assemble,
        std::optional<std::string> shortened)
      : to_be_signed_(std::move(to_be_signed)),
        issuer_(std::move(issuer)),
        assemble_(std::move(assemble)),
        shortened_(std::move(shortened)) {}

  const Bytes& to_be_signed() const { return to_be_signed_; }

  // digest is SHA-256 of `to_be_signed()`, for keys that sign digests.
  Digest32 digest() const { return sha256(to_be_signed_); }

  // shortened says why the lifetime is less than was asked for, or nullopt where it is not.
  const std::optional<std::string>& shortened() const { return shortened_; }

  // sign has `signer` sign. Throws INVALID_CONFIG where its key is not the issuer's,
  // INVALID_RESPONSE where what it returns does not verify, and whatever the signer throws.
  T sign(Signer& signer) && {
    if (!(signer.public_key() == issuer_))
      throw Error(Code::invalid_config, "the signer's key is not the issuer's");
    return verified(signer.sign(to_be_signed_), Code::invalid_response);
  }

  // finish takes the issuer's signature (P1363). Throws INVALID_INPUT where it does not verify.
  T finish(const Sig64& signature) && { return verified(signature, Code::invalid_input); }

 private:
  T verified(const Sig64& signature, Code otherwise) const {
    if (!issuer_.verify(to_be_signed_, signature))
      throw Error(otherwise, "the signature is not the issuer's over this draft");
    return assemble_(to_be_signed_, signature);
  }

  Bytes to_be_signed_;
  PublicKey issuer_;
  Assemble assemble_;
  std::optional<std::string> shortened_;
};

}  // namespace bcpki
