#include "bcpki/key.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>

#include <catch2/catch.hpp>

#include "bcpki/signer.h"

#include "crypto/ossl.h"
#include "support/code_of.h"
#include "support/hex.h"

namespace {

using bcpki::as_bytes;
using bcpki::Bytes;
using bcpki::hex;
using bcpki::KeyAlgorithm;
using bcpki::PrivateKey;
using bcpki::PublicKey;
using bcpki::View;
using bcpki::test::code_of;
using bcpki::test::from_hex;

static_assert(!std::is_copy_constructible_v<PrivateKey>);
static_assert(std::is_nothrow_move_constructible_v<PrivateKey>);

const std::string kOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const std::string kZero(64, '0');
const std::string kSpkiFrame = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

// RFC 6979 appendix A.2.5.
const std::string kScalar = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
const std::string kX = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
const std::string kY = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
const std::string kPoint = "04" + kX + kY;

PublicKey key_at(const std::string& point) {
  return PublicKey::read_point(from_hex(point)).value_or_throw(bcpki::Code::invalid_input);
}

PrivateKey private_key(KeyAlgorithm algorithm, const std::string& raw) {
  return PrivateKey::read_raw(algorithm, from_hex(raw)).value_or_throw(bcpki::Code::invalid_input);
}

// A source that gives `first` once and then `rest` for ever.
class FixedRng final : public bcpki::Rng {
 public:
  FixedRng(Bytes first, std::byte rest) : first_(std::move(first)), rest_(rest) {}

  void fill(std::span<std::byte> out) override {
    if (calls_++ == 0)
      std::ranges::copy(first_, out.begin());
    else
      std::ranges::fill(out, rest_);
  }
  int calls() const { return calls_; }

 private:
  Bytes first_;
  std::byte rest_;
  int calls_ = 0;
};

TEST_CASE("a P-256 key is read in its one encoding and keeps it") {
  const Bytes spki = from_hex(kSpkiFrame + kPoint);
  const auto key = PublicKey::read(spki);
  REQUIRE(key);
  CHECK(key->algorithm() == KeyAlgorithm::p256);
  CHECK(hex(key->spki()) == hex(spki));
  CHECK(hex(key->raw()) == kPoint);
  CHECK(*key == key_at(kPoint));
}

TEST_CASE("any other encoding of a P-256 key is refused") {
  const std::array<std::string, 14> refused = {
      "",
      kPoint,                              // no frame
      kSpkiFrame + kPoint + "00",          // trailing octet
      kSpkiFrame + kPoint.substr(0, 128),  // cut off
      kSpkiFrame + "03" + kX + kY,         // compressed mark
      kSpkiFrame + "06" + kX + kY,         // hybrid
      kSpkiFrame + "07" + kX + kY,         //
      kSpkiFrame + "00" + kX + kY,         // infinity's mark
      "3039301306072a8648ce3d020106082a8648ce3d030107032200"
      "03" +
          kX,                                                             // compressed
      "3019301306072a8648ce3d020106082a8648ce3d03010703020000",           // infinity
      "308159301306072a8648ce3d020106082a8648ce3d030107034200" + kPoint,  // BER length
      "3059301306072a8648ce3d020106082a8648ce3d030107034201" + kPoint,    // unused bits
      "3059301306072a8648ce3d020106082b8104000a0000000342"
      "00" +
          kPoint,                   // another curve
      kSpkiFrame + "04" + kX + kX,  // not on the curve
  };
  for (const std::string& spki : refused) {
    CAPTURE(spki);
    const auto key = PublicKey::read(from_hex(spki));
    REQUIRE_FALSE(key);
    CHECK(key.reason().slug == "key-form");
  }
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("points off the curve and coordinates that are not reduced are refused") {
  // The points at x = 0 and x = 5, and the same with p added to x.
  const std::string y_at_0 = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4";
  const std::string y_at_5 = "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc";
  const std::string five = kZero.substr(1) + "5";
  const std::string p = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
  const std::string p_and_5 = "ffffffff00000001000000000000000000000001000000000000000000000004";
  CHECK(PublicKey::read_point(from_hex("04" + kZero + y_at_0)));
  CHECK(PublicKey::read_point(from_hex("04" + five + y_at_5)));
  const std::array<std::string, 8> refused = {
      "04" + p + y_at_0,
      "04" + p_and_5 + y_at_5,
      "04" + kZero + kZero,
      // Wycheproof ecdh_secp256r1_ecpoint_test.json, tests 335, 341 and 347.
      "04" + kZero + p,
      "04ffffffff00000001000000000000000000000000fffffffffffffffffffffffe" + kZero.substr(1) + "1",
      "04" + p + p,
      "04" + kX,
      "",
  };
  for (const std::string& point : refused) {
    CAPTURE(point);
    const auto key = PublicKey::read_point(from_hex(point));
    REQUIRE_FALSE(key);
    CHECK(key.reason().slug == "key-form");
  }
}

// RFC 9449 section 6.1; the point and the names of it from the JWK there.
TEST_CASE("a P-256 key has a JWK thumbprint") {
  const Bytes x = *bcpki::parse_base64url("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs");
  const Bytes y = *bcpki::parse_base64url("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA");
  CHECK(key_at("04" + hex(x) + hex(y)).thumbprint() ==
        "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

// openssl pkey -pubin -pubout -outform DER | openssl dgst -sha256 -binary | base64
TEST_CASE("pin and kid are the SHA-256 of the SubjectPublicKeyInfo") {
  const Bytes spki = *bcpki::parse_base64(
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7khLAE7ByIezRaGAfe2nLYPQKh0/UwNSi5HkV6gBMHchHBvu6ZyF"
      "IU6WKKqmQD+k6nuk/d0MEewHD/2eAYembA==");
  const auto key = PublicKey::read(spki);
  REQUIRE(key);
  CHECK(key->pin() == "sha256/PJjMnKtsaDcIFl8Jx7MAIhmn0ugNLbbI6RrMz5c5lSg=");
  CHECK(key->kid() == "PJjMnKtsaDcIFl8Jx7MAIhmn0ugNLbbI6RrMz5c5lSg");
}

struct Es256Case {
  const char* point;
  const char* message;
  const char* signature;
  bool valid;
};

// Wycheproof ecdsa_secp256r1_sha256_p1363_test.json, by number.
const std::array kEs256 = {
    // 1: the other s
    Es256Case{
        "042927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e592"
        "1fb1498a60f4606766b3d9685001558d1a974e7341513e",
        "313233343030",
        "2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e184cd60b855d442f5b3c7b11"
        "eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76",
        true},
    // 120: r and s are small
    Es256Case{
        "04a71af64de5126a4a4e02b7922d66ce9415ce88a4c9d25514d91082c8725ac9575d47723c8fbe580bb3"
        "69fec9c2665d8e30a435b9932645482e7c9f11e872296b",
        "313233343030",
        "0000000000000000000000000000000000000000000000000000000000000005000000000000000000000"
        "0000000000000000000000000000000000000000001",
        true},
    // 136 and 137: r and s above n
    Es256Case{"04d03eb09913cc20c6a8d0070f0d8d2a7f63527fafa44117fce6bd1ef2aa4ae3c46d5df3f45ac58fa334"
              "c6d102381b3120b7a2455600dcaff3d1a845514f12bf46",
              "313233343030",
              "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255700000000000000000000"
              "00000000000000000000000000000000000000000007",
              false},
    Es256Case{
        "043a72476291571193b4d109b2c37b59f2807e8fe9cffd804eacded903e77ca0da592dbc74fee0ca7508"
        "cc7bc282b0c51a143286ff53c60131668e7a0929e4ed04",
        "313233343030",
        "0000000000000000000000000000000000000000000000000000000000000006ffffffff00000000fffff"
        "fffffffffffbce6faada7179e84f3b9cac2fc75fbd8",
        false},
    // 222: the key is the generator's negative
    Es256Case{
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8e"
        "e7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        "313233343030",
        "44a5ad0ad0636d9f12bc9e0a6bdd5e1cbcb012ea7bf091fcec15b0c43202d52e249249246db6db6ddb6db"
        "6db6db6db6dad4591868595a8ee6bf5f864ff7be0c2",
        false},
    // 259: r is not the x of the point, only r + n would be too large for it
    Es256Case{
        "040ec505bc19b14a43e05678cccf07a443d3e871a2e19b68a4da91859a0650f32477300e4f64e9982d94"
        "dff5d294428bb37cc9be66117cae9c389d2d495f68b987",
        "68656c6c6f2c20776f726c64",
        "000000000000000000000000000000004319055358e8617b0c46353d039cdab3ffffffff00000000fffff"
        "fffffffffffbce6faada7179e84f3b9cac2fc63254e",
        false},
};

TEST_CASE("ES256 verifies as Wycheproof says") {
  for (const Es256Case& c : kEs256) {
    CAPTURE(c.signature);
    CHECK(key_at(c.point).verify(from_hex(c.message), from_hex(c.signature)) == c.valid);
  }
}

// RFC 6979 appendix A.2.5.
const std::string kSampleR = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
const std::string kSampleS = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";

TEST_CASE("ES256 takes exactly 64 bytes of r and s from 1 to n-1") {
  const PublicKey key = key_at(kPoint);
  const View message = as_bytes("sample");
  REQUIRE(key.verify(message, from_hex(kSampleR + kSampleS)));
  const std::string above = kOrder.substr(0, 63) + "2";
  const std::array<std::string, 11> refused = {kZero + kSampleS,
                                               kSampleR + kZero,
                                               kZero + kZero,
                                               kOrder + kSampleS,
                                               kSampleR + kOrder,
                                               above + kSampleS,
                                               kSampleR + above,
                                               std::string(128, 'f'),
                                               kSampleR + kSampleS + "00",
                                               "00" + kSampleR + kSampleS,
                                               "3045022100" + kSampleR + "022100" + kSampleS};
  for (const std::string& signature : refused) {
    CAPTURE(signature);
    CHECK_FALSE(key.verify(message, from_hex(signature)));
  }
  for (std::size_t size = 0; size < 64; ++size)
    CHECK_FALSE(key.verify(message, View(from_hex(kSampleR + kSampleS)).first(size)));
  CHECK_FALSE(key.verify(as_bytes("simple"), from_hex(kSampleR + kSampleS)));
}

TEST_CASE("a refused signature leaves the caller's own OpenSSL errors alone") {
  const PublicKey key = key_at(kPoint);
  CHECK_FALSE(key.verify(as_bytes("simple"), from_hex(kSampleR + kSampleS)));
  CHECK(ERR_peek_error() == 0);
  ERR_raise(ERR_LIB_USER, 42);
  CHECK_FALSE(key.verify(as_bytes("simple"), from_hex(kSampleR + kSampleS)));
  CHECK_FALSE(PublicKey::read_point(from_hex("04" + kX + kX)));
  CHECK(ERR_GET_REASON(ERR_get_error()) == 42);
  CHECK(ERR_get_error() == 0);
}

TEST_CASE("a P-256 private key has the public key of RFC 6979 and signs for it") {
  const PrivateKey key = private_key(KeyAlgorithm::p256, kScalar);
  CHECK(hex(key.public_key().raw()) == kPoint);
  const auto signature = key.sign(as_bytes("sample"));
  CHECK(key_at(kPoint).verify(as_bytes("sample"), signature));
  CHECK_FALSE(key_at(kPoint).verify(as_bytes("simple"), signature));
}

TEST_CASE("a P-256 private key is a number from 1 to n-1") {
  const std::string one = kZero.substr(1) + "1";
  const std::string last = kOrder.substr(0, 63) + "0";
  // The generator and its negative (FIPS 186-4, D.1.2.3).
  const std::string generator_x =
      "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
  CHECK(hex(private_key(KeyAlgorithm::p256, one).public_key().raw()) ==
        "04" + generator_x + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");
  CHECK(hex(private_key(KeyAlgorithm::p256, last).public_key().raw()) ==
        "04" + generator_x + "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a");
  for (const std::string& raw : {kZero, kOrder, kOrder.substr(0, 63) + "2", std::string(64, 'f'),
                                 one.substr(2), one + "00", std::string()}) {
    const auto key = PrivateKey::read_raw(KeyAlgorithm::p256, from_hex(raw));
    REQUIRE_FALSE(key);
    CHECK(key.reason().slug == "key-form");
    CHECK(key.reason().detail.find(kZero.substr(0, 8)) == std::string::npos);
  }
}

struct Ed25519Case {
  const char* seed;
  const char* raw;
  const char* message;
  const char* signature;
};

// RFC 8032 section 7.1, tests 1, 2 and 3.
const std::array kEd25519 = {
    Ed25519Case{
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e"
        "39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    Ed25519Case{
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f"
        "3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    Ed25519Case{
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67"
        "f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
};

TEST_CASE("Ed25519 gives RFC 8032's keys and signatures") {
  for (const Ed25519Case& c : kEd25519) {
    const PrivateKey key = private_key(KeyAlgorithm::ed25519, c.seed);
    CHECK(hex(key.public_key().raw()) == c.raw);
    CHECK(hex(key.public_key().spki()) == std::string("302a300506032b6570032100") + c.raw);
    CHECK(hex(key.sign(from_hex(c.message))) == c.signature);
    const auto read = PublicKey::read_ed25519(from_hex(c.raw));
    REQUIRE(read);
    CHECK(*read == key.public_key());
    CHECK(read->verify(from_hex(c.message), from_hex(c.signature)));
    CHECK_FALSE(read->verify(as_bytes("another"), from_hex(c.signature)));
  }
}

// Wycheproof ed25519_test.json, tests 10, 17, 33, 35 and 65.
TEST_CASE("Ed25519 refuses malformed and malleable signatures") {
  const PublicKey key =
      *PublicKey::read_ed25519(from_hex("7d4d0e7f6153a69b6242b522abbee685fda4420f8834b108c3bdae369e"
                                        "f549fa"));
  const std::string r = "7c38e026f29e14aabd059a0f2db8b0cd783040609a8be684db12f82a27774ab0";
  const std::string s = "7a9155711ecfaf7f99f277bad0c6ae7e39d4eef676573336a5c51eb6f946b30d";
  REQUIRE(key.verify(as_bytes("Test"), from_hex(r + s)));
  for (const std::string& signature :
       {r + s + "2020", "00" + r + s,
        r + "2ee12ce5875bf9dff26556464bae2ad239d4eef676573336a5c51eb6f946b34d", std::string()})
    CHECK_FALSE(key.verify(as_bytes("Test"), from_hex(signature)));
  for (const std::string& signature :
       {kZero + kZero, "01" + kZero.substr(2) +
                           "ecd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"})
    CHECK_FALSE(key.verify(as_bytes("?"), from_hex(signature)));
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("32 bytes that are no point of Ed25519's group are no key") {
  const std::array<std::string, 8> refused = {
      "01" + kZero.substr(2),                                              // the neutral point
      kZero,                                                               // order 4
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  // order 2
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  // y = p
      "02" + kZero.substr(2),                                              // not on the curve
      std::string(64, 'f'),
      std::string(62, '0'),
      "",
  };
  for (const std::string& raw : refused) {
    CAPTURE(raw);
    const auto key = PublicKey::read_ed25519(from_hex(raw));
    REQUIRE_FALSE(key);
    CHECK(key.reason().slug == "key-form");
  }
}

TEST_CASE("an Ed25519 key has a kid but no thumbprint, and is no P-256 SPKI") {
  const PublicKey key = *PublicKey::read_ed25519(from_hex(kEd25519[0].raw));
  CHECK(key.kid().size() == 43);
  CHECK(code_of([&] { (void)key.thumbprint(); }) == bcpki::Code::invalid_input);
  CHECK_FALSE(PublicKey::read(key.spki()));
}

TEST_CASE("a new key is what the source of randomness gives") {
  FixedRng rng(from_hex(kScalar), std::byte{1});
  CHECK(hex(PrivateKey::generate(KeyAlgorithm::p256, rng).public_key().raw()) == kPoint);
  FixedRng seed(from_hex(kEd25519[0].seed), std::byte{1});
  CHECK(hex(PrivateKey::generate(KeyAlgorithm::ed25519, seed).public_key().raw()) ==
        kEd25519[0].raw);
}

TEST_CASE("a number out of range is drawn again, but not for ever") {
  FixedRng once(from_hex(kOrder), std::byte{1});
  CHECK_NOTHROW(PrivateKey::generate(KeyAlgorithm::p256, once));
  CHECK(once.calls() == 2);
  FixedRng never(from_hex(kZero), std::byte{0});
  CHECK(code_of([&] { PrivateKey::generate(KeyAlgorithm::p256, never); }) == bcpki::Code::internal);
  CHECK(never.calls() == 128);
}

TEST_CASE("the system's randomness gives other keys each time") {
  for (const auto algorithm : {KeyAlgorithm::p256, KeyAlgorithm::ed25519}) {
    const PrivateKey one = PrivateKey::generate(algorithm, bcpki::system_rng());
    const PrivateKey two = PrivateKey::generate(algorithm, bcpki::system_rng());
    CHECK_FALSE(one.public_key() == two.public_key());
    CHECK(two.public_key().verify({}, two.sign({})));
    CHECK_FALSE(one.public_key().verify({}, two.sign({})));
  }
}

TEST_CASE("a moved key still signs") {
  PrivateKey key = private_key(KeyAlgorithm::p256, kScalar);
  PrivateKey other = private_key(KeyAlgorithm::ed25519, kEd25519[0].seed);
  other = std::move(key);
  CHECK(key_at(kPoint).verify(as_bytes("m"), other.sign(as_bytes("m"))));
}

TEST_CASE("a signer signs with its key") {
  const auto signer = bcpki::make_signer(private_key(KeyAlgorithm::p256, kScalar));
  CHECK(signer->public_key() == key_at(kPoint));
  CHECK(key_at(kPoint).verify(as_bytes("m"), signer->sign(as_bytes("m"))));
}

TEST_CASE("threads share keys") {
  const auto signer = bcpki::make_signer(private_key(KeyAlgorithm::p256, kScalar));
  const PublicKey key = signer->public_key();
  std::array<int, 2> wrong = {};
  const auto use_often = [&](int& count) {
    for (int i = 0; i < 100; ++i) {
      count += !key.verify(as_bytes("m"), signer->sign(as_bytes("m")));
      count += !(key_at(kPoint) == key);
    }
  };
  std::thread first(use_often, std::ref(wrong[0]));
  std::thread second(use_often, std::ref(wrong[1]));
  first.join();
  second.join();
  CHECK(wrong[0] + wrong[1] == 0);
}

}  // namespace
