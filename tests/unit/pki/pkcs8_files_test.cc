// Private keys that other programs wrote, in PKCS#8.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/key.h"

#include "format/pem.h"
#include "support/test_data.h"

namespace {

namespace json = bcpki::json;

// Known is a file and why it is refused, "" where it is read. What its algorithms are stands in
// expected.json; the policy is formats.md section 2. (The encrypted RSA keys have 10 rounds.)
struct Known {
  std::string_view file;
  std::string_view refused;
};

constexpr std::array<Known, 24> kFiles = {{
    {"rustcrypto-ed25519-encpriv-aes128-pbkdf2-sha1.der", "key-encryption"},
    {"rustcrypto-ed25519-encpriv-aes256-pbkdf2-sha256.der", ""},
    {"rustcrypto-ed25519-encpriv-aes256-scrypt.pem", ""},
    {"rustcrypto-ed25519-encpriv-des3-pbkdf2-sha256.der", "key-encryption"},
    {"rustcrypto-p256-priv.pem", ""},
    {"rustcrypto-p256-priv.der", ""},
    {"rustcrypto-rsa_sk_aes-256-cbc_hmacWithSHA256.pkcs8.der", "key-encryption"},
    {"rustcrypto-rsa_sk_aes-256-cbc_hmacWithSHA512.pkcs8.der", "key-encryption"},
    {"rustcrypto-rsa_sk_aes-128-cbc_hmacWithSHA256.pkcs8.der", "key-encryption"},
    {"pyca-ec_private_key.pem", ""},
    {"pyca-nodompar_private.pkcs8.pem", "key-algorithm"},
    {"pyca-withdompar_private.pkcs8.pem", "key-algorithm"},
    {"pyca-ec_oid_not_in_reg_private_2.pkcs8.pem", "key-algorithm"},
    {"pyca-unenc-rsa-pkcs8.pem", "key-algorithm"},
    {"gnutls-p256-aes-256.pem", ""},
    {"gnutls-p256-rc2-40.pem", "key-encryption"},
    {"pyca48-p256-best-0.pem", ""},
    {"pyca48-p256-best-1.pem", ""},
    {"pyca48-p256-best-2.pem", ""},
    {"sshkeygen-p256-pkcs8-0.pem", ""},
    {"sshkeygen-p256-pkcs8-1.pem", ""},
    {"openssl-p256-sha512.pem", ""},
    {"openssl-p256-scrypt.pem", ""},
    {"bad-openssl-truncated.pem", "key-form"},
}};

// read_file reads PEM; DER is framed first.
std::string read_file(std::string_view name, bool is_encrypted) {
  const std::string data = bcpki::test::data_text(std::filesystem::path("pkcs8") / name);
  if (!name.ends_with(".der")) return data;
  return bcpki::pem::encode(is_encrypted ? "ENCRYPTED PRIVATE KEY" : "PRIVATE KEY",
                            bcpki::as_bytes(data));
}

bcpki::Verdict<bcpki::PrivateKey> open(const std::string& pem, const std::string& passphrase) {
  return bcpki::PrivateKey::read_pem(bcpki::as_bytes(pem),
                                     [&] { return bcpki::SecretBytes(passphrase); });
}

}  // namespace

TEST_CASE("keys of other programs are read, or refused for what they are") {
  const auto expected = bcpki::test::foreign_json(bcpki::test::data_text("pkcs8/expected.json"));
  REQUIRE(expected.array()->size() == kFiles.size());
  for (const auto& entry : *expected.array()) {
    const std::string name(*entry.text("file"));
    const auto* known = std::ranges::find(kFiles, name, &Known::file);
    REQUIRE(known != kFiles.end());
    CAPTURE(name);
    const std::string passphrase(entry.text("password").value_or(""));
    const auto key = open(read_file(name, !passphrase.empty()), passphrase);
    CHECK((key ? "" : key.reason().slug) == known->refused);
    if (key)
      CHECK(bcpki::hex(key->public_key().spki()) == *entry.text("public_key_spki_hex"));
    else
      CHECK((passphrase.empty() || key.reason().detail.find(passphrase) == std::string::npos));
  }
}

TEST_CASE("another passphrase opens none of them") {
  const auto expected = bcpki::test::foreign_json(bcpki::test::data_text("pkcs8/expected.json"));
  for (const auto& entry : *expected.array()) {
    const auto passphrase = entry.text("password");
    if (!passphrase) continue;
    CAPTURE(std::string(*entry.text("file")));
    CHECK_FALSE(open(read_file(*entry.text("file"), true), std::string(*passphrase) + "x"));
  }
}
