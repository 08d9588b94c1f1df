#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/bundle.h"

#include "base/table.h"
#include "format/pem.h"
#include "pki/state.h"

namespace bcpki {
namespace {

// How a part is written: from each entry of a member, one piece of text or one JWK.
enum class Shape { certificates, jwk, jwk_set, lines, public_keys };

struct Part {
  PublicPart part;
  std::string_view member;
  Shape shape;
};

constexpr std::array<Part, 10> kParts{{
    {PublicPart::root, "rootCa", Shape::certificates},
    {PublicPart::node_ca, "nodeCa", Shape::certificates},
    {PublicPart::serving_ca, "servingCa", Shape::certificates},
    {PublicPart::internal_ca, "internalCa", Shape::certificates},
    {PublicPart::join_encryption_jwk, "joinEncryption", Shape::jwk},
    {PublicPart::exec_jwks, "execTicket", Shape::jwk_set},
    {PublicPart::ssh_ca, "sshCa", Shape::lines},
    {PublicPart::sandbox_ssh_ca, "sandboxSshCa", Shape::lines},
    {PublicPart::command_roots, "commandSigning", Shape::certificates},
    {PublicPart::audit_key, "auditSigning", Shape::public_keys},
}};

constexpr std::array<std::pair<std::string_view, PublicPart>, 10> kNames{{
    {"root", PublicPart::root},
    {"node-ca", PublicPart::node_ca},
    {"serving-ca", PublicPart::serving_ca},
    {"internal-ca", PublicPart::internal_ca},
    {"join-encryption-jwk", PublicPart::join_encryption_jwk},
    {"exec-jwks", PublicPart::exec_jwks},
    {"ssh-ca", PublicPart::ssh_ca},
    {"sandbox-ssh-ca", PublicPart::sandbox_ssh_ca},
    {"command-roots", PublicPart::command_roots},
    {"audit-key", PublicPart::audit_key},
}};

// entries_of lists the key in use first, then the next and the previous one.
std::vector<const Entry*> entries_of(const Document& document, std::string_view member) {
  std::vector<const Entry*> out;
  for (const auto stage : {Stage::current, Stage::next, Stage::previous})
    if (const auto* entry = document.entry(member, stage)) out.push_back(entry);
  return out;
}

std::string text_of(const json::Value& value) {
  const auto text = json::write(value);
  return std::string(as_text(text.reveal()));
}

std::string jwk_set(std::span<const Entry* const> entries) {
  json::Array keys;
  for (const auto* entry : entries) keys.push_back(entry->value->find("jwk")->clone());
  json::Object set;
  set.emplace_back("keys", std::move(keys));
  return text_of(std::move(set));
}

std::string piece(const Entry& entry, Shape shape) {
  switch (shape) {
    case Shape::certificates:
      return pem::encode(pem::kCertificate, entry.chain[0].der);
    case Shape::lines:
      return *entry.value->find("publicKey")->string() + "\n";
    case Shape::public_keys:
      return pem::encode(pem::kPublicKey, entry.key->spki());
    case Shape::jwk:
    case Shape::jwk_set:
      break;
  }
  return text_of(*entry.value->find("jwk"));
}

}  // namespace

std::span<const std::pair<std::string_view, PublicPart>> public_part_names() noexcept {
  return kNames;
}

std::string export_public(const Bundle& bundle, PublicPart part, bool with_root) {
  const auto& document = bundle.state().document;
  const auto& [id, member, shape] = row_of(kParts, part, &Part::part);
  const auto entries = entries_of(document, member);
  if (entries.empty()) throw Error(Code::not_found, fmt::format("the bundle has no {}", member));
  if (with_root && (shape != Shape::certificates || entries[0]->self_signed()))
    throw Error(Code::invalid_input,
                fmt::format("only a CA under the root has a chain; {} has none", member));

  if (shape == Shape::jwk_set) return jwk_set(entries);
  std::string out;
  for (const auto* entry : entries) out += piece(*entry, shape);
  if (with_root) out += piece(*document.entry("rootCa"), shape);
  return out;
}

}  // namespace bcpki
