#include "crypto/kdf.h"

#include <array>
#include <limits>

#include <catch2/catch.hpp>

#include "bcpki/error.h"

#include "crypto/ossl.h"
#include "support/code_of.h"
#include "support/hex.h"

namespace {

using bcpki::as_bytes;
using bcpki::as_text;
using bcpki::Bytes;
using bcpki::hex;
using bcpki::ScryptCost;
using bcpki::SecretBytes;
using bcpki::View;
using bcpki::test::code_of;
using bcpki::test::from_hex;

struct HkdfCase {
  const char* ikm;
  const char* salt;
  const char* info;
  const char* okm;
};

// RFC 5869, appendices A.1, A.2 and A.3.
const std::array kHkdf = {
    HkdfCase{
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
    HkdfCase{
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c"
        "2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f",
        "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c"
        "8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
        "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdc"
        "dddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e"
        "590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"},
    HkdfCase{
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
};

TEST_CASE("HKDF gives the keys of RFC 5869") {
  for (const HkdfCase& c : kHkdf) {
    const Bytes info = from_hex(c.info), okm = from_hex(c.okm);
    const SecretBytes key =
        bcpki::hkdf_sha256(from_hex(c.ikm), from_hex(c.salt), as_text(info), okm.size());
    CHECK(hex(key.reveal()) == c.okm);
  }
}

TEST_CASE("HKDF gives no more than 255 digests, and no empty key") {
  const Bytes ikm(32);
  CHECK(bcpki::hkdf_sha256(ikm, {}, "", 8160).size() == 8160);
  for (const std::size_t size : {0, 8161})
    CHECK(code_of([&] { bcpki::hkdf_sha256(ikm, {}, "", size); }) == bcpki::Code::internal);
  CHECK(ERR_peek_error() == 0);
}

struct Pbkdf2Case {
  const char* digest;
  const char* passphrase;
  const char* salt;
  std::uint64_t iterations;
  const char* key;
};

// RFC 7914 section 11; the last two by Python's hashlib.
const std::array kPbkdf2 = {
    Pbkdf2Case{"SHA256", "passwd", "salt", 1,
               "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991"
               "664b39d77ef317c71b845b1e30bd509112041d3a19783"},
    Pbkdf2Case{"SHA256", "Password", "NaCl", 80000,
               "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549ad"
               "b841b51c9b3176a272bdebba1d078478f62b397f33c8d"},
    Pbkdf2Case{"SHA384", "passwd", "salt", 1000,
               "940ed57d440f285dbfbb7fd1bdd63c154af960c2167ad3f2aeefadbc01ea3a25"},
    Pbkdf2Case{"SHA512", "passwd", "salt", 1000,
               "9b24b69e88dfa45d31e06a6dd20bc963268c0a94924677f76d4b2f02e5a105a7"},
};

TEST_CASE("PBKDF2 gives the published keys") {
  for (const Pbkdf2Case& c : kPbkdf2) {
    const std::size_t size = from_hex(c.key).size();
    const SecretBytes key =
        bcpki::pbkdf2(as_bytes(c.passphrase), as_bytes(c.salt), c.iterations, c.digest, size);
    CHECK(hex(key.reveal()) == c.key);
  }
}

struct ScryptCase {
  const char* passphrase;
  const char* salt;
  ScryptCost cost;
  const char* key;
};

// RFC 7914 section 12; the last by Python's hashlib, with more memory than OpenSSL's default limit.
const std::array kScrypt = {
    ScryptCase{"",
               "",
               {16, 1, 1},
               "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326"
               "a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"},
    ScryptCase{"password",
               "NaCl",
               {1024, 8, 16},
               "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff"
               "109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"},
    ScryptCase{"pleaseletmein",
               "SodiumChloride",
               {16384, 8, 1},
               "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d"
               "49705242a9af9e61e85dc0d651e40dfcf017b45575887"},
    ScryptCase{"pleaseletmein",
               "SodiumChloride",
               {65536, 8, 1},
               "12b194c86d7bea77ce0c58f7b27974a6000a9f187df8bbc2a263c5fd22ce3c21"},
};

TEST_CASE("scrypt gives the published keys, also above 32 MiB") {
  for (const ScryptCase& c : kScrypt) {
    const std::size_t size = from_hex(c.key).size();
    const SecretBytes key = bcpki::scrypt(as_bytes(c.passphrase), as_bytes(c.salt), c.cost, size);
    CHECK(hex(key.reveal()) == c.key);
  }
}

TEST_CASE("scrypt's cost ends at 1 GiB, and in reasonable time") {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kHighBit = std::uint64_t{1} << 63;
  const std::array taken = {ScryptCost{2, 1, 1}, ScryptCost{1 << 20, 8, 1},
                            ScryptCost{1 << 20, 8, 4}, ScryptCost{1 << 15, 1, 1}};
  const std::array refused = {ScryptCost{0, 8, 1},
                              ScryptCost{1, 8, 1},
                              ScryptCost{3, 8, 1},
                              ScryptCost{16385, 8, 1},
                              ScryptCost{16384, 0, 1},
                              ScryptCost{16384, 8, 0},
                              ScryptCost{1 << 21, 8, 1},
                              ScryptCost{1 << 20, 9, 1},
                              ScryptCost{1 << 20, 8, 5},
                              ScryptCost{1 << 16, 1, 1},  // RFC 7914: n < 2^(16 r)
                              ScryptCost{kHighBit, 8, 1},
                              ScryptCost{16384, kHuge, 1},
                              ScryptCost{16384, 8, kHuge},
                              ScryptCost{2, 1, 1 << 24},
                              ScryptCost{kHighBit, kHuge, kHuge}};
  for (const ScryptCost& cost : taken) CHECK(cost.fits());
  for (const ScryptCost& cost : refused) {
    CAPTURE(cost.n, cost.r, cost.p);
    CHECK_FALSE(cost.fits());
    CHECK(code_of([&] { bcpki::scrypt({}, {}, cost, 32); }) == bcpki::Code::unsupported);
  }
}

Bytes counting(std::size_t size) {
  Bytes bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

SecretBytes counting_key(std::size_t size) {
  return SecretBytes(View(counting(size)));
}

// openssl enc -aes-256-cbc -K 000102… -iv 000102…, and with 192 and 128 bits
TEST_CASE("AES-CBC decrypts what OpenSSL encrypted") {
  struct Encrypted {
    std::size_t key_size;
    const char* ciphertext;
  };
  const std::array encrypted = {
      Encrypted{16, "811bfd67e3b9af0a538a2dfc03b43a080635b4482be31817bec9863d16dc579b"},
      Encrypted{24, "c61523f581f8fa146952fae93aa0e3b883e81f62c433004014524d931134981b"},
      Encrypted{32, "651eb8457c5a6bdee9cf3789af03b6d787c61b55ea21bbf57907b0597c4d170f"}};
  for (const Encrypted& e : encrypted) {
    const auto plaintext =
        bcpki::aes_cbc_decrypt(counting_key(e.key_size), counting(16), from_hex(e.ciphertext));
    REQUIRE(plaintext);
    CHECK(as_text(plaintext->reveal()) == "attack at dawn, and not before");
  }
  const auto nothing = bcpki::aes_cbc_decrypt(counting_key(32), counting(16),
                                              from_hex("e9c3ef8ab23453e6f0749cd636e7a88e"));
  REQUIRE(nothing);
  CHECK(nothing->empty());
}

TEST_CASE("AES-CBC without padding, or cut off, has no plaintext") {
  // RFC 3602 section 4, case 1: one block that is not padded.
  const SecretBytes key(View(from_hex("06a9214036b8a15b512e03d534120006")));
  const Bytes iv = from_hex("3dafba429d9eb430b422da802c9fac41");
  CHECK_FALSE(bcpki::aes_cbc_decrypt(key, iv, from_hex("e353779c1079aeb82708942dbe77181a")));
  for (const std::size_t size : {0, 1, 15, 17, 31})
    CHECK_FALSE(bcpki::aes_cbc_decrypt(key, iv, Bytes(size)));
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("AES-CBC with a key or iv of another size is misuse") {
  const auto decrypt = [](std::size_t key_size, std::size_t iv_size) {
    return code_of(
        [&] { bcpki::aes_cbc_decrypt(SecretBytes(key_size), Bytes(iv_size), Bytes(16)); });
  };
  for (const std::size_t size : {0, 15, 20, 33}) CHECK(decrypt(size, 16) == bcpki::Code::internal);
  for (const std::size_t size : {0, 15, 17}) CHECK(decrypt(32, size) == bcpki::Code::internal);
}

}  // namespace
