#include "pki/key_file.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crypto/kdf.h"
#include "crypto/key_impl.h"
#include "format/der.h"
#include "format/pem.h"

namespace bcpki {
namespace {

constexpr std::string_view kSec1 = "EC PRIVATE KEY";
constexpr std::string_view kEcParameters = "EC PARAMETERS";

constexpr std::uint64_t kMinIterations = 1'000, kMaxIterations = 10'000'000;

Reason key_form(std::string_view what) {
  return {"key-form", std::string(what) + " is no well-formed DER of one P-256 or Ed25519 key"};
}

// What other blocks people give for a key, and what to tell them.
struct OtherBlock {
  std::string_view label, slug, detail;
};
constexpr std::array<OtherBlock, 5> kOtherBlocks = {{
    {"RSA PRIVATE KEY", "key-algorithm", "an RSA key is not taken; use P-256 or Ed25519"},
    {"DSA PRIVATE KEY", "key-algorithm", "a DSA key is not taken; use P-256 or Ed25519"},
    {"OPENSSH PRIVATE KEY", "pem-form",
     "OpenSSH's own key format is not taken; `ssh-keygen -p -m PKCS8` converts it"},
    {pem::kPublicKey, "pem-form", "this is a public key; give the private key"},
    {pem::kCertificate, "pem-form", "this is a certificate; give its private key"},
}};

Reason refusal_of(std::string_view label) {
  const auto* const other = std::ranges::find(kOtherBlocks, label, &OtherBlock::label);
  if (other != kOtherBlocks.end()) return {other->slug, std::string(other->detail)};
  return {"pem-form",
          "the file holds no `PRIVATE KEY`, `EC PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`"};
}

const char* digest_name(pkcs8::Prf prf) {
  switch (prf) {
    case pkcs8::Prf::sha256:
      return "SHA256";
    case pkcs8::Prf::sha384:
      return "SHA384";
    default:
      return "SHA512";
  }
}

ScryptCost scrypt_cost(const pkcs8::Pbes2& form) {
  return {form.n, form.r, form.p};
}

// cost_is_taken refuses what protects nothing and what would keep the machine busy for hours.
bool cost_is_taken(const pkcs8::Pbes2& form) {
  if (form.scrypt) return scrypt_cost(form).fits();
  return form.iterations >= kMinIterations && form.iterations <= kMaxIterations;
}

SecretBytes derive(const pkcs8::Pbes2& form, const SecretBytes& passphrase) {
  if (form.scrypt) return scrypt(passphrase.reveal(), form.salt, scrypt_cost(form), form.key_size);
  return pbkdf2(passphrase.reveal(), form.salt, form.iterations, digest_name(form.prf),
                form.key_size);
}

// A wrong passphrase gives a plaintext with a valid padding once in 256 times, but hardly ever one
// whole SEQUENCE: what is one was opened rightly.
bool is_sequence(View der) {
  der::Reader reader(der);
  return reader.next(der::kSequence) && reader.at_end();
}

Verdict<PrivateKey> decrypt(View der, const PrivateKey::Passphrase& passphrase) {
  const auto form = pkcs8::parse_encrypted(der);
  if (!form) return key_form("the encrypted private key");
  if (!form->pbes2)
    return Reason{"key-encryption",
                  std::string("the key is encrypted with ") + form->refused +
                      ", which is not taken; use PBKDF2 (SHA-256) or scrypt, and AES-CBC"};
  if (!cost_is_taken(*form->pbes2))
    return Reason{"key-encryption",
                  "the key's encryption costs too little or too much; PBKDF2 takes 1,000 to "
                  "10,000,000 rounds, scrypt up to 1 GiB"};
  if (!passphrase) return Reason{"key-encrypted", "the key is encrypted; give its passphrase"};

  const auto plaintext =
      aes_cbc_decrypt(derive(*form->pbes2, passphrase()), form->pbes2->iv, form->pbes2->ciphertext);
  if (!plaintext || !is_sequence(plaintext->reveal()))
    return Reason{"passphrase", "the passphrase does not open the key"};
  return private_key_from(pkcs8::parse_private_key(plaintext->reveal()));
}

template <auto parse>
Verdict<PrivateKey> read_plain(View der, const PrivateKey::Passphrase&) {
  return private_key_from(parse(der));
}

// The blocks that hold a private key.
struct KeyBlock {
  std::string_view label;
  Verdict<PrivateKey> (*read)(View der, const PrivateKey::Passphrase& passphrase);
};
constexpr std::array<KeyBlock, 3> kKeyBlocks = {{
    {pem::kPrivateKey, read_plain<pkcs8::parse_private_key>},
    {kSec1, read_plain<pkcs8::parse_ec_private_key>},
    {"ENCRYPTED PRIVATE KEY", decrypt},
}};

// `openssl ecparam -genkey` writes the curve in a block of its own in front of the key.
bool has_parameters(std::span<const pem::Block> blocks) {
  return blocks.size() > 1 && blocks[0].label == kEcParameters && blocks[1].label == kSec1;
}

}  // namespace

Verdict<PrivateKey> private_key_from(const std::optional<pkcs8::KeyFields>& fields) {
  if (!fields) return key_form("the private key");
  if (fields->algorithm == pkcs8::Algorithm::other)
    return Reason{"key-algorithm", "the key is neither P-256 (by name) nor Ed25519"};
  const bool p256 = fields->algorithm == pkcs8::Algorithm::p256;
  auto key =
      PrivateKey::read_raw(p256 ? KeyAlgorithm::p256 : KeyAlgorithm::ed25519, fields->secret);
  if (key && fields->public_part && !equal(*fields->public_part, key->public_key().raw()))
    return Reason{"key-public-part", "the public key in the file is not the private key's"};
  return key;
}

PublicKey PublicKey::from_spki_pem(std::string_view pem) {
  const auto blocks = pem::parse_blocks(pem);
  if (!blocks || blocks->size() != 1 || blocks->front().label != pem::kPublicKey)
    throw Error(Code::invalid_input, "a public key file must hold one `PUBLIC KEY` PEM block",
                {{"reason", "pem-form"}});
  return read(blocks->front().der.reveal()).value_or_throw(Code::invalid_input);
}

Verdict<PrivateKey> PrivateKey::read_pem(View pem, const Passphrase& passphrase) {
  const auto blocks = pem::parse_blocks(as_text(pem));
  if (!blocks || blocks->empty())
    return Reason{"pem-form", "the file is no PEM, or its PEM is broken or cut off"};
  std::span<const pem::Block> rest = *blocks;
  if (has_parameters(rest)) {
    if (!pkcs8::names_p256(rest.front().der.reveal()))
      return Reason{"key-algorithm", "the key's curve is not P-256 by its name"};
    rest = rest.subspan(1);
  }
  if (rest.size() != 1)
    return Reason{"pem-form", "the file must hold one private key and nothing else"};

  const pem::Block& block = rest.front();
  const auto* const kind = std::ranges::find(kKeyBlocks, block.label, &KeyBlock::label);
  if (kind == kKeyBlocks.end()) return refusal_of(block.label);
  if (block.has_headers)
    return Reason{"key-encryption",
                  "PEM headers such as `Proc-Type` are not taken; `openssl pkcs8 -topk8` "
                  "converts the key"};
  return kind->read(block.der.reveal(), passphrase);
}

SecretBytes PrivateKey::pkcs8_pem() const {
  const View secret = impl_->raw.reveal();
  const PublicKey& key = impl_->public_key;
  const SecretBytes der = key.algorithm() == KeyAlgorithm::p256
                              ? pkcs8::encode_p256(secret, key.raw())
                              : pkcs8::encode_ed25519(secret);
  return pem::encode_secret(pem::kPrivateKey, der.reveal());
}

}  // namespace bcpki
