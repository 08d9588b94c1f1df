// The checks of formats.md section 6, in their order. A check only judges what was read beforehand.
#pragma once

#include <string_view>

#include "bcpki/bundle.h"

#include "pki/document.h"

namespace bcpki {

// CheckInput is what the checks look at. `bundle` is what a root key file must belong to, or null.
struct CheckInput {
  Document& document;  // `seal-open` puts in what the seal held
  const OpenOptions& options;
  const Document* bundle;
};

// Each runs a part of the list, the check that follows only where the one before it was content.
// Throws INVALID_CONFIG with the slug of the check that refused as detail "check".
void check_seal(const CheckInput& in);          // `format` to `public-digest`
void check_public_half(const CheckInput& in);   // `unknown-member` to `key-shared`
void check_private_keys(const CheckInput& in);  // `key-missing` to `root-key`

// refuse_document throws as the checks do.
[[noreturn]] void refuse_document(const FileKind& kind, std::string_view slug,
                                  std::string_view message);

}  // namespace bcpki
