// What a `CertificateAuthority` holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bcpki/certificate.h"
#include "bcpki/key.h"

namespace bcpki {

struct CertificateAuthority::Impl {
  std::string trust_domain;
  std::string organization;
  Kind kind;
  Bytes subject;  // a whole Name
  PublicKey key;
  std::shared_ptr<Signer> signer;

  // The CA's certificate and its issuers, with their subjects' CN and their keys.
  std::vector<Certificate> chain{};
  std::vector<std::string> common_names{};
  std::vector<PublicKey> chain_keys{};
};

}  // namespace bcpki
