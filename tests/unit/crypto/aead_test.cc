#include "crypto/aead.h"

#include <array>
#include <string_view>

#include <catch2/catch.hpp>

#include "bcpki/error.h"

#include "crypto/ossl.h"
#include "support/hex.h"

namespace {

namespace gcm = bcpki::aes256gcm;
using bcpki::Bytes;
using bcpki::SecretBytes;
using bcpki::View;
using bcpki::test::from_hex;

struct Case {
  const char* key;
  const char* iv;
  const char* aad;
  const char* plaintext;
  const char* sealed;  // ciphertext || tag
};

const std::array kValid = {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13, 14, 15 and 16.
    Case{"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    Case{"0000000000000000000000000000000000000000000000000000000000000000",
         "000000000000000000000000", "", "00000000000000000000000000000000",
         "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"},
    Case{"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
         "cafebabefacedbaddecaf888", "",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24"
         "49a6b525b16aedf5aa0de657ba637b391aafd255",
         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10"
         "56828838c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c"},
    Case{"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
         "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
         "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24"
         "49a6b525b16aedf5aa0de657ba637b39",
         "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10"
         "56828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"},
    // Wycheproof aes_gcm_test.json, tests 91, 93 and 129 (a tag of zeros that is right).
    Case{"92ace3e348cd821092cd921aa3546374299ab46209691bc28b8752d17f123c20",
         "00112233445566778899aabb", "00000000ffffffff", "00010203040506070809",
         "e27abdd2d2a53d2f136b9a4a2579529301bcfb71c78d4060f52c"},
    Case{"80ba3192c803ce965ea371d5ff073cf0f43b6a2ab576b208426e11409c09b9b0",
         "4da5bf8dfd5852c1ea12379d", "", "", "4771a7c404a472966cea8f73c8bfe17a"},
    Case{"00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f",
         "ffffffffffffffffffffffff", "", "c6152244cea1978d3e0bc274cf8c0b3b",
         "7cb6fc7c6abc009efe9551a99f36a42100000000000000000000000000000000"},
};

SecretBytes key_of(const char* hex) {
  return SecretBytes(View(from_hex(hex)));
}

TEST_CASE("AES-256-GCM seals to the published ciphertexts and opens them") {
  for (const Case& c : kValid) {
    const SecretBytes key = key_of(c.key);
    const Bytes iv = from_hex(c.iv), aad = from_hex(c.aad), plaintext = from_hex(c.plaintext);
    const Bytes sealed = gcm::seal(key, iv, aad, plaintext);
    CHECK(bcpki::hex(sealed) == c.sealed);
    const auto opened = gcm::open(key, iv, aad, sealed);
    REQUIRE(opened);
    CHECK(bcpki::hex(opened->reveal()) == c.plaintext);
  }
}

TEST_CASE("OpenSSL and libsodium open the same and refuse the same") {
  for (const Case& c : kValid) {
    const SecretBytes key = key_of(c.key);
    const Bytes iv = from_hex(c.iv), aad = from_hex(c.aad), sealed = from_hex(c.sealed);
    const auto agree = [&](View input, bool opens) {
      const auto openssl = gcm::open_with_openssl(key, iv, aad, input);
      CHECK(openssl.has_value() == opens);
      // A CPU without instructions for AES has one of the two: then there is nothing to compare.
      const auto chosen = gcm::open(key, iv, aad, input);
      CHECK(chosen.has_value() == opens);
      if (opens) CHECK(chosen->equals(*openssl));
    };
    agree(sealed, true);
    for (std::size_t bit = 0; bit < 8 * sealed.size(); bit += 7) {
      Bytes changed = sealed;
      changed[bit / 8] ^= std::byte{1} << (bit % 8);
      agree(changed, false);
    }
  }
}

TEST_CASE("one flipped bit anywhere does not open, and leaves no error behind") {
  const Case& c = kValid[4];
  const SecretBytes key = key_of(c.key);
  const Bytes iv = from_hex(c.iv), aad = from_hex(c.aad);
  for (std::size_t bit = 0; bit < 8 * from_hex(c.sealed).size(); ++bit) {
    Bytes changed = from_hex(c.sealed);
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(gcm::open(key, iv, aad, changed));
  }
  CHECK(ERR_peek_error() == 0);
}

// Wycheproof aes_gcm_test.json, tests 130, 152, 153 and 154.
TEST_CASE("wrong tags do not open") {
  const SecretBytes key =
      key_of("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  const Bytes iv = from_hex("505152535455565758595a5b");
  const std::string ciphertext = "b2061457c0759fc1749f174ee1ccadfa";
  REQUIRE(gcm::open(key, iv, {}, from_hex(ciphertext + "9ce8fef6d8ab1bf1bf887232eab590dd")));
  for (const char* tag : {"9de8fef6d8ab1bf1bf887232eab590dd", "631701092754e40e40778dcd154a6f22",
                          "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff"})
    CHECK_FALSE(gcm::open(key, iv, {}, from_hex(ciphertext + tag)));
}

TEST_CASE("other additional data, a cut and another length of iv do not open") {
  const Case& c = kValid[4];
  const SecretBytes key = key_of(c.key);
  const Bytes iv = from_hex(c.iv), aad = from_hex(c.aad), sealed = from_hex(c.sealed);
  CHECK_FALSE(gcm::open(key, iv, {}, sealed));
  for (std::size_t size = 0; size < sealed.size(); ++size)
    CHECK_FALSE(gcm::open(key, iv, aad, View(sealed).first(size)));
  Bytes longer = sealed;
  longer.push_back(std::byte{0});
  CHECK_FALSE(gcm::open(key, iv, aad, longer));
  for (const std::size_t size : {0, 1, 8, 11, 13, 16}) {
    CHECK_FALSE(gcm::open(key, Bytes(size), aad, sealed));
    CHECK_THROWS_AS(gcm::seal(key, Bytes(size), aad, {}), bcpki::Error);
  }
}

TEST_CASE("a key of another size is misuse") {
  for (const std::size_t size : {0, 16, 24, 31, 33}) {
    const SecretBytes key(size);
    CHECK_THROWS_AS(gcm::seal(key, Bytes(12), {}, {}), bcpki::Error);
    CHECK_THROWS_AS(gcm::open(key, Bytes(12), {}, Bytes(16)), bcpki::Error);
  }
}

}  // namespace
