#include <array>

#include "bcpki/certificate.h"

#include "format/x509.h"
#include "pki/certificate_facts.h"

namespace bcpki {

Verdict<CertificateRequest> CertificateRequest::read(View der_or_pem) {
  static constexpr std::array<std::string_view, 2> kLabels{"CERTIFICATE REQUEST",
                                                           "NEW CERTIFICATE REQUEST"};
  const auto der = sole_block(der_or_pem, kLabels);
  if (!der) return Reason{"pem-form", "it does not hold exactly one CERTIFICATE REQUEST block"};
  const auto fields = x509::parse_request(*der);
  if (!fields) return Reason{"request-form", "it is no DER certificate request"};
  auto key = PublicKey::read(fields->spki);
  if (!key) return Reason{"key-form", "its key is no P-256 key in uncompressed form"};
  const auto signature = x509::p1363_from_der(fields->signature);
  if (!x509::is_ecdsa_with_sha256(fields->signature_algorithm) || !signature ||
      !key->verify(fields->info, *signature))
    return Reason{"request-signature",
                  "its signature is not its own key's (ecdsa-with-SHA256), so nothing proves "
                  "possession of the key"};
  return CertificateRequest(*std::move(key));
}

}  // namespace bcpki
