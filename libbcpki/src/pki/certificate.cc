#include "bcpki/certificate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "base/table.h"
#include "format/pem.h"
#include "pki/certificate_facts.h"

namespace bcpki {
namespace {

constexpr std::byte kSequenceTag{0x30};  // what every DER certificate and request starts with

constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles{{
    {Role::node, "node"},
    {Role::site, "site"},
    {Role::ramdisk, "ramdisk"},
    {Role::node_tenant, "node-tenant"},
}};

constexpr std::array<std::pair<ServiceRole, std::string_view>, 3> kServiceRoles{{
    {ServiceRole::gateway, "gateway"},
    {ServiceRole::internal, "internal"},
    {ServiceRole::worker, "worker"},
}};

template <class Table, class R>
std::string_view name_in(const Table& table, R role) {
  return row_of(table, role, &Table::value_type::first).second;
}

template <class Table>
auto role_in(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Table::value_type::second);
  return found == table.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace

std::string_view role_name(Role role) {
  return name_in(kRoles, role);
}

std::string_view role_name(ServiceRole role) {
  return name_in(kServiceRoles, role);
}

std::optional<Role> parse_role(std::string_view name) {
  return role_in(kRoles, name);
}

std::optional<ServiceRole> parse_service_role(std::string_view name) {
  return role_in(kServiceRoles, name);
}

std::chrono::seconds max_lifetime(Role role) {
  return std::chrono::hours(role == Role::ramdisk ? 2 : 24);
}

std::string Certificate::pem() const {
  return pem::encode(pem::kCertificate, der);
}

std::string Certificate::sha256_hex() const {
  return hex(sha256(der));
}

UnixTime renew_by(const Certificate& certificate) {
  const auto life = certificate.not_after - certificate.not_before;
  return (certificate.not_before + life / 3 * 2).floor_seconds();
}

Verdict<Certificate> read_certificate(View der_or_pem) {
  static constexpr std::array<std::string_view, 1> kLabels{pem::kCertificate};
  const auto der = sole_block(der_or_pem, kLabels);
  if (!der)
    return Reason{"pem-form",
                  "it does not hold exactly one CERTIFICATE block; keep the one that is meant"};
  const auto fields = x509::parse_certificate(*der);
  if (!fields) return Reason{"certificate-form", "it is no DER certificate"};
  return certificate_facts(*der, *fields);
}

Certificate certificate_facts(View der, const x509::CertificateFields& fields) {
  return {to_bytes(der), hex(fields.serial), fields.not_before, fields.not_after};
}

std::string subject_text(const x509::CertificateFields& fields, View type) {
  const auto name = x509::read_name(fields.subject);
  if (!name) return "";
  for (const auto& attribute : *name)
    if (equal(attribute.type, type)) return std::string(attribute.value);
  return "";
}

std::string common_name(const x509::CertificateFields& fields) {
  return subject_text(fields, x509::oid::common_name);
}

bool is_signed_by(const x509::CertificateFields& certificate, const PublicKey& key) {
  const auto signature = x509::p1363_from_der(certificate.signature);
  return signature && key.verify(certificate.tbs, *signature);
}

x509::CertificateFields read_subordinate(View der, const std::string& trust_domain, View root,
                                         const PublicKey& root_key) {
  const std::array chain{to_bytes(der), to_bytes(root)};
  (void)CertificateAuthority(trust_domain, chain);  // judges the profile
  auto fields = x509::parse_certificate(der).value();
  if (!is_signed_by(fields, root_key))
    throw Error(Code::invalid_input,
                fmt::format("\"{}\" was not signed by this root; take one of this deployment",
                            common_name(fields)));
  return fields;
}

std::optional<Bytes> sole_block(View der_or_pem, std::span<const std::string_view> labels) {
  if (!der_or_pem.empty() && der_or_pem[0] == kSequenceTag) return to_bytes(der_or_pem);
  const auto blocks = pem::parse_blocks(as_text(der_or_pem), 1);
  if (!blocks || blocks->size() != 1 || (*blocks)[0].has_headers) return std::nullopt;
  const auto& block = (*blocks)[0];
  if (std::ranges::find(labels, block.label) == labels.end()) return std::nullopt;
  return to_bytes(block.der.reveal());
}

}  // namespace bcpki
