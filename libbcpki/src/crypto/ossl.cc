#include "crypto/ossl.h"

#include <limits>
#include <string>

#include <openssl/provider.h>

#include "bcpki/error.h"
#include "bcpki/process.h"

namespace bcpki::ossl {
namespace {

template <class T>
T* fetched(T* algorithm, const char* name) {
  if (algorithm == nullptr) fail(std::string("offer ") + name);
  return algorithm;
}

}  // namespace

void fail(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  std::string message = "OpenSSL cannot " + what;
  if (reason != nullptr) message += std::string(": ") + reason;
  throw Error(Code::internal, message);
}

OSSL_LIB_CTX* context() {
  static OSSL_LIB_CTX* const context = [] {
    OSSL_LIB_CTX* made = check(OSSL_LIB_CTX_new(), "make a context");
    check(OSSL_PROVIDER_load(made, "default"), "load its default provider");
    return made;
  }();
  return context;
}

const EVP_MD* fetch_digest(const char* name) {
  return fetched(EVP_MD_fetch(context(), name, nullptr), name);
}

const EVP_CIPHER* fetch_cipher(const char* name) {
  return fetched(EVP_CIPHER_fetch(context(), name, nullptr), name);
}

EVP_KDF* fetch_kdf(const char* name) {
  return fetched(EVP_KDF_fetch(context(), name, nullptr), name);
}

// OpenSSL's parameters are not const because some calls write to them; none that we make does. A
// null pointer would be a missing value, which HKDF refuses.
OSSL_PARAM octets(const char* name, View bytes) {
  static constexpr std::byte kNothing{};
  const std::byte* data = bytes.empty() ? &kNothing : bytes.data();
  return OSSL_PARAM_construct_octet_string(name, const_cast<std::byte*>(data), bytes.size());
}

OSSL_PARAM text(const char* name, const char* value) {
  return OSSL_PARAM_construct_utf8_string(name, const_cast<char*>(value), 0);
}

OSSL_PARAM number(const char* name, std::uint64_t& value) {
  return OSSL_PARAM_construct_uint64(name, &value);
}

int to_int(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(Code::internal, "more than 2 GiB cannot be taken at once");
  return static_cast<int>(size);
}

}  // namespace bcpki::ossl

namespace bcpki {

void start_own_process() {
  ossl::check(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ADD_ALL_CIPHERS |
                                      OPENSSL_INIT_NO_ADD_ALL_DIGESTS | OPENSSL_INIT_NO_ATEXIT,
                                  nullptr),
              "start");
}

}  // namespace bcpki
