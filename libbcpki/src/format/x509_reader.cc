#include <algorithm>
#include <array>
#include <utility>

#include "format/der.h"
#include "format/x509.h"

namespace bcpki::x509 {
namespace {

using der::take;

constexpr std::size_t kKeyUsageBits = 9;

// take_some takes one element after the other until `in` is empty, but at least one.
template <class Take>
bool take_some(der::Reader& in, Take take_one) {
  do {
    if (!take_one(in)) return false;
  } while (!in.at_end());
  return true;
}

// take_whole takes a SEQUENCE whose content is of a form, together with its header.
bool take_whole(der::Reader& in, bool (*is_of_form)(der::Reader), View& out) {
  const auto element = in.next(der::kSequence);
  if (!element || !is_of_form(der::Reader(element->content))) return false;
  out = element->whole;
  return true;
}

// A BOOLEAN DEFAULT FALSE: DER leaves a default out.
bool take_flag(der::Reader& in, bool& out) {
  const auto flag = in.optional(der::kBoolean);
  out = flag && flag->content[0] != std::byte{0};
  return in.ok() && out == flag.has_value();
}

bool is_algorithm(der::Reader in) {
  in.oid();
  if (!in.at_end()) in.next();
  return in.at_end();
}

bool is_public_key(der::Reader in) {
  View algorithm;
  return take_whole(in, is_algorithm, algorithm) && in.next(der::kBitString) && in.at_end();
}

std::optional<Attribute> read_attribute(der::Reader in) {
  const auto type = in.oid();
  const auto value = in.next();
  if (!type || !value || !in.at_end()) return std::nullopt;
  return Attribute{.type = *type, .value = as_text(value->content), .string_tag = value->tag};
}

// A DirectoryString of RFC 5280, or what its other attributes are made of.
bool has_text(const Attribute& attribute) {
  constexpr std::array kStrings{der::kUtf8String,    der::kNumericString, der::kPrintableString,
                                der::kTeletexString, der::kIa5String,     der::kUniversalString,
                                der::kBmpString};
  return std::ranges::find(kStrings, attribute.string_tag) != kStrings.end();
}

bool take_relative_name(der::Reader& names) {
  der::Reader attributes = names.enter(der::kSet);
  return take_some(attributes, [](der::Reader& in) {
    const auto attribute = read_attribute(in.enter(der::kSequence));
    return attribute && has_text(*attribute);
  });
}

bool is_name(der::Reader in) {
  return in.at_end() || take_some(in, take_relative_name);
}

// Certificates.

bool take_version(der::Reader& in, std::uint64_t& out) {
  constexpr std::uint64_t kV2 = 1;
  constexpr std::uint64_t kV3 = 2;
  const auto field = in.optional(der::context_constructed(0));
  if (!field) return in.ok();
  der::Reader inner(field->content);
  const auto number = inner.unsigned_integer();
  if (!inner.at_end() || (number != kV2 && number != kV3)) return false;
  out = *number + 1;
  return true;
}

bool take_validity(der::Reader& in, CertificateFields& out) {
  der::Reader dates = in.enter(der::kSequence);
  return take(dates.time(), out.not_before) && take(dates.time(), out.not_after) && dates.at_end();
}

bool skip_unique_identifiers(der::Reader& in, std::uint64_t version) {
  for (std::uint8_t n = 1; n <= 2; ++n) {
    const auto identifier = in.optional(der::context(n));
    if (!identifier) continue;
    if (version == 1 || !der::fits(der::kBitString, identifier->content)) return false;
  }
  return in.ok();
}

bool take_extension(der::Reader& list, std::vector<Extension>& out) {
  der::Reader in = list.enter(der::kSequence);
  Extension& extension = out.emplace_back();
  return take(in.oid(), extension.id) && take_flag(in, extension.critical) &&
         take(in.octet_string(), extension.value) && in.at_end();
}

bool all_differ(const std::vector<Extension>& extensions) {
  std::vector<std::string_view> ids;
  ids.reserve(extensions.size());
  for (const Extension& extension : extensions) ids.push_back(as_text(extension.id));
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) == ids.end();
}

bool take_extensions(der::Reader& in, CertificateFields& out) {
  const auto field = in.optional(der::context_constructed(3));
  if (!field) return in.ok();
  der::Reader inner(field->content);
  der::Reader list = inner.enter(der::kSequence);
  return out.version == 3 && inner.at_end() &&
         take_some(list, [&](der::Reader& r) { return take_extension(r, out.extensions); }) &&
         all_differ(out.extensions);
}

bool take_tbs(der::Reader& in, CertificateFields& out) {
  const auto element = in.next(der::kSequence);
  if (!element) return false;
  out.tbs = element->whole;
  der::Reader tbs(element->content);
  return take_version(tbs, out.version) && take(tbs.integer(), out.serial) &&
         take_whole(tbs, is_algorithm, out.tbs_signature_algorithm) &&
         take_whole(tbs, is_name, out.issuer) && take_validity(tbs, out) &&
         take_whole(tbs, is_name, out.subject) && take_whole(tbs, is_public_key, out.spki) &&
         skip_unique_identifiers(tbs, out.version) && take_extensions(tbs, out) && tbs.at_end();
}

// Requests.

bool take_attribute(der::Reader& attributes) {
  der::Reader attribute = attributes.enter(der::kSequence);
  attribute.oid();
  der::Reader values = attribute.enter(der::kSet);
  return attribute.at_end() &&
         take_some(values, [](der::Reader& in) { return in.next().has_value(); });
}

bool take_request_info(der::Reader& in, RequestFields& out) {
  const auto element = in.next(der::kSequence);
  if (!element) return false;
  out.info = element->whole;
  der::Reader info(element->content);
  View subject;
  if (info.unsigned_integer() != 0U || !take_whole(info, is_name, subject) ||
      !take_whole(info, is_public_key, out.spki))
    return false;
  const auto attributes = info.next(der::context_constructed(0));
  return attributes && info.at_end() && are_attributes(attributes->content);
}

// Names in extensions.

// An address in a constraint has its mask behind it.
enum class IpForm : std::uint8_t { address = 1, address_and_mask = 2 };

bool is_ip(View octets, IpForm form) {
  const auto parts = static_cast<std::size_t>(form);
  return octets.size() == 4 * parts || octets.size() == 16 * parts;
}

std::optional<GeneralNameType> general_name_type(const der::Element& name, IpForm ip_form) {
  const auto where = [](bool holds, GeneralNameType type) {
    return holds ? std::optional(type) : std::nullopt;
  };
  const bool is_text = der::fits(der::kIa5String, name.content);
  switch (name.tag) {
    case der::context(1):
      return where(is_text, GeneralNameType::rfc822);
    case der::context(2):
      return where(is_text, GeneralNameType::dns);
    case der::context(6):
      return where(is_text, GeneralNameType::uri);
    case der::context(7):
      return where(is_ip(name.content, ip_form), GeneralNameType::ip);
    case der::context(8):  // registeredID
      return where(der::fits(der::kOid, name.content), GeneralNameType::other);
    case der::context_constructed(0):  // otherName
    case der::context_constructed(3):  // x400Address
    case der::context_constructed(4):  // directoryName
    case der::context_constructed(5):  // ediPartyName
      return GeneralNameType::other;
    default:
      return std::nullopt;
  }
}

bool take_general_name(der::Reader& in, IpForm ip_form, std::vector<GeneralName>& out) {
  const auto element = in.next();
  const auto type = element ? general_name_type(*element, ip_form) : std::nullopt;
  if (!type) return false;
  out.push_back({*type, element->content});
  return true;
}

// `minimum` is 0, which DER leaves out, and `maximum` is absent (RFC 5280 section 4.2.1.10).
bool take_subtrees(der::Reader& in, std::uint8_t n, std::vector<GeneralName>& out) {
  const auto field = in.optional(der::context_constructed(n));
  if (!field) return in.ok();
  der::Reader list(field->content);
  return take_some(list, [&](der::Reader& r) {
    der::Reader subtree = r.enter(der::kSequence);
    return take_general_name(subtree, IpForm::address_and_mask, out) && subtree.at_end();
  });
}

}  // namespace

const Extension* CertificateFields::find(View extension_id) const {
  const auto found = std::ranges::find_if(
      extensions, [&](const Extension& extension) { return equal(extension.id, extension_id); });
  return found == extensions.end() ? nullptr : &*found;
}

std::optional<std::vector<Attribute>> read_name(View name_der) {
  constexpr std::array kTaken{der::kUtf8String, der::kPrintableString, der::kIa5String};
  der::Reader names = der::open(name_der);
  std::vector<Attribute> attributes;
  while (!names.at_end()) {
    der::Reader relative_name = names.enter(der::kSet);
    const auto attribute = read_attribute(relative_name.enter(der::kSequence));
    if (!attribute || !relative_name.at_end()) return std::nullopt;
    if (std::ranges::find(kTaken, attribute->string_tag) == kTaken.end()) return std::nullopt;
    attributes.push_back(*attribute);
  }
  return attributes;
}

std::optional<CertificateFields> parse_certificate(View der) {
  der::Reader certificate = der::open(der);
  CertificateFields fields;
  if (!take_tbs(certificate, fields) ||
      !take_whole(certificate, is_algorithm, fields.signature_algorithm) ||
      !take(certificate.bit_string(), fields.signature) || !certificate.at_end())
    return std::nullopt;
  return fields;
}

std::optional<BasicConstraints> parse_basic_constraints(View value) {
  der::Reader in = der::open(value);
  BasicConstraints constraints;
  if (!take_flag(in, constraints.ca)) return std::nullopt;
  if (!in.at_end()) constraints.path_length = in.unsigned_integer();
  if (!in.at_end()) return std::nullopt;
  return constraints;
}

std::optional<std::uint16_t> parse_key_usage(View value) {
  der::Reader in(value);
  const auto element = in.next(der::kBitString);
  if (!element || !in.at_end()) return std::nullopt;
  const View octets = element->content.subspan(1);
  const std::size_t bits = (octets.size() * 8) - std::to_integer<std::size_t>(element->content[0]);
  if (bits == 0 || bits > kKeyUsageBits) return std::nullopt;
  unsigned usage = 0;
  for (std::size_t n = 0; n < bits; ++n)
    if ((octets[n / 8] & std::byte{0x80} >> n % 8) != std::byte{0}) usage |= 1U << n;
  const bool ends_with_one = usage >> (bits - 1) != 0;
  if (!ends_with_one) return std::nullopt;
  return static_cast<std::uint16_t>(usage);
}

std::optional<std::vector<View>> parse_extended_key_usage(View value) {
  der::Reader in = der::open(value);
  std::vector<View> purposes;
  if (!take_some(in, [&](der::Reader& r) { return take(r.oid(), purposes.emplace_back()); }))
    return std::nullopt;
  return purposes;
}

std::optional<std::vector<GeneralName>> parse_subject_alt_name(View value) {
  der::Reader in = der::open(value);
  std::vector<GeneralName> names;
  if (!take_some(in, [&](der::Reader& r) { return take_general_name(r, IpForm::address, names); }))
    return std::nullopt;
  return names;
}

std::optional<NameConstraints> parse_name_constraints(View value) {
  der::Reader in = der::open(value);
  NameConstraints constraints;
  if (in.at_end() || !take_subtrees(in, 0, constraints.permitted) ||
      !take_subtrees(in, 1, constraints.excluded) || !in.at_end())
    return std::nullopt;
  return constraints;
}

std::optional<View> parse_subject_key_identifier(View value) {
  der::Reader in(value);
  const auto identifier = in.octet_string();
  return in.at_end() ? identifier : std::nullopt;
}

std::optional<View> parse_authority_key_identifier(View value) {
  der::Reader in = der::open(value);
  const auto identifier = in.next(der::context(0));
  if (!identifier || !in.at_end()) return std::nullopt;
  return identifier->content;
}

std::optional<RequestFields> parse_request(View der) {
  der::Reader request = der::open(der);
  RequestFields fields;
  if (!take_request_info(request, fields) ||
      !take_whole(request, is_algorithm, fields.signature_algorithm) ||
      !take(request.bit_string(), fields.signature) || !request.at_end())
    return std::nullopt;
  return fields;
}

bool are_attributes(View content) {
  der::Reader in(content);
  return in.at_end() || take_some(in, take_attribute);
}

bool is_ecdsa_with_sha256(View algorithm_identifier) {
  return equal(algorithm_identifier, ecdsa_with_sha256);
}

}  // namespace bcpki::x509
