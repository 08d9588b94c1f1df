#include <vector>

#include "bcpki/error.h"
#include "bcpki/identifier.h"
#include "bcpki/signer.h"

#include "base/wire.h"

namespace bcpki {
namespace {

constexpr std::string_view kFrame = "better-compute/sig/v1";

Bytes input_for(std::string_view purpose, std::span<const View> parts,
                std::string_view trust_domain) {
  std::vector<View> all(parts.begin(), parts.end());
  all.push_back(as_bytes(trust_domain));
  return purpose_input(purpose, all);
}

}  // namespace

Bytes purpose_input(std::string_view purpose, std::span<const View> parts) {
  Bytes input = to_bytes(as_bytes(kFrame));
  input.push_back(std::byte{0});
  wire::put_lp(input, as_bytes(purpose));
  wire::put_u32(input, static_cast<std::uint32_t>(parts.size()));
  for (const View part : parts) wire::put_lp(input, part);
  return input;
}

Signature sign_purpose(Signer& signer, std::string_view purpose, std::span<const View> parts,
                       std::string_view trust_domain) {
  if (!is_trust_domain(trust_domain))
    throw Error(Code::invalid_input, "nothing is signed without a valid trust domain");
  const PublicKey& key = signer.public_key();
  if (key.algorithm() != KeyAlgorithm::p256)
    throw Error(Code::invalid_input, "signatures with a purpose are made by P-256 keys only");
  const Bytes input = input_for(purpose, parts, trust_domain);
  Signature signature{key.kid(), signer.sign(input)};
  if (!key.verify(input, signature.sig))
    throw Error(Code::invalid_response, "the key's holder gave a signature that is not the key's");
  return signature;
}

bool verify_purpose(const PublicKey& key, std::string_view purpose, std::span<const View> parts,
                    std::string_view trust_domain, View sig) {
  return is_trust_domain(trust_domain) && key.algorithm() == KeyAlgorithm::p256 &&
         key.verify(input_for(purpose, parts, trust_domain), sig);
}

}  // namespace bcpki
