// What a private key holds, for the files that read and write keys.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "bcpki/key.h"
#include "bcpki/secret.h"

// OpenSSL's EVP_PKEY, opaque: nobody outside this folder sees its headers.
struct evp_pkey_st;

namespace bcpki {

struct PrivateKey::Impl {
  Impl(View raw_bytes, PublicKey key) : raw(raw_bytes), public_key(std::move(key)) {}

  SecretBytes raw;  // 32 bytes: the scalar or the seed
  PublicKey public_key;

  // OpenSSL's form is made for the first signature: a bundle brings ten keys and a command uses
  // one.
  std::once_flag imported;
  std::shared_ptr<evp_pkey_st> pkey;
};

}  // namespace bcpki
