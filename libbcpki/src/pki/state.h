// What a `Bundle` holds: the document that passed every check, and the CAs in it.
#pragma once

#include <memory>

#include "bcpki/bundle.h"

#include "pki/document.h"

namespace bcpki {

struct Bundle::State {
  Document document;
  std::string organization;
  CertificateAuthority node_ca, serving_ca, internal_ca;

  explicit State(Document checked);

  // certificate returns the first certificate of a chain member.
  const x509::CertificateFields& certificate(std::string_view member) const;
};

// signer_of returns a signer over the private key of `entry`, or null where it has none.
std::shared_ptr<Signer> signer_of(const Entry& entry);

}  // namespace bcpki
