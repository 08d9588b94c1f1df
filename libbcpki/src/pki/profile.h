// What each certificate of a bundle is: the upper half of the table in formats.md section 7.
//
// One row makes the certificate and judges it, so that nothing can be issued that would not load.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bcpki/bytes.h"
#include "bcpki/key.h"
#include "bcpki/rng.h"
#include "bcpki/time.h"

#include "format/x509.h"

namespace bcpki {

// Job is what a certificate of the bundle is for.
enum class Job {
  root_ca,
  node_ca,
  serving_ca,
  internal_ca,
  join_signing,
  command_signing,
  audit_signing,
};

// Exclusion is what a CA's critical name constraints rule out.
enum class Exclusion { nothing, hosts, uris };

// Profile is one row of that table.
struct Profile {
  Job job;
  std::string_view common_name;  // behind the trust domain
  bool ca;
  std::optional<std::uint64_t> path_length;
  std::uint16_t key_usage;
  std::span<const View> extended_key_usage;
  Exclusion excluded;
  bool self_signed;
  std::chrono::seconds lifetime;
};

const Profile& profile_of(Job job);

inline constexpr std::chrono::hours kDay{24};
inline constexpr std::chrono::minutes kSkew{1};    // certificates start a minute early
inline constexpr std::size_t kMaxCommonName = 64;  // bytes: RFC 5280 appendix A.1, ub-common-name

// profile_subject is the subject of `profile`'s certificate, as a DER Name. A CN that would pass 64
// bytes is written without the trust domain.
Bytes profile_subject(const Profile& profile, std::string_view organization,
                      std::string_view trust_domain);

// IssuerView is what a certificate takes from its issuer.
struct IssuerView {
  View subject;
  View subject_key_identifier;
  UnixTime not_after;
};

// profile_parts fills in a certificate of `profile` for `key`, valid from a minute before `now` and
// never past its issuer. `issuer` is null for one that signs itself.
x509::TbsParts profile_parts(const Profile& profile, std::string_view organization,
                             std::string_view trust_domain, const PublicKey& key,
                             const IssuerView* issuer, UnixTime now, Rng& rng);

// profile_violation says what `certificate` of `key` is not, or nullopt where it is `profile`'s.
// `issuer` is null for one that signs itself, or where it is not at hand. Neither dates nor
// signatures are judged.
std::optional<std::string> profile_violation(const Profile& profile,
                                             const x509::CertificateFields& certificate,
                                             const PublicKey& key, std::string_view organization,
                                             std::string_view trust_domain,
                                             const x509::CertificateFields* issuer);

// draw_serial returns 16 random octets that make a positive, non-zero INTEGER. Throws INTERNAL
// where the source gives only zeros.
Bytes draw_serial(Rng& rng);

// key_identifier is the SHA-1 of the public key bits (RFC 5280 section 4.2.1.2, method 1).
Bytes key_identifier(const PublicKey& key);

}  // namespace bcpki
