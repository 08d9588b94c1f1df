#include "format/pkcs8.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace {

namespace pkcs8 = bcpki::pkcs8;
using bcpki::Bytes;
using bcpki::View;
using pkcs8::Algorithm;

Bytes from_base64(std::string_view text) {
  return bcpki::parse_base64(text).value();
}

Bytes hex(std::string_view text) {
  return bcpki::parse_hex(text).value();
}

std::string hex(View bytes) {
  return bcpki::hex(bytes);
}

// One key of `openssl ecparam -name prime256v1 -genkey`, its parts as `openssl ec -text` shows
// them.
constexpr std::string_view kScalar =
    "fb89e9c59804977edbfbe1693da2ce65c7af4b69591905c3bf6ca2affe653da9";
constexpr std::string_view kPoint =
    "043bdd290e9c438017051f216e5271710c7e1ba03d0a5abd271cbe8257443911682303817b5862aad0c55e60a3f7ab"
    "695a31559218238bf5a26047067794e54738";

// openssl pkcs8 -topk8 -nocrypt
constexpr std::string_view kP256 =
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+4npxZgEl37b++FpPaLOZcevS2lZGQXDv2yir/5l"
    "PamhRANCAAQ73SkOnEOAFwUfIW5ScXEMfhugPQpavSccvoJXRDkRaCMDgXtYYqrQxV5go/eraVoxVZIYI4v1omBH"
    "BneU5Uc4";

// The same key as SEC1, with its curve, and with `-param_enc explicit`.
constexpr std::string_view kSec1 =
    "MHcCAQEEIPuJ6cWYBJd+2/vhaT2izmXHr0tpWRkFw79soq/+ZT2poAoGCCqGSM49AwEHoUQDQgAEO90pDpxDgBcF"
    "HyFuUnFxDH4boD0KWr0nHL6CV0Q5EWgjA4F7WGKq0MVeYKP3q2laMVWSGCOL9aJgRwZ3lOVHOA==";
constexpr std::string_view kSec1Explicit =
    "MIIBaAIBAQQg+4npxZgEl37b++FpPaLOZcevS2lZGQXDv2yir/5lPamggfowgfcCAQEwLAYHKoZIzj0BAQIhAP//"
    "//8AAAABAAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8"
    "BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEs"
    "Qkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A"
    "AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBoUQDQgAEO90pDpxDgBcFHyFuUnFxDH4boD0KWr0nHL6CV0Q5"
    "EWgjA4F7WGKq0MVeYKP3q2laMVWSGCOL9aJgRwZ3lOVHOA==";

// openssl ec -no_public
constexpr std::string_view kSec1WithoutPoint =
    "MDECAQEEIPuJ6cWYBJd+2/vhaT2izmXHr0tpWRkFw79soq/+ZT2poAoGCCqGSM49AwEH";

// certtool --generate-privkey --curve secp256r1 of GnuTLS 3.7: a zero before a scalar from 80.
constexpr std::string_view kSec1ByGnutls =
    "MHgCAQEEIQCJpRi/5vCsvbs34tB1C8QtcOynkjxnwuMQLLjhgL3BdaAKBggqhkjOPQMBB6FEA0IABF7FF8oznUb4"
    "BFXMhzwIcS8qCvb4ln/0nVkspgMnXKmsgA7t4y0J+JQmtUXAbhYfCyt1yO3Kn7ULkrGfmV1/0nQ=";
constexpr std::string_view kSec1ByGnutlsScalar =
    "89a518bfe6f0acbdbb37e2d0750bc42d70eca7923c67c2e3102cb8e180bdc175";

// openssl ecparam -name secp384r1 -genkey, as PKCS#8 and SEC1
constexpr std::string_view kP384 =
    "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAkcPPLp4enfde0QsADT8LXiQowoSk356dLPdXm9yVr"
    "TGL1dMaEetW/L/cd3kyqFDyhZANiAAS4Po8wp90xHwSfZT3UjZoeKZAX1aY6u1GD+Tprx2BmgZ52OFCnDPwaEjkV"
    "O5I7fWHQfkEBaquZzutLMhbgD2/+kW0uCENqjckTx7MqXj/fQfB6gtwlQkcEjill5NJSHSY=";
constexpr std::string_view kP384Sec1 =
    "MIGkAgEBBDAkcPPLp4enfde0QsADT8LXiQowoSk356dLPdXm9yVrTGL1dMaEetW/L/cd3kyqFDygBwYFK4EEACKh"
    "ZANiAAS4Po8wp90xHwSfZT3UjZoeKZAX1aY6u1GD+Tprx2BmgZ52OFCnDPwaEjkVO5I7fWHQfkEBaquZzutLMhbg"
    "D2/+kW0uCENqjckTx7MqXj/fQfB6gtwlQkcEjill5NJSHSY=";

// openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:512
constexpr std::string_view kRsa =
    "MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAvIboNiweVz5F6MQcvQygMZMxFRa03KFSeIveKoKA"
    "/fyySehV1hOkuPodN9ZzJAXMYF6XhgY+A16PZylwU4Ks7wIDAQABAkEAkLxZxk00tfH/JeZ50cHBso24XuJh1Aie"
    "EiH/XE94zIRC+P4dK4pHLx6VZXeke4ABJeEL7ny9Xp/4irN/p4E5oQIhAPRW+H/HCnamsGsiv0Eo0ixj7gYYMiz0"
    "Zia5qPBHtvJHAiEAxYYWe/DlpssjRzuu6S+TVoaEpX+nSuR32S5kZFoQ3BkCIHdqohzhDI4cvZA+9TZFWyLy2/wC"
    "i1NJRzuZ9aUph5I1AiAUqp/lneHZXr21MUhuu3yV/AMa8c1GJ7tmbNUyLr4+2QIgOrJzaw75N/Z8Kk1Nt4UwwJmn"
    "+eVihFmh0jvzhlh/jNw=";

// RFC 8410 section 10.3: without and with attributes and public key.
constexpr std::string_view kEd25519 =
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
constexpr std::string_view kEd25519Version1 =
    "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcNAQkJFDEP"
    "DA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
constexpr std::string_view kEd25519Seed =
    "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842";

// `openssl pkcs8 -topk8 -v2 … -v2prf …` with 1,000 rounds, of the P-256 key above.
constexpr std::string_view kAes256Sha256 =
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgyWiJemHXMSAICA+gwDAYIKoZIhvcNAgkFADAdBglg"
    "hkgBZQMEASoEEPiCAVvKv1xIMxr4GjZmABwEgZBmNIdIjJGEP2UgD8bsB7jWXGddBZtCH+z6P+jzkIR0Aij407I2"
    "lbsfT3vIdBS4WjcDfH0kQQ0pExar3SH+vfhpNRBsyxLX/kiPkh7dBcUhAJ0bJ1TX2hmCFgKuQsGA73cSLbGy8a8v"
    "0ynV4Mby9wD0f6PuNTQFAfrPhVqeZ/keFExjkBq/++IRFzvk9FRoEEc=";
constexpr std::string_view kAes192Sha384 =
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjJwut9RbCungICA+gwDAYIKoZIhvcNAgoFADAdBglg"
    "hkgBZQMEARYEENqYT3TyyJIFECYGjKW35BUEgZBl+Q8lo6lYDNkhHfpNntfPMlIhw0W8LFwLPqPykOy13lA4IlzO"
    "037/6Ug+4u1qbm0BCtWCcwySQU6m4/BmO+y6AiPhniCzs1PQI0uyuOwRYxtgEts56sUygT+2WSHX3D2d9MmW4a7e"
    "J4zbeWFi/h6SVpoG59LdMRR+tn7SkVwTWbrrySQlQnhBjColY+5DfZ8=";
constexpr std::string_view kAes128Sha512 =
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjUKCKR99C8VwICA+gwDAYIKoZIhvcNAgsFADAdBglg"
    "hkgBZQMEAQIEEJIQCBaY6AQGf8fwqujDcoMEgZB2eQUNCUCRHD/9+/p7ytxiuy6YthZLUEleL4gChxHw11YCJYv/"
    "29GHNlFMW/e9Jf+HEZuCidAvTxNOVbomEc0BzjEYUBYJLWcU5p80Gnpe+ptTM+GEM1CLtktiI1iyw0KjLfOT11O6"
    "diMunSdYSQt1d7pzfH4TWd9QufhB6mwK1nfVoQfr9R+qVcSp9WlAWJI=";

// openssl pkcs8 -topk8 -scrypt -scrypt_N 1024 -scrypt_r 8 -scrypt_p 1
constexpr std::string_view kAes256Scrypt =
    "MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAg2XnBM5rYpoAICBAACAQgCAQEwHQYJYIZIAWUDBAEq"
    "BBDpZxck9+us2Nn8Ef4oJZT+BIGQ0r2M+pehlwkbYLlWx/n1eux504yg+hPv12KlbryDLTEbZ+pXQgdQV3yKWl50"
    "9hI/W3vn4Si3NEkSQec8YBFLMqN3mZMyidIIRDL8uX/gPka7RUdB20hxVKGow5Mi+dHYPnoU8QJtGfhiMt2endI5"
    "w57t2/+PV4XhSdnuhQLYiBNS/sh+qxdUXeULlV8EXekE";

// certtool --to-p8 --pkcs-cipher aes-256: the PRF without NULL parameters
constexpr std::string_view kByGnutls =
    "MIIBCDBjBgkqhkiG9w0BBQ0wVjA1BgkqhkiG9w0BBQwwKAQV9aSlf2XtnlNGNqPr9iGq/kY5C0TCAgMJJ8AwCgYI"
    "KoZIhvcNAgkwHQYJYIZIAWUDBAEqBBCrbt6QvnBi3zmGF3r2IgKXBIGg9e2axRh4WIcJORc+YAVdx/DD/lq0db2s"
    "iOH1xzqq83D2uHbJNygDFMo7zsDS5+ZY2IsQXJJc8dQCh8yRWFSwgyV+RJa4rVxdjdkZpCiGndkeYYvyh+riVJc9"
    "oLPHy/lz6Re9HOWY7bEffrJNRJTB48R/r1IwnrScaag54NHOjEjuTDiRb2kJGDEaJWKtEba5P/D3INpIXEWkNhCv"
    "Sqz1Aw==";

// replaced returns the hex of `input` with its one `what` replaced.
Bytes replaced(const Bytes& input, std::string_view what, std::string_view with) {
  std::string text = hex(input);
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(what, at + 1) == std::string::npos);
  text.replace(at, what.size(), with);
  return hex(text);
}

// The parts of a hand-made PrivateKeyInfo and ECPrivateKey, all short enough for one length octet.
std::string tlv(std::string_view tag, const std::string& content) {
  REQUIRE(content.size() < 256);
  const std::array<std::byte, 1> length{static_cast<std::byte>(content.size() / 2)};
  return std::string(tag) + bcpki::hex(length) + content;
}

const std::string kName = "06082a8648ce3d030107";
const std::string kP256Algorithm = "301306072a8648ce3d0201" + kName;
const std::string kEd25519Algorithm = "300506032b6570";
const std::string kSomeSecret(64, '1');

std::string ec_private_key(const std::string& version, const std::string& scalar,
                           const std::string& behind = "") {
  return tlv("30", version + scalar + behind);
}

std::string private_key_info(const std::string& version, const std::string& algorithm,
                             const std::string& key, const std::string& behind = "") {
  return tlv("30", version + algorithm + tlv("04", key) + behind);
}

std::optional<pkcs8::Algorithm> pkcs8_algorithm(const std::string& input) {
  const Bytes der = hex(input);
  const auto fields = pkcs8::parse_private_key(der);
  if (!fields) return std::nullopt;
  return fields->algorithm;
}

std::optional<pkcs8::Algorithm> sec1_algorithm(const std::string& input) {
  const Bytes der = hex(input);
  const auto fields = pkcs8::parse_ec_private_key(der);
  if (!fields) return std::nullopt;
  return fields->algorithm;
}

std::string refused(const Bytes& der) {
  const auto form = pkcs8::parse_encrypted(der);
  REQUIRE(form);
  CHECK_FALSE(form->pbes2);
  return form->refused;
}

std::string refused(std::string_view base64) {
  return refused(from_base64(base64));
}

TEST_CASE("a P-256 key by OpenSSL is read and written") {
  const Bytes der = from_base64(kP256);
  const auto key = pkcs8::parse_private_key(der);
  REQUIRE(key);
  CHECK(key->algorithm == Algorithm::p256);
  CHECK(hex(key->secret) == kScalar);
  REQUIRE(key->public_part);
  CHECK(hex(*key->public_part) == kPoint);
  CHECK(hex(pkcs8::encode_p256(hex(kScalar), hex(kPoint)).reveal()) == hex(der));
}

TEST_CASE("an Ed25519 key of RFC 8410 is read and written") {
  const Bytes der = from_base64(kEd25519);
  const auto key = pkcs8::parse_private_key(der);
  REQUIRE(key);
  CHECK(key->algorithm == Algorithm::ed25519);
  CHECK(hex(key->secret) == kEd25519Seed);
  CHECK_FALSE(key->public_part);
  CHECK(hex(pkcs8::encode_ed25519(hex(kEd25519Seed)).reveal()) == hex(der));
}

TEST_CASE("a key of version 1 holds its public key") {
  const Bytes der = from_base64(kEd25519Version1);
  const auto key = pkcs8::parse_private_key(der);
  REQUIRE(key);
  CHECK(hex(key->secret) == kEd25519Seed);
  REQUIRE(key->public_part);
  CHECK(hex(*key->public_part) ==
        "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
}

TEST_CASE("keys of a wrong size are not written") {
  CHECK_THROWS_AS(pkcs8::encode_p256(hex("00"), hex(kPoint)), bcpki::Error);
  CHECK_THROWS_AS(pkcs8::encode_p256(hex(kScalar), hex(kScalar)), bcpki::Error);
  CHECK_THROWS_AS(pkcs8::encode_ed25519(hex(kPoint)), bcpki::Error);
}

TEST_CASE("SEC1 keys are read") {
  const Bytes der = from_base64(kSec1);
  const auto key = pkcs8::parse_ec_private_key(der);
  REQUIRE(key);
  CHECK(key->algorithm == Algorithm::p256);
  CHECK(hex(key->secret) == kScalar);
  CHECK(hex(key->public_part.value()) == kPoint);

  const Bytes without_point_der = from_base64(kSec1WithoutPoint);
  const auto without_point = pkcs8::parse_ec_private_key(without_point_der);
  REQUIRE(without_point);
  CHECK(hex(without_point->secret) == kScalar);
  CHECK_FALSE(without_point->public_part);
}

TEST_CASE("the zero that GnuTLS writes is no part of the scalar") {
  const Bytes der = from_base64(kSec1ByGnutls);
  const auto key = pkcs8::parse_ec_private_key(der);
  REQUIRE(key);
  CHECK(key->algorithm == Algorithm::p256);
  CHECK(hex(key->secret) == kSec1ByGnutlsScalar);
  CHECK(sec1_algorithm(ec_private_key("020101", "0421007f" + std::string(62, '1'))) ==
        std::nullopt);
}

TEST_CASE("other keys are other") {
  CHECK(pkcs8::parse_private_key(from_base64(kRsa))->algorithm == Algorithm::other);
  CHECK(pkcs8::parse_private_key(from_base64(kP384))->algorithm == Algorithm::other);
  CHECK(pkcs8::parse_ec_private_key(from_base64(kP384Sec1))->algorithm == Algorithm::other);
  CHECK(pkcs8::parse_ec_private_key(from_base64(kSec1Explicit))->algorithm == Algorithm::other);
  CHECK(pkcs8::parse_private_key(from_base64(kRsa))->secret.empty());
}

TEST_CASE("a PrivateKeyInfo has its version, algorithm and key, and nothing else") {
  const std::string key = ec_private_key("020101", tlv("04", kSomeSecret));
  const std::string seed = tlv("04", kSomeSecret);
  CHECK(pkcs8_algorithm(private_key_info("020100", kP256Algorithm, key)) == Algorithm::p256);
  CHECK(pkcs8_algorithm(private_key_info("020100", kEd25519Algorithm, seed)) == Algorithm::ed25519);

  CHECK_FALSE(pkcs8_algorithm(""));
  CHECK_FALSE(pkcs8_algorithm("3000"));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020100", kP256Algorithm, key) + "00"));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020100", kP256Algorithm, key, "0500")));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("", kP256Algorithm, key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("02020000", kP256Algorithm, key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020101", kP256Algorithm, key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020102", kP256Algorithm, key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("0201ff", kP256Algorithm, key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020100", "3000", key)));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020100", kP256Algorithm, key + "00")));
  CHECK_FALSE(pkcs8_algorithm(private_key_info("020100", kP256Algorithm, seed)));
}

TEST_CASE("an EC key is P-256 where its parameters name it") {
  const std::string key = ec_private_key("020101", tlv("04", kSomeSecret));
  const auto with_parameters = [&](const std::string& parameters) {
    return pkcs8_algorithm(
        private_key_info("020100", tlv("30", "06072a8648ce3d0201" + parameters), key));
  };
  CHECK(with_parameters(kName) == Algorithm::p256);
  CHECK(with_parameters("06052b8104000a") == Algorithm::other);  // secp256k1
  CHECK(with_parameters("3003020101") == Algorithm::other);
  CHECK(with_parameters("0500") == Algorithm::other);
  CHECK(with_parameters("") == Algorithm::other);
  CHECK_FALSE(with_parameters(kName + "0500"));
  CHECK_FALSE(with_parameters("06082a8648ce3d0301"));

  const auto with_inner = [](const std::string& parameters) {
    return pkcs8_algorithm(
        private_key_info("020100", kP256Algorithm,
                         ec_private_key("020101", tlv("04", kSomeSecret), tlv("a0", parameters))));
  };
  CHECK(with_inner(kName) == Algorithm::p256);
  CHECK(with_inner("06052b8104000a") == Algorithm::other);
}

TEST_CASE("an ECPrivateKey is version 1 with a scalar of 32 octets") {
  const std::string scalar = tlv("04", kSomeSecret);
  CHECK(sec1_algorithm(ec_private_key("020101", scalar)) == Algorithm::p256);
  CHECK_FALSE(sec1_algorithm(ec_private_key("020100", scalar)));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020102", scalar)));
  CHECK_FALSE(sec1_algorithm(ec_private_key("", scalar)));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", tlv("04", kSomeSecret.substr(2)))));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", tlv("04", kSomeSecret + "11"))));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", tlv("04", "0000" + kSomeSecret))));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", tlv("02", kSomeSecret))));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", scalar, "0500")));
  CHECK_FALSE(sec1_algorithm(ec_private_key("020101", scalar, "a000a10403020004") + "00"));
}

TEST_CASE("a public part is whole octets, and what they are is the caller's to judge") {
  const std::string scalar = tlv("04", kSomeSecret);
  const auto with_point = [&](const std::string& field) {
    const Bytes der = hex(ec_private_key("020101", scalar, field));
    const auto key = pkcs8::parse_ec_private_key(der);
    return key ? hex(key->public_part.value()) : "refused";
  };
  CHECK(with_point("a10403020004") == "04");
  CHECK(with_point("a103030100").empty());
  CHECK(with_point("a10403020704") == "refused");
  CHECK(with_point("a10403020780") == "refused");
  CHECK(with_point("a10404020004") == "refused");
  CHECK(with_point("a100") == "refused");
  CHECK(with_point("a106030200040500") == "refused");
  CHECK(with_point("a10403020004a00a" + kName) == "refused");  // the wrong way round
}

TEST_CASE("a public part given twice is the same one") {
  const auto given_twice = [](const std::string& inner, const std::string& outer) {
    const std::string key =
        ec_private_key("020101", tlv("04", kSomeSecret), tlv("a1", tlv("03", "00" + inner)));
    return pkcs8_algorithm(private_key_info("020101", kP256Algorithm, key, tlv("81", outer)));
  };
  CHECK(given_twice("04aabb", "0004aabb") == Algorithm::p256);
  CHECK_FALSE(given_twice("04aabb", "0004aabc"));
  CHECK_FALSE(given_twice("04aabb", "0404aab0"));
  CHECK_FALSE(given_twice("04aabb", ""));
}

TEST_CASE("an Ed25519 key has no parameters and a seed of 32 octets") {
  const auto with = [](const std::string& algorithm, const std::string& key) {
    return pkcs8_algorithm(private_key_info("020100", algorithm, key));
  };
  CHECK_FALSE(with("300706032b65700500", tlv("04", kSomeSecret)));
  CHECK_FALSE(with(kEd25519Algorithm, kSomeSecret));
  CHECK_FALSE(with(kEd25519Algorithm, tlv("04", kSomeSecret.substr(2))));
  CHECK_FALSE(with(kEd25519Algorithm, tlv("04", kSomeSecret + "11")));
  CHECK_FALSE(with(kEd25519Algorithm, tlv("04", kSomeSecret) + "00"));
  CHECK_FALSE(with(kEd25519Algorithm, tlv("03", kSomeSecret)));
}

TEST_CASE("attributes are taken where they are some") {
  const std::string seed = tlv("04", kSomeSecret);
  const auto with_attributes = [&](const std::string& attributes) {
    return pkcs8_algorithm(private_key_info("020100", kEd25519Algorithm, seed, attributes));
  };
  CHECK(with_attributes("a00b300906032a030431020500") == Algorithm::ed25519);
  CHECK(with_attributes("a000") == Algorithm::ed25519);
  CHECK_FALSE(with_attributes("a003020101"));
  CHECK_FALSE(with_attributes("a009300706032a03043100"));
  CHECK_FALSE(with_attributes("a100"));
}

TEST_CASE("a key ends where its length says") {
  const Bytes der = from_base64(kP256);
  std::size_t taken = 0;
  for (std::size_t size = 0; size < der.size(); ++size)
    taken += pkcs8::parse_private_key(View(der).first(size)) ? 1 : 0;
  CHECK(taken == 0);
  CHECK_FALSE(pkcs8::parse_private_key(from_base64(kSec1)));
  CHECK_FALSE(pkcs8::parse_ec_private_key(der));
}

TEST_CASE("PBES2 with PBKDF2 is read") {
  struct Case {
    std::string_view der;
    pkcs8::Prf prf;
    std::size_t key_size;
    std::uint64_t iterations;
    std::string_view salt, iv;
  };
  const std::vector<Case> cases{
      {kAes256Sha256, pkcs8::Prf::sha256, 32, 1000, "325a225e9875cc48",
       "f882015bcabf5c48331af81a3666001c"},
      {kAes192Sha384, pkcs8::Prf::sha384, 24, 1000, "c9c2eb7d45b0ae9e",
       "da984f74f2c892051026068ca5b7e415"},
      {kAes128Sha512, pkcs8::Prf::sha512, 16, 1000, "d4282291f7d0bc57",
       "9210081698e804067fc7f0aae8c37283"},
      {kByGnutls, pkcs8::Prf::sha256, 32, 600000, "f5a4a57f65ed9e534636a3ebf621aafe46390b44c2",
       "ab6ede90be7062df3986177af6220297"},
  };
  for (const auto& c : cases) {
    const Bytes der = from_base64(c.der);
    const auto form = pkcs8::parse_encrypted(der);
    REQUIRE(form);
    CHECK(form->refused == nullptr);
    REQUIRE(form->pbes2);
    CHECK_FALSE(form->pbes2->scrypt);
    CHECK(form->pbes2->prf == c.prf);
    CHECK(form->pbes2->key_size == c.key_size);
    CHECK(form->pbes2->iterations == c.iterations);
    CHECK(hex(form->pbes2->salt) == c.salt);
    CHECK(hex(form->pbes2->iv) == c.iv);
    CHECK(hex(form->pbes2->ciphertext) == hex(View(der).last(form->pbes2->ciphertext.size())));
    CHECK(form->pbes2->ciphertext.size() >= 144);
  }
}

TEST_CASE("PBES2 with scrypt is read") {
  const Bytes der = from_base64(kAes256Scrypt);
  const auto form = pkcs8::parse_encrypted(der);
  REQUIRE(form);
  REQUIRE(form->pbes2);
  CHECK(form->pbes2->scrypt);
  CHECK(form->pbes2->n == 1024);
  CHECK(form->pbes2->r == 8);
  CHECK(form->pbes2->p == 1);
  CHECK(form->pbes2->key_size == 32);
  CHECK(hex(form->pbes2->salt) == "365e704ce6b629a0");
}

TEST_CASE("schemes that are not read are named") {
  // openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA1: the default PRF, which DER leaves out
  CHECK(
      refused(
          "MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAi6gIeGS6sPOwICA+gwHQYJYIZIAWUDBAEqBBCB7bDQ"
          "aQuLBJ906akmc/TaBIGQ7RmXIcmurUl4Ek7KynFiq/jXzzybqLsKHf9JvHy3xlhaduRqXQaaNBbK7TjzhZLmmRSq"
          "hN28uyuwy34PsbHo5GaWlyJuHS78LMvDUyZi5gMEP0fj98ww1szIScEXq2h7qAgwHPPeZVqwwHTdls1PGzJ9qTvn"
          "4THJIfa/4VjO7ZtfT6tfTg0rIzUayg7XBifN") == "PBKDF2 with SHA-1");
  // openssl pkcs8 -topk8 -v2 des3, rc2, des and, of no name that we know, aria-256-cbc
  CHECK(
      refused(
          "MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAiBzwB1WQ5QFQICA+gwDAYIKoZIhvcNAgkFADAUBggq"
          "hkiG9w0DBwQIRM0Im/10w/AEgZAZdycc9FM5dmdiFA8BwyqNpv6IzkW1vLj/o9n/5niw62b6qnOMopeye2nXGFd2"
          "Y45P8Tbek0TR87xqlp9j3C8jVGBrp/2K6389acSEfa8WHtkC3/XQKVNMdNdmI5uYhKKOCO533h3z+HcARg8JIqYS"
          "g6heem8vtY5TZwai+4iX1Sv2p4Sa6D0KXlI3/0m8GTY=") == "3DES");
  CHECK(
      refused(
          "MIHrMFYGCSqGSIb3DQEFDTBJMCwGCSqGSIb3DQEFDDAfBAiJzPTzMc7ioQICA+gCARAwDAYIKoZIhvcNAgkFADAZ"
          "BggqhkiG9w0DAjANAgE6BAjDzg5BWEo4OASBkNhqDn7HLLPYuweQWXeg27cp03iW441Ketm2IsKnt0vScDdsS/Y2"
          "z5TuH6W3mzo3bHdtG7ItTWXOLZ3IrcSWZb4cYs8F3Wq83iwkI22tfcFpCVL0qWdrsnUoPfo/uE/tS0qvf4apf/4u"
          "vMrrop33ZtkggHDVnXeKNLskh0gNOEpbDtm28HMyMZcgTq1U2ilLoA==") == "RC2");
  CHECK(
      refused(
          "MIHgMEsGCSqGSIb3DQEFDTA+MCkGCSqGSIb3DQEFDDAcBAiKEbRbBqy9ywICA+gwDAYIKoZIhvcNAgkFADARBgUr"
          "DgMCBwQI1IK+NvgDRVcEgZCicr8boI5x1dLPbHlGqvBH/Q7w6oyv96G2MWl+Vr94vxeC8tE7Pl4xOLgAEvKkX3wA"
          "x5ovQiM/dv/KNUVcY287uFTv+/UQLCTCCiT/vskm7sCWGzecpeXTcR2iM9LA4z5iZrEJRohyPnWGtLnapPD572JG"
          "ysS1yR64GjgWWy8y6taFoNC0ROH9XAJLrhbm8ms=") == "DES");
  CHECK(
      refused(
          "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgtiMFwMV7dugICA+gwDAYIKoZIhvcNAgkFADAdBgkq"
          "gxqMmm4BAQwEELFqwcYlSxJDbOjC73wM/MEEgZBJ/yrnkYrFHyN2MtrizxxIYfkWv65ZUZPa/jXVyTsOZ949zAf5"
          "R2QtlCXYM0ibwaw7VutnJB5pOHNskdQq1nC19V8OmInKnWjyVlEiVVsUU0gvyc74AfVxdEY9TV9JnvcUHdlEpH/s"
          "9JvbrrFMYKQwQPh1ThsiSBFIDIJjMeygbIF7cuYb44GxK75rks8navQ=") == "an unknown scheme");
  // openssl pkcs8 -topk8 -v1 PBE-MD5-DES and PBE-SHA1-3DES
  CHECK(
      refused(
          "MIGwMBsGCSqGSIb3DQEFAzAOBAiZnVjhOrqHQAICCAAEgZByPq+FW3tOirMWXnpTOPse1UF8ORSSltPkH728k/CH"
          "IhqWKkNE9EKOksug1f1BnGpMdBX1nTcIKhhB7gtNAXupRJU8HvHFYiJsKNFXtrt1inrIIOxlv+86FPeVBJFID1mv"
          "nNx5eraBl8kbkB7FjLgZK7Egelbp/tF/017wWkxSNzdF64D/+GwMmhXTxKznggk=") == "PBES1");
  CHECK(
      refused(
          "MIGxMBwGCiqGSIb3DQEMAQMwDgQI/n9Vc8MefUwCAggABIGQ0xqlhYU2t9aAJqT151bPGa0W+zmsrGKfLVD0fA+N"
          "ne7RafIHEDT17RY/ky9ryZtYV2X4u9aPl6KlUQC9ADcQNk1gs5VzX+Jfl9pZXmK5veVbZX7JjZQyY35A2gcRTDQa"
          "2+tFPyCPW7Qn03eJclVeYV2o+ZOge91ymcKfnEenKFKRw/m0u8FLNvqyb8iZIFZc") ==
      "3DES (PKCS#12 PBE)");
  // openssl pkcs8 -topk8 -v2prf hmacWithSHA224
  CHECK(
      refused(
          "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhbKRA2sA0ZEAICA+gwDAYIKoZIhvcNAggFADAdBglg"
          "hkgBZQMEASoEEHwm56cZVmlsMM7k80cPweoEgZCxpEs7Qa7Hc0Z8sblCKsNPh5VydTRDI5QQAZfqhWu69Jr3Whk8"
          "zZQo277l80fbB0VyjVLqUX3oow0n68jDh+lN5mo7uEyP9A5oLnWuUQ0VBfJjjc/PP21g1ZksM8q25gi486o3ArJQ"
          "Apgl1yqMr/RYHI32FNj0sTaZcTINtO5iO+mVQTZLc0nWPjYsJOIWftk=") == "an unknown scheme");

  const Bytes good = from_base64(kAes256Sha256);
  CHECK(refused(replaced(good, "2a864886f70d0209", "2a864886f70d0207")) == "PBKDF2 with SHA-1");
  CHECK(refused(replaced(good, "2a864886f70d01050c", "2a864886f70d01050e")) == "an unknown scheme");
  CHECK(refused(replaced(good, "2a864886f70d01050d", "2a864886f70d01050a")) == "PBES1");
  CHECK(refused(replaced(good, "60864801650304012a", "608648016503040106")) ==
        "an unknown scheme");  // AES-128-GCM
}

TEST_CASE("broken parameters are no encrypted key at all") {
  const Bytes good = from_base64(kAes256Sha256);
  const Bytes scrypt = from_base64(kAes256Scrypt);
  const auto broken = [](const Bytes& input, std::string_view what, std::string_view with) {
    return !pkcs8::parse_encrypted(replaced(input, what, with));
  };
  CHECK(broken(good, "020203e8", "0202fc18"));                          // a negative count
  CHECK(broken(good, "020203e8", "02020068"));                          // not minimal
  CHECK(broken(good, "0408325a225e9875cc48", "3008325a225e9875cc48"));  // another salt source
  CHECK(broken(good, "2a864886f70d02090500", "2a864886f70d02090400"));  // PRF parameters
  CHECK(broken(good, "2a0410f882", "2a0310f882"));
  CHECK(broken(scrypt, "020108", "020188"));
  CHECK_FALSE(pkcs8::parse_encrypted({}));
  CHECK_FALSE(pkcs8::parse_encrypted(from_base64(kP256)));
  CHECK_FALSE(pkcs8::parse_encrypted(from_base64(kSec1)));
  std::size_t taken = 0;
  for (std::size_t size = 0; size < good.size(); ++size)
    taken += pkcs8::parse_encrypted(View(good).first(size)) ? 1 : 0;
  CHECK(taken == 0);
}

// encrypted_by writes an EncryptedPrivateKeyInfo by hand.
std::string encrypted_by(const std::string& kdf,
                         const std::string& iv = "0410" + std::string(32, '0'),
                         const std::string& ciphertext = "0410" + std::string(32, '0')) {
  const std::string cipher = tlv("30", "060960864801650304012a" + iv);
  const std::string scheme = tlv("30", "06092a864886f70d01050d" + tlv("30", kdf + cipher));
  return tlv("30", scheme + ciphertext);
}

std::string pbkdf2(const std::string& behind_salt) {
  return tlv("30", "06092a864886f70d01050c" + tlv("30", "0401aa" + behind_salt));
}

std::string scrypt(const std::string& behind_salt) {
  return tlv("30", "06092b06010401da47040b" + tlv("30", "0401aa" + behind_salt));
}

TEST_CASE("sizes fit each other") {
  const auto taken = [](const std::string& input) {
    const Bytes der = hex(input);
    const auto form = pkcs8::parse_encrypted(der);
    return form && form->pbes2;
  };
  const std::string sha256 = "300c06082a864886f70d02090500";
  CHECK(taken(encrypted_by(pbkdf2("020101" + sha256))));
  CHECK(taken(encrypted_by(pbkdf2("020101020120" + sha256))));
  CHECK_FALSE(taken(encrypted_by(pbkdf2("020101020110" + sha256))));
  CHECK_FALSE(taken(encrypted_by(pbkdf2("0201010201e0" + sha256))));
  CHECK_FALSE(taken(encrypted_by(pbkdf2("020101020120020120" + sha256))));
  CHECK_FALSE(taken(encrypted_by(pbkdf2("020101" + sha256 + "0500"))));
  CHECK_FALSE(taken(encrypted_by(pbkdf2(sha256))));

  CHECK(taken(encrypted_by(scrypt("020102020101020101"))));
  CHECK(taken(encrypted_by(scrypt("020102020101020101020120"))));
  CHECK_FALSE(taken(encrypted_by(scrypt("020102020101020101020110"))));
  CHECK_FALSE(taken(encrypted_by(scrypt("020102020101"))));
  CHECK_FALSE(taken(encrypted_by(scrypt("0201020201010201010201200500"))));

  const std::string kdf = pbkdf2("020101" + sha256);
  CHECK_FALSE(taken(encrypted_by(kdf, "040f" + std::string(30, '0'))));
  CHECK_FALSE(taken(encrypted_by(kdf, "0411" + std::string(34, '0'))));
  CHECK_FALSE(taken(encrypted_by(kdf, "0500")));
  CHECK_FALSE(taken(encrypted_by(kdf, "")));
  CHECK_FALSE(taken(encrypted_by(kdf, "0410" + std::string(32, '0'), "0400")));
  CHECK_FALSE(
      taken(encrypted_by(kdf, "0410" + std::string(32, '0'), "040faa" + std::string(28, '0'))));
  CHECK_FALSE(taken(encrypted_by(kdf, "0410" + std::string(32, '0'), "")));
  CHECK_FALSE(taken(encrypted_by(kdf) + "00"));
}

}  // namespace
