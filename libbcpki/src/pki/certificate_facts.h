// From the bytes of a certificate to the facts that people ask for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bcpki/certificate.h"

#include "format/x509.h"

namespace bcpki {

// certificate_facts copies `der` and what `fields`, read from it, say.
Certificate certificate_facts(View der, const x509::CertificateFields& fields);

// subject_text is the subject's first attribute of `type`, or "" where it has none; common_name is
// its CN.
std::string subject_text(const x509::CertificateFields& fields, View type);
std::string common_name(const x509::CertificateFields& fields);

// is_signed_by says whether `key` made the certificate's signature.
bool is_signed_by(const x509::CertificateFields& certificate, const PublicKey& key);

// read_subordinate reads a certificate (DER) that must be a subordinate CA of `trust_domain` by
// profile, under `root` (DER) and signed by its key. Throws INVALID_INPUT.
x509::CertificateFields read_subordinate(View der, const std::string& trust_domain, View root,
                                         const PublicKey& root_key);

// sole_block returns the DER of a file that is DER itself or holds exactly one PEM block of one of
// `labels`; nullopt for anything else.
std::optional<Bytes> sole_block(View der_or_pem, std::span<const std::string_view> labels);

}  // namespace bcpki
