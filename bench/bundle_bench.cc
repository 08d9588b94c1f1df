// Opening and fully checking a sealed bundle, against the cryptography and the one parse that it
// cannot do without, done raw.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>

#include "bcpki/bundle.h"

#include "format/json.h"
#include "ratio.h"

namespace {

constexpr bcpki::UnixTime kNow = bcpki::UnixTime::seconds(1796040000);
constexpr std::string_view kSecret = "a secret of the benchmark's own, long and varied enough";
constexpr int kKeys = 10;
constexpr int kSignatures =
    5;  // of the CAs: the root, the three under it, the command-signing root

constexpr std::size_t kInfoBytes = 28;         // of `better-compute/pki-bundle/v1`
constexpr std::size_t kPlaintextBytes = 3400;  // about ten keys and a digest, laid out as JSON

void check(bool done) {
  if (!done) throw std::runtime_error("OpenSSL failed");
}

// Sealer writes one bundle again and again, each time under a fresh salt and iv.
class Sealer {
 public:
  std::string text() {
    const auto sealed = bcpki::export_bundle(bundle_, {.secret = &secret_}, bcpki::system_rng());
    return std::string(bcpki::as_text(sealed.reveal()));
  }

 private:
  bcpki::Bundle bundle_ =
      bcpki::create_bundle({.trust_domain = "compute.example.com"}, kNow, bcpki::system_rng());
  bcpki::SecretBytes secret_{kSecret};
};

// Raw does each thing once with what OpenSSL needs for it already at hand.
class Raw {
 public:
  explicit Raw(std::size_t public_bytes) : public_half_(public_bytes, 'p') {
    check(EVP_PKEY_get_octet_string_param(key_, OSSL_PKEY_PARAM_PUB_KEY, point_.data(),
                                          point_.size(), nullptr) == 1);
    BIGNUM* scalar = nullptr;
    check(EVP_PKEY_get_bn_param(key_, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1);
    check(BN_bn2nativepad(scalar, scalar_.data(), 32) == 32);
    BN_clear_free(scalar);
    size_t size = signature_.size();
    check(EVP_PKEY_sign_init(signing_) == 1);
    check(EVP_PKEY_sign(signing_, signature_.data(), &size, digest_.data(), 32) == 1);
    signature_.resize(size);
    check(EVP_PKEY_verify_init(verifying_) == 1);
    int length = 0;
    std::array<unsigned char, 32> key{};
    check(EVP_EncryptInit_ex2(gcm_, cipher_, key.data(), iv_.data(), nullptr) == 1);
    ciphertext_.resize(plaintext_.size());
    check(EVP_EncryptUpdate(gcm_, ciphertext_.data(), &length, plaintext_.data(),
                            static_cast<int>(plaintext_.size())) == 1);
    check(EVP_EncryptFinal_ex(gcm_, ciphertext_.data() + length, &length) == 1);
    check(EVP_CIPHER_CTX_ctrl(gcm_, EVP_CTRL_AEAD_GET_TAG, 16, tag_.data()) == 1);
  }

  void open_seal() {
    std::array<unsigned char, 32> key{};
    std::array<OSSL_PARAM, 5> parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, sha256_name_.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret_.data(), secret_.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt_.data(), salt_.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, salt_.data(), kInfoBytes),
        OSSL_PARAM_construct_end()};
    EVP_KDF_CTX_reset(hkdf_);
    check(EVP_KDF_derive(hkdf_, key.data(), key.size(), parameters.data()) == 1);
    key.fill(0);
    int length = 0;
    check(EVP_DecryptInit_ex2(gcm_, cipher_, key.data(), iv_.data(), nullptr) == 1);
    check(EVP_DecryptUpdate(gcm_, plaintext_.data(), &length, ciphertext_.data(),
                            static_cast<int>(ciphertext_.size())) == 1);
    check(EVP_CIPHER_CTX_ctrl(gcm_, EVP_CTRL_AEAD_SET_TAG, 16, tag_.data()) == 1);
    check(EVP_DecryptFinal_ex(gcm_, plaintext_.data() + length, &length) == 1);
  }

  void digest() {
    check(EVP_DigestInit_ex2(md_context_, md_, nullptr) == 1);
    check(EVP_DigestUpdate(md_context_, public_half_.data(), public_half_.size()) == 1);
    check(EVP_DigestFinal_ex(md_context_, digest_.data(), nullptr) == 1);
  }

  void import_key() {
    std::array<OSSL_PARAM, 4> parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group_name_.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point_.data(), point_.size()),
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, scalar_.data(), scalar_.size()),
        OSSL_PARAM_construct_end()};
    EVP_PKEY* key = nullptr;
    check(EVP_PKEY_fromdata_init(importing_) == 1);
    check(EVP_PKEY_fromdata(importing_, &key, EVP_PKEY_KEYPAIR, parameters.data()) == 1);
    EVP_PKEY_free(key);
  }

  void public_from_private() {
    BIGNUM* scalar = BN_native2bn(scalar_.data(), 32, nullptr);
    BN_set_flags(scalar, BN_FLG_CONSTTIME);
    check(EC_POINT_mul(group_, product_, scalar, nullptr, nullptr, scratch_) == 1);
    check(EC_POINT_point2oct(group_, product_, POINT_CONVERSION_UNCOMPRESSED, point_.data(),
                             point_.size(), scratch_) == point_.size());
    BN_clear_free(scalar);
  }

  void verify() {
    check(EVP_PKEY_verify(verifying_, signature_.data(), signature_.size(), signed_digest_.data(),
                          32) == 1);
  }

 private:
  // The process ends with them: nothing here is freed.
  EVP_PKEY* key_ = EVP_EC_gen("P-256");
  EVP_PKEY_CTX* signing_ = EVP_PKEY_CTX_new(key_, nullptr);
  EVP_PKEY_CTX* verifying_ = EVP_PKEY_CTX_new(key_, nullptr);
  EVP_PKEY_CTX* importing_ = EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
  EVP_MD* md_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* md_context_ = EVP_MD_CTX_new();
  EVP_CIPHER* cipher_ = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  EVP_CIPHER_CTX* gcm_ = EVP_CIPHER_CTX_new();
  EVP_KDF_CTX* hkdf_ = EVP_KDF_CTX_new(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  EC_GROUP* group_ = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT* product_ = EC_POINT_new(group_);
  BN_CTX* scratch_ = BN_CTX_new();
  std::string sha256_name_ = "SHA256", group_name_ = "prime256v1";
  std::string public_half_, secret_ = std::string(kSecret), salt_ = std::string(32, 's');
  std::array<unsigned char, 65> point_{};
  std::array<unsigned char, 32> scalar_{}, digest_{};
  std::array<unsigned char, 32> signed_digest_{};
  std::array<unsigned char, 12> iv_{};
  std::array<unsigned char, 16> tag_{};
  std::vector<unsigned char> signature_ = std::vector<unsigned char>(80);
  std::vector<unsigned char> plaintext_ = std::vector<unsigned char>(kPlaintextBytes);
  std::vector<unsigned char> ciphertext_;
};

void read_tokens(const std::string& text) {
  bcpki::json::Reader reader(text);
  while (reader.next() != bcpki::json::Token::end) {
  }
}

void open_bundle(benchmark::State& state) {
  static Sealer sealer;
  std::string text = sealer.text();
  static Raw raw(text.size());
  bcpki::OpenOptions options;
  options.secrets.emplace_back(kSecret);
  bench::paired(
      state, 1.5, bench::Clock::thread, [&] { text = sealer.text(); },
      [&] {
        raw.open_seal();
        raw.digest();
        read_tokens(text);
        for (int i = 0; i < kKeys; ++i) raw.import_key();
        for (int i = 0; i < kKeys; ++i) raw.public_from_private();
        for (int i = 0; i < kSignatures; ++i) raw.verify();
      },
      [&] {
        const auto bundle = bcpki::open_bundle(text, options);
        benchmark::DoNotOptimize(bundle.authenticated());
      });
}

BENCHMARK(open_bundle)->Repetitions(5)->MinTime(0.3)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv);
}
