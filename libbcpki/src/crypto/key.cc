#include "bcpki/key.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include <openssl/core_names.h>
#include <openssl/obj_mac.h>
#include <sodium/crypto_core_ed25519.h>
#include <sodium/crypto_sign_ed25519.h>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

#include "crypto/key_impl.h"
#include "crypto/ossl.h"

namespace bcpki {
namespace {

using Pkey = ossl::Ptr<EVP_PKEY>;
using Point = std::array<std::byte, 65>;

constexpr std::size_t kCoordinateBytes = 32;
constexpr std::size_t kRawPrivateBytes = 32;
constexpr std::size_t kRawEd25519Bytes = 32;
constexpr std::size_t kMaxDerSignatureBytes = 72;
constexpr std::byte kUncompressed{0x04};

// The DER in front of a raw public key. A key has one encoding, so what is read must start with
// exactly these octets (RFC 5480, RFC 8410).
constexpr std::array<std::uint8_t, 26> kP256Frame = {
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
    0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};
constexpr std::array<std::uint8_t, 12> kEd25519Frame = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                        0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

View frame(KeyAlgorithm algorithm) {
  if (algorithm == KeyAlgorithm::p256) return std::as_bytes(std::span(kP256Frame));
  return std::as_bytes(std::span(kEd25519Frame));
}

// n of P-256 (FIPS 186-4, D.1.2.3).
constexpr std::array<std::uint8_t, kCoordinateBytes> kP256Order = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51};

// is_scalar says whether `big_endian` (32 bytes) is from 1 to n-1. It may be a secret: the time
// does not depend on it.
bool is_scalar(View big_endian) {
  unsigned any = 0;
  unsigned borrow = 0;
  for (std::size_t i = kCoordinateBytes; i-- > 0;) {
    const auto octet = std::to_integer<unsigned>(big_endian[i]);
    any |= octet;
    borrow = ((octet - kP256Order[i] - borrow) >> 8) & 1;
  }
  return any != 0 && borrow == 1;
}

Pkey p256_from(std::span<OSSL_PARAM> parameters, int selection) {
  const ossl::Ptr<EVP_PKEY_CTX> context(
      ossl::check(EVP_PKEY_CTX_new_from_name(ossl::context(), "EC", nullptr), "take a P-256 key"));
  ossl::check(EVP_PKEY_fromdata_init(context.get()), "take a P-256 key");
  EVP_PKEY* pkey = nullptr;
  ossl::check(EVP_PKEY_fromdata(context.get(), &pkey, selection, parameters.data()),
              "take a P-256 key");
  return Pkey(pkey);
}

OSSL_PARAM p256_group() {
  return ossl::text(OSSL_PKEY_PARAM_GROUP_NAME, SN_X9_62_prime256v1);
}

// A key that has the curve and no point: copying it and setting the point is 20 times faster than
// OpenSSL's decoders.
const EVP_PKEY* p256_template() {
  static const EVP_PKEY* const key = [] {
    std::array parameters{p256_group(), OSSL_PARAM_construct_end()};
    return p256_from(parameters, EVP_PKEY_KEY_PARAMETERS).release();
  }();
  return key;
}

// import_point returns null for what is no uncompressed point on the curve. OpenSSL would take
// compressed, hybrid and infinite ones too.
Pkey import_point(View point) {
  if (point.size() != sizeof(Point) || point.front() != kUncompressed) return nullptr;
  const ossl::Attempt attempt;
  Pkey pkey(ossl::check(EVP_PKEY_new(), "take a P-256 key"));
  ossl::check(EVP_PKEY_copy_parameters(pkey.get(), p256_template()), "take a P-256 key");
  if (EVP_PKEY_set1_encoded_public_key(pkey.get(), ossl::chars(point.data()), point.size()) != 1)
    return nullptr;
  return pkey;
}

ossl::Ptr<BIGNUM> secret_number(View big_endian) {
  ossl::Ptr<BIGNUM> number(ossl::check(BN_secure_new(), "take a number"));
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  ossl::check(
      BN_bin2bn(ossl::chars(big_endian.data()), ossl::to_int(big_endian.size()), number.get()),
      "take a number");
  return number;
}

Point public_point(View scalar) {
  const ossl::Ptr<BIGNUM> number = secret_number(scalar);
  static const EC_GROUP* const group = ossl::check(
      EC_GROUP_new_by_curve_name_ex(ossl::context(), nullptr, NID_X9_62_prime256v1), "use P-256");
  const ossl::Ptr<BN_CTX> scratch(
      ossl::check(BN_CTX_secure_new_ex(ossl::context()), "multiply on P-256"));
  const ossl::Ptr<EC_POINT> product(ossl::check(EC_POINT_new(group), "multiply on P-256"));
  ossl::check(EC_POINT_mul(group, product.get(), number.get(), nullptr, nullptr, scratch.get()),
              "multiply on P-256");
  Point point;
  if (EC_POINT_point2oct(group, product.get(), POINT_CONVERSION_UNCOMPRESSED,
                         ossl::chars(point.data()), point.size(), scratch.get()) != point.size())
    ossl::fail("write a point of P-256");
  return point;
}

Pkey p256_pair(View scalar, View point) {
  const ossl::Ptr<BIGNUM> number = secret_number(scalar);
  SecretBytes native(kRawPrivateBytes);
  unsigned char* octets = ossl::chars(native.reveal().data());
  if (BN_bn2nativepad(number.get(), octets, kRawPrivateBytes) < 0) ossl::fail("write a number");
  std::array parameters{p256_group(), ossl::octets(OSSL_PKEY_PARAM_PUB_KEY, point),
                        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, octets, native.size()),
                        OSSL_PARAM_construct_end()};
  return p256_from(parameters, EVP_PKEY_KEYPAIR);
}

Pkey ed25519_pair(View seed) {
  return Pkey(ossl::check(EVP_PKEY_new_raw_private_key_ex(ossl::context(), "ED25519", nullptr,
                                                          ossl::chars(seed.data()), seed.size()),
                          "take an Ed25519 key"));
}

// append_integer writes a number that is not 0 as a DER INTEGER: without zeros in front, but for
// one where it would be negative.
void append_integer(Bytes& der, View big_endian) {
  constexpr std::byte kInteger{0x02}, kSign{0x80};
  while (big_endian.front() == std::byte{0}) big_endian = big_endian.subspan(1);
  const bool needs_zero = (big_endian.front() & kSign) != std::byte{0};
  der.push_back(kInteger);
  der.push_back(static_cast<std::byte>(big_endian.size() + (needs_zero ? 1 : 0)));
  if (needs_zero) der.push_back(std::byte{0});
  der.insert(der.end(), big_endian.begin(), big_endian.end());
}

// der_signature is ECDSA-Sig-Value (RFC 3279 section 2.2.3) of two numbers that are not 0. OpenSSL
// takes no other form, and three allocations to write it.
Bytes der_signature(View r, View s) {
  constexpr std::byte kSequence{0x30};
  Bytes der;
  der.reserve(kMaxDerSignatureBytes);
  der = {kSequence, std::byte{0}};
  append_integer(der, r);
  append_integer(der, s);
  der[1] = static_cast<std::byte>(der.size() - 2);
  return der;
}

Sig64 p1363_signature(View der) {
  const unsigned char* begin = ossl::chars(der.data());
  const ossl::Ptr<ECDSA_SIG> signature(ossl::check(
      d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())), "read its signature"));
  Sig64 p1363;
  unsigned char* out = ossl::chars(p1363.data());
  for (const BIGNUM* half :
       {ECDSA_SIG_get0_r(signature.get()), ECDSA_SIG_get0_s(signature.get())}) {
    if (BN_bn2binpad(half, out, kCoordinateBytes) < 0) ossl::fail("write a signature");
    out += kCoordinateBytes;
  }
  return p1363;
}

ossl::Ptr<EVP_PKEY_CTX> use(EVP_PKEY* pkey) {
  return ossl::Ptr<EVP_PKEY_CTX>(
      ossl::check(EVP_PKEY_CTX_new_from_pkey(ossl::context(), pkey, nullptr), "use a key"));
}

// SpareContext is what one verification leaves to the next with the same key, on whatever thread:
// a new one would take 4 of 60 us.
class SpareContext {
 public:
  SpareContext() = default;
  SpareContext(const SpareContext&) = delete;
  SpareContext& operator=(const SpareContext&) = delete;
  ~SpareContext() { put(nullptr); }

  ossl::Ptr<EVP_PKEY_CTX> take(EVP_PKEY* pkey) {
    ossl::Ptr<EVP_PKEY_CTX> context(spare_.exchange(nullptr));
    if (context) return context;
    context = use(pkey);
    ossl::check(EVP_PKEY_verify_init(context.get()), "verify");
    return context;
  }

  void put(ossl::Ptr<EVP_PKEY_CTX> context) { context.reset(spare_.exchange(context.release())); }

 private:
  std::atomic<EVP_PKEY_CTX*> spare_ = nullptr;
};

bool verify_es256(EVP_PKEY* pkey, SpareContext& spare, View message, View sig) {
  const View r = sig.first(kCoordinateBytes);
  const View s = sig.last(kCoordinateBytes);
  if (!is_scalar(r) || !is_scalar(s)) return false;
  const Bytes der = der_signature(r, s);
  const Digest32 digest = sha256(message);
  ossl::Ptr<EVP_PKEY_CTX> context = spare.take(pkey);
  const bool is_theirs = EVP_PKEY_verify(context.get(), ossl::chars(der.data()), der.size(),
                                         ossl::chars(digest.data()), digest.size()) == 1;
  spare.put(std::move(context));
  return is_theirs;
}

bool verify_ed25519(EVP_PKEY* pkey, View message, View sig) {
  const ossl::Ptr<EVP_MD_CTX> context(ossl::check(EVP_MD_CTX_new(), "verify"));
  ossl::check(EVP_DigestVerifyInit_ex(context.get(), nullptr, nullptr, ossl::context(), nullptr,
                                      pkey, nullptr),
              "verify");
  return EVP_DigestVerify(context.get(), ossl::chars(sig.data()), sig.size(),
                          ossl::chars(message.data()), message.size()) == 1;
}

Sig64 sign_es256(EVP_PKEY* pkey, View message) {
  const Digest32 digest = sha256(message);
  const ossl::Ptr<EVP_PKEY_CTX> context = use(pkey);
  ossl::check(EVP_PKEY_sign_init(context.get()), "sign");
  std::array<std::byte, kMaxDerSignatureBytes> der;
  std::size_t size = der.size();
  ossl::check(EVP_PKEY_sign(context.get(), ossl::chars(der.data()), &size,
                            ossl::chars(digest.data()), digest.size()),
              "sign");
  return p1363_signature(View(der).first(size));
}

Sig64 sign_ed25519(EVP_PKEY* pkey, View message) {
  const ossl::Ptr<EVP_MD_CTX> context(ossl::check(EVP_MD_CTX_new(), "sign"));
  ossl::check(EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, ossl::context(), nullptr, pkey,
                                    nullptr),
              "sign");
  Sig64 signature;
  std::size_t size = signature.size();
  ossl::check(EVP_DigestSign(context.get(), ossl::chars(signature.data()), &size,
                             ossl::chars(message.data()), message.size()),
              "sign");
  return signature;
}

}  // namespace

struct PublicKey::Impl {
  KeyAlgorithm algorithm;
  Bytes spki;

  // OpenSSL's form. A key that was read has it, since reading is how it was judged; one that was
  // derived from its private key gets it with the first signature to verify, which few ever see.
  mutable Pkey pkey;
  mutable std::once_flag imported{};
  mutable SpareContext spare{};

  Impl(KeyAlgorithm its_algorithm, View raw, Pkey its_pkey)
      : algorithm(its_algorithm), spki(to_bytes(frame(its_algorithm))), pkey(std::move(its_pkey)) {
    spki.insert(spki.end(), raw.begin(), raw.end());
  }
};

namespace {

Pkey import_ed25519(View raw) {
  return Pkey(ossl::check(EVP_PKEY_new_raw_public_key_ex(ossl::context(), "ED25519", nullptr,
                                                         ossl::chars(raw.data()), raw.size()),
                          "take an Ed25519 key"));
}

PublicKey make_public(KeyAlgorithm algorithm, View raw, Pkey pkey = nullptr) {
  return PublicKey(std::make_shared<const PublicKey::Impl>(algorithm, raw, std::move(pkey)));
}

PublicKey p256_public_of(View scalar) {
  return make_public(KeyAlgorithm::p256, public_point(scalar));
}

// libsodium has a table for this multiplication, OpenSSL has none and takes five times as long.
PublicKey ed25519_public_of(View seed) {
  std::array<std::byte, kRawEd25519Bytes> raw;
  SecretBytes expanded(crypto_sign_ed25519_SECRETKEYBYTES);
  if (crypto_sign_ed25519_seed_keypair(ossl::chars(raw.data()),
                                       ossl::chars(expanded.reveal().data()),
                                       ossl::chars(seed.data())) != 0)
    throw Error(Code::internal, "libsodium cannot derive an Ed25519 key");
  return make_public(KeyAlgorithm::ed25519, raw);
}

EVP_PKEY* imported(const PublicKey& owner, const PublicKey::Impl& key) {
  std::call_once(key.imported, [&] {
    if (key.pkey) return;
    key.pkey = key.algorithm == KeyAlgorithm::p256 ? import_point(owner.raw())
                                                   : import_ed25519(owner.raw());
  });
  return key.pkey.get();
}

EVP_PKEY* imported(PrivateKey::Impl& key) {
  std::call_once(key.imported, [&key] {
    const View raw = key.raw.reveal();
    key.pkey = key.public_key.algorithm() == KeyAlgorithm::p256
                   ? p256_pair(raw, key.public_key.raw())
                   : ed25519_pair(raw);
  });
  return key.pkey.get();
}

}  // namespace

Verdict<PublicKey> PublicKey::read(View spki) {
  const View prefix = frame(KeyAlgorithm::p256);
  if (spki.size() != prefix.size() + sizeof(Point) || !equal(spki.first(prefix.size()), prefix))
    return Reason{"key-form",
                  "a public key must be a P-256 SubjectPublicKeyInfo of 91 bytes, uncompressed"};
  return read_point(spki.subspan(prefix.size()));
}

Verdict<PublicKey> PublicKey::read_point(View point) {
  Pkey pkey = import_point(point);
  if (!pkey)
    return Reason{"key-form", "a P-256 public key must be an uncompressed point on the curve"};
  return make_public(KeyAlgorithm::p256, point, std::move(pkey));
}

// Anyone can sign for a point of small order, so not every 32 bytes are a key.
Verdict<PublicKey> PublicKey::read_ed25519(View raw) {
  if (raw.size() != kRawEd25519Bytes ||
      crypto_core_ed25519_is_valid_point(ossl::chars(raw.data())) != 1)
    return Reason{"key-form", "an Ed25519 public key must be the 32 bytes of a point of its group"};
  return make_public(KeyAlgorithm::ed25519, raw);
}

KeyAlgorithm PublicKey::algorithm() const noexcept {
  return impl_->algorithm;
}

View PublicKey::spki() const noexcept {
  return impl_->spki;
}

View PublicKey::raw() const noexcept {
  return spki().subspan(frame(algorithm()).size());
}

std::string PublicKey::pin() const {
  return "sha256/" + base64(sha256(spki()));
}

std::string PublicKey::kid() const {
  return base64url(sha256(spki()));
}

std::string PublicKey::thumbprint() const {
  if (algorithm() != KeyAlgorithm::p256)
    throw Error(Code::invalid_input, "only a P-256 key has a JWK thumbprint here");
  const View coordinates = raw().subspan(1);
  const std::string jwk = R"({"crv":"P-256","kty":"EC","x":")" +
                          base64url(coordinates.first(kCoordinateBytes)) + R"(","y":")" +
                          base64url(coordinates.last(kCoordinateBytes)) + R"("})";
  return base64url(sha256(as_bytes(jwk)));
}

bool PublicKey::verify(View message, View sig) const {
  if (sig.size() != sizeof(Sig64)) return false;
  const ossl::Attempt attempt;
  EVP_PKEY* pkey = imported(*this, *impl_);
  return algorithm() == KeyAlgorithm::p256 ? verify_es256(pkey, impl_->spare, message, sig)
                                           : verify_ed25519(pkey, message, sig);
}

bool operator==(const PublicKey& a, const PublicKey& b) noexcept {
  return equal(a.spki(), b.spki());
}

PrivateKey::PrivateKey(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PrivateKey::PrivateKey(PrivateKey&&) noexcept = default;
PrivateKey& PrivateKey::operator=(PrivateKey&&) noexcept = default;
PrivateKey::~PrivateKey() = default;

Verdict<PrivateKey> PrivateKey::read_raw(KeyAlgorithm algorithm, View raw) {
  if (raw.size() != kRawPrivateBytes || (algorithm == KeyAlgorithm::p256 && !is_scalar(raw)))
    return Reason{"key-form", "a private key must be 32 bytes, for P-256 a number from 1 to n-1"};
  return PrivateKey(std::make_unique<Impl>(
      raw, algorithm == KeyAlgorithm::p256 ? p256_public_of(raw) : ed25519_public_of(raw)));
}

PrivateKey PrivateKey::generate(KeyAlgorithm algorithm, Rng& rng) {
  constexpr int kTries = 128;  // a good source fails the first with a chance of 2^-32
  SecretBytes raw(kRawPrivateBytes);
  for (int i = 0; i < kTries; ++i) {
    rng.fill(raw.reveal());
    if (auto key = read_raw(algorithm, raw.reveal())) return *std::move(key);
  }
  throw Error(Code::internal, "the source of randomness gives no private key");
}

const PublicKey& PrivateKey::public_key() const noexcept {
  return impl_->public_key;
}

Sig64 PrivateKey::sign(View message) const {
  EVP_PKEY* pkey = imported(*impl_);
  return public_key().algorithm() == KeyAlgorithm::p256 ? sign_es256(pkey, message)
                                                        : sign_ed25519(pkey, message);
}

}  // namespace bcpki
