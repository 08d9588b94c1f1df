#include <array>
#include <bit>
#include <utility>

#include "bcpki/error.h"

#include "format/der.h"
#include "format/x509.h"

namespace bcpki::x509 {
namespace {

void put_general_name(der::Writer& out, const OwnedGeneralName& name) {
  if (name.type == GeneralNameType::other)
    throw Error(Code::internal, "a name of no type that certificates of ours hold");
  out.element(der::context(static_cast<std::uint8_t>(name.type)), name.value);
}

// Extensions that we write.

void put_basic_constraints(der::Writer& out, const BasicConstraints& constraints) {
  out.nested(der::kSequence, [&](der::Writer& fields) {
    if (!constraints.ca) return;
    fields.boolean(true);
    if (constraints.path_length) fields.integer(*constraints.path_length);
  });
}

// A named bit list ends with a one (X.690 section 11.2.2).
void put_key_usage(der::Writer& out, const std::uint16_t& usage) {
  const auto bits = static_cast<unsigned>(std::bit_width(usage));
  Bytes octets((bits + 7) / 8);
  for (unsigned n = 0; n < bits; ++n)
    if ((usage >> n & 1) != 0) octets[n / 8] |= std::byte{0x80} >> n % 8;
  out.bit_string(octets, static_cast<int>((octets.size() * 8) - bits));
}

void put_extended_key_usage(der::Writer& out, const std::vector<View>& purposes) {
  out.nested(der::kSequence, [&](der::Writer& list) {
    for (const View purpose : purposes) list.oid(purpose);
  });
}

void put_subject_alt_name(der::Writer& out, const std::vector<OwnedGeneralName>& names) {
  out.nested(der::kSequence, [&](der::Writer& list) {
    for (const OwnedGeneralName& name : names) put_general_name(list, name);
  });
}

void put_excluded_subtrees(der::Writer& out, const std::vector<OwnedGeneralName>& names) {
  out.nested(der::kSequence, [&](der::Writer& constraints) {
    constraints.nested(der::context_constructed(1), [&](der::Writer& list) {
      for (const OwnedGeneralName& name : names)
        list.nested(der::kSequence, [&](der::Writer& subtree) { put_general_name(subtree, name); });
    });
  });
}

void put_subject_key_identifier(der::Writer& out, const Bytes& identifier) {
  out.octet_string(identifier);
}

void put_authority_key_identifier(der::Writer& out, const Bytes& identifier) {
  out.nested(der::kSequence,
             [&](der::Writer& fields) { fields.element(der::context(0), identifier); });
}

void put_extension(der::Writer& out, View id, bool critical, View value) {
  out.nested(der::kSequence, [&](der::Writer& extension) {
    extension.oid(id);
    if (critical) extension.boolean(true);
    extension.octet_string(value);
  });
}

template <class Value>
void put_extension(der::Writer& out, View id, bool critical,
                   void (*put)(der::Writer&, const Value&), const Value& value) {
  der::Writer content;
  put(content, value);
  put_extension(out, id, critical, std::move(content).take());
}

void put_extensions(der::Writer& out, const TbsParts& p) {
  const bool has_subject = !equal(p.subject, encode_name({}));
  put_extension(out, oid::basic_constraints, true, put_basic_constraints, p.basic_constraints);
  if (p.key_usage != 0) put_extension(out, oid::key_usage, true, put_key_usage, p.key_usage);
  if (!p.extended_key_usage.empty())
    put_extension(out, oid::extended_key_usage, false, put_extended_key_usage,
                  p.extended_key_usage);
  if (!p.subject_alt_name.empty())
    put_extension(out, oid::subject_alt_name, !has_subject, put_subject_alt_name,
                  p.subject_alt_name);
  if (!p.excluded_subtrees.empty())
    put_extension(out, oid::name_constraints, true, put_excluded_subtrees, p.excluded_subtrees);
  if (!p.subject_key_identifier.empty())
    put_extension(out, oid::subject_key_identifier, false, put_subject_key_identifier,
                  p.subject_key_identifier);
  if (!p.authority_key_identifier.empty())
    put_extension(out, oid::authority_key_identifier, false, put_authority_key_identifier,
                  p.authority_key_identifier);
}

// Frame is what stands in a TBSCertificate besides its extensions.
struct Frame {
  View serial;  // magnitude
  View issuer;
  UnixTime not_before, not_after;
  View subject, spki;
};

template <class PutExtensions>
Bytes encode_framed(const Frame& frame, PutExtensions put) {
  constexpr std::uint64_t kV3 = 2;
  der::Writer out;
  out.nested(der::kSequence, [&](der::Writer& tbs) {
    tbs.nested(der::context_constructed(0), [](der::Writer& version) { version.integer(kV3); });
    tbs.integer(frame.serial);
    tbs.raw(ecdsa_with_sha256);
    tbs.raw(frame.issuer);
    tbs.nested(der::kSequence, [&](der::Writer& validity) {
      validity.time(frame.not_before);
      validity.time(frame.not_after);
    });
    tbs.raw(frame.subject);
    tbs.raw(frame.spki);
    tbs.nested(der::context_constructed(3),
               [&](der::Writer& extensions) { extensions.nested(der::kSequence, put); });
  });
  return std::move(out).take();
}

}  // namespace

Bytes encode_name(const NameParts& parts) {
  const std::array<std::pair<View, std::string_view>, 3> attributes{{
      {oid::organization_name, parts.organization},
      {oid::organizational_unit_name, parts.organizational_unit},
      {oid::common_name, parts.common_name},
  }};
  der::Writer out;
  out.nested(der::kSequence, [&](der::Writer& names) {
    for (const auto& attribute : attributes) {
      if (attribute.second.empty()) continue;
      names.nested(der::kSet, [&](der::Writer& relative_name) {
        relative_name.nested(der::kSequence, [&](der::Writer& fields) {
          fields.oid(attribute.first);
          fields.utf8(attribute.second);
        });
      });
    }
  });
  return std::move(out).take();
}

Bytes encode_tbs(const TbsParts& parts) {
  const Frame frame{parts.serial,    parts.issuer,  parts.not_before,
                    parts.not_after, parts.subject, parts.spki};
  return encode_framed(frame, [&](der::Writer& list) { put_extensions(list, parts); });
}

Bytes encode_renewed_tbs(const CertificateFields& former, const Renewal& renewal) {
  const Frame frame{renewal.serial,    former.issuer,  renewal.not_before,
                    renewal.not_after, former.subject, former.spki};
  return encode_framed(frame, [&](der::Writer& list) {
    for (const auto& [id, critical, value] : former.extensions)
      put_extension(list, id, critical, value);
  });
}

Bytes encode_certificate(View tbs, const Sig64& signature) {
  der::Writer out;
  out.nested(der::kSequence, [&](der::Writer& certificate) {
    certificate.raw(tbs);
    certificate.raw(ecdsa_with_sha256);
    certificate.bit_string(der_from_p1363(signature));
  });
  return std::move(out).take();
}

}  // namespace bcpki::x509
