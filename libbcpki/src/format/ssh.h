// OpenSSH public key lines: formats.md sections 6 and 9 (RFC 4253 section 6.6, RFC 8709, RFC 5656).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bcpki/bytes.h"

namespace bcpki::ssh {

enum class KeyType { ed25519, ecdsa_p256 };

// PublicKeyLine is `type SP base64 [SP comment]`.
struct PublicKeyLine {
  KeyType type;
  Bytes raw;  // 32 bytes of Ed25519, or the 65-byte point
  std::string comment;
};

// parse_line takes one line of one of the two types, printable ASCII without a line break, no
// options before it, whose blob is of the type that it names.
std::optional<PublicKeyLine> parse_line(std::string_view line);

// format_line writes the line, without a line break. Throws INVALID_INPUT where the comment is not
// printable ASCII.
std::string format_line(KeyType type, View raw, std::string_view comment);

}  // namespace bcpki::ssh
