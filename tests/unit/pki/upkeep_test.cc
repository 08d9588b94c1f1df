#include "bcpki/upkeep.h"

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/error.h"
#include "bcpki/root_authority.h"

#include "format/json.h"
#include "support/bundles.h"
#include "support/code_of.h"

namespace {

using bcpki::test::code_of;
using bcpki::test::created;
using bcpki::test::golden;
using bcpki::test::kNow;
using namespace std::chrono_literals;

bcpki::Certificate renewed(const bcpki::Bundle& bundle, const bcpki::CertificateAuthority& ca,
                           bcpki::UnixTime now) {
  const auto root = bcpki::RootAuthority::of(bundle);
  return root.renew(ca.chain()[0].der, bcpki::kDefaultCaLifetime, now, bcpki::system_rng())
      .sign(root.signer());
}

bcpki::Code refusal(const bcpki::Bundle& bundle, std::vector<bcpki::Certificate> certificates,
                    bcpki::UnixTime now) {
  return code_of([&] { bcpki::install_ca_certificates(bundle, certificates, now); });
}

// at_generation writes a bundle in clear whose generation and trust version are `value`.
bcpki::Bundle at_generation(std::uint64_t value) {
  const auto text = bcpki::export_bundle(created(), {}, bcpki::system_rng());
  auto document = bcpki::json::parse(bcpki::as_text(text.reveal()));
  for (auto& [name, member] : std::get<bcpki::json::Object>(document.held))
    if (name == "generation" || name == "trustVersion") member = value;
  const auto changed = bcpki::json::write(document);
  return bcpki::open_bundle(bcpki::as_text(changed.reveal()));
}

}  // namespace

TEST_CASE("resealing changes the generation and nothing else") {
  for (const auto* name :
       {"sealed.json", "plaintext.json", "offline-root.json", "no-generation.json",
        "rotation-added.json", "rotation-switched.json", "expired-node-ca.json"}) {
    CAPTURE(name);
    const auto before = std::string_view(name) == "plaintext.json"
                            ? bcpki::open_bundle(bcpki::test::golden_text(name))
                            : golden(name);
    const auto after = bcpki::reseal(before, false);
    CHECK(after.generation() == before.generation() + 1);
    CHECK(after.has_root_key() == before.has_root_key());
    const auto changes = bcpki::diff_bundles(before, after);
    REQUIRE(changes.changes.size() == 1);
    CHECK(changes.changes[0].member == "generation");
    CHECK(changes.lineage == bcpki::BundleDiff::Lineage::newer);
  }
}

TEST_CASE("what nothing vouches for is sealed only when someone accepts it") {
  const auto former = golden("former.json", true);
  CHECK(former.unvouched());
  CHECK(code_of([&] { bcpki::reseal(former, false); }) == bcpki::Code::invalid_state);
  CHECK_FALSE(bcpki::reseal(former, true).unvouched());

  const auto in_clear = golden("plaintext.json", true);
  CHECK(in_clear.unvouched());
  CHECK(code_of([&] { bcpki::reseal(in_clear, false); }) == bcpki::Code::invalid_state);
  CHECK_NOTHROW(bcpki::reseal(in_clear, true));
  CHECK_FALSE(bcpki::open_bundle(bcpki::test::golden_text("plaintext.json")).unvouched());

  // Nothing else changes an unvouched bundle.
  CHECK(code_of([&] { bcpki::add_sandbox_ca(former, bcpki::system_rng()); }) ==
        bcpki::Code::invalid_state);
  CHECK(refusal(former, {}, kNow) == bcpki::Code::invalid_state);
}

TEST_CASE("a former-format bundle with rotation fields is never sealed") {
  for (const auto* name : {"former-rotation-added.json", "former-rotation-switched.json"}) {
    CAPTURE(name);
    CHECK(code_of([&] { bcpki::reseal(golden(name, true), true); }) == bcpki::Code::invalid_state);
  }
}

TEST_CASE("the sandbox CA is added once") {
  const auto before = golden("no-sandbox-ca.json");
  const auto after = bcpki::add_sandbox_ca(before, bcpki::system_rng());
  CHECK(after.generation() == before.generation() + 1);
  const auto line = after.pins().sandbox_ssh_ca_public_key.value();
  CHECK(line.starts_with("ssh-ed25519 "));
  CHECK(line.ends_with(" " + before.trust_domain() + " sandbox ssh ca"));
  CHECK(bcpki::base64(after.signer("sandboxSshCa")->public_key().raw()).size() == 44);
  CHECK(code_of([&] { bcpki::add_sandbox_ca(after, bcpki::system_rng()); }) ==
        bcpki::Code::invalid_state);
}

TEST_CASE("a renewed certificate takes the present one's place") {
  const auto bundle = created();
  const auto later = kNow + 24h * 300;
  const std::vector all{renewed(bundle, bundle.node_ca(), later),
                        renewed(bundle, bundle.serving_ca(), later),
                        renewed(bundle, bundle.internal_ca(), later)};
  const auto after = bcpki::install_ca_certificates(bundle, all, later);
  CHECK(after.generation() == 2);
  CHECK(after.node_ca().chain()[0].der == all[0].der);
  CHECK(after.serving_ca().chain()[0].der == all[1].der);
  CHECK(after.internal_ca().chain()[0].der == all[2].der);
  CHECK(after.bootstrap_pins().serving_ca == bundle.bootstrap_pins().serving_ca);
  CHECK(after.node_ca().public_key() == bundle.node_ca().public_key());
  CHECK(after.pins().expires.node == later - 1min + bcpki::kDefaultCaLifetime);
}

TEST_CASE("only a renewed certificate of the bundle's own CA is installed") {
  const auto bundle = created();
  const auto other = created();
  const auto later = kNow + 24h;
  const auto own = renewed(bundle, bundle.node_ca(), later);

  // Another deployment's; one key under another root; the present one; a root; one twice.
  CHECK(refusal(bundle, {renewed(other, other.node_ca(), later)}, later) ==
        bcpki::Code::invalid_input);
  CHECK(refusal(bundle, {bundle.node_ca().chain()[0]}, later) == bcpki::Code::invalid_state);
  CHECK(refusal(bundle, {bundle.node_ca().chain()[1]}, later) == bcpki::Code::invalid_input);
  CHECK(refusal(bundle, {own, own}, later) == bcpki::Code::invalid_input);
  CHECK(refusal(bundle, {own, renewed(bundle, bundle.node_ca(), later)}, later) ==
        bcpki::Code::invalid_input);

  // Not valid yet, or no more.
  CHECK(refusal(bundle, {own}, kNow) == bcpki::Code::invalid_state);
  CHECK(refusal(bundle, {own}, later + 24h * 366) == bcpki::Code::invalid_state);

  // One that a newer one has replaced.
  const auto after = bcpki::install_ca_certificates(bundle, std::vector{own}, later);
  CHECK(refusal(after, {bundle.node_ca().chain()[0]}, later) == bcpki::Code::invalid_input);

  // Bytes that are no certificate, and one whose signature is broken.
  CHECK(refusal(bundle,
                {{.der = bcpki::Bytes(10), .serial_hex = {}, .not_before = {}, .not_after = {}}},
                later) == bcpki::Code::invalid_input);
  auto broken = own;
  broken.der.back() ^= std::byte{1};
  CHECK(refusal(bundle, {broken}, later) == bcpki::Code::invalid_input);
}

TEST_CASE("there is no generation above the highest") {
  const auto last = at_generation((std::uint64_t{1} << 53) - 1);
  CHECK(code_of([&] { bcpki::reseal(last, false); }) == bcpki::Code::invalid_state);
  CHECK(bcpki::reseal(at_generation((std::uint64_t{1} << 53) - 2), false).generation() ==
        (std::uint64_t{1} << 53) - 1);
}

TEST_CASE("nothing is changed without the private keys") {
  const auto locked = bcpki::open_bundle(bcpki::test::golden_text("sealed.json"));
  CHECK(code_of([&] { bcpki::reseal(locked, true); }) == bcpki::Code::missing_env);
  CHECK(refusal(locked, {}, kNow) == bcpki::Code::missing_env);
}
