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

// public_half_of is a document without its seal or keys; private_keys_of, an object of those that
// it has, as PEM.
json::Object public_half_of(const Document& document);
json::Object private_keys_of(const Document& document);

// finish_file puts the private half behind `public_half`: sealed, or in clear without a secret.
// Throws MISSING_ENV and INVALID_INPUT as export_bundle.
SecretBytes finish_file(const FileKind& kind, std::string_view trust_domain,
                        json::Object public_half, json::Object keys, const SecretBytes* secret,
                        Rng& rng);

// signer_of returns a signer over the private key of `entry`, or null where it has none.
std::shared_ptr<Signer> signer_of(const Entry& entry);

}  // namespace bcpki
