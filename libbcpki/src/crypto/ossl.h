// OpenSSL for this folder: who frees what, one private context, and failures that leave nothing in
// OpenSSL's error queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "bcpki/bytes.h"

namespace bcpki::ossl {

template <auto free_function>
struct FreedBy {
  template <class T>
  void operator()(T* object) const noexcept {
    free_function(object);
  }
};

template <class T>
struct Deleter;
template <>
struct Deleter<BIGNUM> : FreedBy<BN_clear_free> {};
template <>
struct Deleter<BN_CTX> : FreedBy<BN_CTX_free> {};
template <>
struct Deleter<EC_GROUP> : FreedBy<EC_GROUP_free> {};
template <>
struct Deleter<EC_POINT> : FreedBy<EC_POINT_clear_free> {};
template <>
struct Deleter<ECDSA_SIG> : FreedBy<ECDSA_SIG_free> {};
template <>
struct Deleter<EVP_CIPHER_CTX> : FreedBy<EVP_CIPHER_CTX_free> {};
template <>
struct Deleter<EVP_KDF_CTX> : FreedBy<EVP_KDF_CTX_free> {};
template <>
struct Deleter<EVP_MD_CTX> : FreedBy<EVP_MD_CTX_free> {};
template <>
struct Deleter<EVP_PKEY> : FreedBy<EVP_PKEY_free> {};
template <>
struct Deleter<EVP_PKEY_CTX> : FreedBy<EVP_PKEY_CTX_free> {};

// Ptr owns an OpenSSL object.
template <class T>
using Ptr = std::unique_ptr<T, Deleter<T>>;

// fail empties the error queue and throws INTERNAL: "OpenSSL cannot <what>: <its first reason>".
[[noreturn]] void fail(const std::string& what);

// check returns `result` where OpenSSL succeeded: a pointer that is not null, or 1.
template <class T>
T* check(T* result, const char* what) {
  if (result == nullptr) fail(what);
  return result;
}
inline void check(int result, const char* what) {
  if (result != 1) fail(what);
}

// Attempt lives where a failure of OpenSSL is an answer and no bug: what the attempt left in the
// error queue goes with it.
class Attempt {
 public:
  Attempt() noexcept { ERR_set_mark(); }
  ~Attempt() { ERR_pop_to_mark(); }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
};

// context is ours alone and holds the default provider: no configuration file of the machine
// reaches it. It lives as long as the process, because keys in static objects outlive any order of
// destruction.
OSSL_LIB_CTX* context();

// The algorithms, fetched once by their OpenSSL name; the caller keeps the result in a static.
const EVP_MD* fetch_digest(const char* name);
const EVP_CIPHER* fetch_cipher(const char* name);
EVP_KDF* fetch_kdf(const char* name);

// octets, text and number name one parameter; what they point to must outlive its use.
OSSL_PARAM octets(const char* name, View bytes);
OSSL_PARAM text(const char* name, const char* value);
OSSL_PARAM number(const char* name, std::uint64_t& value);

// chars views bytes as OpenSSL wants them.
inline const unsigned char* chars(const std::byte* bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes);
}
inline unsigned char* chars(std::byte* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

// to_int returns a size as OpenSSL's older calls take it. Throws INTERNAL above 2^31-1.
int to_int(std::size_t size);

}  // namespace bcpki::ossl
