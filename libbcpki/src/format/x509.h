// Certificates and requests as bytes: RFC 5280 and RFC 2986, read and written strictly as DER. No
// keys and no verdicts: whether a certificate may do what it says is pki's to judge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/time.h"

namespace bcpki::x509 {

// Object identifiers as DER content octets.
namespace oid {
extern const View ec_public_key, prime256v1;
extern const View organization_name, organizational_unit_name, common_name;
extern const View basic_constraints, key_usage, extended_key_usage, subject_alt_name,
    name_constraints, subject_key_identifier, authority_key_identifier;
extern const View server_auth, client_auth;
}  // namespace oid

// ecdsa_with_sha256 is the whole AlgorithmIdentifier, 1.2.840.10045.4.3.2 without parameters
// (RFC 5758 section 3.2).
extern const View ecdsa_with_sha256;

// Attribute is one attribute of a name; `value` is its text, `string_tag` the DER string type.
struct Attribute {
  View type;
  std::string_view value;
  std::uint8_t string_tag = 0;
};

// read_name returns the attributes in order, or nullopt where it is no Name of single-valued RDNs
// with UTF8String, PrintableString or IA5String values.
std::optional<std::vector<Attribute>> read_name(View name_der);

// KeyUsage bits of RFC 5280 section 4.2.1.3 that we use; bit 0 is the first.
enum KeyUsageBit : std::uint16_t {
  digital_signature = 1 << 0,
  key_cert_sign = 1 << 5,
  crl_sign = 1 << 6,
};

struct BasicConstraints {
  bool ca = false;
  std::optional<std::uint64_t> path_length;
};

enum class GeneralNameType : std::uint8_t { rfc822 = 1, dns = 2, uri = 6, ip = 7, other = 0xff };

struct GeneralName {
  GeneralNameType type;
  View value;  // the content octets
  friend bool operator==(const GeneralName& a, const GeneralName& b) {
    return a.type == b.type && equal(a.value, b.value);
  }
};

struct NameConstraints {
  std::vector<GeneralName> permitted, excluded;  // minimum 0, no maximum
};

// Extension is one extension as it stands.
struct Extension {
  View id;
  bool critical = false;
  View value;  // the OCTET STRING's content
};

// CertificateFields are the parts of one certificate; every view lies in its DER.
struct CertificateFields {
  View tbs;                                           // the whole TBSCertificate
  std::uint64_t version = 1;                          // 1, 2 or 3
  View serial;                                        // INTEGER content octets
  View tbs_signature_algorithm, signature_algorithm;  // whole AlgorithmIdentifiers
  View issuer, subject;                               // whole Names
  UnixTime not_before, not_after;
  View spki;                          // whole SubjectPublicKeyInfo
  std::vector<Extension> extensions;  // none twice
  View signature;                     // BIT STRING octets

  const Extension* find(View extension_id) const;
};

// parse_certificate takes exactly one DER certificate; nullopt for anything else.
std::optional<CertificateFields> parse_certificate(View der);

// The values of the extensions; nullopt where the value is not well-formed DER of that type.
std::optional<BasicConstraints> parse_basic_constraints(View value);
std::optional<std::uint16_t> parse_key_usage(View value);  // bit n of the BIT STRING is 1 << n
std::optional<std::vector<View>> parse_extended_key_usage(View value);
std::optional<std::vector<GeneralName>> parse_subject_alt_name(View value);
std::optional<NameConstraints> parse_name_constraints(View value);
std::optional<View> parse_subject_key_identifier(View value);
std::optional<View> parse_authority_key_identifier(
    View value);  // keyIdentifier alone, nothing else

// NameParts make a Name in this order, each UTF8String; empty ones are left out.
struct NameParts {
  std::string organization, organizational_unit, common_name;
};
Bytes encode_name(const NameParts& parts);

// OwnedGeneralName is a name to be written.
struct OwnedGeneralName {
  GeneralNameType type;
  Bytes value;
};

// TbsParts are what we write; a member that is empty leaves its extension out. Extensions are
// written in the order of the members here.
struct TbsParts {
  Bytes serial;           // magnitude, big-endian
  Bytes issuer, subject;  // whole Names
  UnixTime not_before, not_after;
  Bytes spki;
  BasicConstraints basic_constraints;  // critical; always written
  std::uint16_t key_usage = 0;         // critical
  std::vector<View> extended_key_usage;
  std::vector<OwnedGeneralName> subject_alt_name;
  std::vector<OwnedGeneralName> excluded_subtrees;  // critical name constraints
  Bytes subject_key_identifier;
  Bytes authority_key_identifier;
};

// encode_tbs writes a version 3 TBSCertificate to be signed with ecdsa-with-SHA256.
Bytes encode_tbs(const TbsParts& parts);

// Renewal is what a renewed certificate does not take from the former one.
struct Renewal {
  Bytes serial;  // magnitude, big-endian
  UnixTime not_before, not_after;
};

// encode_renewed_tbs writes a version 3 TBSCertificate with the names, the key and every extension
// of `former` as they stand there, to be signed with ecdsa-with-SHA256.
Bytes encode_renewed_tbs(const CertificateFields& former, const Renewal& renewal);

// encode_certificate frames `tbs` and an ES256 signature (P1363) as a Certificate.
Bytes encode_certificate(View tbs, const Sig64& signature);

// RequestFields are the parts of a PKCS#10 request.
struct RequestFields {
  View info;  // the whole CertificationRequestInfo, which is signed
  View spki;
  View signature_algorithm;
  View signature;
};

// parse_request takes exactly one DER request, version 0; attributes must be well-formed and are
// otherwise ignored.
std::optional<RequestFields> parse_request(View der);

// are_attributes says whether `content` is Attributes (RFC 2986, RFC 5958), one after the other: an
// identifier and a set of at least one value each. None at all are fine, too.
bool are_attributes(View content);

// is_ecdsa_with_sha256 says whether an AlgorithmIdentifier is exactly that, without parameters.
bool is_ecdsa_with_sha256(View algorithm_identifier);

// ECDSA signatures: DER `SEQUENCE { r INTEGER, s INTEGER }` <-> P1363. nullopt where r or s is
// negative, not minimal, or longer than 32 bytes.
std::optional<Sig64> p1363_from_der(View der);
Bytes der_from_p1363(const Sig64& signature);

}  // namespace bcpki::x509
