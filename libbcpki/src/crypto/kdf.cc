#include "crypto/kdf.h"

#include <array>
#include <span>

#include <openssl/core_names.h>

#include "bcpki/error.h"

#include "crypto/ossl.h"

namespace bcpki {
namespace {

SecretBytes derive(EVP_KDF* algorithm, std::span<const OSSL_PARAM> parameters, std::size_t size) {
  const ossl::Ptr<EVP_KDF_CTX> context(ossl::check(EVP_KDF_CTX_new(algorithm), "derive a key"));
  SecretBytes key(size);
  ossl::check(
      EVP_KDF_derive(context.get(), ossl::chars(key.reveal().data()), size, parameters.data()),
      "derive a key");
  return key;
}

const EVP_CIPHER* aes_cbc(std::size_t key_size) {
  static const EVP_CIPHER* const aes128 = ossl::fetch_cipher("AES-128-CBC");
  static const EVP_CIPHER* const aes192 = ossl::fetch_cipher("AES-192-CBC");
  static const EVP_CIPHER* const aes256 = ossl::fetch_cipher("AES-256-CBC");
  switch (key_size) {
    case 16:
      return aes128;
    case 24:
      return aes192;
    case 32:
      return aes256;
    default:
      throw Error(Code::internal, "AES takes a key of 16, 24 or 32 bytes");
  }
}

constexpr std::size_t kAesBlock = 16;

}  // namespace

SecretBytes hkdf_sha256(View ikm, View salt, std::string_view info, std::size_t size) {
  static EVP_KDF* const algorithm = ossl::fetch_kdf("HKDF");
  return derive(
      algorithm,
      std::array{ossl::text(OSSL_KDF_PARAM_DIGEST, "SHA256"), ossl::octets(OSSL_KDF_PARAM_KEY, ikm),
                 ossl::octets(OSSL_KDF_PARAM_SALT, salt),
                 ossl::octets(OSSL_KDF_PARAM_INFO, as_bytes(info)), OSSL_PARAM_construct_end()},
      size);
}

SecretBytes pbkdf2(View passphrase, View salt, std::uint64_t iterations, const char* digest,
                   std::size_t size) {
  static EVP_KDF* const algorithm = ossl::fetch_kdf("PBKDF2");
  return derive(
      algorithm,
      std::array{ossl::text(OSSL_KDF_PARAM_DIGEST, digest),
                 ossl::octets(OSSL_KDF_PARAM_PASSWORD, passphrase),
                 ossl::octets(OSSL_KDF_PARAM_SALT, salt),
                 ossl::number(OSSL_KDF_PARAM_ITER, iterations), OSSL_PARAM_construct_end()},
      size);
}

bool ScryptCost::fits() const noexcept {
  constexpr std::uint64_t kMaxBlocks = kMaxScryptBytes / 128;
  const bool power_of_two = n > 1 && (n & (n - 1)) == 0;
  const bool n_in_range = r >= 4 || n >> (16 * r) == 0;
  if (!power_of_two || r == 0 || p == 0 || !n_in_range) return false;
  const bool memory = n <= kMaxBlocks / r && p <= kMaxBlocks / r;
  return memory && p <= 4 * kMaxBlocks / (n * r);
}

SecretBytes scrypt(View passphrase, View salt, const ScryptCost& cost, std::size_t size) {
  if (!cost.fits())
    throw Error(Code::unsupported, "scrypt with this cost is not taken; it may use up to 1 GiB");
  static EVP_KDF* const algorithm = ossl::fetch_kdf("SCRYPT");
  ScryptCost used = cost;
  std::uint64_t memory = 128 * cost.r * (cost.n + cost.p + 2);
  return derive(
      algorithm,
      std::array{ossl::octets(OSSL_KDF_PARAM_PASSWORD, passphrase),
                 ossl::octets(OSSL_KDF_PARAM_SALT, salt),
                 ossl::number(OSSL_KDF_PARAM_SCRYPT_N, used.n),
                 ossl::number(OSSL_KDF_PARAM_SCRYPT_R, used.r),
                 ossl::number(OSSL_KDF_PARAM_SCRYPT_P, used.p),
                 ossl::number(OSSL_KDF_PARAM_SCRYPT_MAXMEM, memory), OSSL_PARAM_construct_end()},
      size);
}

std::optional<SecretBytes> aes_cbc_decrypt(const SecretBytes& key, View iv, View ciphertext) {
  if (iv.size() != kAesBlock) throw Error(Code::internal, "AES-CBC takes an iv of 16 bytes");
  const ossl::Attempt attempt;
  const ossl::Ptr<EVP_CIPHER_CTX> context(ossl::check(EVP_CIPHER_CTX_new(), "set up AES-CBC"));
  ossl::check(
      EVP_DecryptInit_ex2(context.get(), aes_cbc(key.size()), ossl::chars(key.reveal().data()),
                          ossl::chars(iv.data()), nullptr),
      "set up AES-CBC");

  SecretBytes plaintext(ciphertext.size() + kAesBlock);
  int written = 0;
  int last = 0;
  ossl::check(EVP_DecryptUpdate(context.get(), ossl::chars(plaintext.reveal().data()), &written,
                                ossl::chars(ciphertext.data()), ossl::to_int(ciphertext.size())),
              "run AES-CBC");
  const std::span<std::byte> rest = plaintext.reveal().subspan(static_cast<std::size_t>(written));
  if (EVP_DecryptFinal_ex(context.get(), ossl::chars(rest.data()), &last) != 1) return std::nullopt;
  plaintext.truncate(static_cast<std::size_t>(written) + static_cast<std::size_t>(last));
  return plaintext;
}

}  // namespace bcpki
