#include "pki/document_checks.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"
#include "bcpki/identifier.h"

#include "format/json.h"
#include "pki/certificate_facts.h"
#include "pki/check_gate.h"
#include "pki/profile.h"
#include "pki/seal.h"

namespace bcpki {
namespace {

constexpr std::array<std::string_view, 8> kBundleFields{
    "format",       "version",    "trustDomain", "organization",
    "trustVersion", "generation", "seal",        "privateKeys"};
constexpr std::array<std::string_view, 6> kRootKeyFields{"format", "version", "trustDomain",
                                                         "chain",  "seal",    "privateKeys"};
constexpr std::array<std::string_view, 5> kRequiredFields{"format", "version", "trustDomain",
                                                          "organization", "trustVersion"};
constexpr std::array<std::string_view, 7> kJwkMembers{"kty", "crv", "x", "y", "kid", "use", "alg"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Refusal is what a check says; `run_checks` adds which one it was.
struct Refusal {
  std::string message;
};

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw Refusal{fmt::format(format, std::forward<Args>(args)...)};
}

// The checks, in their order.

bool counts(const SecretBytes& secret) {
  return !seal::without_newline(secret).empty();
}

bool any_secret(const OpenOptions& options) {
  return std::ranges::any_of(options.secrets, counts);
}

void check_format(const CheckInput& in) {
  const auto& wanted = in.document.kind->format;
  if (in.document.text("format") != wanted) refuse("it is no {} file", wanted);
  if (!is_trust_domain(in.document.trust_domain)) refuse("it names no valid trust domain");
}

void check_version(const CheckInput& in) {
  const auto version = in.document.integer("version");
  if (version && *version > kFileVersion)
    refuse("it was made by a newer version: update this tool to read version {}", *version);
  if (version != kFileVersion) refuse("its version is not {}", kFileVersion);
}

void check_seal_form(const CheckInput& in) {
  const auto* value = in.document.member("seal");
  if (value && !seal::is_form(*value)) refuse("the seal is not of the form that we read");
}

void check_seal_and_keys(const CheckInput& in) {
  if (in.document.member("seal") && in.document.member("privateKeys"))
    refuse("it holds a seal and private keys in clear");
}

void check_unsealed_with_secret(const CheckInput& in) {
  if (in.document.member("seal") || !any_secret(in.options)) return;
  in.document.unvouched = true;
  if (!in.options.allow_unauthenticated)
    refuse(
        "it is not sealed although a secret is set: it may have been put in a sealed one's place; "
        "restore it from a backup, or unset the secret");
}

void check_seal_open(const CheckInput& in) {
  auto& document = in.document;
  const auto* value = document.member("seal");
  document.sealed = value != nullptr;
  if (!value || !any_secret(in.options)) return;
  for (std::size_t i = 0; i < in.options.secrets.size(); ++i) {
    if (!counts(in.options.secrets[i])) continue;
    auto contents =
        seal::open(*value, in.options.secrets[i], {document.kind->format, document.trust_domain});
    if (!contents) continue;
    document.private_keys = std::move(contents->private_keys);
    document.sealed_digest = contents->public_sha256;
    document.unsealed = true;
    document.opened_with = i;
    return;
  }
  refuse(
      "it does not open with this secret, or it is damaged; restore it from a backup if the "
      "secret is right");
}

void check_former_format(const CheckInput& in) {
  if (!in.document.unsealed || in.document.sealed_digest) return;
  in.document.unvouched = true;
  if (!in.options.allow_unauthenticated)
    refuse(
        "it is sealed in the former format, which does not cover its public half; "
        "compare its pins with your records before anything trusts it");
}

void check_public_digest(const CheckInput& in) {
  const auto& sealed = in.document.sealed_digest;
  if (sealed && *sealed != in.document.public_digest)
    refuse("its public half was changed without the secret; restore it from a backup");
}

std::span<const std::string_view> known_fields(const FileKind& kind) {
  return kind.root_key_file ? std::span<const std::string_view>(kRootKeyFields)
                            : std::span<const std::string_view>(kBundleFields);
}

void refuse_unknown(const json::Value* value, std::span<const std::string_view> known,
                    std::string_view where) {
  const auto* object = value ? value->object() : nullptr;
  if (!object) return;
  for (const auto& [name, member] : *object)
    if (!contains(known, name)) refuse("unknown member {}/{}", where, name);
}

std::string_view inner_name(Form form) {
  switch (form) {
    case Form::jwk:
      return "jwk";
    case Form::ssh_line:
      return "publicKey";
    case Form::chain:
      break;
  }
  return "chain";
}

void check_unknown_member(const CheckInput& in) {
  const auto& document = in.document;
  for (const auto& [name, value] : *document.json.object()) {
    const bool is_entry = !document.kind->root_key_file && find_slot(name);
    if (!is_entry && !contains(known_fields(*document.kind), name))
      refuse("unknown member /{}", name);
  }
  if (document.kind->root_key_file) return;
  for (const auto& entry : document.entries) {
    const auto where = "/" + entry.name;
    const std::array<std::string_view, 2> known{inner_name(entry.slot.spec->form), "switchedAt"};
    const std::size_t count = entry.slot.stage == Stage::previous ? 2 : 1;
    refuse_unknown(entry.value, std::span(known).first(count), where);
    if (entry.slot.spec->form == Form::jwk)
      refuse_unknown(entry.value->find("jwk"), kJwkMembers, where + "/jwk");
  }
}

void require_member(const json::Value* object, std::string_view name, std::string_view where) {
  if (object && object->object() && !object->find(name)) refuse("{}/{} is missing", where, name);
}

void check_member_missing(const CheckInput& in) {
  const auto& document = in.document;
  if (!document.kind->root_key_file) {
    for (const auto name : kRequiredFields) require_member(&document.json, name, "");
    for (const auto& spec : member_specs())
      if (spec.required) require_member(&document.json, spec.name, "");
  }
  if (!document.member("seal") && !document.member("privateKeys"))
    refuse("it has neither a seal nor private keys");
  for (const auto& entry : document.entries) {
    const auto where = "/" + entry.name;
    if (!document.entry(entry.slot.spec->name))
      refuse("{} is there without /{}", where, entry.slot.spec->name);
    require_member(entry.value, inner_name(entry.slot.spec->form), where);
    if (entry.slot.stage == Stage::previous) require_member(entry.value, "switchedAt", where);
    if (entry.slot.spec->form == Form::jwk)
      for (const auto name : kJwkMembers)
        require_member(entry.value->find("jwk"), name, where + "/jwk");
  }
}

void require_form(bool holds, std::string_view where, std::string_view wanted) {
  if (!holds) refuse("{} is not {}", where, wanted);
}

void check_jwk_form(const Entry& entry, std::string_view where) {
  const auto* jwk = entry.value->find("jwk");
  require_form(jwk && jwk->object(), where, "a JWK object");
  for (const auto name : kJwkMembers)
    require_form(jwk->text(name).has_value(), where, "a JWK of strings");
  const std::array<std::pair<std::string_view, std::string_view>, 4> wanted{
      {{"kty", "EC"},
       {"crv", "P-256"},
       {"use", entry.slot.spec->use},
       {"alg", entry.slot.spec->alg}}};
  for (const auto& [name, value] : wanted)
    require_form(jwk->text(name) == value, fmt::format("{}/jwk/{}", where, name),
                 fmt::format("\"{}\"", value));
  require_form(entry.key.has_value(), where, "a point on P-256 with coordinates of 32 bytes");
}

void check_entry_form(const Entry& entry) {
  const auto where = "/" + entry.name;
  require_form(entry.value->object(), where, "an object");
  switch (entry.slot.spec->form) {
    case Form::chain: {
      const auto* chain = entry.value->find("chain");
      require_form(chain && chain->array(), where, "a chain");
      for (const auto& string : *chain->array())
        require_form(string.string(), where, "a chain of strings");
      break;
    }
    case Form::jwk:
      check_jwk_form(entry, where);
      break;
    case Form::ssh_line:
      require_form(entry.value->text("publicKey").has_value(), where, "a public key line");
      break;
  }
  if (entry.slot.stage == Stage::previous)
    require_form(entry.switched_at.has_value(), where + "/switchedAt", "a time");
}

void check_member_form(const CheckInput& in) {
  const auto& document = in.document;
  if (!document.kind->root_key_file) {
    const auto organization = document.text("organization");
    require_form(organization && is_organization(*organization), "/organization",
                 "1 to 64 printable ASCII characters");
    require_form(document.integer("trustVersion").has_value(), "/trustVersion", "an integer");
    require_form(!document.member("generation") || document.integer("generation").has_value(),
                 "/generation", "an integer");
  }
  for (const auto& entry : document.entries) check_entry_form(entry);
  const auto* keys = document.member("privateKeys");
  if (!keys) return;
  require_form(keys->object(), "/privateKeys", "an object");
  require_form(document.private_keys.size() == keys->object()->size(), "/privateKeys",
               "an object of strings");
}

void check_pem(const CheckInput& in) {
  for (const auto& entry : in.document.entries)
    for (const auto& certificate : entry.chain)
      if (!certificate.exact)
        refuse("/{} holds a certificate that is not exactly one PEM block", entry.name);
}

const StoredCertificate* root_of(const Document& document) {
  const auto* root = document.entry("rootCa");
  return root && !root->chain.empty() ? root->chain.data() : nullptr;
}

void check_chain_form(const CheckInput& in) {
  const auto* root = root_of(in.document);
  for (const auto& entry : in.document.entries) {
    if (entry.slot.spec->form != Form::chain) continue;
    const std::size_t wanted = entry.self_signed() ? 1 : 2;
    if (entry.chain.size() != wanted)
      refuse("/{} is a chain of {}, not of {}", entry.name, entry.chain.size(), wanted);
    if (!entry.self_signed() && (!root || !equal(entry.chain[1].der, root->der)))
      refuse("/{} does not end in the bundle's root", entry.name);
  }
}

const x509::CertificateFields* issuer_of(const Document& document, const Entry& entry) {
  if (entry.self_signed()) return nullptr;
  const auto* root = root_of(document);
  return root && root->fields ? &*root->fields : nullptr;
}

void check_profile(const CheckInput& in) {
  const auto& document = in.document;
  const auto organization = document.organization();
  for (const auto& entry : document.entries) {
    if (entry.slot.spec->form != Form::chain) continue;
    const auto& profile = profile_of(entry.slot.spec->job);
    const auto* certificate = entry.certificate();
    const auto* issuer = issuer_of(document, entry);
    if (!certificate || !entry.key || (!profile.self_signed && !issuer))
      refuse("/{} has no certificate of a P-256 key that can be read", entry.name);
    if (const auto violation = profile_violation(profile, *certificate, *entry.key, organization,
                                                 document.trust_domain, issuer))
      refuse("/{} is no {} certificate: {}", entry.name, profile.common_name, *violation);
  }
}

void check_chain_signature(const CheckInput& in) {
  const auto* root = in.document.entry("rootCa");
  for (const auto& entry : in.document.entries) {
    if (entry.slot.spec->form != Form::chain) continue;
    const auto* issuer = entry.self_signed() ? &entry : root;
    const auto* certificate = entry.certificate();
    if (!certificate || !issuer || !issuer->key || !is_signed_by(*certificate, *issuer->key))
      refuse("/{} is not signed by {}", entry.name, entry.self_signed() ? "itself" : "the root");
  }
}

void check_jwk_kid(const CheckInput& in) {
  for (const auto& entry : in.document.entries) {
    if (entry.slot.spec->form != Form::jwk) continue;
    if (!entry.key || entry.value->find("jwk")->text("kid") != entry.key->thumbprint())
      refuse("/{}/jwk/kid is not the key's thumbprint", entry.name);
  }
}

void check_ssh_line(const CheckInput& in) {
  for (const auto& entry : in.document.entries)
    if (entry.slot.spec->form == Form::ssh_line && !entry.key)
      refuse("/{}/publicKey is not one line of an Ed25519 or P-256 key", entry.name);
}

void check_next_and_previous(const CheckInput& in) {
  for (const auto& entry : in.document.entries)
    if (entry.slot.stage == Stage::next &&
        in.document.entry(entry.slot.spec->name, Stage::previous))
      refuse("/{0} has both a next and a previous key", entry.slot.spec->name);
}

void check_key_shared(const CheckInput& in) {
  std::vector<std::pair<View, const Entry*>> keys;
  for (const auto& entry : in.document.entries)
    if (entry.key) keys.emplace_back(entry.key->spki(), &entry);
  const auto text = [](const auto& key) { return as_text(key.first); };
  std::ranges::sort(keys, {}, text);
  const auto twice = std::ranges::adjacent_find(keys, {}, text);
  if (twice != keys.end())
    refuse("/{} and /{} are the same key; no key does two jobs", twice->second->name,
           std::next(twice)->second->name);
}

bool needs_private_key(const Document& document, const Entry& entry) {
  if (entry.slot.stage == Stage::previous) return false;
  return document.kind->root_key_file || entry.name != "rootCa";  // the root may be offline
}

bool has_private_key(const Document& document, const Entry& entry) {
  const auto has_name = [&](const auto& key) { return key.first == entry.name; };
  return std::ranges::any_of(document.private_keys, has_name);
}

void check_key_missing(const CheckInput& in) {
  const auto& document = in.document;
  if (!document.has_keys()) return;
  for (const auto& entry : document.entries)
    if (needs_private_key(document, entry) && !has_private_key(document, entry))
      refuse("the private key of /{} is missing", entry.name);
}

void check_key_unknown(const CheckInput& in) {
  const auto& document = in.document;
  for (const auto& [name, pem] : document.private_keys) {
    const auto slot = find_slot(name);
    const auto* entry = slot ? document.entry(slot->spec->name, slot->stage) : nullptr;
    if (!entry || slot->stage == Stage::previous)
      refuse("there is a private key for /{}, which has none", name);
  }
}

void check_key_mismatch(const CheckInput& in) {
  for (const auto& entry : in.document.entries) {
    if (!has_private_key(in.document, entry)) continue;
    if (!entry.private_key || !entry.key || !(entry.private_key->public_key() == *entry.key))
      refuse("the private key of /{} is not its public part's", entry.name);
  }
}

void check_root_key(const CheckInput& in) {
  if (!in.bundle) return;
  const auto& root = in.document.entries[0].key;
  if (!root || *root != *in.bundle->entry("rootCa")->key)
    refuse("it holds the key of another root");
  if (in.document.trust_domain != in.bundle->trust_domain)
    refuse("it is of trust domain {}", in.document.trust_domain);
}

struct Check {
  std::string_view slug;
  void (*run)(const CheckInput&);
};

// What the text must be to be looked at at all is the first check, `json`; these follow it.
constexpr std::array kSealChecks{
    Check{"format", check_format},
    Check{"version", check_version},
    Check{"seal-form", check_seal_form},
    Check{"seal-and-keys", check_seal_and_keys},
    Check{"unsealed-with-secret", check_unsealed_with_secret},
    Check{"seal-open", check_seal_open},
    Check{"former-format", check_former_format},
    Check{"public-digest", check_public_digest},
};

constexpr std::array kPublicChecks{
    Check{"unknown-member", check_unknown_member},
    Check{"member-missing", check_member_missing},
    Check{"member-form", check_member_form},
    Check{"pem", check_pem},
    Check{"chain-form", check_chain_form},
    Check{"profile", check_profile},
    Check{"chain-signature", check_chain_signature},
    Check{"jwk-kid", check_jwk_kid},
    Check{"ssh-line", check_ssh_line},
    Check{"next-and-previous", check_next_and_previous},
    Check{"key-shared", check_key_shared},
};

constexpr std::array kKeyChecks{
    Check{"key-missing", check_key_missing},
    Check{"key-unknown", check_key_unknown},
    Check{"key-mismatch", check_key_mismatch},
    Check{"root-key", check_root_key},
};

void run_checks(std::span<const Check> checks, const CheckInput& in) {
  for (const auto& check : checks) {
    if (!check_enabled(check.slug)) continue;
    try {
      check.run(in);
    } catch (const Refusal& refusal) {
      refuse_document(*in.document.kind, check.slug, refusal.message);
    }
  }
}

}  // namespace

void refuse_document(const FileKind& kind, std::string_view slug, std::string_view message) {
  throw Error(Code::invalid_config, fmt::format("the {} must not be used: {}", kind.noun, message),
              {{"check", std::string(slug)}});
}

void check_seal(const CheckInput& in) {
  run_checks(kSealChecks, in);
}

void check_public_half(const CheckInput& in) {
  run_checks(kPublicChecks, in);
}

void check_private_keys(const CheckInput& in) {
  run_checks(kKeyChecks, in);
}

std::vector<std::string_view> check_slugs() {
  std::vector<std::string_view> slugs{"json"};
  const auto add = [&](std::span<const Check> checks) {
    for (const auto& check : checks) slugs.push_back(check.slug);
  };
  add(kSealChecks);
  add(kPublicChecks);
  add(kKeyChecks);
  return slugs;
}

}  // namespace bcpki
