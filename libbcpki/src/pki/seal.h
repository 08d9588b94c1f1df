// The seal of a bundle or root key file: formats.md section 6, "Seal".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/rng.h"
#include "bcpki/secret.h"

#include "format/json.h"

namespace bcpki::seal {

// is_form says whether `value` is a `seal` member, complete and with nothing else in it.
bool is_form(const json::Value& value);

// without_newline is the secret that counts: one trailing LF is dropped, never a CR.
View without_newline(const SecretBytes& secret);

// Context is what the seal is bound to besides the secret: the file's kind and trust domain.
struct Context {
  std::string_view format;  // `better-compute-pki`
  std::string_view trust_domain;
};

// Contents is a plaintext.
struct Contents {
  std::vector<std::pair<std::string, SecretBytes>> private_keys;  // by member name, PKCS#8 PEM
  std::optional<Digest32> public_sha256;                          // missing in the former format
};

// open returns the contents of `value`, or nullopt where `secret` does not open it or what it holds
// is not of the form.
std::optional<Contents> open(const json::Value& value, const SecretBytes& secret,
                             const Context& context);

// make seals `private_keys` (an object of PEM strings) and the digest of the public half, under a
// fresh salt and iv.
json::Value make(json::Object private_keys, const Digest32& public_sha256,
                 const SecretBytes& secret, const Context& context, Rng& rng);

// throw_sealed throws MISSING_ENV: `keys` are sealed and no secret was given.
[[noreturn]] void throw_sealed(std::string_view keys);

}  // namespace bcpki::seal
