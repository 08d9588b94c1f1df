#include "format/x509.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace {

namespace x509 = bcpki::x509;
namespace oid = x509::oid;
using bcpki::Bytes;
using bcpki::View;
using x509::GeneralNameType;

// The certificates that OpenSSL 3.0 made are of
//   openssl req -x509 -new -key ca.pem -config ext.cnf -extensions ca -days 10000
//     -subj '/O=better-compute/CN=compute.example.com node CA' -set_serial 0x7f01…0f
//   openssl x509 -req -CA … -CAkey … -extfile ext.cnf -extensions leaf -set_serial 0x8f01 -days 1
// with the extensions that formats.md has for them, at 2026-11-30T12:00:00Z.
constexpr std::string_view kCa =
    "MIIB7TCCAZOgAwIBAgIQfwECAwQFBgcICQoLDA0ODzAKBggqhkjOPQQDAjA/MRcwFQYDVQQKDA5iZXR0ZXItY29tcHV0"
    "ZTEkMCIGA1UEAwwbY29tcHV0ZS5leGFtcGxlLmNvbSBub2RlIENBMCAXDTI2MTEzMDEyMDAwMFoYDzIwNTQwNDE3MTIw"
    "MDAwWjA/MRcwFQYDVQQKDA5iZXR0ZXItY29tcHV0ZTEkMCIGA1UEAwwbY29tcHV0ZS5leGFtcGxlLmNvbSBub2RlIENB"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEN9TdOc0s0cCtsdEPBm/1Mq1xNqhrfB7gbsmuK5Bn+ALD/xL7AqwrXRJR"
    "zQ6VMBCAonwCH1ezXZhfeDkD/2wMFqNvMG0wEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAQYwEwYDVR0l"
    "BAwwCgYIKwYBBQUHAwIwEwYDVR0eAQH/BAkwB6EFMAOGAS4wHQYDVR0OBBYEFFpwdcfQQXG3w7TVkYgz0QckLZe0MAoG"
    "CCqGSM49BAMCA0gAMEUCIQDIQWlGRK37Pjl0kAazmV3Auo+CpoaWuzz4QeuvNT3jmgIgV3YOZQbpnYyS1wdmpmNn/DTG"
    "puifc9ZBuF23x/HVWMg=";

constexpr std::string_view kLeaf =
    "MIICLzCCAdSgAwIBAgIDAI8BMAoGCCqGSM49BAMCMD8xFzAVBgNVBAoMDmJldHRlci1jb21wdXRlMSQwIgYDVQQDDBtj"
    "b21wdXRlLmV4YW1wbGUuY29tIG5vZGUgQ0EwHhcNMjYxMTMwMTIwMDAwWhcNMjYxMjAxMTIwMDAwWjA9MRcwFQYDVQQK"
    "DA5iZXR0ZXItY29tcHV0ZTEVMBMGA1UECwwMYmMtcm9sZTpub2RlMQswCQYDVQQDDAJuMTBZMBMGByqGSM49AgEGCCqG"
    "SM49AwEHA0IABDvdKQ6cQ4AXBR8hblJxcQx+G6A9Clq9Jxy+gldEORFoIwOBe1hiqtDFXmCj96tpWjFVkhgji/WiYEcG"
    "d5TlRzijgcAwgb0wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwIwSAYDVR0R"
    "BEEwP4Ysc3BpZmZlOi8vY29tcHV0ZS5leGFtcGxlLmNvbS9zaXRlL3MxL25vZGUvbjGGD3VybjpiYzp0ZXN0Om9uZTAd"
    "BgNVHQ4EFgQUeiUm6uZjwBz5aUCKprD0aD0zdr4wHwYDVR0jBBgwFoAUWnB1x9BBcbfDtNWRiDPRByQtl7QwCgYIKoZI"
    "zj0EAwIDSQAwRgIhAIpYR2pM7iWpQTFqHoagQ/Ykx2BU2ZchT3Z3O3lGXV/+AiEA8Oxs/pEJrZ6C1WP0glkcTpcYdYgO"
    "1P0yONtK3l8hHDM=";

// An empty subject, so the alternative names are critical.
constexpr std::string_view kGateway =
    "MIIB2zCCAYKgAwIBAgIBATAKBggqhkjOPQQDAjA/MRcwFQYDVQQKDA5iZXR0ZXItY29tcHV0ZTEkMCIGA1UEAwwbY29t"
    "cHV0ZS5leGFtcGxlLmNvbSBub2RlIENBMB4XDTI2MTEzMDEyMDAwMFoXDTI2MTIzMDEyMDAwMFowADBZMBMGByqGSM49"
    "AgEGCCqGSM49AwEHA0IABDvdKQ6cQ4AXBR8hblJxcQx+G6A9Clq9Jxy+gldEORFoIwOBe1hiqtDFXmCj96tpWjFVkhgj"
    "i/WiYEcGd5TlRzijga0wgaowDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0lBBYwFAYIKwYBBQUHAwEG"
    "CCsGAQUFBwMCMCsGA1UdEQEB/wQhMB+CDmd3LmV4YW1wbGUuY29tgg0qLmV4YW1wbGUuY29tMB0GA1UdDgQWBBR6JSbq"
    "5mPAHPlpQIqmsPRoPTN2vjAfBgNVHSMEGDAWgBRacHXH0EFxt8O01ZGIM9EHJC2XtDAKBggqhkjOPQQDAgNHADBEAiBH"
    "tyda2JzFExqj4kz23Ey6/aAAqxJbuVRZ9do+DSXW8wIgYMxMx8HXdrQA3vUY2nA6IB+/ZnQMNo4vHrwIaVgI8nc=";

// `openssl x509 -req` without extensions: version 1.
constexpr std::string_view kVersion1 =
    "MIIBZDCCAQoCAQUwCgYIKoZIzj0EAwIwPzEXMBUGA1UECgwOYmV0dGVyLWNvbXB1dGUxJDAiBgNVBAMMG2NvbXB1dGUu"
    "ZXhhbXBsZS5jb20gbm9kZSBDQTAeFw0yNjExMzAxMjAwMDBaFw0yNjEyMDExMjAwMDBaMD0xFzAVBgNVBAoMDmJldHRl"
    "ci1jb21wdXRlMRUwEwYDVQQLDAxiYy1yb2xlOm5vZGUxCzAJBgNVBAMMAm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD"
    "QgAEO90pDpxDgBcFHyFuUnFxDH4boD0KWr0nHL6CV0Q5EWgjA4F7WGKq0MVeYKP3q2laMVWSGCOL9aJgRwZ3lOVHODAK"
    "BggqhkjOPQQDAgNIADBFAiEA4J/DhOED6+UndqY/pcycKDdUu4vFa6FiUgvWh0AKNasCID9HelPlT/544Oixwh86qMTK"
    "yTvTsH+8+Bvj9t02Epc+";

// Every kind of string and of name that the `openssl` command makes, a negative serial, and all
// nine bits of key usage.
constexpr std::string_view kOdd =
    "MIIDAzCCAqmgAwIBAgIB+zAKBggqhkjOPQQDAjBDMQswCQYDVQQGEwJERTEPMA0GA1UECBQGQuR5ZXJuMRQwCAYDVQQK"
    "EwFhMAgGA1UECxMBYjENMAsGA1UEAx4EZeVnLDAeFw0yNjExMzAxMjAwMDBaFw0yNjEyMjAxMjAwMDBaMEMxCzAJBgNV"
    "BAYTAkRFMQ8wDQYDVQQIFAZC5Hllcm4xFDAIBgNVBAoTAWEwCAYDVQQLEwFiMQ0wCwYDVQQDHgRl5WcsMFkwEwYHKoZI"
    "zj0CAQYIKoZIzj0DAQcDQgAEO90pDpxDgBcFHyFuUnFxDH4boD0KWr0nHL6CV0Q5EWgjA4F7WGKq0MVeYKP3q2laMVWS"
    "GCOL9aJgRwZ3lOVHOKOCAYwwggGIMA8GA1UdEwQIMAYBAf8CAQMwDAYDVR0PBAUDAwf/gDB2BgNVHREEbzBtgQ1hQGV4"
    "YW1wbGUuY29tggtleGFtcGxlLmNvbYYUaHR0cHM6Ly9leGFtcGxlLmNvbS+HBMAAAgGHECABDbgAAAAAAAAAAAAAAAGI"
    "AyoDBKAKBgMqAwSgAwwBeKQQMA4xDDAKBgNVBAMTA2RpcjAoBgNVHR4EITAfoA8wDYILZXhhbXBsZS5jb22hDDAKhwgK"
    "AAAA/wAAADBrBgNVHSMEZDBigBR6JSbq5mPAHPlpQIqmsPRoPTN2vqFHpEUwQzELMAkGA1UEBhMCREUxDzANBgNVBAgU"
    "BkLkeWVybjEUMAgGA1UEChMBYTAIBgNVBAsTAWIxDTALBgNVBAMeBGXlZyyCAfswHQYDVR0OBBYEFHolJurmY8Ac+WlA"
    "iqaw9Gg9M3a+MBAGA1UdIAQJMAcwBQYDKgMEMCcGA1UdHwQgMB4wHKAaoBiGFmh0dHA6Ly9leGFtcGxlLmNvbS9jcmww"
    "CgYIKoZIzj0EAwIDSAAwRQIgPRrKLGJtLUJeetAAW9ewxzL+MAf327Zq6t0FYyb1814CIQDnvrerQ2ZZWIO6i/nKlQJ+"
    "mNvf6GiT3R6e7EKfAoyRvQ==";

// `certtool --generate-self-signed` of GnuTLS 3.7: PrintableStrings, valid until 2051.
constexpr std::string_view kGnutls =
    "MIIBkTCCATegAwIBAgIIEjRWeJq83vAwCgYIKoZIzj0EAwIwKjEXMBUGA1UEChMOYmV0dGVyLWNvbXB1dGUxDzANBgNV"
    "BAMTBmdudXRsczAgFw0yNjExMzAxMjAwMDBaGA8yMDUxMDEwMTAwMDAwMFowKjEXMBUGA1UEChMOYmV0dGVyLWNvbXB1"
    "dGUxDzANBgNVBAMTBmdudXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDfU3TnNLNHArbHRDwZv9TKtcTaoa3we"
    "4G7JriuQZ/gCw/8S+wKsK10SUc0OlTAQgKJ8Ah9Xs12YX3g5A/9sDBajRTBDMBIGA1UdEwEB/wQIMAYBAf8CAQEwDgYD"
    "VR0PAQH/BAQDAgEGMB0GA1UdDgQWBBTwKXxhNM8TWzUZd6fvzlGeze1wWjAKBggqhkjOPQQDAgNIADBFAiBij9gWcLOX"
    "CW1BS9V7fQJv/LKAQ+6AouRUT3aJV5GSfAIhAJ9iQ1j5BJC1sk9c7fJMgpsc1jTZJ/uWoprNCmnSRgIz";

// The node CA of the golden bundle, by an implementation that shares no code with this one.
constexpr std::string_view kNodeCa =
    "MIICPjCCAeOgAwIBAgIQasCyVl4aKfksuoJgLchMjzAKBggqhkjOPQQDAjA/MRcwFQYDVQQKDA5iZXR0ZXItY29tcHV0"
    "ZTEkMCIGA1UEAwwbY29tcHV0ZS5leGFtcGxlLmNvbSByb290IENBMB4XDTI2MTEwMTAwMDAwMFoXDTI3MTEwMTAwMDAw"
    "MFowPzEXMBUGA1UECgwOYmV0dGVyLWNvbXB1dGUxJDAiBgNVBAMMG2NvbXB1dGUuZXhhbXBsZS5jb20gbm9kZSBDQTBZ"
    "MBMGByqGSM49AgEGCCqGSM49AwEHA0IABE2hSMoZxKzERTiyXv/aUgRspG4fscoa1aJVPW92Ei3mYfp4Gmh6M31Pa6Vc"
    "Fxq255gVfb3QO/xWIHjL8xf1r1CjgcAwgb0wEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAQYwEwYDVR0l"
    "BAwwCgYIKwYBBQUHAwIwQgYDVR0eAQH/BDgwNqE0MAKCADAKhwgAAAAAAAAAADAihyAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAADAdBgNVHQ4EFgQUnIFpgQSfGUT8iOy7Iw45dhUNhMwwHwYDVR0jBBgwFoAUi5mnjpZDgbrZbg3/"
    "SLI0DkaMAZ4wCgYIKoZIzj0EAwIDSQAwRgIhAN9P5QGTP88VzxRvXMjj/UqIrreBNic7o+bpwluvkh7tAiEAtxpkTe7e"
    "azEvlFNzllc6Ai3hle5ACPDOH+jz5qQ42qU=";

// openssl req -new -subj /O=better-compute/OU=bc-role:node/CN=n1
constexpr std::string_view kRequest =
    "MIH3MIGfAgEAMD0xFzAVBgNVBAoMDmJldHRlci1jb21wdXRlMRUwEwYDVQQLDAxiYy1yb2xlOm5vZGUxCzAJBgNVBAMM"
    "Am4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEO90pDpxDgBcFHyFuUnFxDH4boD0KWr0nHL6CV0Q5EWgjA4F7WGKq"
    "0MVeYKP3q2laMVWSGCOL9aJgRwZ3lOVHOKAAMAoGCCqGSM49BAMCA0cAMEQCIB0SBbWgYy4tBb2WYxMD5VrygUVD9yiy"
    "SI5yhpKFJhqLAiAzKqWFpJprUSZlQwNJjaWfcG3QlZi+vH4nNfw7wbOSZw==";

// certtool --generate-request, with a challenge password and requested extensions
constexpr std::string_view kRequestWithAttributes =
    "MIIBQjCB6QIBADAmMRcwFQYDVQQKEw5iZXR0ZXItY29tcHV0ZTELMAkGA1UEAxMCbjEwWTATBgcqhkjOPQIBBggqhkjO"
    "PQMBBwNCAAQ73SkOnEOAFwUfIW5ScXEMfhugPQpavSccvoJXRDkRaCMDgXtYYqrQxV5go/eraVoxVZIYI4v1omBHBneU"
    "5Uc4oGEwFQYJKoZIhvcNAQkHMQgTBjEyMzQ1NjBIBgkqhkiG9w0BCQ4xOzA5MBkGA1UdEQQSMBCCDmd3LmV4YW1wbGUu"
    "Y29tMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMAoGCCqGSM49BAMCA0gAMEUCIQC1ZHlew0ZRroyDqM7DKc/h"
    "TBDjgClNuPLMrZN3utnkwgIgGkl6Rgjw4xLNUClrqEn6OZ5Gyyyk5u2tgZ0fdtWP57k=";

Bytes from_base64(std::string_view text) {
  return bcpki::parse_base64(text).value();
}

Bytes hex(std::string_view text) {
  return bcpki::parse_hex(text).value();
}

std::string hex(View bytes) {
  return bcpki::hex(bytes);
}

Bytes text(std::string_view characters) {
  return bcpki::to_bytes(bcpki::as_bytes(characters));
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes out;
  for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// tlv writes an element by hand, so that what refuses is not tested with what writes.
Bytes tlv(std::uint8_t tag, std::initializer_list<Bytes> parts) {
  const Bytes content = joined(parts);
  Bytes out{std::byte{tag}};
  if (content.size() >= 0x100) {
    out.push_back(std::byte{0x82});
    out.push_back(static_cast<std::byte>(content.size() >> 8));
  } else if (content.size() >= 0x80) {
    out.push_back(std::byte{0x81});
  }
  out.push_back(static_cast<std::byte>(content.size()));
  return joined({out, content});
}

Bytes sequence(std::initializer_list<Bytes> parts) {
  return tlv(0x30, parts);
}

Bytes name_of(std::uint8_t string_tag, std::string_view value) {
  return sequence({tlv(0x31, {sequence({hex("0603550403"), tlv(string_tag, {text(value)})})})});
}

Bytes extension(std::string_view id, const Bytes& value) {
  return sequence({hex(id), tlv(0x04, {value})});
}

const Bytes kAlgorithm = hex("300a06082a8648ce3d040302");
const Bytes kSpki = sequence({hex("301306072a8648ce3d020106082a8648ce3d030107"),
                              tlv(0x03, {hex("00"), Bytes(65, std::byte{0x04})})});
const Bytes kKeyUsage = extension("0603551d0f", hex("03020780"));
const Bytes kSubjectKey = extension("0603551d0e", hex("0402aabb"));

// Parts of a certificate, each with its header; a test spoils one.
struct Parts {
  Bytes version = hex("a003020102");
  Bytes serial = hex("020101");
  Bytes tbs_algorithm = kAlgorithm;
  Bytes issuer = name_of(0x0c, "issuer");
  Bytes validity =
      sequence({tlv(0x17, {text("261130120000Z")}), tlv(0x17, {text("261201120000Z")})});
  Bytes subject = name_of(0x0c, "subject");
  Bytes spki = kSpki;
  Bytes unique_ids{};
  Bytes extensions = tlv(0xa3, {sequence({kKeyUsage, kSubjectKey})});
  Bytes behind_tbs{};
  Bytes algorithm = kAlgorithm;
  Bytes signature = hex("03020001");
  Bytes behind{};

  Bytes certificate() const {
    return sequence({sequence({version, serial, tbs_algorithm, issuer, validity, subject, spki,
                               unique_ids, extensions, behind_tbs}),
                     algorithm, signature, behind});
  }
};

bool is_taken(const Parts& parts) {
  const Bytes der = parts.certificate();
  return x509::parse_certificate(der).has_value();
}

// with_extensions says whether a certificate with these extensions is taken.
bool with_extensions(std::initializer_list<Bytes> extensions) {
  Parts parts;
  parts.extensions = tlv(0xa3, {sequence(extensions)});
  return is_taken(parts);
}

std::string seconds_text(bcpki::UnixTime t) {
  return bcpki::format_time(t);
}

// value_of returns the value of an extension of `certificate`, or "" where it has none.
std::string value_of(const x509::CertificateFields& certificate, View id) {
  const auto* found = certificate.find(id);
  return found == nullptr ? "" : hex(found->value);
}

x509::OwnedGeneralName named(GeneralNameType type, std::string_view value) {
  return {.type = type, .value = text(value)};
}

// parts_like copies what does not depend on the profile from `certificate`.
x509::TbsParts parts_like(const x509::CertificateFields& certificate) {
  x509::TbsParts parts;
  parts.serial = bcpki::to_bytes(certificate.serial);
  parts.issuer = bcpki::to_bytes(certificate.issuer);
  parts.subject = bcpki::to_bytes(certificate.subject);
  parts.not_before = certificate.not_before;
  parts.not_after = certificate.not_after;
  parts.spki = bcpki::to_bytes(certificate.spki);
  return parts;
}

// The other implementation's certificate must come out, octet for octet.
void check_written(const Bytes& der, const x509::CertificateFields& fields,
                   const x509::TbsParts& parts) {
  CHECK(hex(x509::encode_tbs(parts)) == hex(fields.tbs));
  const auto signature = x509::p1363_from_der(fields.signature);
  REQUIRE(signature);
  CHECK(x509::encode_certificate(fields.tbs, *signature) == der);
}

TEST_CASE("a leaf by OpenSSL is read") {
  const Bytes der = from_base64(kLeaf);
  const auto leaf = x509::parse_certificate(der);
  REQUIRE(leaf);
  CHECK(leaf->version == 3);
  CHECK(hex(leaf->serial) == "008f01");
  CHECK(x509::is_ecdsa_with_sha256(leaf->tbs_signature_algorithm));
  CHECK(x509::is_ecdsa_with_sha256(leaf->signature_algorithm));
  CHECK(seconds_text(leaf->not_before) == "2026-11-30T12:00:00Z");
  CHECK(seconds_text(leaf->not_after) == "2026-12-01T12:00:00Z");
  CHECK(leaf->spki.size() == 91);
  CHECK(hex(leaf->spki.first(26)) == "3059301306072a8648ce3d020106082a8648ce3d030107034200");
  CHECK(leaf->extensions.size() == 6);
  CHECK(leaf->find(oid::basic_constraints)->critical);
  CHECK_FALSE(leaf->find(oid::subject_alt_name)->critical);
  CHECK(leaf->find(oid::name_constraints) == nullptr);

  const auto subject = x509::read_name(leaf->subject);
  REQUIRE(subject);
  REQUIRE(subject->size() == 3);
  CHECK(bcpki::equal((*subject)[0].type, oid::organization_name));
  CHECK((*subject)[0].value == "better-compute");
  CHECK((*subject)[0].string_tag == 0x0c);
  CHECK(bcpki::equal((*subject)[1].type, oid::organizational_unit_name));
  CHECK((*subject)[1].value == "bc-role:node");
  CHECK(bcpki::equal((*subject)[2].type, oid::common_name));
  CHECK((*subject)[2].value == "n1");
}

TEST_CASE("the extensions of a leaf by OpenSSL are read") {
  const Bytes der = from_base64(kLeaf);
  const auto leaf = x509::parse_certificate(der);
  REQUIRE(leaf);
  const auto constraints = x509::parse_basic_constraints(leaf->find(oid::basic_constraints)->value);
  REQUIRE(constraints);
  CHECK_FALSE(constraints->ca);
  CHECK_FALSE(constraints->path_length);
  CHECK(x509::parse_key_usage(leaf->find(oid::key_usage)->value) == x509::digital_signature);

  const auto purposes = x509::parse_extended_key_usage(leaf->find(oid::extended_key_usage)->value);
  REQUIRE(purposes);
  REQUIRE(purposes->size() == 1);
  CHECK(bcpki::equal((*purposes)[0], oid::client_auth));

  const auto names = x509::parse_subject_alt_name(leaf->find(oid::subject_alt_name)->value);
  REQUIRE(names);
  REQUIRE(names->size() == 2);
  CHECK((*names)[0].type == GeneralNameType::uri);
  CHECK(bcpki::as_text((*names)[0].value) == "spiffe://compute.example.com/site/s1/node/n1");
  CHECK(bcpki::as_text((*names)[1].value) == "urn:bc:test:one");

  const auto subject_key =
      x509::parse_subject_key_identifier(leaf->find(oid::subject_key_identifier)->value);
  const auto authority_key =
      x509::parse_authority_key_identifier(leaf->find(oid::authority_key_identifier)->value);
  REQUIRE((subject_key && authority_key));
  CHECK(hex(*subject_key) == "7a2526eae663c01cf969408aa6b0f4683d3376be");
  CHECK(hex(*authority_key) == "5a7075c7d04171b7c3b4d5918833d107242d97b4");
}

TEST_CASE("certificates of other makers and forms are read") {
  const Bytes gnutls_der = from_base64(kGnutls);
  const auto gnutls = x509::parse_certificate(gnutls_der);
  REQUIRE(gnutls);
  CHECK(hex(gnutls->serial) == "123456789abcdef0");
  CHECK(seconds_text(gnutls->not_after) == "2051-01-01T00:00:00Z");
  CHECK(x509::read_name(gnutls->subject)->at(1).string_tag == 0x13);
  CHECK(x509::parse_key_usage(gnutls->find(oid::key_usage)->value) ==
        (x509::key_cert_sign | x509::crl_sign));
  CHECK(x509::parse_basic_constraints(gnutls->find(oid::basic_constraints)->value)->path_length ==
        1U);

  const Bytes version_1_der = from_base64(kVersion1);
  const auto version_1 = x509::parse_certificate(version_1_der);
  REQUIRE(version_1);
  CHECK(version_1->version == 1);
  CHECK(version_1->extensions.empty());

  const Bytes empty_subject_der = from_base64(kGateway);
  const auto empty_subject = x509::parse_certificate(empty_subject_der);
  REQUIRE(empty_subject);
  CHECK(x509::read_name(empty_subject->subject)->empty());
  CHECK(empty_subject->find(oid::subject_alt_name)->critical);
}

TEST_CASE("an odd certificate is read, and what is not ours in it refused") {
  const Bytes der = from_base64(kOdd);
  const auto odd = x509::parse_certificate(der);
  REQUIRE(odd);
  CHECK(hex(odd->serial) == "fb");
  CHECK_FALSE(x509::read_name(odd->subject));  // two attributes in one set, and a BMPString
  CHECK(x509::parse_key_usage(odd->find(oid::key_usage)->value) == 0x1ff);
  CHECK_FALSE(x509::parse_authority_key_identifier(
      odd->find(oid::authority_key_identifier)->value));  // with an issuer

  const auto names = x509::parse_subject_alt_name(odd->find(oid::subject_alt_name)->value);
  REQUIRE(names);
  std::vector<std::pair<GeneralNameType, std::string>> found;
  for (const auto& name : *names) found.emplace_back(name.type, hex(name.value));
  CHECK(found == std::vector<std::pair<GeneralNameType, std::string>>{
                     {GeneralNameType::rfc822, hex(text("a@example.com"))},
                     {GeneralNameType::dns, hex(text("example.com"))},
                     {GeneralNameType::uri, hex(text("https://example.com/"))},
                     {GeneralNameType::ip, "c0000201"},
                     {GeneralNameType::ip, "20010db8000000000000000000000001"},
                     {GeneralNameType::other, "2a0304"},
                     {GeneralNameType::other, "06032a0304a0030c0178"},
                     {GeneralNameType::other, "300e310c300a06035504031303646972"}});

  const auto constraints = x509::parse_name_constraints(odd->find(oid::name_constraints)->value);
  REQUIRE(constraints);
  REQUIRE((constraints->permitted.size() == 1 && constraints->excluded.size() == 1));
  CHECK(bcpki::as_text(constraints->permitted[0].value) == "example.com");
  CHECK(constraints->excluded[0].type == GeneralNameType::ip);
  CHECK(hex(constraints->excluded[0].value) == "0a000000ff000000");
}

TEST_CASE("a certificate ends where its length says") {
  const Bytes der = from_base64(kLeaf);
  CHECK_FALSE(x509::parse_certificate({}));
  CHECK_FALSE(x509::parse_certificate(joined({der, hex("00")})));
  CHECK_FALSE(x509::parse_certificate(joined({der, der})));
  std::size_t taken = 0;
  for (std::size_t size = 0; size < der.size(); ++size)
    taken += x509::parse_certificate(View(der).first(size)) ? 1 : 0;
  CHECK(taken == 0);
}

TEST_CASE("a flipped bit is refused or changes a value, never the structure") {
  const Bytes der = from_base64(kLeaf);
  for (std::size_t i = 0; i < der.size() * 8; ++i) {
    Bytes changed = der;
    changed[i / 8] ^= std::byte{1} << i % 8;
    const auto fields = x509::parse_certificate(changed);
    if (!fields) continue;
    CAPTURE(i / 8);
    CHECK(fields->tbs.size() == 0x1d4 + 4);
    CHECK(fields->extensions.size() == 6);
  }
}

TEST_CASE("the certificate that tests spoil is a good one") {
  CHECK(is_taken({}));
}

TEST_CASE("a default is not written and a version is known") {
  struct Case {
    std::string_view version;
    bool is_taken;
  };
  for (const auto& c : std::vector<Case>{{"a003020102", true},
                                         {"a003020101", false},  // extensions need version 3
                                         {"", false},
                                         {"a003020100", false},  // the default
                                         {"a003020103", false},
                                         {"a0030201ff", false},
                                         {"a00402020002", false},
                                         {"a000", false},
                                         {"a006020102020102", false},
                                         {"020102", false}}) {
    CAPTURE(c.version);
    Parts parts;
    parts.version = hex(c.version);
    CHECK(is_taken(parts) == c.is_taken);
  }
  Parts explicit_default;
  explicit_default.version = hex("a003020100");
  explicit_default.extensions = {};
  CHECK_FALSE(is_taken(explicit_default));
  explicit_default.version = {};
  CHECK(is_taken(explicit_default));
}

TEST_CASE("any serial is read that is an INTEGER") {
  const auto with_serial = [](std::string_view serial) {
    Parts parts;
    parts.serial = hex(serial);
    return is_taken(parts);
  };
  CHECK(with_serial("020100"));
  CHECK(with_serial("0201ff"));
  CHECK(with_serial("0216000000000000000000000000000000000000000000ff") == false);
  CHECK(with_serial("021500ff0102030405060708090a0b0c0d0e0f10111213"));
  CHECK_FALSE(with_serial("0200"));
  CHECK_FALSE(with_serial("02020001"));
  CHECK_FALSE(with_serial("0a0101"));
  CHECK_FALSE(with_serial(""));
}

TEST_CASE("algorithms are an identifier and at most one parameter") {
  const auto with_algorithm = [](std::string_view algorithm) {
    Parts inside;
    inside.tbs_algorithm = hex(algorithm);
    Parts outside;
    outside.algorithm = hex(algorithm);
    CHECK(is_taken(inside) == is_taken(outside));
    return is_taken(inside);
  };
  CHECK(with_algorithm("300c06082a8648ce3d0403020500"));
  CHECK(with_algorithm("300506032b6570"));
  CHECK_FALSE(with_algorithm("3000"));
  CHECK_FALSE(with_algorithm("0500"));
  CHECK_FALSE(with_algorithm("300e06082a8648ce3d04030205000500"));
  CHECK_FALSE(with_algorithm("30020600"));
  CHECK_FALSE(with_algorithm("300d06082a8648ce3d040302050100"));
  CHECK_FALSE(x509::is_ecdsa_with_sha256(hex("300c06082a8648ce3d0403020500")));
  CHECK_FALSE(x509::is_ecdsa_with_sha256(hex("300a06082a8648ce3d040303")));
}

TEST_CASE("names are sets of attributes with text") {
  const auto with_name = [](const Bytes& name) {
    Parts issuer;
    issuer.issuer = name;
    Parts subject;
    subject.subject = name;
    CHECK(is_taken(issuer) == is_taken(subject));
    return is_taken(issuer);
  };
  CHECK(with_name(hex("3000")));
  CHECK(with_name(name_of(0x0c, "Jos\xc3\xa9")));
  CHECK(with_name(name_of(0x13, "Test CA 1")));
  CHECK(with_name(name_of(0x14, "Jos\xe9")));
  CHECK(with_name(name_of(0x16, "a@example.com")));

  CHECK_FALSE(with_name(name_of(0x0c, "Jos\xe9")));        // no UTF-8
  CHECK_FALSE(with_name(name_of(0x13, "a@example.com")));  // no PrintableString
  CHECK_FALSE(with_name(name_of(0x16, "Jos\xe9")));        // no IA5String
  CHECK_FALSE(with_name(name_of(0x02, "\x01")));           // no string
  CHECK_FALSE(with_name(name_of(0x04, "octets")));
  CHECK_FALSE(with_name(hex("30023100")));                // an empty set
  CHECK_FALSE(with_name(hex("300431023000")));            // an empty attribute
  CHECK_FALSE(with_name(hex("3009310730050603550403")));  // no value
  CHECK_FALSE(with_name(hex("300e310c300a06035504030c01610500")));
  CHECK_FALSE(with_name(hex("3100")));
  CHECK_FALSE(with_name({}));
}

TEST_CASE("names are read where they are simple") {
  const auto attributes = [](const Bytes& name) { return x509::read_name(name); };
  const Bytes unit_and_name =
      hex("3020310f300d060355040b0c0662632d726f6c310d300b06035504030c046e6f6465");
  CHECK(attributes(unit_and_name)->at(1).value == "node");
  CHECK(attributes(hex("3000"))->empty());
  CHECK_FALSE(attributes(name_of(0x14, "teletex")));
  CHECK_FALSE(attributes(name_of(0x1e, "bm")));
  CHECK_FALSE(
      attributes(hex("301a3118300a06035504030c0161300a060355040b0c0162")));  // both in one set
  CHECK_FALSE(attributes(hex("30023100")));
  CHECK_FALSE(attributes(hex("300000")));
  CHECK_FALSE(attributes(hex("3100")));
  CHECK_FALSE(attributes({}));
}

TEST_CASE("dates are two, each in its one form") {
  const auto with_dates = [](std::initializer_list<Bytes> dates) {
    Parts parts;
    parts.validity = sequence(dates);
    return is_taken(parts);
  };
  const Bytes good = tlv(0x17, {text("261130120000Z")});
  CHECK(with_dates({good, tlv(0x18, {text("20541130120000Z")})}));
  CHECK(with_dates({tlv(0x17, {text("491231235959Z")}), good}));  // the wrong way round
  CHECK_FALSE(with_dates({good}));
  CHECK_FALSE(with_dates({good, good, good}));
  CHECK_FALSE(with_dates({good, tlv(0x18, {text("20261201120000Z")})}));
  CHECK_FALSE(with_dates({good, tlv(0x17, {text("2612011200Z")})}));
  CHECK_FALSE(with_dates({good, tlv(0x17, {text("261201120000+0100")})}));
  CHECK_FALSE(with_dates({good, tlv(0x17, {text("260231120000Z")})}));
  CHECK_FALSE(with_dates({good, tlv(0x0c, {text("261201120000Z")})}));
}

TEST_CASE("a public key is an algorithm and a BIT STRING") {
  const auto with_key = [](std::string_view spki) {
    Parts parts;
    parts.spki = hex(spki);
    return is_taken(parts);
  };
  CHECK(with_key("300c300506032b6570030300aabb"));
  CHECK_FALSE(with_key("3007300506032b6570"));
  CHECK_FALSE(with_key("300b300506032b65700402aabb"));
  CHECK_FALSE(with_key("300c300506032b6570030309aabb"));
  CHECK_FALSE(with_key("300e300506032b6570030300aabb0500"));
  CHECK_FALSE(with_key("3005030300aabb"));
  CHECK_FALSE(with_key("3000"));
}

TEST_CASE("unique identifiers stand from version 2 on and are BIT STRINGs") {
  Parts parts;
  parts.unique_ids = hex("810200aa820200bb");
  CHECK(is_taken(parts));
  parts.unique_ids = hex("820200bb810200aa");
  CHECK_FALSE(is_taken(parts));
  parts.unique_ids = hex("810209aa");
  CHECK_FALSE(is_taken(parts));
  parts.unique_ids = hex("8100");
  CHECK_FALSE(is_taken(parts));
  parts.unique_ids = hex("a104030200aa");
  CHECK_FALSE(is_taken(parts));

  parts.unique_ids = hex("810200aa");
  parts.extensions = {};
  parts.version = hex("a003020101");
  CHECK(is_taken(parts));
  parts.version = {};
  CHECK_FALSE(is_taken(parts));
}

TEST_CASE("extensions: at least one, none twice, and no default written") {
  CHECK(with_extensions({kKeyUsage}));
  CHECK(with_extensions({sequence({hex("0603551d0f"), hex("0101ff"), hex("040403020780")})}));
  CHECK_FALSE(with_extensions({}));
  CHECK_FALSE(with_extensions({kKeyUsage, kSubjectKey, kKeyUsage}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f"), hex("010100"), hex("040403020780")})}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f"), hex("010101"), hex("040403020780")})}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f"), hex("0201ff"), hex("040403020780")})}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f"), hex("03020780")})}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f")})}));
  CHECK_FALSE(with_extensions({sequence({hex("040403020780")})}));
  CHECK_FALSE(with_extensions({sequence({hex("0603551d0f"), hex("040403020780"), hex("0500")})}));

  Parts parts;
  parts.extensions = tlv(0xa3, {sequence({kKeyUsage}), sequence({kSubjectKey})});
  CHECK_FALSE(is_taken(parts));
  parts.extensions = hex("a300");
  CHECK_FALSE(is_taken(parts));
  parts.extensions = {};
  CHECK(is_taken(parts));
}

TEST_CASE("many extensions are compared in good time") {
  Bytes many;
  for (int i = 0; i < 5000; ++i) {
    const Bytes id = tlv(0x06, {Bytes{std::byte{0x2a}, static_cast<std::byte>(0x81 + (i / 128)),
                                      static_cast<std::byte>(i % 128)}});
    const Bytes one = sequence({id, hex("0400")});
    many.insert(many.end(), one.begin(), one.end());
  }
  CHECK(with_extensions({many}));
  CHECK_FALSE(with_extensions({many, kKeyUsage, kKeyUsage}));
}

TEST_CASE("nothing stands behind the parts of a certificate") {
  Parts parts;
  parts.behind_tbs = hex("0500");
  CHECK_FALSE(is_taken(parts));
  parts.behind_tbs = {};
  parts.behind = hex("0500");
  CHECK_FALSE(is_taken(parts));
  parts.behind = {};
  parts.signature = hex("03020100");
  CHECK_FALSE(is_taken(parts));
  parts.signature = hex("040101");
  CHECK_FALSE(is_taken(parts));
  parts.signature = {};
  CHECK_FALSE(is_taken(parts));
}

TEST_CASE("basic constraints") {
  const auto read = [](std::string_view value) {
    return x509::parse_basic_constraints(hex(value));
  };
  CHECK(read("3000")->ca == false);
  CHECK(read("30030101ff")->ca);
  CHECK(read("30060101ff020100")->path_length == 0U);
  CHECK(read("30070101ff020200ff")->path_length == 255U);
  CHECK(read("3003020103")->path_length == 3U);  // without CA: what it means is not judged here

  CHECK_FALSE(read("3003010100"));  // the default
  CHECK_FALSE(read("3003010101"));
  CHECK_FALSE(read("30060101ff0201ff"));
  CHECK_FALSE(read("30070101ff02020001"));
  CHECK_FALSE(read("30080101ff0201000500"));
  CHECK_FALSE(read("30060201000101ff"));
  CHECK_FALSE(read("30030101ff00"));
  CHECK_FALSE(read("3100"));
  CHECK_FALSE(read(""));
}

TEST_CASE("key usage") {
  const auto read = [](std::string_view value) { return x509::parse_key_usage(hex(value)); };
  CHECK(read("03020780") == x509::digital_signature);
  CHECK(read("03020106") == (x509::key_cert_sign | x509::crl_sign));
  CHECK(read("03020284") == (x509::key_cert_sign | x509::digital_signature));
  CHECK(read("0303070080") == 1U << 8);
  CHECK(read("030307ff80") == 0x1ff);

  CHECK_FALSE(read("03020680"));  // a zero at the end
  CHECK_FALSE(read("03020080"));
  CHECK_FALSE(read("0303078000"));
  CHECK_FALSE(read("03020781"));  // an unused bit that is set
  CHECK_FALSE(read("030100"));    // none
  CHECK_FALSE(read("03020000"));
  CHECK_FALSE(read("0303068040"));  // a tenth bit
  CHECK_FALSE(read("0302078000"));
  CHECK_FALSE(read("04020780"));
  CHECK_FALSE(read(""));
}

TEST_CASE("extended key usage") {
  const auto read = [](std::string_view value) {
    return x509::parse_extended_key_usage(hex(value));
  };
  const Bytes both = hex("301406082b0601050507030106082b06010505070302");
  const auto purposes = x509::parse_extended_key_usage(both);
  REQUIRE((purposes && purposes->size() == 2));
  CHECK(bcpki::equal((*purposes)[0], oid::server_auth));
  CHECK(bcpki::equal((*purposes)[1], oid::client_auth));

  CHECK_FALSE(read("3000"));
  CHECK_FALSE(read("30020500"));
  CHECK_FALSE(read("300c06082b060105050703010500"));
  CHECK_FALSE(read("300a06082b0601050507030100"));
  CHECK_FALSE(read("06082b06010505070301"));
}

TEST_CASE("subject alternative names") {
  const auto read = [](std::string_view value) {
    return x509::parse_subject_alt_name(hex(value)).has_value();
  };
  CHECK(read("3003820161"));
  CHECK(read("30068704c0000201"));
  CHECK(read("30028200"));  // no name at all is the caller's to refuse
  CHECK(read("3005a003020101"));

  CHECK_FALSE(read("3000"));
  CHECK_FALSE(read("30038201e4"));  // not ASCII
  CHECK_FALSE(read("30038101ff"));
  CHECK_FALSE(read("30038601ff"));
  CHECK_FALSE(read("30058703c00002"));  // no address
  CHECK_FALSE(read("300a8708c0000201ffffffff"));
  CHECK_FALSE(read("30058803550480"));  // no OID
  CHECK_FALSE(read("3005a2030c0161"));  // constructed
  CHECK_FALSE(read("3003840161"));      // a directoryName is not primitive
  CHECK_FALSE(read("3003890161"));      // no such name
  CHECK_FALSE(read("30030c0161"));
  CHECK_FALSE(read("300382016100"));
  CHECK_FALSE(read("30058201610500"));
  CHECK_FALSE(read("6578616d706c652e636f6d"));  // the text alone
}

TEST_CASE("name constraints") {
  const auto read = [](std::string_view value) { return x509::parse_name_constraints(hex(value)); };
  CHECK(read("3006a00430028200")->permitted.at(0).type == GeneralNameType::dns);
  CHECK(read("3006a10430028200")->excluded.at(0).value.empty());
  CHECK(read("300ca00430028200a10430028200"));
  CHECK(read("300ea10c300a87080a000000ff000000"));

  CHECK_FALSE(read("3000"));
  CHECK_FALSE(read("3002a000"));
  CHECK_FALSE(read("3004a1023000"));
  CHECK_FALSE(read("300480008100"));
  CHECK_FALSE(read("3009a10730058200800100"));    // the default minimum, written
  CHECK_FALSE(read("3009a10730058200800101"));    // a minimum
  CHECK_FALSE(read("3009a10730058200810101"));    // a maximum
  CHECK_FALSE(read("300aa108300687040a000000"));  // an address without a mask
  CHECK_FALSE(read("300ca10430028200a00430028200"));
  CHECK_FALSE(read("3008a104300282000500"));
  CHECK_FALSE(read("3006a1043002820000"));
  CHECK_FALSE(read("3006a20430028200"));
}

TEST_CASE("key identifiers") {
  const Bytes subject_key = hex("0402aabb");
  const Bytes authority_key = hex("30048002aabb");
  CHECK(hex(*x509::parse_subject_key_identifier(subject_key)) == "aabb");
  CHECK(hex(*x509::parse_authority_key_identifier(authority_key)) == "aabb");

  CHECK_FALSE(x509::parse_subject_key_identifier(hex("0402aabb00")));
  CHECK_FALSE(x509::parse_subject_key_identifier(hex("0302aabb")));
  CHECK_FALSE(x509::parse_subject_key_identifier({}));
  CHECK_FALSE(x509::parse_authority_key_identifier(hex("3000")));
  CHECK_FALSE(x509::parse_authority_key_identifier(hex("3004810200aa")));
  CHECK_FALSE(x509::parse_authority_key_identifier(hex("30078002aabb820101")));
  CHECK_FALSE(x509::parse_authority_key_identifier(hex("3006a0040402aabb")));
  CHECK_FALSE(x509::parse_authority_key_identifier(hex("30048002aabb00")));
}

TEST_CASE("a leaf is written as OpenSSL writes it") {
  const Bytes der = from_base64(kLeaf);
  const auto leaf = x509::parse_certificate(der);
  REQUIRE(leaf);
  x509::TbsParts parts = parts_like(*leaf);
  parts.subject = x509::encode_name({.organization = "better-compute",
                                     .organizational_unit = "bc-role:node",
                                     .common_name = "n1"});
  parts.key_usage = x509::digital_signature;
  parts.extended_key_usage = {oid::client_auth};
  parts.subject_alt_name = {
      named(GeneralNameType::uri, "spiffe://compute.example.com/site/s1/node/n1"),
      named(GeneralNameType::uri, "urn:bc:test:one")};
  parts.subject_key_identifier = hex("7a2526eae663c01cf969408aa6b0f4683d3376be");
  parts.authority_key_identifier = hex("5a7075c7d04171b7c3b4d5918833d107242d97b4");
  check_written(der, *leaf, parts);
}

TEST_CASE("alternative names are critical where there is no subject") {
  const Bytes der = from_base64(kGateway);
  const auto gateway = x509::parse_certificate(der);
  REQUIRE(gateway);
  x509::TbsParts parts = parts_like(*gateway);
  parts.subject = x509::encode_name({});
  parts.key_usage = x509::digital_signature;
  parts.extended_key_usage = {oid::server_auth, oid::client_auth};
  parts.subject_alt_name = {named(GeneralNameType::dns, "gw.example.com"),
                            named(GeneralNameType::dns, "*.example.com")};
  parts.subject_key_identifier = hex("7a2526eae663c01cf969408aa6b0f4683d3376be");
  parts.authority_key_identifier = hex("5a7075c7d04171b7c3b4d5918833d107242d97b4");
  check_written(der, *gateway, parts);
}

TEST_CASE("a CA that outlives 2049 is written as OpenSSL writes it") {
  const Bytes der = from_base64(kCa);
  const auto ca = x509::parse_certificate(der);
  REQUIRE(ca);
  x509::TbsParts parts = parts_like(*ca);
  parts.issuer = parts.subject = x509::encode_name({.organization = "better-compute",
                                                    .organizational_unit = {},
                                                    .common_name = "compute.example.com node CA"});
  parts.not_after = bcpki::parse_time("2054-04-17T12:00:00Z").value();
  parts.basic_constraints = {.ca = true, .path_length = 0};
  parts.key_usage = x509::key_cert_sign | x509::crl_sign;
  parts.extended_key_usage = {oid::client_auth};
  parts.excluded_subtrees = {named(GeneralNameType::uri, ".")};
  parts.subject_key_identifier = hex("5a7075c7d04171b7c3b4d5918833d107242d97b4");
  check_written(der, *ca, parts);
}

TEST_CASE("the golden node CA is written octet for octet") {
  const Bytes der = from_base64(kNodeCa);
  const auto ca = x509::parse_certificate(der);
  REQUIRE(ca);
  const auto constraints = x509::parse_name_constraints(ca->find(oid::name_constraints)->value);
  REQUIRE(constraints);
  CHECK(constraints->permitted.empty());
  REQUIRE(constraints->excluded.size() == 3);
  CHECK(constraints->excluded[0].type == GeneralNameType::dns);
  CHECK(constraints->excluded[0].value.empty());
  CHECK(hex(constraints->excluded[1].value) == std::string(16, '0'));
  CHECK(hex(constraints->excluded[2].value) == std::string(64, '0'));

  x509::TbsParts parts = parts_like(*ca);
  parts.basic_constraints = {.ca = true, .path_length = 0};
  parts.key_usage = x509::key_cert_sign | x509::crl_sign;
  parts.extended_key_usage = {oid::client_auth};
  parts.excluded_subtrees = {named(GeneralNameType::dns, ""),
                             {.type = GeneralNameType::ip, .value = Bytes(8)},
                             {.type = GeneralNameType::ip, .value = Bytes(32)}};
  parts.subject_key_identifier = hex("9c816981049f1944fc88ecbb230e3976150d84cc");
  parts.authority_key_identifier = hex("8b99a78e964381bad96e0dff48b2340e468c019e");
  check_written(der, *ca, parts);
}

TEST_CASE("what is empty is left out of a certificate") {
  const Bytes der = from_base64(kLeaf);
  x509::TbsParts parts = parts_like(x509::parse_certificate(der).value());
  parts.serial = hex("80");
  parts.basic_constraints.path_length = 3;  // a path has no length without a CA
  const Bytes tbs = x509::encode_tbs(parts);
  const Bytes certificate = x509::encode_certificate(tbs, bcpki::Sig64{});
  const auto fields = x509::parse_certificate(certificate);
  REQUIRE(fields);
  CHECK(hex(fields->serial) == "0080");
  REQUIRE(fields->extensions.size() == 1);
  CHECK(fields->extensions[0].critical);
  CHECK(value_of(*fields, oid::basic_constraints) == "3000");

  CHECK(hex(x509::encode_name({})) == "3000");
  CHECK(
      hex(x509::encode_name({.organization = {}, .organizational_unit = {}, .common_name = "a"})) ==
      "300c310a300806035504030c0161");
}

TEST_CASE("a name of a type that is not ours is not written") {
  const Bytes der = from_base64(kLeaf);
  x509::TbsParts parts = parts_like(x509::parse_certificate(der).value());
  parts.subject_alt_name = {named(GeneralNameType::other, "x")};
  CHECK_THROWS_AS(x509::encode_tbs(parts), bcpki::Error);
}

TEST_CASE("requests of OpenSSL and GnuTLS are read") {
  const Bytes der = from_base64(kRequest);
  const auto request = x509::parse_request(der);
  REQUIRE(request);
  const Bytes leaf_der = from_base64(kLeaf);
  CHECK(bcpki::equal(request->spki, x509::parse_certificate(leaf_der)->spki));
  CHECK(hex(request->info.first(6)) == "30819f020100");
  CHECK(request->info.size() == 0x9f + 3);
  CHECK(x509::is_ecdsa_with_sha256(request->signature_algorithm));
  CHECK(x509::p1363_from_der(request->signature));

  const Bytes with_attributes = from_base64(kRequestWithAttributes);
  const auto other = x509::parse_request(with_attributes);
  REQUIRE(other);
  CHECK(bcpki::equal(other->spki, request->spki));
}

TEST_CASE("requests are version 0 with well-formed attributes, and nothing else") {
  struct RequestParts {
    Bytes version = hex("020100");
    Bytes subject = hex("3000");
    Bytes spki = kSpki;
    Bytes attributes = hex("a000");
    Bytes algorithm = kAlgorithm;
    Bytes signature = hex("03020001");
    Bytes behind{};
  };
  const auto with = [](const std::function<void(RequestParts&)>& spoil) {
    RequestParts p;
    spoil(p);
    const Bytes der = sequence({sequence({p.version, p.subject, p.spki, p.attributes}), p.algorithm,
                                p.signature, p.behind});
    return x509::parse_request(der).has_value();
  };
  const auto with_attributes = [&](std::string_view attributes) {
    return with([&](RequestParts& p) { p.attributes = hex(attributes); });
  };
  CHECK(with([](RequestParts&) {}));
  CHECK_FALSE(with([](RequestParts& p) { p.version = hex("020101"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.version = hex("02020000"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.version = {}; }));
  CHECK_FALSE(with([](RequestParts& p) { p.subject = hex("3100"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.spki = hex("3000"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.algorithm = hex("3000"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.signature = hex("03020401"); }));
  CHECK_FALSE(with([](RequestParts& p) { p.behind = hex("0500"); }));

  CHECK(with_attributes("a00b300906032a030431020500"));
  CHECK_FALSE(with_attributes(""));
  CHECK_FALSE(with_attributes("3100"));
  CHECK_FALSE(with_attributes("a0023000"));
  CHECK_FALSE(with_attributes("a009300706032a03043100"));          // no value
  CHECK_FALSE(with_attributes("a009300706032a03040500"));          // no set
  CHECK_FALSE(with_attributes("a00d300b06032a0304310205000500"));  // a third field
  CHECK_FALSE(with_attributes("a00d300b06032a0304310405000400"));  // a set that descends
  CHECK_FALSE(with_attributes("a00c300a06032a030431030201"));      // cut off
  CHECK_FALSE(with_attributes("a0000500"));

  const Bytes der = from_base64(kRequest);
  CHECK_FALSE(x509::parse_request(joined({der, hex("00")})));
  CHECK_FALSE(x509::parse_request(View(der).first(der.size() - 1)));
  CHECK_FALSE(x509::parse_request(from_base64(kLeaf)));
}

// RFC 6979 appendix A.2.5: P-256, SHA-256, message "sample".
constexpr std::string_view kR = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
constexpr std::string_view kS = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";

TEST_CASE("signatures change their form and back") {
  const auto check = [](std::string_view der, std::string_view p1363) {
    const auto signature = x509::p1363_from_der(hex(der));
    REQUIRE(signature);
    CHECK(hex(*signature) == p1363);
    CHECK(hex(x509::der_from_p1363(*signature)) == der);
  };
  const std::string r(kR);
  const std::string s(kS);
  const std::string zeros(62, '0');
  check("3046022100" + r + "022100" + s, r + s);
  check("3006020101020102", zeros + "01" + zeros + "02");
  check("300802020080020200ff", zeros + "80" + zeros + "ff");
  check("3006020100020100", std::string(128, '0'));  // zero is for the verifier to refuse
}

TEST_CASE("signatures of another form are refused") {
  const auto refused = [](const std::string& der) { return !x509::p1363_from_der(hex(der)); };
  const std::string r(kR);
  const std::string s(kS);
  CHECK(refused(""));
  CHECK(refused("3000"));
  CHECK(refused("3003020101"));
  CHECK(refused("3009020101020101020101"));
  CHECK(refused("300602010102010100"));
  CHECK(refused("300702020001020101"));  // not minimal
  CHECK(refused("30060201ff020101"));    // negative
  CHECK(refused("30060201010201ff"));
  CHECK(refused("30440220" + r + "0220" + s));  // the zero before a high bit is missing
  CHECK(refused("304702220001" + r.substr(0, 62) + "0000" + "022100" + s));
  CHECK(refused("3045022101" + r + "0220" + "7f" + s.substr(2)));  // 33 octets
  CHECK(refused("30800201010201010000"));
  CHECK(refused("308106020101020101"));
  CHECK(refused("3106020101020101"));
  CHECK(refused(r + s));
}

}  // namespace
