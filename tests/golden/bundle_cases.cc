#include "golden/bundle_cases.h"

#include "bcpki/root_authority.h"
#include "bcpki/time.h"

#include "format/json.h"

namespace bcpki::golden {
namespace {

void put(json::Object& object, std::string_view name, const std::optional<std::string>& value) {
  if (value) object.emplace_back(name, *value);
}

json::Value jwk_json(const Jwk& jwk) {
  json::Object out;
  for (const auto& [name, value] :
       {std::pair{"kty", jwk.kty}, std::pair{"crv", jwk.crv}, std::pair{"x", jwk.x},
        std::pair{"y", jwk.y}, std::pair{"kid", jwk.kid}, std::pair{"use", jwk.use},
        std::pair{"alg", jwk.alg}})
    out.emplace_back(name, value);
  return out;
}

json::Value expires_json(const Expiries& expires) {
  json::Object out;
  out.emplace_back("root", format_time(expires.root));
  out.emplace_back("node", format_time(expires.node));
  out.emplace_back("serving", format_time(expires.serving));
  out.emplace_back("internal", format_time(expires.internal));
  if (expires.command_signing)
    out.emplace_back("commandSigning", format_time(*expires.command_signing));
  return out;
}

std::string pins_json(const Pins& pins) {
  json::Object out;
  out.emplace_back("trustDomain", pins.trust_domain);
  out.emplace_back("authenticated", pins.authenticated);
  out.emplace_back("servingCaSpkiPin", pins.serving_ca_spki_pin);
  out.emplace_back("joinSigningKeyPin", pins.join_signing_key_pin);
  out.emplace_back("joinEncryptionKeyPin", pins.join_encryption_key_pin);
  out.emplace_back("joinEncryptionJwk", jwk_json(pins.join_encryption_jwk));
  put(out, "auditSigningKeyPin", pins.audit_signing_key_pin);
  put(out, "execTicketKeyId", pins.exec_ticket_key_id);
  put(out, "sshCaPublicKey", pins.ssh_ca_public_key);
  put(out, "sandboxSshCaPublicKey", pins.sandbox_ssh_ca_public_key);
  put(out, "commandSigningRootSha256", pins.command_signing_root_sha256);
  put(out, "commandSigningNextRootSha256", pins.command_signing_next_root_sha256);
  put(out, "commandSigningPreviousRootSha256", pins.command_signing_previous_root_sha256);
  out.emplace_back("trustVersion", pins.trust_version);
  if (pins.generation) out.emplace_back("generation", *pins.generation);
  out.emplace_back("publicSha256", pins.public_sha256);
  out.emplace_back("expires", expires_json(pins.expires));
  json::Array certificates;
  for (const auto& digest : pins.certificates) certificates.emplace_back(digest);
  out.emplace_back("certificates", std::move(certificates));
  return json::canonical(std::move(out));
}

OpenOptions options_of(const BundleCase& bundle_case) {
  OpenOptions options;
  options.allow_unauthenticated = bundle_case.allow_unauthenticated;
  if (bundle_case.secret) options.secrets.emplace_back(*bundle_case.secret);
  return options;
}

void read_expectation(Members& members, BundleCase& out) {
  if (const auto* pins = members.optional("pins")) {
    out.pins = json::canonical(*pins);
  } else if (members.optional("rootKey")) {
    expect(members.flag("rootKey"), "rootKey is not true");
  } else {
    out.error = members.text("error");
    out.check = members.text("check");
  }
}

}  // namespace

BundleCase read_bundle_case(Members& members) {
  BundleCase out;
  out.id = members.text("id");
  out.file = members.text("file");
  if (const auto* secret = members.member("secret").string()) out.secret = *secret;
  out.allow_unauthenticated = members.flag("allowUnauthenticated");
  if (members.optional("rootKeyOf")) out.root_key_of = members.text("rootKeyOf");
  if (members.optional("why")) members.text("why");
  members.within("expect", [&](Members& inner) { read_expectation(inner, out); });
  return out;
}

Outcome open_case(const BundleCase& bundle_case, Folder& folder) try {
  const std::filesystem::path bundles = "bundle";
  const auto text = folder.text(bundles / bundle_case.file);
  if (!bundle_case.root_key_of)
    return {pins_json(open_bundle(text, options_of(bundle_case)).pins()), {}, {}};
  const auto owner = open_bundle(folder.text(bundles / *bundle_case.root_key_of));
  open_root_key(as_bytes(text), {.open = options_of(bundle_case), .bundle = &owner});
  return {};
} catch (const Error& error) {
  return {{}, std::string(code_info(error.code()).name), std::string(error.detail("check"))};
}

}  // namespace bcpki::golden
