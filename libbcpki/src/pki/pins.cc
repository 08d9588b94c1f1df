#include "bcpki/bundle.h"
#include "bcpki/encoding.h"

#include "pki/state.h"

namespace bcpki {
namespace {

std::string string_of(const json::Value& object, std::string_view name) {
  return *object.find(name)->string();
}

Jwk jwk_of(const json::Value& jwk) {
  return {string_of(jwk, "kty"), string_of(jwk, "crv"), string_of(jwk, "x"),  string_of(jwk, "y"),
          string_of(jwk, "kid"), string_of(jwk, "use"), string_of(jwk, "alg")};
}

// of returns what `read` makes of an entry, or nullopt where the bundle has none.
template <class Read>
std::optional<std::string> of(const Entry* entry, Read read) {
  return entry ? std::optional(read(*entry)) : std::nullopt;
}

std::string key_pin(const Entry& entry) {
  return entry.key->pin();
}

std::string first_digest(const Entry& entry) {
  return hex(sha256(entry.chain[0].der));
}

std::string key_line(const Entry& entry) {
  return string_of(*entry.value, "publicKey");
}

Expiries expiries_of(const Bundle::State& state) {
  const auto not_after = [&](std::string_view member) {
    return state.certificate(member).not_after;
  };
  Expiries out{not_after("rootCa"), not_after("nodeCa"), not_after("servingCa"),
               not_after("internalCa")};
  if (state.document.entry("commandSigning")) out.command_signing = not_after("commandSigning");
  return out;
}

std::vector<std::string> certificate_digests(const Document& document) {
  std::vector<std::string> out;
  for (const auto& entry : document.entries)
    for (const auto& certificate : entry.chain) out.push_back(hex(sha256(certificate.der)));
  return out;
}

}  // namespace

Pins Bundle::pins() const {
  const auto& document = state_->document;
  Pins pins;
  pins.trust_domain = trust_domain();
  pins.authenticated = authenticated();
  pins.serving_ca_spki_pin = key_pin(*document.entry("servingCa"));
  pins.join_signing_key_pin = key_pin(*document.entry("joinSigning"));
  pins.join_encryption_key_pin = key_pin(*document.entry("joinEncryption"));
  pins.join_encryption_jwk = jwk_of(*document.entry("joinEncryption")->value->find("jwk"));
  pins.audit_signing_key_pin = of(document.entry("auditSigning"), key_pin);
  pins.exec_ticket_key_id =
      of(document.entry("execTicket"), [](const Entry& entry) { return entry.key->thumbprint(); });
  pins.ssh_ca_public_key = of(document.entry("sshCa"), key_line);
  pins.sandbox_ssh_ca_public_key = of(document.entry("sandboxSshCa"), key_line);
  pins.command_signing_root_sha256 = of(document.entry("commandSigning"), first_digest);
  pins.command_signing_next_root_sha256 =
      of(document.entry("commandSigning", Stage::next), first_digest);
  pins.command_signing_previous_root_sha256 =
      of(document.entry("commandSigning", Stage::previous), first_digest);
  pins.trust_version = trust_version();
  pins.generation = document.integer("generation");
  pins.public_sha256 = hex(public_digest());
  pins.expires = expiries_of(*state_);
  pins.certificates = certificate_digests(document);
  return pins;
}

BootstrapPins Bundle::bootstrap_pins() const {
  const auto& document = state_->document;
  return {key_pin(*document.entry("servingCa")), key_pin(*document.entry("joinSigning")),
          key_pin(*document.entry("joinEncryption"))};
}

}  // namespace bcpki
