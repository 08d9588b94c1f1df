#include "format/pkcs8.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "bcpki/error.h"

#include "format/der.h"
#include "format/x509.h"

namespace bcpki::pkcs8 {
namespace {

using der::kOctets;
using der::take;

constexpr std::size_t kSecretSize = 32;
constexpr std::size_t kPointSize = 65;
constexpr std::size_t kBlockSize = 16;  // of AES

constexpr View kNullElement(kOctets<0x05, 0x00>);
constexpr View kEd25519(kOctets<0x2b, 0x65, 0x70>);  // 1.3.101.112

// What stands around the scalar and the point, and before the seed, in a PrivateKeyInfo.
constexpr View kP256BeforeScalar(
    kOctets<0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce,
            0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04,
            0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20>);
constexpr View kP256BeforePoint(kOctets<0xa1, 0x44, 0x03, 0x42, 0x00>);
constexpr View kEd25519BeforeSeed(kOctets<0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03,
                                          0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20>);

// Identifiers below 1.2.840.113549 (RSA Data Security) and below 2.16.840.1.101.3.4.1 (AES).
template <int... arcs>
constexpr View kRsadsi(kOctets<0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, arcs...>);
template <int arc>
constexpr View kAes(kOctets<0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, arc>);

constexpr View kPbes2 = kRsadsi<1, 5, 13>;
constexpr View kPbkdf2 = kRsadsi<1, 5, 12>;
constexpr View kScrypt(
    kOctets<0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b>);  // 1.3.6.1.4.1.11591.4.11
constexpr View kHmacWithSha1 = kRsadsi<2, 7>;

// Row gives an identifier a meaning.
template <class Meaning>
struct Row {
  View id;
  Meaning meaning;
};

constexpr std::array<Row<Prf>, 3> kPrfs{{
    {kRsadsi<2, 9>, Prf::sha256},
    {kRsadsi<2, 10>, Prf::sha384},
    {kRsadsi<2, 11>, Prf::sha512},
}};

// AES-CBC and its key's size.
constexpr std::array<Row<std::size_t>, 3> kCiphers{{
    {kAes<2>, 16},
    {kAes<22>, 24},
    {kAes<42>, 32},
}};

// What is refused by name: an identifier, or the arc under which all are the same to us.
constexpr std::array<Row<const char*>, 15> kRefused{{
    {kHmacWithSha1, "PBKDF2 with SHA-1"},
    {kRsadsi<3, 7>, "3DES"},
    {kRsadsi<3, 2>, "RC2"},
    {kOctets<0x2b, 0x0e, 0x03, 0x02, 0x07>, "DES"},  // 1.3.14.3.2.7
    {kRsadsi<1, 12, 1, 3>, "3DES (PKCS#12 PBE)"},
    {kRsadsi<1, 12, 1, 4>, "3DES (PKCS#12 PBE)"},
    {kRsadsi<1, 12, 1, 5>, "RC2 (PKCS#12 PBE)"},
    {kRsadsi<1, 12, 1, 6>, "RC2 (PKCS#12 PBE)"},
    {kRsadsi<1, 12, 1>, "PKCS#12 PBE"},
    {kRsadsi<1, 5, 4>, "RC2 (PBES1)"},
    {kRsadsi<1, 5, 6>, "RC2 (PBES1)"},
    {kRsadsi<1, 5, 11>, "RC2 (PBES1)"},
    {kRsadsi<1, 5, 1>, "PBES1"},
    {kRsadsi<1, 5, 3>, "PBES1"},
    {kRsadsi<1, 5, 10>, "PBES1"},
}};

template <class Rows>
const auto* find(const Rows& rows, View id) {
  const auto row = std::ranges::find_if(rows, [&](const auto& r) { return equal(r.id, id); });
  return row == rows.end() ? nullptr : &*row;
}

EncryptedForm refuse(View id) {
  const auto* row = std::ranges::find_if(
      kRefused, [&](const auto& r) { return as_text(id).starts_with(as_text(r.id)); });
  const char* name = row == kRefused.end() ? "an unknown scheme" : row->meaning;
  return {.pbes2 = std::nullopt, .refused = name};
}

// AlgorithmIdentifier with its parameters as they stand, empty where there are none.
struct AlgorithmIdentifier {
  View id;
  View parameters;
};

bool take_algorithm(der::Reader& in, AlgorithmIdentifier& out) {
  der::Reader fields = in.enter(der::kSequence);
  if (!take(fields.oid(), out.id)) return false;
  out.parameters = fields.rest();
  if (!out.parameters.empty()) fields.next();
  return fields.at_end();
}

bool is_p256(const AlgorithmIdentifier& algorithm) {
  return equal(algorithm.id, x509::oid::ec_public_key) && names_p256(algorithm.parameters);
}

// RFC 5915 section 3 gives the scalar the curve's size. GnuTLS writes it like an INTEGER: a zero
// stands before a first octet of 80 or more.
View without_sign_octet(View scalar) {
  const bool has_sign_octet =
      scalar.size() == kSecretSize + 1 && scalar[0] == std::byte{0} && scalar[1] >= std::byte{0x80};
  return has_sign_octet ? scalar.subspan(1) : scalar;
}

std::optional<KeyFields> parse_ed25519(const AlgorithmIdentifier& algorithm, View key) {
  der::Reader in(key);
  KeyFields fields;
  fields.algorithm = Algorithm::ed25519;
  if (!algorithm.parameters.empty() || !take(in.octet_string(), fields.secret) || !in.at_end() ||
      fields.secret.size() != kSecretSize)
    return std::nullopt;
  return fields;
}

std::optional<KeyFields> parse_key(const AlgorithmIdentifier& algorithm, View key) {
  if (is_p256(algorithm)) return parse_ec_private_key(key);
  if (equal(algorithm.id, kEd25519)) return parse_ed25519(algorithm, key);
  return KeyFields{};
}

// with_public_part adds the public key of version 1, a BIT STRING under an implicit tag; an
// ECPrivateKey may hold it, too.
std::optional<KeyFields> with_public_part(KeyFields fields, View bit_string) {
  if (!der::fits(der::kBitString, bit_string) || bit_string[0] != std::byte{0}) return std::nullopt;
  if (fields.algorithm == Algorithm::other) return fields;
  const View public_key = bit_string.subspan(1);
  if (fields.public_part && !equal(*fields.public_part, public_key)) return std::nullopt;
  fields.public_part = public_key;
  return fields;
}

SecretBytes joined(std::initializer_list<View> parts) {
  SecretBytes whole;
  for (const View part : parts) whole.append(part);
  return whole;
}

void require_size(View value, std::size_t size) {
  if (value.size() != size) throw Error(Code::internal, "a key of a wrong size is to be written");
}

bool fits_key_length(der::Reader& in, std::size_t key_size) {
  const auto length = in.optional(der::kInteger);
  return !length || der::Reader(length->whole).unsigned_integer() == key_size;
}

std::optional<EncryptedForm> parse_pbkdf2(View parameters, Pbes2 form) {
  der::Reader in = der::open(parameters);
  AlgorithmIdentifier prf{.id = kHmacWithSha1, .parameters = {}};
  if (!take(in.octet_string(), form.salt) || !take(in.unsigned_integer(), form.iterations) ||
      !fits_key_length(in, form.key_size))
    return std::nullopt;
  if (!in.at_end() && !(take_algorithm(in, prf) && in.at_end())) return std::nullopt;
  if (!prf.parameters.empty() && !equal(prf.parameters, kNullElement)) return std::nullopt;
  const auto* known = find(kPrfs, prf.id);
  if (known == nullptr) return refuse(prf.id);
  form.prf = known->meaning;
  return EncryptedForm{.pbes2 = form, .refused = nullptr};
}

std::optional<EncryptedForm> parse_scrypt(View parameters, Pbes2 form) {
  der::Reader in = der::open(parameters);
  form.scrypt = true;
  if (!take(in.octet_string(), form.salt) || !take(in.unsigned_integer(), form.n) ||
      !take(in.unsigned_integer(), form.r) || !take(in.unsigned_integer(), form.p) ||
      !fits_key_length(in, form.key_size) || !in.at_end())
    return std::nullopt;
  return EncryptedForm{.pbes2 = form, .refused = nullptr};
}

std::optional<EncryptedForm> parse_pbes2(View scheme_parameters, View ciphertext) {
  der::Reader in = der::open(scheme_parameters);
  AlgorithmIdentifier kdf;
  AlgorithmIdentifier cipher;
  if (!take_algorithm(in, kdf) || !take_algorithm(in, cipher) || !in.at_end()) return std::nullopt;
  const auto* known = find(kCiphers, cipher.id);
  if (known == nullptr) return refuse(cipher.id);

  der::Reader cipher_parameters(cipher.parameters);
  Pbes2 form;
  form.key_size = known->meaning;
  form.ciphertext = ciphertext;
  if (!take(cipher_parameters.octet_string(), form.iv) || !cipher_parameters.at_end() ||
      form.iv.size() != kBlockSize || ciphertext.empty() || ciphertext.size() % kBlockSize != 0)
    return std::nullopt;
  if (equal(kdf.id, kPbkdf2)) return parse_pbkdf2(kdf.parameters, form);
  if (equal(kdf.id, kScrypt)) return parse_scrypt(kdf.parameters, form);
  return refuse(kdf.id);
}

}  // namespace

bool names_p256(View parameters) {
  der::Reader in(parameters);
  View curve;
  return take(in.oid(), curve) && in.at_end() && equal(curve, x509::oid::prime256v1);
}

std::optional<KeyFields> parse_private_key(View der) {
  der::Reader in = der::open(der);
  std::uint64_t version = 0;
  AlgorithmIdentifier algorithm;
  View key;
  if (!take(in.unsigned_integer(), version) || !take_algorithm(in, algorithm) ||
      !take(in.octet_string(), key))
    return std::nullopt;
  const auto attributes = in.optional(der::context_constructed(0));
  if (attributes && !x509::are_attributes(attributes->content)) return std::nullopt;
  const auto public_field = in.optional(der::context(1));
  if (!in.at_end() || version != (public_field ? 1 : 0)) return std::nullopt;

  const auto fields = parse_key(algorithm, key);
  if (!fields || !public_field) return fields;
  return with_public_part(*fields, public_field->content);
}

std::optional<KeyFields> parse_ec_private_key(View der) {
  der::Reader in = der::open(der);
  View scalar;
  if (in.unsigned_integer() != 1U || !take(in.octet_string(), scalar)) return std::nullopt;
  const auto parameters = in.optional(der::context_constructed(0));
  const auto public_field = in.optional(der::context_constructed(1));
  if (!in.at_end()) return std::nullopt;
  if (parameters && !names_p256(parameters->content)) return KeyFields{};

  KeyFields fields;
  fields.algorithm = Algorithm::p256;
  fields.secret = without_sign_octet(scalar);
  if (fields.secret.size() != kSecretSize) return std::nullopt;
  if (public_field) {
    der::Reader inner(public_field->content);
    fields.public_part = inner.bit_string();
    if (!inner.at_end()) return std::nullopt;
  }
  return fields;
}

SecretBytes encode_p256(View scalar32, View point65) {
  require_size(scalar32, kSecretSize);
  require_size(point65, kPointSize);
  return joined({kP256BeforeScalar, scalar32, kP256BeforePoint, point65});
}

SecretBytes encode_ed25519(View seed32) {
  require_size(seed32, kSecretSize);
  return joined({kEd25519BeforeSeed, seed32});
}

std::optional<EncryptedForm> parse_encrypted(View der) {
  der::Reader in = der::open(der);
  AlgorithmIdentifier scheme;
  View ciphertext;
  if (!take_algorithm(in, scheme) || !take(in.octet_string(), ciphertext) || !in.at_end())
    return std::nullopt;
  if (!equal(scheme.id, kPbes2)) return refuse(scheme.id);
  return parse_pbes2(scheme.parameters, ciphertext);
}

}  // namespace bcpki::pkcs8
