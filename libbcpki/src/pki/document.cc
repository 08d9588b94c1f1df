#include "pki/document.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "format/pem.h"
#include "format/pkcs8.h"
#include "pki/document_checks.h"
#include "pki/key_file.h"

namespace bcpki {

const FileKind kBundleFile{"better-compute-pki", "bundle", false};
const FileKind kRootKeyFile{"better-compute-pki-root-key", "root key file", true};

namespace {

// What a document holds, read without judging.

std::span<const json::Value> chain_strings(const Entry& entry) {
  const auto* chain = entry.value->find("chain");
  const auto* array = chain ? chain->array() : nullptr;
  return array ? std::span<const json::Value>(*array) : std::span<const json::Value>();
}

StoredCertificate read_stored_certificate(const json::Value& value) {
  StoredCertificate out;
  const auto text = value.text();
  if (!text) return out;
  if (const auto der = pem::parse_exact(pem::kCertificate, *text)) {
    out.der = to_bytes(der->reveal());
    out.fields = x509::parse_certificate(out.der);
    out.exact = out.fields.has_value();
  } else if (const auto blocks = pem::parse_blocks(*text); blocks && !blocks->empty()) {
    // `pem` will refuse it; read all the same, so that what follows does not depend on that check.
    out.der = to_bytes((*blocks)[0].der.reveal());
    out.fields = x509::parse_certificate(out.der);
  }
  return out;
}

std::optional<PublicKey> accepted(const Verdict<PublicKey>& verdict) {
  return verdict ? std::optional(*verdict) : std::nullopt;
}

std::optional<PublicKey> read_jwk_point(const json::Value* jwk) {
  if (!jwk) return std::nullopt;
  Bytes point{std::byte{4}};
  for (const std::string_view name : {"x", "y"}) {
    const auto text = jwk->text(name);
    const auto coordinate = text ? parse_base64url(*text) : std::nullopt;
    if (!coordinate || coordinate->size() != kCoordinateBytes) return std::nullopt;
    point.insert(point.end(), coordinate->begin(), coordinate->end());
  }
  return accepted(PublicKey::read_point(point));
}

std::optional<PublicKey> read_ssh_key(const ssh::PublicKeyLine& line) {
  return accepted(line.type == ssh::KeyType::ed25519 ? PublicKey::read_ed25519(line.raw)
                                                     : PublicKey::read_point(line.raw));
}

void read_entry(Entry& entry) {
  switch (entry.slot.spec->form) {
    case Form::chain:
      for (const auto& string : chain_strings(entry))
        entry.chain.push_back(read_stored_certificate(string));
      if (const auto* certificate = entry.certificate())
        entry.key = accepted(PublicKey::read(certificate->spki));
      break;
    case Form::jwk:
      entry.key = read_jwk_point(entry.value->find("jwk"));
      break;
    case Form::ssh_line:
      if (const auto line = entry.value->text("publicKey")) entry.line = ssh::parse_line(*line);
      if (entry.line) entry.key = read_ssh_key(*entry.line);
      break;
  }
  if (const auto text = entry.value->text("switchedAt")) entry.switched_at = parse_time(*text);
}

void read_entries(Document& document) {
  if (document.kind->root_key_file) {
    document.entries.push_back(
        {.name = "rootCa", .slot = *find_slot("rootCa"), .value = &document.json});
  } else {
    for (const auto& [name, value] : *document.json.object())
      if (const auto slot = find_slot(name))
        document.entries.push_back({.name = name, .slot = *slot, .value = &value});
  }
  for (auto& entry : document.entries) read_entry(entry);
}

// take_plain_keys moves the keys that stand in clear out of the JSON.
void take_plain_keys(Document& document) {
  auto* top = std::get_if<json::Object>(&document.json.held);
  const auto member = std::ranges::find(*top, "privateKeys", &json::Member::first);
  if (member == top->end()) return;
  if (auto* keys = std::get_if<json::Object>(&member->second.held))
    for (auto& [name, key] : *keys)
      if (auto* pem = std::get_if<SecretBytes>(&key.held))
        document.private_keys.emplace_back(name, std::move(*pem));
}

std::optional<PrivateKey> read_pkcs8(const SecretBytes& text) {
  const auto der = pem::parse_exact(pem::kPrivateKey, as_text(text.reveal()));
  if (!der) return std::nullopt;
  auto key = private_key_from(pkcs8::parse_private_key(der->reveal()));
  if (!key) return std::nullopt;
  return *std::move(key);
}

void read_private_keys(Document& document) {
  for (auto& entry : document.entries)
    for (const auto& [name, text] : document.private_keys)
      if (name == entry.name)
        if (auto key = read_pkcs8(text))
          entry.private_key = std::make_shared<const PrivateKey>(std::move(*key));
}

void require_object(std::string_view text) {
  json::Reader reader(text);
  if (reader.next() != json::Token::object_begin) reader.fail("the top is not an object");
}

json::Value parse_text(const FileKind& kind, std::string_view text) try {
  if (text.size() > kMaxBundleBytes)
    refuse_document(kind, "json", fmt::format("it is larger than {} bytes", kMaxBundleBytes));
  require_object(text);
  return json::parse(text, {.secret_member = "privateKeys"});
} catch (const json::SyntaxError& error) {
  refuse_document(kind, "json", error.what());
}

}  // namespace

const Entry* Document::entry(std::string_view name, Stage stage) const {
  const auto found = std::ranges::find_if(entries, [&](const Entry& entry) {
    return entry.slot.stage == stage && entry.slot.spec->name == name;
  });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<std::string_view> Document::text(std::string_view name) const {
  return json.text(name);
}

std::optional<std::uint64_t> Document::integer(std::string_view name) const {
  const auto* value = member(name);
  const auto* integer = value ? value->integer() : nullptr;
  return integer ? std::optional(*integer) : std::nullopt;
}

std::string Document::organization() const {
  if (!kind->root_key_file) return std::string(text("organization").value_or(""));
  const auto* root = entries.empty() ? nullptr : entries[0].certificate();
  const auto name = root ? x509::read_name(root->subject) : std::nullopt;
  if (!name || name->empty()) return "";
  return std::string((*name)[0].value);
}

Document read_document(const FileKind& kind, std::string_view text, const OpenOptions& options,
                       const Document* bundle) {
  Document document;
  document.kind = &kind;
  document.json = parse_text(kind, text);
  document.trust_domain = document.text("trustDomain").value_or("");
  document.public_digest = sha256(as_bytes(json::canonical(document.json, kPrivateHalf)));
  take_plain_keys(document);

  const CheckInput input{document, options, bundle};
  check_seal(input);
  read_entries(document);
  check_public_half(input);
  read_private_keys(document);
  check_private_keys(input);
  return document;
}

}  // namespace bcpki
