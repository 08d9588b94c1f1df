#include "pki/expected_pins.h"

#include <algorithm>
#include <array>
#include <optional>

#include "format/json.h"

namespace bcpki {
namespace {

using Text = std::optional<std::string>;

// Field is one pin and how the two commands call it.
struct Field {
  std::string_view show_name;
  std::string_view pins_name;  // none where `pins` does not print it
  Text (*value)(const Pins& pins);
};

constexpr std::array<Field, 11> kFields{{
    {"trustDomain", "trustDomain", [](const Pins& p) -> Text { return p.trust_domain; }},
    {"servingCaSpkiPin", "servingCaPin",
     [](const Pins& p) -> Text { return p.serving_ca_spki_pin; }},
    {"joinSigningKeyPin", "joinSigningPin",
     [](const Pins& p) -> Text { return p.join_signing_key_pin; }},
    {"joinEncryptionKeyPin", "joinEncryptionPin",
     [](const Pins& p) -> Text { return p.join_encryption_key_pin; }},
    {"auditSigningKeyPin", "", [](const Pins& p) { return p.audit_signing_key_pin; }},
    {"execTicketKeyId", "", [](const Pins& p) { return p.exec_ticket_key_id; }},
    {"sshCaPublicKey", "", [](const Pins& p) { return p.ssh_ca_public_key; }},
    {"sandboxSshCaPublicKey", "", [](const Pins& p) { return p.sandbox_ssh_ca_public_key; }},
    {"commandSigningRootSha256", "", [](const Pins& p) { return p.command_signing_root_sha256; }},
    {"commandSigningNextRootSha256", "",
     [](const Pins& p) { return p.command_signing_next_root_sha256; }},
    {"commandSigningPreviousRootSha256", "",
     [](const Pins& p) { return p.command_signing_previous_root_sha256; }},
}};

constexpr std::string_view kCertificates = "certificates";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(Code::invalid_input, "the expected pins cannot be compared: " + message);
}

Text text_in(const json::Value& record, std::string_view name) {
  const auto* member = record.find(name);
  if (!member) return std::nullopt;
  if (!member->string()) refuse(std::string(name) + " is not a string");
  return *member->string();
}

bool same_certificates(const json::Value& list, const std::vector<std::string>& certificates) {
  const auto* array = list.array();
  if (!array) refuse("certificates is not a list");
  return std::ranges::equal(*array, certificates, [](const json::Value& a, const std::string& b) {
    return a.string() && *a.string() == b;
  });
}

json::Value parse(std::string_view record) try {
  return json::parse(record);
} catch (const json::SyntaxError& error) {
  refuse(error.what());
}

bool is_shown(const json::Value& document) {
  return document.find(kFields[1].show_name) != nullptr;
}

bool is_record(const json::Value& document) {
  return is_shown(document) || document.find(kFields[1].pins_name) != nullptr;
}

}  // namespace

bool is_pins_record(std::string_view json) try {
  return is_record(json::parse(json));
} catch (const json::SyntaxError&) {
  return false;
}

std::vector<std::string> differing_pins(const Pins& pins, std::string_view record) {
  const auto document = parse(record);
  const bool shown = is_shown(document);
  if (!is_record(document)) refuse("it is not what `show --json` or `pins --json` printed");

  std::vector<std::string> differing;
  for (const auto& [show_name, pins_name, value] : kFields) {
    const auto name = shown ? show_name : pins_name;
    if (!name.empty() && text_in(document, name) != value(pins)) differing.emplace_back(name);
  }
  const auto* certificates = document.find(kCertificates);
  if (certificates && !same_certificates(*certificates, pins.certificates))
    differing.emplace_back(kCertificates);
  return differing;
}

}  // namespace bcpki
