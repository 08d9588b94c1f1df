#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/certificate.h"
#include "bcpki/identifier.h"

#include "base/table.h"
#include "format/pem.h"
#include "format/x509.h"
#include "pki/authority_impl.h"
#include "pki/certificate_facts.h"
#include "pki/profile.h"
#include "pki/seal.h"

namespace bcpki {
namespace {

using Kind = CertificateAuthority::Kind;

constexpr std::chrono::seconds kMinLifetime{120};  // a minute of it is skew
constexpr std::chrono::seconds kMinRemaining{60};
constexpr std::size_t kMaxNames = 100;
constexpr std::size_t kMaxStatements = 3;

constexpr std::array<std::pair<Kind, Job>, 3> kKinds{{
    {Kind::node, Job::node_ca},
    {Kind::serving, Job::serving_ca},
    {Kind::internal, Job::internal_ca},
}};

constexpr std::array<std::pair<std::string_view, Kind>, 3> kKindNames{{
    {"node", Kind::node},
    {"serving", Kind::serving},
    {"internal", Kind::internal},
}};

std::string_view kind_name(Kind kind) {
  return profile_of(row_of(kKinds, kind, &std::pair<Kind, Job>::first).second).common_name;
}

[[noreturn]] void refuse(std::string_view message) {
  throw Error(Code::invalid_input, message);
}

x509::CertificateFields parse_link(View der) {
  auto fields = x509::parse_certificate(der);
  if (!fields) refuse("a certificate of the CA's chain is no DER certificate");
  return *std::move(fields);
}

// Leaf is what the three kinds of leaf differ in.
struct Leaf {
  std::string role;
  std::string common_name;
  std::vector<View> extended_key_usage;
  std::vector<x509::OwnedGeneralName> names;
  std::chrono::seconds lifetime;
  std::chrono::seconds max_lifetime;
};

std::string fitting_common_name(std::string name) {
  if (name.size() > kMaxCommonName) name.clear();
  return name;
}

void require_kind(Kind found, Kind wanted) {
  if (found != wanted)
    refuse(fmt::format("the {} does not issue for the {}", kind_name(found), kind_name(wanted)));
}

x509::OwnedGeneralName general_name(x509::GeneralNameType type, std::string_view text) {
  return {type, to_bytes(as_bytes(text))};
}

std::vector<x509::OwnedGeneralName> dns_names(std::span<const std::string> names) {
  std::vector<x509::OwnedGeneralName> out;
  for (const auto& name : names) out.push_back(general_name(x509::GeneralNameType::dns, name));
  return out;
}

Leaf service_leaf(const InternalProfile& profile, std::vector<View> extended_key_usage,
                  std::chrono::seconds max_lifetime) {
  const auto names = normalize_dns_names(profile.names);
  return {std::string(role_name(profile.role)),
          fitting_common_name(names[0]),
          std::move(extended_key_usage),
          dns_names(names),
          profile.lifetime,
          max_lifetime};
}

void require_statements(std::span<const std::string> statements) {
  if (statements.size() > kMaxStatements)
    refuse(fmt::format("more than {} statements", kMaxStatements));
  std::vector<std::string_view> names;
  for (const auto& statement : statements) {
    if (!is_statement(statement))
      refuse(fmt::format("\"{}\" is no statement urn:bc:<name>:<value>", statement));
    const auto name = statement_name(statement);
    if (name == "tpm-ak" && !is_tpm_ak_statement(statement))
      refuse(fmt::format("\"{}\" names no TPM attestation key", statement));
    if (std::ranges::find(names, name) != names.end())
      refuse(fmt::format("two statements are called \"{}\"", name));
    names.push_back(name);
  }
}

std::vector<x509::OwnedGeneralName> agent_names(const NodeProfile& profile,
                                                const std::string& trust_domain) {
  if (!is_id(profile.site)) refuse(fmt::format("\"{}\" is no site id", profile.site));
  if (!is_id(profile.node)) refuse(fmt::format("\"{}\" is no node id", profile.node));
  require_statements(profile.statements);
  const auto uri = SpiffeId{trust_domain, profile.site, profile.node}.uri();
  if (!uri) refuse(fmt::format("\"{}\" is no trust domain", trust_domain));
  std::vector<x509::OwnedGeneralName> out{general_name(x509::GeneralNameType::uri, *uri)};
  for (const auto& statement : profile.statements)
    out.push_back(general_name(x509::GeneralNameType::uri, statement));
  return out;
}

std::string in_words(std::chrono::seconds span) {
  constexpr auto kNothing = std::chrono::seconds::zero();
  if (span % kDay == kNothing && span >= 2 * kDay) return fmt::format("{} days", span / kDay);
  if (span % std::chrono::hours(1) == kNothing)
    return fmt::format("{} hours", span / std::chrono::hours(1));
  return fmt::format("{} s", span.count());
}

void require_lifetime(const Leaf& leaf) {
  if (leaf.lifetime < kMinLifetime || leaf.lifetime > leaf.max_lifetime)
    refuse(fmt::format("a {} certificate lives from {} to {}, not {}", leaf.role,
                       in_words(kMinLifetime), in_words(leaf.max_lifetime),
                       in_words(leaf.lifetime)));
}

void require_leaf_key(const CertificateAuthority::Impl& ca, const PublicKey& key) {
  if (key.algorithm() != KeyAlgorithm::p256) refuse("the key is no P-256 key");
  if (std::ranges::find(ca.chain_keys, key) != ca.chain_keys.end())
    refuse("the key is a CA's own; no key does two jobs");
}

void require_valid(const CertificateAuthority::Impl& ca, UnixTime now) {
  for (std::size_t i = 0; i < ca.chain.size(); ++i) {
    const auto& certificate = ca.chain[i];
    if (now.floor_seconds() < certificate.not_before)
      throw Error(Code::invalid_state,
                  fmt::format("\"{}\" is not valid before {}; it is {} now", ca.common_names[i],
                              format_time(certificate.not_before), format_time(now)));
    if (now.floor_seconds() + kMinRemaining > certificate.not_after)
      throw Error(Code::invalid_state,
                  fmt::format("\"{}\" ends at {}; it is {} now: renew it first", ca.common_names[i],
                              format_time(certificate.not_after), format_time(now)));
  }
}

// Validity is a leaf's life, cut where a certificate of the chain is shorter.
struct Validity {
  UnixTime not_before, not_after;
  std::optional<std::string> shortened;
};

Validity cut_validity(const CertificateAuthority::Impl& ca, const Leaf& leaf, UnixTime now) {
  Validity out{now.floor_seconds() - kSkew, {}, {}};
  for (const auto& certificate : ca.chain)
    out.not_before = std::max(out.not_before, certificate.not_before);
  const auto wanted = out.not_before + leaf.lifetime;
  out.not_after = wanted;
  for (std::size_t i = 0; i < ca.chain.size(); ++i) {
    if (ca.chain[i].not_after >= out.not_after) continue;
    out.not_after = ca.chain[i].not_after;
    out.shortened = fmt::format("it ends at {} with \"{}\", not at {}", format_time(out.not_after),
                                ca.common_names[i], format_time(wanted));
  }
  return out;
}

Certificate assemble(View tbs, const Sig64& signature) {
  const auto der = x509::encode_certificate(tbs, signature);
  return certificate_facts(der, parse_link(der));
}

Draft<Certificate> draft(const CertificateAuthority::Impl& ca, const Leaf& leaf,
                         const PublicKey& key, UnixTime now, Rng& rng) {
  require_lifetime(leaf);
  require_leaf_key(ca, key);
  require_valid(ca, now);
  const auto validity = cut_validity(ca, leaf, now);

  x509::TbsParts parts;
  parts.serial = draw_serial(rng);
  parts.issuer = ca.subject;
  parts.subject = x509::encode_name({ca.organization, "bc-role:" + leaf.role, leaf.common_name});
  parts.not_before = validity.not_before;
  parts.not_after = validity.not_after;
  parts.spki = to_bytes(key.spki());
  parts.key_usage = x509::digital_signature;
  parts.extended_key_usage = leaf.extended_key_usage;
  parts.subject_alt_name = leaf.names;
  parts.subject_key_identifier = key_identifier(key);
  parts.authority_key_identifier = key_identifier(ca.key);
  return {x509::encode_tbs(parts), ca.key, assemble, validity.shortened};
}

std::optional<Bytes> first_certificate(View deployed) {
  const auto blocks = pem::parse_blocks(as_text(deployed));
  if (!blocks || blocks->empty() || (*blocks)[0].label != pem::kCertificate) return std::nullopt;
  return to_bytes((*blocks)[0].der.reveal());
}

// value_of returns an extension's value; empty where there is none.
View value_of(const x509::CertificateFields& fields, View extension_id) {
  const auto* extension = fields.find(extension_id);
  return extension ? extension->value : View();
}

// does_same_job says whether two leaves of one CA differ in nothing but key, serial and dates.
bool does_same_job(const x509::CertificateFields& a, const x509::CertificateFields& b) {
  const auto same_value = [&](View id) { return equal(value_of(a, id), value_of(b, id)); };
  return equal(a.subject, b.subject) && same_value(x509::oid::subject_alt_name) &&
         same_value(x509::oid::extended_key_usage);
}

bool is_issued_by(const x509::CertificateFields& fields, const CertificateAuthority::Impl& ca) {
  return equal(fields.issuer, ca.subject) && is_signed_by(fields, ca.key);
}

}  // namespace

CertificateAuthority::CertificateAuthority(std::string trust_domain, std::span<const Bytes> chain,
                                           std::shared_ptr<Signer> signer) {
  if (chain.empty()) refuse("a CA needs its certificate");
  if (!is_trust_domain(trust_domain))
    refuse(fmt::format("\"{}\" is no trust domain", trust_domain));
  std::vector<x509::CertificateFields> links;
  std::vector<PublicKey> keys;
  for (const auto& der : chain) {
    links.push_back(parse_link(der));
    keys.push_back(PublicKey::read(links.back().spki).value_or_throw(Code::invalid_input));
  }
  const auto& own = links[0];
  const auto* issuer = links.size() > 1 ? &links[1] : nullptr;
  const auto organization = subject_text(own, x509::oid::organization_name);

  const auto kind = std::ranges::find_if(kKinds, [&](const auto& row) {
    return !profile_violation(profile_of(row.second), own, keys[0], organization, trust_domain,
                              issuer);
  });
  if (kind == kKinds.end())
    refuse(fmt::format("\"{}\" is no subordinate CA of {}", common_name(own), trust_domain));
  if (signer && !(signer->public_key() == keys[0])) refuse("the signer's key is not the CA's");

  Impl impl{std::move(trust_domain), organization, kind->first,
            to_bytes(own.subject),   keys[0],      std::move(signer)};
  for (std::size_t i = 0; i < links.size(); ++i) {
    impl.chain.push_back(certificate_facts(chain[i], links[i]));
    impl.common_names.push_back(common_name(links[i]));
  }
  impl.chain_keys = std::move(keys);
  impl_ = std::make_shared<const Impl>(std::move(impl));
}

std::span<const std::pair<std::string_view, CertificateAuthority::Kind>>
CertificateAuthority::kind_names() noexcept {
  return kKindNames;
}

CertificateAuthority::Kind CertificateAuthority::kind() const noexcept {
  return impl_->kind;
}

const std::string& CertificateAuthority::trust_domain() const noexcept {
  return impl_->trust_domain;
}

const PublicKey& CertificateAuthority::public_key() const noexcept {
  return impl_->key;
}

const std::vector<Certificate>& CertificateAuthority::chain() const noexcept {
  return impl_->chain;
}

Draft<Certificate> CertificateAuthority::node(const NodeProfile& profile, const PublicKey& key,
                                              UnixTime now, Rng& rng) const {
  require_kind(impl_->kind, Kind::node);
  const auto limit = max_lifetime(profile.role);
  // OpenSSL takes a CN with a dot for a host name, which this CA's constraints exclude.
  const bool like_a_host = profile.node.find('.') != std::string::npos;
  const Leaf leaf{std::string(role_name(profile.role)),
                  like_a_host ? "" : fitting_common_name(profile.node),
                  {x509::oid::client_auth},
                  agent_names(profile, impl_->trust_domain),
                  profile.lifetime.value_or(limit),
                  limit};
  return draft(*impl_, leaf, key, now, rng);
}

Draft<Certificate> CertificateAuthority::gateway(const GatewayProfile& profile,
                                                 const PublicKey& key, UnixTime now,
                                                 Rng& rng) const {
  require_kind(impl_->kind, Kind::serving);
  const auto leaf = service_leaf({ServiceRole::gateway, profile.names, profile.lifetime},
                                 {x509::oid::server_auth}, kMaxGatewayLifetime);
  return draft(*impl_, leaf, key, now, rng);
}

Draft<Certificate> CertificateAuthority::internal(const InternalProfile& profile,
                                                  const PublicKey& key, UnixTime now,
                                                  Rng& rng) const {
  require_kind(impl_->kind, Kind::internal);
  const auto leaf =
      service_leaf(profile, {x509::oid::server_auth, x509::oid::client_auth}, kMaxInternalLifetime);
  return draft(*impl_, leaf, key, now, rng);
}

Verdict<Certificate> CertificateAuthority::still_serves(View deployed,
                                                        const Draft<Certificate>& draft,
                                                        const PublicKey& key, UnixTime now,
                                                        std::chrono::seconds within) const {
  const auto der = first_certificate(deployed);
  const auto fields = der ? x509::parse_certificate(*der) : std::nullopt;
  if (!fields) return Reason{"certificate-form", "the deployed certificate cannot be read"};
  if (!is_issued_by(*fields, *impl_))
    return Reason{"other-issuer", "the deployed certificate is not this CA's"};
  if (!equal(fields->spki, key.spki()))
    return Reason{"other-key", "the deployed certificate is another key's"};
  const auto unsigned_der = x509::encode_certificate(draft.to_be_signed(), Sig64{});
  if (!does_same_job(*fields, parse_link(unsigned_der)))
    return Reason{"other-names", "the deployed certificate is for another role or other names"};
  // Counted in whole seconds: the longest `within` that there is must not overflow.
  const auto left = std::chrono::floor<std::chrono::seconds>(fields->not_after - now);
  if (left <= within || now.floor_seconds() < fields->not_before)
    return Reason{"expiring", fmt::format("the deployed certificate ends at {}",
                                          format_time(fields->not_after))};
  return certificate_facts(*der, *fields);
}

Signer& CertificateAuthority::signer() const {
  if (!impl_->signer) seal::throw_sealed(fmt::format("the key of the {}", kind_name(impl_->kind)));
  return *impl_->signer;
}

std::vector<std::string> normalize_dns_names(std::span<const std::string> names) {
  std::vector<std::string> out;
  for (const auto& given : names) {
    auto name = normalize_dns_name(given);
    if (!name)
      refuse(
          fmt::format("\"{}\" is no DNS name that a certificate may carry (an IP address, a "
                      "trailing dot, an underscore or a bare wildcard is none; international "
                      "names are written as xn-- labels)",
                      given));
    if (std::ranges::find(out, *name) == out.end()) out.push_back(*std::move(name));
  }
  if (out.empty()) refuse("at least one DNS name is needed");
  if (out.size() > kMaxNames) refuse(fmt::format("more than {} DNS names", kMaxNames));
  return out;
}

std::vector<std::string> overlapping_names(std::span<const std::string> names) {
  std::vector<std::string> out;
  for (const auto& name : names)
    for (const auto& pattern : names)
      if (covers_dns_name(pattern, name)) {
        out.push_back(fmt::format("{} already covers {}", pattern, name));
        break;
      }
  return out;
}

std::vector<std::string> broad_wildcards(std::span<const std::string> names) {
  std::vector<std::string> out;
  for (const auto& name : names)
    if (name.starts_with("*.") && name.find('.', 2) == std::string::npos)
      out.push_back(fmt::format("{} covers every name directly below {}", name, name.substr(2)));
  return out;
}

}  // namespace bcpki
