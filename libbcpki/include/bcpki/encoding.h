// Text forms of bytes, read strictly: formats.md section 1 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bcpki/bytes.h"

namespace bcpki {

// base64 and base64url write RFC 4648 section 4 (padded) and section 5 (no padding).
std::string base64(View bytes);
std::string base64url(View bytes);

// hex writes lower case.
std::string hex(View bytes);

// The parse functions return nullopt for padding that is missing, wrong or not of the form, for
// another alphabet, white space, trailing bits that are not zero, and half a byte of hex. Hex is
// read in either case. Empty text is no bytes. What was decoded of text that is refused is wiped.
std::optional<Bytes> parse_base64(std::string_view text);
std::optional<Bytes> parse_base64url(std::string_view text);
std::optional<Bytes> parse_hex(std::string_view text);

// parse_digest reads 32 bytes of hex, as strictly.
std::optional<Digest32> parse_digest(std::string_view text);

// printable shows text that came from elsewhere: control characters, DEL, bidi controls, zero-width
// and other invisible characters, line separators, and bytes that are no UTF-8 are written as
// `\u001b`, `\u{e0001}` or `\xff`; a backslash stays one. The result holds no line break.
std::string printable(std::string_view text);

}  // namespace bcpki
