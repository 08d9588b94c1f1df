// What a `RootAuthority` holds.
#pragma once

#include <memory>
#include <string>

#include "bcpki/root_authority.h"

#include "pki/profile.h"

namespace bcpki {

struct RootAuthority::Impl {
  std::string trust_domain;
  std::string organization;
  Certificate certificate;
  PublicKey key;
  std::shared_ptr<Signer> signer;
  Bytes subject;  // a whole Name
  Bytes key_identifier;

  // require_valid throws INVALID_STATE where the root is not valid at `now`, or for less than a
  // day.
  void require_valid(UnixTime now) const;

  // issuer is what a subordinate CA's certificate takes from this root; its views lie in here.
  IssuerView issuer() const { return {subject, key_identifier, certificate.not_after}; }
};

}  // namespace bcpki
