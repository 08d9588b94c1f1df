#include "pki/expected_pins.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "bcpki/error.h"

#include "support/bundles.h"
#include "support/code_of.h"

namespace {

using bcpki::test::code_of;
using Names = std::vector<std::string>;

// shown is what `show --json` prints of the pins that these tests need.
std::string shown(const bcpki::Pins& pins) {
  return fmt::format(
      R"({{"pki":"/x","trustDomain":"{}","authenticated":true,"servingCaSpkiPin":"{}",
      "joinSigningKeyPin":"{}","joinEncryptionKeyPin":"{}","joinEncryptionJwk":{{"kty":"EC"}},
      "auditSigningKeyPin":"{}","execTicketKeyId":"{}","sshCaPublicKey":"{}",
      "sandboxSshCaPublicKey":"{}","commandSigningRootSha256":"{}","generation":7,
      "certificates":["{}"]}})",
      pins.trust_domain, pins.serving_ca_spki_pin, pins.join_signing_key_pin,
      pins.join_encryption_key_pin, *pins.audit_signing_key_pin, *pins.exec_ticket_key_id,
      *pins.ssh_ca_public_key, *pins.sandbox_ssh_ca_public_key, *pins.command_signing_root_sha256,
      fmt::join(pins.certificates, "\",\""));
}

std::string bootstrap(const bcpki::Pins& pins) {
  return fmt::format(
      R"({{"trustDomain":"{}","servingCaPin":"{}","joinSigningPin":"{}","joinEncryptionPin":"{}"}})",
      pins.trust_domain, pins.serving_ca_spki_pin, pins.join_signing_key_pin,
      pins.join_encryption_key_pin);
}

}  // namespace

TEST_CASE("a bundle has the pins that were written down of it") {
  const auto pins = bcpki::test::created().pins();
  CHECK(bcpki::differing_pins(pins, shown(pins)).empty());
  CHECK(bcpki::differing_pins(pins, bootstrap(pins)).empty());
}

TEST_CASE("each pin that differs is named") {
  const auto bundle = bcpki::test::created();
  const auto record = shown(bundle.pins());
  const auto differing = [&](auto change) {
    auto pins = bundle.pins();
    change(pins);
    return bcpki::differing_pins(pins, record);
  };
  CHECK(differing([](auto& p) { p.trust_domain = "x"; }) == Names{"trustDomain"});
  CHECK(differing([](auto& p) { p.serving_ca_spki_pin = "x"; }) == Names{"servingCaSpkiPin"});
  CHECK(differing([](auto& p) { p.join_signing_key_pin = "x"; }) == Names{"joinSigningKeyPin"});
  CHECK(differing([](auto& p) { p.join_encryption_key_pin = "x"; }) ==
        Names{"joinEncryptionKeyPin"});
  CHECK(differing([](auto& p) { p.audit_signing_key_pin = "x"; }) == Names{"auditSigningKeyPin"});
  CHECK(differing([](auto& p) { p.exec_ticket_key_id = "x"; }) == Names{"execTicketKeyId"});
  CHECK(differing([](auto& p) { p.ssh_ca_public_key = "x"; }) == Names{"sshCaPublicKey"});
  CHECK(differing([](auto& p) { p.sandbox_ssh_ca_public_key.reset(); }) ==
        Names{"sandboxSshCaPublicKey"});
  CHECK(differing([](auto& p) { p.command_signing_root_sha256 = "x"; }) ==
        Names{"commandSigningRootSha256"});
  // What was not there when it was written down is another bundle, too.
  CHECK(differing([](auto& p) { p.command_signing_next_root_sha256 = "x"; }) ==
        Names{"commandSigningNextRootSha256"});
  CHECK(differing([](auto& p) { p.command_signing_previous_root_sha256 = "x"; }) ==
        Names{"commandSigningPreviousRootSha256"});
  CHECK(differing([](auto& p) { p.certificates.push_back("x"); }) == Names{"certificates"});
  CHECK(differing([](auto& p) { std::swap(p.certificates[0], p.certificates[1]); }) ==
        Names{"certificates"});
  CHECK(differing([](auto& p) { p.generation = 8; }).empty());
  CHECK(bcpki::differing_pins(bcpki::test::created().pins(), bootstrap(bundle.pins())) ==
        Names{"servingCaPin", "joinSigningPin", "joinEncryptionPin"});
}

TEST_CASE("what holds no pins is refused, not taken for a match") {
  const auto pins = bcpki::test::created().pins();
  for (const std::string record :
       {"", "{}", "[]", "null", R"({"trustDomain":"compute.example.com"})",
        R"({"servingCaSpkiPin":1})", R"({"servingCaPin":null})",
        R"({"servingCaPin":"a","servingCaPin":"a"})", R"({"servingCaPin":"a"} x)"}) {
    CAPTURE(record);
    CHECK(code_of([&] { bcpki::differing_pins(pins, record); }) == bcpki::Code::invalid_input);
  }
}
