// The root CA with its key, which signs the three subordinate CAs and nothing else: formats.md
// sections 6 and 7.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "bcpki/bundle.h"
#include "bcpki/bytes.h"
#include "bcpki/certificate.h"
#include "bcpki/draft.h"
#include "bcpki/key.h"
#include "bcpki/rng.h"
#include "bcpki/signer.h"
#include "bcpki/time.h"

namespace bcpki {

inline constexpr std::chrono::seconds kMinCaLifetime = std::chrono::hours(24);
inline constexpr std::chrono::seconds kDefaultCaLifetime = std::chrono::hours(24 * 365);
inline constexpr std::chrono::seconds kMaxCaLifetime = std::chrono::hours(24 * 3650);

// RootAuthority is a root CA that can sign. Immutable; copies share.
class RootAuthority {
 public:
  // `certificate` is the root's, in DER. Throws INVALID_INPUT where it is no root CA of
  // `trust_domain` by profile or does not sign itself, or where `signer` is another key's.
  RootAuthority(std::string trust_domain, View certificate, std::shared_ptr<Signer> signer);

  // of takes the root's key out of a bundle. Throws MISSING_ENV where the bundle's private keys did
  // not open, INVALID_STATE where the root's is not among them.
  static RootAuthority of(const Bundle& bundle);

  const std::string& trust_domain() const noexcept;
  const Certificate& certificate() const noexcept;
  const PublicKey& public_key() const noexcept;
  Signer& signer() const noexcept;

  // renew drafts a certificate for the subordinate CA of `ca_certificate` (DER): the same subject,
  // key and extensions, byte for byte, with a new serial, valid from a minute before `now` for
  // `lifetime` but not past the root (`Draft::shortened` says so). Dates of `ca_certificate` do not
  // matter. Throws INVALID_INPUT where it is no subordinate CA of this root, or for a lifetime that
  // is not from kMinCaLifetime to kMaxCaLifetime; INVALID_STATE where the root is not valid at
  // `now`, or for less than a day.
  Draft<Certificate> renew(View ca_certificate, std::chrono::seconds lifetime, UnixTime now,
                           Rng& rng) const;

  struct Impl;
  explicit RootAuthority(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// RootKeyOptions say whose root key a file must hold and how it is opened.
struct RootKeyOptions {
  OpenOptions open{};                   // of a root key file
  PrivateKey::Passphrase passphrase{};  // of an encrypted PEM key
  const Bundle* bundle = nullptr;       // the bundle whose root it must be

  // Without a bundle, a PEM key needs the root's certificate (DER), and the trust domain where the
  // certificate's subject is too short to name it. A root key file must agree with what is given.
  std::optional<Bytes> certificate{};
  std::string trust_domain{};
};

// RootKey is an opened root key.
struct RootKey {
  RootAuthority authority;
  bool in_clear;   // in its file
  bool unvouched;  // opened only because `allow_unauthenticated` was set
};

// open_root_key reads a root key file, or one PEM private key, encrypted or not, which must be the
// root's by its whole SubjectPublicKeyInfo.
//
// A root key file throws INVALID_CONFIG with the slug of the check that refused as detail "check",
// or with detail "reason", `trust-domain` or `root-key`, where it is not of the trust domain or of
// the certificate that are given; and MISSING_ENV where it is sealed and no secret was given. A PEM
// key throws INVALID_INPUT with detail "reason": what PrivateKey::read_pem refuses, or `root-key`
// where it is another key; and INVALID_INPUT without a bundle or certificate.
RootKey open_root_key(View file, const RootKeyOptions& options);

// reseal_root_key returns a root key file sealed anew under `secret`, in the current format. Throws
// as open_root_key for a root key file; INVALID_STATE where it is unvouched; for `secret` as
// export_root_key.
SecretBytes reseal_root_key(View file, const OpenOptions& options, bool accept_unvouched,
                            const SecretBytes& secret, Rng& rng);

}  // namespace bcpki
