#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "bcpki/key.h"
#include "bcpki/rng.h"

#include "crypto/ossl.h"
#include "format/pem.h"
#include "format/x509.h"
#include "support/hex.h"
#include "support/key_files.h"
#include "support/run.h"

namespace {

namespace key_files = bcpki::test::key_files;
using bcpki::as_bytes;
using bcpki::Bytes;
using bcpki::Code;
using bcpki::KeyAlgorithm;
using bcpki::PrivateKey;
using bcpki::PublicKey;
using bcpki::SecretBytes;
using bcpki::test::from_hex;
using bcpki::test::run;

const std::string kOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

// Where things stand in the DER of key_files::kPkcs8 and kScrypt (`openssl asn1parse`).
constexpr std::size_t kScalarAt = 36, kScryptNAt = 45, kScryptRAt = 49, kScryptPAt = 52;

PrivateKey::Passphrase gives(std::string_view passphrase, int* asked = nullptr) {
  return [=] {
    if (asked != nullptr) ++*asked;
    return SecretBytes(passphrase);
  };
}

auto read(std::string_view pem, const PrivateKey::Passphrase& passphrase = {}) {
  return PrivateKey::read_pem(as_bytes(pem), passphrase);
}

// refusal is the slug of why `pem` is refused; no refusal shows any of the file's text.
std::string refusal(std::string_view pem, const PrivateKey::Passphrase& passphrase = {}) {
  const auto key = read(pem, passphrase);
  if (key) return "taken";
  const std::string& detail = key.reason().detail;
  CHECK(detail.size() > 20);
  CHECK(detail.find('\n') == std::string::npos);
  CHECK(detail.find("correct") == std::string::npos);
  return std::string(key.reason().slug);
}

PublicKey public_key(std::string_view pem) {
  const auto blocks = bcpki::pem::parse_blocks(pem);
  return PublicKey::read(blocks->front().der.reveal()).value_or_throw(Code::invalid_input);
}

Bytes der_of(std::string_view pem) {
  const auto blocks = bcpki::pem::parse_blocks(pem);
  return bcpki::to_bytes(blocks->back().der.reveal());
}

// changed_at is `pem` with other octets at one place of its DER.
std::string changed_at(std::string_view label, std::string_view pem, std::size_t at,
                       std::string_view hex) {
  Bytes der = der_of(pem);
  const Bytes octets = from_hex(hex);
  std::ranges::copy(octets, der.begin() + static_cast<std::ptrdiff_t>(at));
  return bcpki::pem::encode(label, der);
}

std::string joined(std::string_view a, std::string_view b) {
  return std::string(a) + std::string(b);
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

TEST_CASE("keys that OpenSSL wrote are read") {
  struct File {
    std::string_view pem;
    std::string_view public_pem;
  };
  for (const File& file :
       {File{key_files::kPkcs8, key_files::kPublic}, File{key_files::kSec1, key_files::kSec1Public},
        File{key_files::kSec1NoPublic, key_files::kPublic}}) {
    const auto key = read(file.pem);
    REQUIRE(key);
    CHECK(key->public_key() == public_key(file.public_pem));
  }
}

TEST_CASE("an Ed25519 key is read, with its public part and without") {
  // RFC 8410 section 10.3: the same key twice.
  constexpr std::string_view kPlain = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
)";
  constexpr std::string_view kWithPublic = R"(-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
)";
  for (const std::string_view pem : {kPlain, kWithPublic}) {
    const auto key = read(pem);
    REQUIRE(key);
    CHECK(key->public_key().algorithm() == KeyAlgorithm::ed25519);
    CHECK(bcpki::hex(key->public_key().raw()) ==
          "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
  }
}

TEST_CASE("text around the key, CRLF and blank lines are taken") {
  const std::string framed = "alice's key\n\n" + std::string(key_files::kPkcs8) + "\n# end\n";
  for (const std::string& pem : {framed, with_crlf(key_files::kPkcs8), with_crlf(framed)})
    CHECK(read(pem));
}

TEST_CASE("encrypted keys open with their passphrase, which is asked once") {
  for (const std::string_view pem :
       {key_files::kSha256, key_files::kSha384, key_files::kSha512, key_files::kAes128,
        key_files::kScrypt, key_files::kRounds1000}) {
    int asked = 0;
    const auto key = read(pem, gives("correct", &asked));
    REQUIRE(key);
    CHECK(key->public_key() == public_key(key_files::kPublic));
    CHECK(asked == 1);
  }
  const auto key = read(key_files::kEncryptedEd25519, gives("correct"));
  REQUIRE(key);
  CHECK(key->public_key() == read(key_files::kEd25519)->public_key());
}

TEST_CASE("a wrong passphrase is told, and nothing else") {
  for (const std::string_view pem : {key_files::kSha256, key_files::kScrypt})
    for (const std::string_view passphrase : {"", "Correct", "correct\n", "correct horse"})
      CHECK(refusal(pem, gives(passphrase)) == "passphrase");
}

TEST_CASE("wrong passphrases stay wrong where the padding happens to fit") {
  int opened = 0;
  for (int i = 0; i < 600; ++i)
    opened += refusal(key_files::kRounds1000, gives("wrong " + std::to_string(i))) != "passphrase";
  CHECK(opened == 0);
}

TEST_CASE("no passphrase is asked for a key that has none or is not taken") {
  int asked = 0;
  for (const std::string_view pem :
       {key_files::kPkcs8, key_files::kSec1, key_files::kSha1, key_files::kDes3,
        key_files::kPkcs12Des3, key_files::kAria, key_files::kRounds999, key_files::kRounds10000001,
        key_files::kTraditional, key_files::kCertificate})
    (void)read(pem, gives("correct", &asked));
  CHECK(asked == 0);
}

TEST_CASE("an encrypted key without a passphrase is told apart") {
  CHECK(refusal(key_files::kSha256) == "key-encrypted");
  CHECK(refusal(key_files::kScrypt) == "key-encrypted");
}

TEST_CASE("weak, costly and unknown encryption is refused") {
  for (const std::string_view pem :
       {key_files::kSha1, key_files::kDes3, key_files::kPkcs12Des3, key_files::kAria,
        key_files::kRounds999, key_files::kRounds10000001, key_files::kTraditional})
    CHECK(refusal(pem, gives("correct")) == "key-encryption");
  CHECK(read(key_files::kSha1).reason().detail.find("SHA-1") != std::string::npos);
  CHECK(read(key_files::kDes3).reason().detail.find("3DES") != std::string::npos);
}

TEST_CASE("scrypt with a cost that is not scrypt's is refused") {
  constexpr std::string_view kLabel = "ENCRYPTED PRIVATE KEY";
  for (const std::string& pem :
       {changed_at(kLabel, key_files::kScrypt, kScryptNAt, "4001"),
        changed_at(kLabel, key_files::kScrypt, kScryptRAt, "00"),
        changed_at(kLabel, key_files::kScrypt, kScryptPAt, "00"),
        changed_at(kLabel, changed_at(kLabel, key_files::kScrypt, kScryptRAt, "7f"), kScryptPAt,
                   "7f")})
    CHECK(refusal(pem, gives("correct")) == "key-encryption");
}

TEST_CASE("other algorithms and curves are refused by what they are") {
  for (const std::string_view pem :
       {key_files::kRsa, key_files::kRsaTraditional, key_files::kP384, key_files::kSec1P384,
        key_files::kExplicit, key_files::kX25519})
    CHECK(refusal(pem) == "key-algorithm");
}

TEST_CASE("a file holds one private key") {
  const std::string two = joined(key_files::kPkcs8, key_files::kPkcs8);
  const std::string chain = joined(key_files::kPkcs8, key_files::kCertificate);
  const std::string pair = joined(key_files::kPublic, key_files::kPkcs8);
  const std::string dh =
      joined(key_files::kPkcs8,
             "-----BEGIN DH PARAMETERS-----\nMAYCAQcCAQU=\n-----END DH PARAMETERS-----\n");
  for (const std::string_view pem :
       {std::string_view(two), std::string_view(chain), std::string_view(pair),
        std::string_view(dh), key_files::kCertificate, key_files::kPublic})
    CHECK(refusal(pem) == "pem-form");
}

TEST_CASE("what is no whole PEM is refused") {
  const std::string key(key_files::kPkcs8);
  const std::string der(bcpki::as_text(der_of(key)));
  for (const std::string& pem :
       {std::string(), std::string("\n"), std::string("key"), der, key.substr(0, key.size() - 10),
        key.substr(0, 100), key.substr(3), std::string("{\"kty\":\"EC\"}")})
    CHECK(refusal(pem) == "pem-form");
}

TEST_CASE("EC PARAMETERS count directly before an EC PRIVATE KEY, and only those of P-256") {
  const std::string sec1(key_files::kSec1);
  const std::size_t key_at = sec1.find("-----BEGIN EC PRIVATE");
  const std::string parameters = sec1.substr(0, key_at);
  const std::string key = sec1.substr(key_at);
  const std::string p384 = bcpki::pem::encode("EC PARAMETERS", from_hex("06052b81040022"));
  CHECK(read(key));
  CHECK(refusal(p384 + key) == "key-algorithm");
  CHECK(refusal(key + parameters) == "pem-form");
  CHECK(refusal(parameters + parameters + key) == "pem-form");
  CHECK(refusal(joined(parameters, key_files::kPkcs8)) == "pem-form");
  CHECK(refusal(parameters) == "pem-form");
}

TEST_CASE("DER that is cut, longer, or no number from 1 to n-1 is refused") {
  const std::string_view label = "PRIVATE KEY";
  Bytes longer = der_of(key_files::kPkcs8);
  longer.push_back(std::byte{0});
  CHECK(refusal(bcpki::pem::encode(label, longer)) == "key-form");
  const Bytes der = der_of(key_files::kPkcs8);
  CHECK(refusal(bcpki::pem::encode(label, bcpki::View(der).first(der.size() - 1))) == "key-form");
  CHECK(refusal(bcpki::pem::encode("ENCRYPTED PRIVATE KEY", der), gives("correct")) == "key-form");
  CHECK(refusal(bcpki::pem::encode("EC PRIVATE KEY", der)) == "key-form");
  for (const std::string& scalar : {std::string(64, '0'), kOrder, std::string(64, 'f')})
    CHECK(refusal(changed_at(label, key_files::kPkcs8, kScalarAt, scalar)) == "key-form");
}

TEST_CASE("a public part that is another key's is refused") {
  const std::string one = std::string(63, '0') + "1";
  CHECK(refusal(changed_at("PRIVATE KEY", key_files::kPkcs8, kScalarAt, one)) == "key-public-part");
}

TEST_CASE("no refusal leaves an OpenSSL error behind") {
  (void)read(key_files::kSha256, gives("wrong"));
  (void)read(key_files::kPkcs12Des3, gives("correct"));
  (void)read(changed_at("PRIVATE KEY", key_files::kPkcs8, kScalarAt, kOrder));
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a key is written as OpenSSL writes it") {
  for (const std::string_view pem : {key_files::kPkcs8, key_files::kEd25519})
    CHECK(bcpki::as_text(read(pem)->pkcs8_pem().reveal()) == pem);
  CHECK(read(key_files::kSec1NoPublic)->pkcs8_pem().equals(SecretBytes(key_files::kPkcs8)));
}

TEST_CASE("OpenSSL reads the keys that we make, and finds their public part") {
  for (const auto algorithm : {KeyAlgorithm::p256, KeyAlgorithm::ed25519}) {
    const PrivateKey key = PrivateKey::generate(algorithm, bcpki::system_rng());
    const SecretBytes pem = key.pkcs8_pem();
    const auto openssl = run({"openssl", "pkey", "-pubout"}, bcpki::as_text(pem.reveal()));
    REQUIRE(openssl.status == 0);
    CHECK(openssl.out == bcpki::pem::encode("PUBLIC KEY", key.public_key().spki()));
    CHECK(read(bcpki::as_text(pem.reveal()))->public_key() == key.public_key());
  }
}

TEST_CASE("what OpenSSL signs with our key verifies") {
  const PrivateKey key = PrivateKey::generate(KeyAlgorithm::p256, bcpki::system_rng());
  const SecretBytes pem = key.pkcs8_pem();
  const auto openssl =
      run({"openssl", "req", "-new", "-key", "/dev/stdin", "-subj", "/CN=test", "-outform", "DER"},
          bcpki::as_text(pem.reveal()));
  REQUIRE(openssl.status == 0);
  const auto request = bcpki::x509::parse_request(as_bytes(openssl.out));
  REQUIRE(request);
  const auto signature = bcpki::x509::p1363_from_der(request->signature);
  REQUIRE(signature);
  CHECK(key.public_key().verify(request->info, *signature));
}

Code public_refusal(std::string_view pem) {
  try {
    (void)PublicKey::from_spki_pem(pem);
  } catch (const bcpki::Error& error) {
    CHECK_FALSE(error.detail("reason").empty());
    return error.code();
  }
  throw std::logic_error("nothing was thrown");
}

TEST_CASE("a public key file is one P-256 PUBLIC KEY") {
  const PublicKey key = PublicKey::from_spki_pem(key_files::kPublic);
  CHECK(key.kid() == "PJjMnKtsaDcIFl8Jx7MAIhmn0ugNLbbI6RrMz5c5lSg");
  CHECK(PublicKey::from_spki_pem(with_crlf(key_files::kPublic)) == key);
  const std::string two = joined(key_files::kPublic, key_files::kPublic);
  const std::string text(key_files::kPublic);
  const std::string p384 = run({"openssl", "pkey", "-pubout"}, key_files::kP384).out;
  for (const std::string_view pem :
       {std::string_view(), std::string_view("x"), std::string_view(two),
        std::string_view(text).substr(0, 80), std::string_view(p384), key_files::kPkcs8,
        key_files::kCertificate, key_files::kEd25519Public})
    CHECK(public_refusal(pem) == Code::invalid_input);
}

}  // namespace
