#include "crypto/aead.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <sodium/core.h>
#include <sodium/crypto_aead_aes256gcm.h>

#include "bcpki/error.h"

#include "crypto/ossl.h"

namespace bcpki::aes256gcm {
namespace {

using Context = ossl::Ptr<EVP_CIPHER_CTX>;

enum class Direction : std::uint8_t { decrypt, encrypt };  // as OpenSSL counts them

// started has taken in the key, the iv and `aad`.
Context started(Direction direction, const SecretBytes& key, View iv, View aad) {
  static const EVP_CIPHER* const algorithm = ossl::fetch_cipher("AES-256-GCM");
  Context context(ossl::check(EVP_CIPHER_CTX_new(), "set up AES-GCM"));
  ossl::check(EVP_CipherInit_ex2(context.get(), algorithm, ossl::chars(key.reveal().data()),
                                 ossl::chars(iv.data()), static_cast<int>(direction), nullptr),
              "set up AES-GCM");
  int ignored = 0;
  ossl::check(EVP_CipherUpdate(context.get(), nullptr, &ignored, ossl::chars(aad.data()),
                               ossl::to_int(aad.size())),
              "take additional data");
  return context;
}

void update(const Context& context, std::span<std::byte> out, View in) {
  int written = 0;
  ossl::check(EVP_CipherUpdate(context.get(), ossl::chars(out.data()), &written,
                               ossl::chars(in.data()), ossl::to_int(in.size())),
              "run AES-GCM");
}

// finish writes nothing in this mode; when decrypting it judges the tag.
bool finish(const Context& context) {
  std::byte nothing{};
  int written = 0;
  return EVP_CipherFinal_ex(context.get(), ossl::chars(&nothing), &written) == 1;
}

void require_key_size(const SecretBytes& key) {
  if (key.size() != kKeyBytes) throw Error(Code::internal, "AES-256-GCM takes a key of 32 bytes");
}

}  // namespace

Bytes seal(const SecretBytes& key, View iv, View aad, View plaintext) {
  require_key_size(key);
  if (iv.size() != kIvBytes) throw Error(Code::internal, "AES-256-GCM takes an iv of 12 bytes");
  const Context context = started(Direction::encrypt, key, iv, aad);
  Bytes sealed(plaintext.size() + kTagBytes);
  const std::span<std::byte> out = sealed;
  update(context, out.first(plaintext.size()), plaintext);
  if (!finish(context)) ossl::fail("finish AES-GCM");
  ossl::check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes,
                                  out.last(kTagBytes).data()),
              "read a GCM tag");
  return sealed;
}

std::optional<SecretBytes> open_with_openssl(const SecretBytes& key, View iv, View aad,
                                             View sealed) {
  const View ciphertext = sealed.first(sealed.size() - kTagBytes);
  std::array<std::byte, kTagBytes> tag;
  std::ranges::copy(sealed.last(kTagBytes), tag.begin());

  const ossl::Attempt attempt;
  const Context context = started(Direction::decrypt, key, iv, aad);
  SecretBytes plaintext(ciphertext.size());
  update(context, plaintext.reveal(), ciphertext);
  ossl::check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()),
              "set a GCM tag");
  if (!finish(context)) return std::nullopt;
  return plaintext;
}

std::optional<SecretBytes> open_with_libsodium(const SecretBytes& key, View iv, View aad,
                                               View sealed) {
  SecretBytes plaintext(sealed.size() - kTagBytes);
  if (crypto_aead_aes256gcm_decrypt(ossl::chars(plaintext.reveal().data()), nullptr, nullptr,
                                    ossl::chars(sealed.data()), sealed.size(),
                                    ossl::chars(aad.data()), aad.size(), ossl::chars(iv.data()),
                                    ossl::chars(key.reveal().data())) != 0)
    return std::nullopt;
  return plaintext;
}

bool has_libsodium() {
  static const bool available = sodium_init() >= 0 && crypto_aead_aes256gcm_is_available() == 1;
  return available;
}

// The first cipher that OpenSSL fetches makes it register all of them, which takes as long as every
// signature check of a bundle: a process that opens one file would wait mostly for that. libsodium
// has the same AES-GCM at once, on CPUs with instructions for it.
std::optional<SecretBytes> open(const SecretBytes& key, View iv, View aad, View sealed) {
  require_key_size(key);
  if (iv.size() != kIvBytes || sealed.size() < kTagBytes) return std::nullopt;
  return has_libsodium() ? open_with_libsodium(key, iv, aad, sealed)
                         : open_with_openssl(key, iv, aad, sealed);
}

}  // namespace bcpki::aes256gcm
