#include "pki/profile.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "bcpki/error.h"

#include "base/table.h"
#include "crypto/digest.h"

namespace bcpki {
namespace {

const std::array kClientAuth{x509::oid::client_auth};
const std::array kServerAuth{x509::oid::server_auth};
const std::array kBothAuths{x509::oid::server_auth, x509::oid::client_auth};

constexpr std::uint16_t kSignsCertificates = x509::key_cert_sign | x509::crl_sign;
constexpr std::chrono::seconds kYear = 365 * kDay;
constexpr std::size_t kSerialOctets = 16;
constexpr std::size_t kMaxSerialOctets = 20;  // RFC 5280 section 4.1.2.2

const std::array<Profile, 7> kProfiles{{
    {Job::root_ca,
     "root CA",
     true,
     1,
     kSignsCertificates,
     {},
     Exclusion::nothing,
     true,
     10 * kYear},
    {Job::node_ca, "node CA", true, 0, kSignsCertificates, kClientAuth, Exclusion::hosts, false,
     kYear},
    {Job::serving_ca, "gateway serving CA", true, 0, kSignsCertificates, kServerAuth,
     Exclusion::uris, false, kYear},
    {Job::internal_ca, "internal CA", true, 0, kSignsCertificates, kBothAuths, Exclusion::uris,
     false, kYear},
    {Job::join_signing,
     "JoinService signing",
     false,
     std::nullopt,
     x509::digital_signature,
     {},
     Exclusion::nothing,
     true,
     10 * kYear},
    {Job::command_signing,
     "command-signing root",
     true,
     0,
     x509::key_cert_sign | x509::digital_signature,
     {},
     Exclusion::nothing,
     true,
     5 * kYear},
    {Job::audit_signing,
     "audit signing",
     false,
     std::nullopt,
     x509::digital_signature,
     {},
     Exclusion::nothing,
     true,
     10 * kYear},
}};

std::vector<x509::OwnedGeneralName> excluded_subtrees(Exclusion excluded) {
  switch (excluded) {
    case Exclusion::hosts:
      return {{x509::GeneralNameType::dns, {}},         // every name
              {x509::GeneralNameType::ip, Bytes(8)},    // 0.0.0.0/0
              {x509::GeneralNameType::ip, Bytes(32)}};  // ::/0
    case Exclusion::uris:
      return {{x509::GeneralNameType::uri, to_bytes(as_bytes("."))}};  // every host
    case Exclusion::nothing:
      break;
  }
  return {};
}

bool is_wanted_serial(View serial) {
  const bool positive = !serial.empty() && (serial[0] & std::byte{0x80}) == std::byte{0};
  const bool zero = std::ranges::all_of(serial, [](std::byte b) { return b == std::byte{0}; });
  return positive && !zero && serial.size() <= kMaxSerialOctets;
}

bool same_set(std::vector<View> a, std::span<const View> b) {
  return std::ranges::is_permutation(a, b, [](View x, View y) { return equal(x, y); });
}

bool excludes_exactly(const x509::NameConstraints& found, Exclusion wanted) {
  const auto subtrees = excluded_subtrees(wanted);
  return found.permitted.empty() &&
         std::ranges::is_permutation(found.excluded, subtrees, [](const auto& a, const auto& b) {
           return a.type == b.type && equal(a.value, b.value);
         });
}

// Judge collects the first thing that a certificate is not.
class Judge {
 public:
  Judge(const Profile& profile, const x509::CertificateFields& certificate)
      : profile_(profile), certificate_(certificate) {}

  std::optional<std::string> verdict() const { return violation_; }

  void expect(bool holds, std::string_view otherwise) {
    if (!holds && !violation_) violation_ = otherwise;
  }

  // extension hands the value of a present extension to `fits`; `critical` is what it must be.
  template <class Fits>
  void extension(View id, bool critical, std::string_view name, Fits fits) {
    const auto* found = certificate_.find(id);
    expect(found != nullptr, fmt::format("{} is missing", name));
    if (!found) return;
    expect(found->critical == critical,
           fmt::format("{} is {}critical", name, critical ? "not " : ""));
    expect(fits(found->value), fmt::format("{} is not its profile's", name));
  }

  void absent(View id, std::string_view name) {
    expect(certificate_.find(id) == nullptr, fmt::format("{} is present", name));
  }

  void key_identified(const PublicKey& key) {
    extension(x509::oid::subject_key_identifier, false, "the subject key identifier",
              [&](View value) {
                const auto found = x509::parse_subject_key_identifier(value);
                return found && equal(*found, key_identifier(key));
              });
  }

  void basics() {
    expect(certificate_.version == 3, "it is no version 3 certificate");
    expect(x509::is_ecdsa_with_sha256(certificate_.signature_algorithm) &&
               equal(certificate_.signature_algorithm, certificate_.tbs_signature_algorithm),
           "the signature algorithm is not ecdsa-with-SHA256");
    expect(is_wanted_serial(certificate_.serial),
           "the serial number is not positive or has more than 20 octets");
    for (const auto& extension : certificate_.extensions)
      expect(!extension.critical || is_known_critical(extension.id),
             "an extension is critical that must not be");
  }

  void constraints() {
    extension(x509::oid::basic_constraints, true, "basicConstraints", [&](View value) {
      const auto found = x509::parse_basic_constraints(value);
      return found && found->ca == profile_.ca && found->path_length == profile_.path_length;
    });
    extension(x509::oid::key_usage, true, "keyUsage",
              [&](View value) { return x509::parse_key_usage(value) == profile_.key_usage; });
    if (profile_.extended_key_usage.empty())
      absent(x509::oid::extended_key_usage, "extendedKeyUsage");
    else
      extension(x509::oid::extended_key_usage, false, "extendedKeyUsage", [&](View value) {
        const auto found = x509::parse_extended_key_usage(value);
        return found && same_set(*found, profile_.extended_key_usage);
      });
    if (profile_.excluded == Exclusion::nothing)
      absent(x509::oid::name_constraints, "nameConstraints");
    else
      extension(x509::oid::name_constraints, true, "nameConstraints", [&](View value) {
        const auto found = x509::parse_name_constraints(value);
        return found && excludes_exactly(*found, profile_.excluded);
      });
    absent(x509::oid::subject_alt_name, "subjectAltName");
  }

  void issued_by(const x509::CertificateFields& issuer) {
    expect(equal(certificate_.issuer, issuer.subject), "the issuer is not the root's subject");
    const auto* identifier = issuer.find(x509::oid::subject_key_identifier);
    const auto wanted =
        identifier ? x509::parse_subject_key_identifier(identifier->value) : std::nullopt;
    extension(x509::oid::authority_key_identifier, false, "the authority key identifier",
              [&](View value) {
                const auto found = x509::parse_authority_key_identifier(value);
                return found && wanted && equal(*found, *wanted);
              });
  }

  void self_issued() {
    expect(equal(certificate_.issuer, certificate_.subject), "the issuer is not the subject");
    absent(x509::oid::authority_key_identifier, "the authority key identifier");
  }

 private:
  static bool is_known_critical(View id) {
    return equal(id, x509::oid::basic_constraints) || equal(id, x509::oid::key_usage) ||
           equal(id, x509::oid::name_constraints);
  }

  const Profile& profile_;
  const x509::CertificateFields& certificate_;
  std::optional<std::string> violation_;
};

}  // namespace

const Profile& profile_of(Job job) {
  return row_of(kProfiles, job, &Profile::job);
}

Bytes profile_subject(const Profile& profile, std::string_view organization,
                      std::string_view trust_domain) {
  auto common_name = fmt::format("{} {}", trust_domain, profile.common_name);
  if (common_name.size() > kMaxCommonName) common_name = profile.common_name;
  return x509::encode_name({std::string(organization), {}, std::move(common_name)});
}

x509::TbsParts profile_parts(const Profile& profile, std::string_view organization,
                             std::string_view trust_domain, const PublicKey& key,
                             const IssuerView* issuer, UnixTime now, Rng& rng) {
  x509::TbsParts parts;
  parts.serial = draw_serial(rng);
  parts.subject = profile_subject(profile, organization, trust_domain);
  parts.issuer = issuer ? to_bytes(issuer->subject) : parts.subject;
  parts.not_before = now.floor_seconds() - kSkew;
  parts.not_after = parts.not_before + profile.lifetime;
  if (issuer) parts.not_after = std::min(parts.not_after, issuer->not_after);
  parts.spki = to_bytes(key.spki());
  parts.basic_constraints = {profile.ca, profile.path_length};
  parts.key_usage = profile.key_usage;
  parts.extended_key_usage.assign(profile.extended_key_usage.begin(),
                                  profile.extended_key_usage.end());
  parts.excluded_subtrees = excluded_subtrees(profile.excluded);
  parts.subject_key_identifier = key_identifier(key);
  if (issuer) parts.authority_key_identifier = to_bytes(issuer->subject_key_identifier);
  return parts;
}

std::optional<std::string> profile_violation(const Profile& profile,
                                             const x509::CertificateFields& certificate,
                                             const PublicKey& key, std::string_view organization,
                                             std::string_view trust_domain,
                                             const x509::CertificateFields* issuer) {
  Judge judge(profile, certificate);
  judge.basics();
  judge.key_identified(key);
  judge.expect(equal(certificate.subject, profile_subject(profile, organization, trust_domain)),
               "the subject is not its profile's");
  judge.constraints();
  if (profile.self_signed)
    judge.self_issued();
  else if (issuer)
    judge.issued_by(*issuer);
  return judge.verdict();
}

Bytes draw_serial(Rng& rng) {
  Bytes serial(kSerialOctets);
  rng.fill(serial);
  serial[0] &= std::byte{0x7f};
  if (!is_wanted_serial(serial))
    throw Error(Code::internal, "the random source gave only zeros for a serial number");
  return serial;
}

Bytes key_identifier(const PublicKey& key) {
  const auto digest = sha1(key.raw());
  return {digest.begin(), digest.end()};
}

}  // namespace bcpki
