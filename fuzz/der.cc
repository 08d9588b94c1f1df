// Our readers of certificates, requests and private keys against OpenSSL's: what ours take, OpenSSL
// takes as the same values. The first byte says which of the three the rest is.
#include "format/der.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "bcpki/bytes.h"

#include "format/pkcs8.h"
#include "format/x509.h"

namespace {

using bcpki::Bytes;
using bcpki::View;
namespace der = bcpki::der;
namespace pkcs8 = bcpki::pkcs8;
namespace x509 = bcpki::x509;

void require(bool holds) {
  if (!holds) std::abort();
}

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
template <class T, auto free_function>
using Owned = std::unique_ptr<T, Free<free_function>>;

const unsigned char* octets(View bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

View view(const ASN1_STRING* string) {
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(string));
  return std::as_bytes(std::span(ASN1_STRING_get0_data(string), size));
}

// decode has OpenSSL read all of `input`.
template <class T>
T* decode(T* (*d2i)(T**, const unsigned char**, long), View input) {
  const unsigned char* at = octets(input);
  T* object = d2i(nullptr, &at, static_cast<long>(input.size()));
  require(object != nullptr && at == octets(input) + input.size());
  return object;
}

template <class T>
Bytes encode(int (*i2d)(T*, unsigned char**), T* object) {
  Bytes out(static_cast<std::size_t>(i2d(object, nullptr)));
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  require(i2d(object, &at) == static_cast<int>(out.size()));
  return out;
}

void require_time(bcpki::UnixTime ours, const ASN1_TIME* theirs) {
  std::tm calendar{};
  require(ASN1_TIME_to_tm(theirs, &calendar) == 1);
  require(timegm(&calendar) == ours.to_seconds());
}

void require_signature(View signature, View algorithm, const ASN1_BIT_STRING* their_signature,
                       const X509_ALGOR* their_algorithm) {
  require(bcpki::equal(signature, view(their_signature)));
  require(bcpki::equal(algorithm, encode(i2d_X509_ALGOR, their_algorithm)));
  if (const auto p1363 = x509::p1363_from_der(signature))
    require(bcpki::equal(x509::der_from_p1363(*p1363), signature));
}

// Our parser leaves the inside of a name of type `other` (a directoryName, an otherName, …) to
// nobody; OpenSSL's refuses some of them.
bool holds_no_other(const std::vector<x509::GeneralName>& names) {
  return std::ranges::find(names, x509::GeneralNameType::other, &x509::GeneralName::type) ==
         names.end();
}

bool takes_names(View value) {
  const auto names = x509::parse_subject_alt_name(value);
  return names && holds_no_other(*names);
}

bool takes_constraints(View value) {
  const auto constraints = x509::parse_name_constraints(value);
  return constraints && holds_no_other(constraints->permitted) &&
         holds_no_other(constraints->excluded);
}

template <auto parse>
bool takes(View value) {
  return parse(value).has_value();
}

bool is_value_taken(const x509::Extension& extension) {
  const std::array<std::pair<View, bool (*)(View)>, 7> parsers{{
      {x509::oid::basic_constraints, takes<x509::parse_basic_constraints>},
      {x509::oid::key_usage, takes<x509::parse_key_usage>},
      {x509::oid::extended_key_usage, takes<x509::parse_extended_key_usage>},
      {x509::oid::subject_alt_name, takes_names},
      {x509::oid::name_constraints, takes_constraints},
      {x509::oid::subject_key_identifier, takes<x509::parse_subject_key_identifier>},
      {x509::oid::authority_key_identifier, takes<x509::parse_authority_key_identifier>},
  }};
  return std::ranges::any_of(parsers, [&](const auto& parser) {
    return bcpki::equal(parser.first, extension.id) && parser.second(extension.value);
  });
}

// What our parsers take, OpenSSL reads whole and writes as the same octets.
void require_value(View value, X509_EXTENSION* theirs) {
  const ASN1_ITEM* item = ASN1_ITEM_ptr(X509V3_EXT_get(theirs)->it);
  const unsigned char* at = octets(value);
  ASN1_VALUE* decoded = ASN1_item_d2i(nullptr, &at, static_cast<long>(value.size()), item);
  require(decoded != nullptr && at == octets(value) + value.size());
  Bytes again(value.size());
  auto* out = reinterpret_cast<unsigned char*>(again.data());
  require(ASN1_item_i2d(decoded, nullptr, item) == static_cast<int>(again.size()));
  require(ASN1_item_i2d(decoded, &out, item) == static_cast<int>(again.size()));
  require(bcpki::equal(again, value));
  ASN1_item_free(decoded, item);
}

void require_extension(const x509::Extension& ours, X509_EXTENSION* theirs) {
  const Bytes id = encode<const ASN1_OBJECT>(i2d_ASN1_OBJECT, X509_EXTENSION_get_object(theirs));
  require(bcpki::equal(der::Reader(id).oid().value(), ours.id));
  require(ours.critical == (X509_EXTENSION_get_critical(theirs) == 1));
  require(bcpki::equal(ours.value, view(X509_EXTENSION_get_data(theirs))));
  if (is_value_taken(ours)) require_value(ours.value, theirs);
}

void check_certificate(View input) {
  const auto ours = x509::parse_certificate(input);
  if (!ours) return;
  const Owned<X509, X509_free> theirs(decode(d2i_X509, input));
  require(bcpki::equal(encode<const X509>(i2d_X509, theirs.get()), input));
  require(bcpki::equal(encode(i2d_re_X509_tbs, theirs.get()), ours->tbs));
  require(static_cast<std::uint64_t>(X509_get_version(theirs.get())) + 1 == ours->version);

  const Bytes serial = encode(i2d_ASN1_INTEGER, X509_get0_serialNumber(theirs.get()));
  require(bcpki::equal(der::Reader(serial).integer().value(), ours->serial));
  const X509_NAME* issuer = X509_get_issuer_name(theirs.get());
  const X509_NAME* subject = X509_get_subject_name(theirs.get());
  require(bcpki::equal(encode(i2d_X509_NAME, issuer), ours->issuer));
  require(bcpki::equal(encode(i2d_X509_NAME, subject), ours->subject));
  if (const auto attributes = x509::read_name(ours->subject))
    require(attributes->size() == static_cast<std::size_t>(X509_NAME_entry_count(subject)));
  require_time(ours->not_before, X509_get0_notBefore(theirs.get()));
  require_time(ours->not_after, X509_get0_notAfter(theirs.get()));
  const X509_PUBKEY* key = X509_get_X509_PUBKEY(theirs.get());
  require(bcpki::equal(encode(i2d_X509_PUBKEY, key), ours->spki));

  const ASN1_BIT_STRING* signature = nullptr;
  const X509_ALGOR* algorithm = nullptr;
  X509_get0_signature(&signature, &algorithm, theirs.get());
  require_signature(ours->signature, ours->signature_algorithm, signature, algorithm);
  const X509_ALGOR* tbs_algorithm = X509_get0_tbs_sigalg(theirs.get());
  require(bcpki::equal(encode(i2d_X509_ALGOR, tbs_algorithm), ours->tbs_signature_algorithm));

  require(static_cast<std::size_t>(X509_get_ext_count(theirs.get())) == ours->extensions.size());
  for (std::size_t i = 0; i < ours->extensions.size(); ++i)
    require_extension(ours->extensions[i], X509_get_ext(theirs.get(), static_cast<int>(i)));
}

void check_request(View input) {
  const auto ours = x509::parse_request(input);
  if (!ours) return;
  const Owned<X509_REQ, X509_REQ_free> theirs(decode(d2i_X509_REQ, input));
  require(bcpki::equal(encode<const X509_REQ>(i2d_X509_REQ, theirs.get()), input));
  require(bcpki::equal(encode(i2d_re_X509_REQ_tbs, theirs.get()), ours->info));
  require(X509_REQ_get_version(theirs.get()) == 0);
  const X509_PUBKEY* key = X509_REQ_get_X509_PUBKEY(theirs.get());
  require(bcpki::equal(encode(i2d_X509_PUBKEY, key), ours->spki));
  const ASN1_BIT_STRING* signature = nullptr;
  const X509_ALGOR* algorithm = nullptr;
  X509_REQ_get0_signature(theirs.get(), &signature, &algorithm);
  require_signature(ours->signature, ours->signature_algorithm, signature, algorithm);
}

using Number = Owned<BIGNUM, BN_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;

Number number(View big_endian) {
  return Number(BN_bin2bn(octets(big_endian), static_cast<int>(big_endian.size()), nullptr));
}

// Whether the scalar is from 1 to n-1 and the public part a point, which our reader leaves to the
// caller and OpenSSL's judges.
bool is_p256_key(const pkcs8::KeyFields& fields) {
  const Owned<EC_GROUP, EC_GROUP_free> group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const Number scalar = number(fields.secret);
  if (BN_is_zero(scalar.get()) == 1) return false;
  if (BN_cmp(scalar.get(), EC_GROUP_get0_order(group.get())) >= 0) return false;
  if (!fields.public_part) return true;
  const Owned<EC_POINT, EC_POINT_free> point(EC_POINT_new(group.get()));
  return EC_POINT_oct2point(group.get(), point.get(), octets(*fields.public_part),
                            fields.public_part->size(), nullptr) == 1;
}

Key load(View input) {
  const unsigned char* at = octets(input);
  Key key(d2i_AutoPrivateKey_ex(nullptr, &at, static_cast<long>(input.size()), nullptr, nullptr));
  require(key != nullptr && at == octets(input) + input.size());
  return key;
}

void check_p256(View input, View scalar) {
  const Key key = load(input);
  BIGNUM* theirs = nullptr;
  require(EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &theirs) == 1);
  const Number owned(theirs);
  require(BN_cmp(theirs, number(scalar).get()) == 0);
}

void check_ed25519(View input, View seed) {
  const Key key = load(input);
  std::array<unsigned char, 32> theirs{};
  std::size_t size = theirs.size();
  require(EVP_PKEY_get_raw_private_key(key.get(), theirs.data(), &size) == 1);
  require(bcpki::equal(std::as_bytes(std::span(theirs).first(size)), seed));
}

// OpenSSL 3.0 does not read version 1, which has the public key behind the private one.
bool is_version_0(View input) {
  return der::open(input).unsigned_integer() == 0U;
}

void check_private_key(View input) {
  const auto ours = pkcs8::parse_private_key(input);
  if (!ours || !is_version_0(input)) return;
  if (ours->algorithm == pkcs8::Algorithm::p256 && is_p256_key(*ours))
    check_p256(input, ours->secret);
  if (ours->algorithm == pkcs8::Algorithm::ed25519) check_ed25519(input, ours->secret);
}

void check_encrypted_key(View input) {
  const auto ours = pkcs8::parse_encrypted(input);
  if (!ours) return;
  const Owned<X509_SIG, X509_SIG_free> theirs(decode(d2i_X509_SIG, input));
  const ASN1_OCTET_STRING* ciphertext = nullptr;
  X509_SIG_get0(theirs.get(), nullptr, &ciphertext);
  if (ours->pbes2) require(bcpki::equal(ours->pbes2->ciphertext, view(ciphertext)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const View input = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 3) {
    case 0:
      check_certificate(input);
      break;
    case 1:
      check_request(input);
      break;
    default:
      check_private_key(input);
      check_encrypted_key(input);
  }
  ERR_clear_error();
  return 0;
}
