// The PKI bundle: one sealed file with every CA and key of a deployment (formats.md section 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/certificate.h"
#include "bcpki/error.h"
#include "bcpki/key.h"
#include "bcpki/rng.h"
#include "bcpki/secret.h"
#include "bcpki/time.h"

namespace bcpki {

inline constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 20;
inline constexpr std::string_view kDefaultOrganization = "better-compute";

// deployment_secret hands on what an operator gave. Throws MISSING_ENV where it has fewer than 32
// characters, one trailing LF not counted: sealing and opening leave that out too. A byte that is
// no UTF-8 counts as a character.
SecretBytes deployment_secret(SecretBytes given);

// same_secret says whether two secrets open the same seals. One trailing LF of each is left out.
bool same_secret(const SecretBytes& a, const SecretBytes& b);

// Jwk is a public P-256 key as JSON (RFC 7517), its members in this order.
struct Jwk {
  std::string kty, crv, x, y, kid, use, alg;
};

// Expiries are the notAfter of the certificates that operators watch.
struct Expiries {
  UnixTime root, node, serving, internal;
  std::optional<UnixTime> command_signing{};
};

// Pins are what `show` prints, field by field in its order. A member that the bundle lacks leaves
// its fields empty. A pin names a chain's first certificate.
struct Pins {
  std::string trust_domain;
  bool authenticated = false;
  std::string serving_ca_spki_pin;
  std::string join_signing_key_pin;
  std::string join_encryption_key_pin;
  Jwk join_encryption_jwk;
  std::optional<std::string> audit_signing_key_pin{};
  std::optional<std::string> exec_ticket_key_id{};
  std::optional<std::string> ssh_ca_public_key{};
  std::optional<std::string> sandbox_ssh_ca_public_key{};
  std::optional<std::string> command_signing_root_sha256{};
  std::optional<std::string> command_signing_next_root_sha256{};
  std::optional<std::string> command_signing_previous_root_sha256{};
  std::uint64_t trust_version = 0;
  std::optional<std::uint64_t> generation{};
  std::string public_sha256;
  Expiries expires;
  std::vector<std::string> certificates;  // hex SHA-256, in file order
};

// BootstrapPins are what a new machine pins before it trusts anything.
struct BootstrapPins {
  std::string serving_ca, join_signing, join_encryption;
};

class Bundle;

// OpenOptions say how a bundle or root key file is opened. `secrets` are tried in order; an empty
// one counts as none. What follows them is asked of a bundle alone.
struct OpenOptions {
  std::vector<SecretBytes> secrets{};
  bool allow_unauthenticated = false;
  std::uint64_t min_trust_version = 0;
  std::uint64_t min_generation = 0;
  std::optional<std::string> expect_trust_domain{};
  std::optional<Digest32> expect_digest{};   // of the public half
  std::optional<std::string> expect_pins{};  // the JSON that `show` or `pins` printed
};

// is_pins_record says whether `json` is what `show` or `pins` prints, so that pins can be compared
// with it.
bool is_pins_record(std::string_view json);

// open_bundle reads and checks a bundle: every check of formats.md section 6 in its order. Throws
// INVALID_CONFIG with the slug of the check that refused as detail "check" (`json`, `format`, …),
// or where it is not the bundle that was expected with detail "reason": `trust-domain`,
// `trust-version`, `generation`, `digest` or `pins`. Throws INVALID_INPUT where `expect_pins` is no
// such JSON. More than kMaxBundleBytes of text are refused as `json`.
Bundle open_bundle(std::string_view json, const OpenOptions& options = {});

// Bundle is a bundle that passed every check. Immutable; copies share; safe between threads.
class Bundle {
 public:
  const std::string& trust_domain() const noexcept;
  const std::string& organization() const noexcept;
  std::uint64_t trust_version() const noexcept;
  std::uint64_t generation() const noexcept;  // 0 where the bundle has none

  // public_digest is SHA-256 of the canonical JSON of the public half.
  const Digest32& public_digest() const noexcept;

  // authenticated says whether the seal vouched for the public half.
  bool authenticated() const noexcept;

  // unvouched says whether it opened only because `allow_unauthenticated` was set: sealed in the
  // former format, or in clear although there was a secret.
  bool unvouched() const noexcept;

  // sealed says whether the file holds its private keys sealed, not in clear.
  bool sealed() const noexcept;

  // has_keys says whether the private keys opened; has_root_key, whether the root's was among them.
  bool has_keys() const noexcept;
  bool has_root_key() const noexcept;

  // opened_with is the index of the secret that opened the seal; 0 where none was needed.
  std::size_t opened_with() const noexcept;

  // pins() hashes every key and certificate anew; bootstrap_pins() is the part that machines pin
  // first, three keys.
  Pins pins() const;
  BootstrapPins bootstrap_pins() const;

  // Each CA signs with its own key where the keys opened.
  const CertificateAuthority& node_ca() const noexcept;
  const CertificateAuthority& serving_ca() const noexcept;
  const CertificateAuthority& internal_ca() const noexcept;

  // signer returns the key of `member` (`joinSigning`, `commandSigningNext`, …). Throws NOT_FOUND
  // where the bundle has no such member, MISSING_ENV where the private keys did not open, NOT_FOUND
  // where its own is not among them (an offline root, a previous key).
  std::shared_ptr<Signer> signer(std::string_view member) const;

  struct State;
  explicit Bundle(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// CreateOptions name a new deployment.
struct CreateOptions {
  std::string trust_domain{};
  std::string organization{kDefaultOrganization};
};

// create_bundle makes every key and certificate of a deployment, valid from a minute before `now`.
// Throws INVALID_INPUT for a trust domain or organization that is not valid, or a `now` of which
// the minute before is before 1970 or from which ten years do not end before the year 10000.
Bundle create_bundle(const CreateOptions& options, UnixTime now, Rng& rng);

// ExportOptions: sealed under `secret`, or with the private keys in clear where it is null.
struct ExportOptions {
  const SecretBytes* secret = nullptr;
  bool omit_root_key = false;
};

// export_bundle writes the bundle's file, with the same generation. What it returns is a secret
// where there is no secret to seal with. Throws INVALID_STATE where the keys are not at hand,
// MISSING_ENV for a secret of fewer than 32 characters, INVALID_INPUT for one of fewer than 10
// distinct ones.
SecretBytes export_bundle(const Bundle& bundle, const ExportOptions& options, Rng& rng);

// export_root_key writes the root key file. Throws as export_bundle, and INVALID_STATE where the
// bundle has no root key.
SecretBytes export_root_key(const Bundle& bundle, const SecretBytes* secret, Rng& rng);

// PublicPart is something that other software reads from a bundle.
enum class PublicPart {
  root,                 // PEM
  node_ca,              // PEM, the CA alone
  serving_ca,           //
  internal_ca,          //
  join_encryption_jwk,  // a JWK
  exec_jwks,            // a JWK set: the key in use, then the next and the previous one
  ssh_ca,               // `authorized_keys` lines: in use, next, previous
  sandbox_ssh_ca,       //
  command_roots,        // PEM: every command-signing root that is trusted
  audit_key,            // PEM SubjectPublicKeyInfo
};

// public_part_names pairs each part with its name on the command line, in help order.
std::span<const std::pair<std::string_view, PublicPart>> public_part_names() noexcept;

// export_public returns the text of a part, with its final line break. `with_root` adds the root
// behind a CA: a trusted root makes all its CAs trusted. Throws NOT_FOUND where the bundle
// lacks it, INVALID_INPUT for `with_root` on a part that is no subordinate CA, or for a part that
// is none of the enumeration's.
std::string export_public(const Bundle& bundle, PublicPart part, bool with_root);

// BundleChange is one difference between two bundles, by member (`nodeCa`) or field.
struct BundleChange {
  enum class Kind { added, removed, key, certificate, value };
  std::string member;
  Kind kind;
  std::string before;  // a pin, digest, line or value; empty where added
  std::string after;   // empty where removed
};

// BundleDiff compares two bundles of one or two deployments.
struct BundleDiff {
  enum class Lineage {
    same,       // byte for byte the same public half
    newer,      // the second may descend from the first
    older,      // the first may descend from the second
    diverged,   // neither descends from the other
    unrelated,  // another trust domain or another root key
  };
  Lineage lineage = Lineage::same;
  std::vector<BundleChange> changes;  // fields, then members in the first's order, then new ones
};

// diff_bundles compares the public halves; whether either is authenticated does not matter.
BundleDiff diff_bundles(const Bundle& before, const Bundle& after);

}  // namespace bcpki
