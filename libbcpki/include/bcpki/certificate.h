// Certificates and who issues them: formats.md section 7 (RFC 5280).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/draft.h"
#include "bcpki/error.h"
#include "bcpki/key.h"
#include "bcpki/rng.h"
#include "bcpki/signer.h"
#include "bcpki/time.h"

namespace bcpki {

// Certificate is an X.509 certificate in DER and the facts that people ask for.
struct Certificate {
  Bytes der;
  std::string serial_hex;  // the INTEGER's content octets, lower-case hex
  UnixTime not_before;
  UnixTime not_after;

  // pem is one `CERTIFICATE` block: 64 columns, LF.
  std::string pem() const;

  // sha256_hex is the certificate's digest: hex SHA-256 of the DER.
  std::string sha256_hex() const;
};

// read_certificate takes one certificate, as DER or as a file with exactly one `CERTIFICATE` block
// (text around it and CRLF are taken). Nothing about it is trusted. Refused: `pem-form`,
// `certificate-form`.
Verdict<Certificate> read_certificate(View der_or_pem);

// renew_by is when a certificate should be replaced: when two thirds of its life are over, in whole
// seconds.
UnixTime renew_by(const Certificate& certificate);

// Role is what an agent is; it stands in the subject as `OU=bc-role:<role>`.
enum class Role { node, site, ramdisk, node_tenant };

// ServiceRole is what a control-plane process is.
enum class ServiceRole { gateway, internal, worker };

// The names as they stand behind `bc-role:`. A role that is none of its enumeration's is
// INVALID_INPUT; parse_* return nullopt for any other name.
std::string_view role_name(Role role);
std::string_view role_name(ServiceRole role);
std::optional<Role> parse_role(std::string_view name);
std::optional<ServiceRole> parse_service_role(std::string_view name);

// max_lifetime is the longest life of a certificate of that role: 24 h, or 2 h for a ramdisk.
std::chrono::seconds max_lifetime(Role role);
inline constexpr std::chrono::seconds kMaxGatewayLifetime = std::chrono::hours(24 * 30);
inline constexpr std::chrono::seconds kMaxInternalLifetime = std::chrono::hours(24 * 7);

// CertificateRequest is a PKCS#10 request whose signature proved possession of its key. Nothing but
// the key is kept.
class CertificateRequest {
 public:
  // read takes DER, or PEM with exactly one `CERTIFICATE REQUEST` (or `NEW CERTIFICATE REQUEST`)
  // block. Refused: `pem-form`, `request-form`, `key-form`, `request-signature`.
  static Verdict<CertificateRequest> read(View der_or_pem);

  const PublicKey& public_key() const noexcept { return key_; }

 private:
  explicit CertificateRequest(PublicKey key) : key_(std::move(key)) {}
  PublicKey key_;
};

// NodeProfile asks for an agent's certificate. Lifetimes are at least 120 s, of which one minute
// lies before now.
struct NodeProfile {
  std::string site{};
  std::string node{};
  Role role = Role::node;
  std::optional<std::chrono::seconds> lifetime{};  // max_lifetime(role) where missing
  std::vector<std::string> statements{};           // at most 3 `urn:bc:` statements
};

// GatewayProfile asks for a gateway's serving certificate.
struct GatewayProfile {
  std::vector<std::string> names{};  // 1 to 100 DNS names; the first is the CN where it fits
  std::chrono::seconds lifetime = kMaxGatewayLifetime;
};

// InternalProfile asks for a certificate of control-plane mutual TLS.
struct InternalProfile {
  ServiceRole role = ServiceRole::internal;
  std::vector<std::string> names{};
  std::chrono::seconds lifetime = kMaxInternalLifetime;
};

// CertificateAuthority is one of the three subordinate CAs. Immutable; share by const&.
class CertificateAuthority {
 public:
  enum class Kind { node, serving, internal };

  // `chain` is the CA's certificate and, where known, its issuers (DER). Throws INVALID_INPUT where
  // there is none, one is no DER certificate of a P-256 key, the first is no subordinate CA of
  // `trust_domain` by profile, or `signer`, which may be null, is another key's. Signatures and
  // dates are not judged.
  CertificateAuthority(std::string trust_domain, std::span<const Bytes> chain,
                       std::shared_ptr<Signer> signer = nullptr);

  Kind kind() const noexcept;
  const std::string& trust_domain() const noexcept;
  const PublicKey& public_key() const noexcept;
  const std::vector<Certificate>& chain() const noexcept;

  // node, gateway and internal draft a leaf for `key`. Every limit is enforced here, whatever is
  // asked for; a leaf never outlives a certificate of the chain (`Draft::shortened` says so).
  // Throws INVALID_INPUT: another kind of CA, a name or role that is not valid, no or too many
  // names, a lifetime out of range, a key that is not P-256 or is a key of the chain. Throws
  // INVALID_STATE where a certificate of the chain is not valid at `now`, or for less than 60 s.
  Draft<Certificate> node(const NodeProfile& profile, const PublicKey& key, UnixTime now,
                          Rng& rng) const;
  Draft<Certificate> gateway(const GatewayProfile& profile, const PublicKey& key, UnixTime now,
                             Rng& rng) const;
  Draft<Certificate> internal(const InternalProfile& profile, const PublicKey& key, UnixTime now,
                              Rng& rng) const;

  // still_serves returns the certificate in `deployed` (PEM, the first of a chain) where it does
  // the job of `draft` for `key` and ends later than `within` after `now`. Refused:
  // `certificate-form`, `other-issuer`, `other-key`, `other-names` (or another role), `expiring`.
  Verdict<Certificate> still_serves(View deployed, const Draft<Certificate>& draft,
                                    const PublicKey& key, UnixTime now,
                                    std::chrono::seconds within) const;

  // signer is the CA's own key. Throws MISSING_ENV where it is not at hand: the bundle was read
  // without its secret.
  Signer& signer() const;

  // kind_names pairs each kind with its name on the command line, in help order.
  static std::span<const std::pair<std::string_view, Kind>> kind_names() noexcept;

  struct Impl;
  explicit CertificateAuthority(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// normalize_dns_names returns the names as a certificate holds them: folded, each once, in their
// order. Throws INVALID_INPUT where one is not a name that `normalize_dns_name` takes, or there are
// none or more than 100.
std::vector<std::string> normalize_dns_names(std::span<const std::string> names);

// overlapping_names says, for people, a sentence for each name that a wildcard of the same list
// covers already.
std::vector<std::string> overlapping_names(std::span<const std::string> names);

// broad_wildcards says, for people, a sentence for each wildcard on a single label, such as
// `*.org`.
std::vector<std::string> broad_wildcards(std::span<const std::string> names);

}  // namespace bcpki
