// PEM (RFC 7468). Our own documents hold exactly what we write (`parse_exact`); files from
// elsewhere may have CRLF and text around (`parse_blocks`).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace bcpki::pem {

// Labels of RFC 7468 that more than one file here reads or writes.
inline constexpr std::string_view kCertificate = "CERTIFICATE", kPublicKey = "PUBLIC KEY",
                                  kPrivateKey = "PRIVATE KEY";

// encode writes one block: 64 columns, LF, one LF behind END.
std::string encode(std::string_view label, View der);

// encode_secret is the same for private keys; no copy is left behind.
SecretBytes encode_secret(std::string_view label, View der);

// parse_exact takes one block of `label` exactly as `encode` writes it, byte for byte.
std::optional<SecretBytes> parse_exact(std::string_view label, std::string_view text);

// Block is one `-----BEGIN label-----` block. `has_headers` marks RFC 1421 headers (`Proc-Type:`),
// which are skipped.
struct Block {
  std::string label;
  SecretBytes der;
  bool has_headers = false;
};

// parse_blocks finds every block in `text`, at most `max_blocks`. Text between blocks, CRLF, blank
// lines and trailing white space on a line are taken; a BEGIN without its END or the other way
// round, a label that is not 1 to 64 printable ASCII characters without a dash or space at its
// edges, a broken or empty body, or one block more than `max_blocks` makes it nullopt.
std::optional<std::vector<Block>> parse_blocks(std::string_view text, std::size_t max_blocks = 16);

}  // namespace bcpki::pem
