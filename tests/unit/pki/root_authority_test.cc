#include "bcpki/root_authority.h"

#include <catch2/catch.hpp>

#include "bcpki/error.h"

#include "format/pem.h"
#include "format/pkcs8.h"
#include "format/x509.h"
#include "support/bundles.h"
#include "support/code_of.h"
#include "support/key_files.h"

namespace {

using bcpki::test::code_of;
using bcpki::test::created;
using bcpki::test::golden;
using bcpki::test::golden_text;
using bcpki::test::kNow;
using bcpki::test::kSecret;
using bcpki::test::with;
using namespace std::chrono_literals;

bcpki::x509::CertificateFields fields_of(const bcpki::Certificate& certificate) {
  return bcpki::x509::parse_certificate(certificate.der).value();
}

bcpki::Certificate renew(const bcpki::RootAuthority& root, const bcpki::CertificateAuthority& ca,
                         bcpki::UnixTime now,
                         std::chrono::seconds lifetime = bcpki::kDefaultCaLifetime) {
  return root.renew(ca.chain()[0].der, lifetime, now, bcpki::system_rng()).sign(root.signer());
}

// scalar_of_root is the private key of the root in the shared vectors' root key file.
bcpki::SecretBytes scalar_of_root() {
  const auto plain = bcpki::open_bundle(golden_text("plaintext.json"));
  const auto text = bcpki::export_bundle(plain, {}, bcpki::system_rng());
  const auto all = bcpki::as_text(text.reveal());
  const auto keys = all.substr(all.find("\"privateKeys\""));
  const auto from = keys.find("-----BEGIN");
  std::string pem(keys.substr(from, keys.find("\",", from) - from));
  for (auto at = pem.find("\\n"); at != std::string::npos; at = pem.find("\\n", at))
    pem.replace(at, 2, "\n");
  const auto der = bcpki::pem::parse_exact(bcpki::pem::kPrivateKey, pem).value();
  return bcpki::SecretBytes(bcpki::pkcs8::parse_private_key(der.reveal()).value().secret);
}

bcpki::SecretBytes pem_of(const bcpki::SecretBytes& scalar) {
  return bcpki::PrivateKey::read_raw(bcpki::KeyAlgorithm::p256, scalar.reveal())
      .value_or_throw(bcpki::Code::internal)
      .pkcs8_pem();
}

// negated is n - d: the same x coordinate, the other point.
bcpki::SecretBytes negated(const bcpki::SecretBytes& scalar) {
  constexpr std::array<unsigned, 32> kOrder = {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
                                               0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                               0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
                                               0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51};
  bcpki::SecretBytes out(32);
  unsigned borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const auto wanted = std::to_integer<unsigned>(scalar.reveal()[i]) + borrow;
    borrow = kOrder[i] < wanted ? 1 : 0;
    out.reveal()[i] = static_cast<std::byte>(kOrder[i] + 256 * borrow - wanted);
  }
  return out;
}

std::string reason_of(bcpki::View file, const bcpki::RootKeyOptions& options) {
  try {
    (void)bcpki::open_root_key(file, options);
    return "";
  } catch (const bcpki::Error& error) {
    CHECK(error.code() == bcpki::Code::invalid_input);
    return std::string(error.detail("reason"));
  }
}

}  // namespace

TEST_CASE("a renewed CA keeps its subject, its key and every extension, byte for byte") {
  const auto bundle = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  for (const auto* ca : {&bundle.node_ca(), &bundle.serving_ca(), &bundle.internal_ca()}) {
    const auto& former = ca->chain()[0];
    const auto renewed = renew(root, *ca, kNow + 24h * 200);
    const auto before = fields_of(former);
    const auto after = fields_of(renewed);
    CHECK(bcpki::equal(before.subject, after.subject));
    CHECK(bcpki::equal(before.issuer, after.issuer));
    CHECK(bcpki::equal(before.spki, after.spki));
    REQUIRE(before.extensions.size() == after.extensions.size());
    // From the first extension to the last: one run of bytes.
    const auto run = [](const bcpki::x509::CertificateFields& fields) {
      const auto* first = fields.extensions.front().id.data();
      const auto& last = fields.extensions.back().value;
      return bcpki::View(first, last.data() + last.size());
    };
    CHECK(bcpki::equal(run(before), run(after)));
    CHECK_FALSE(bcpki::equal(before.serial, after.serial));
    CHECK(renewed.not_before == kNow + 24h * 200 - 1min);
    CHECK(renewed.not_after == renewed.not_before + 24h * 365);
  }
}

TEST_CASE("a renewed CA never outlives the root") {
  const auto bundle = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto end = root.certificate().not_after;
  const auto draft = [&](bcpki::UnixTime now, std::chrono::seconds lifetime) {
    return root.renew(bundle.node_ca().chain()[0].der, lifetime, now, bcpki::system_rng());
  };
  const auto cut = draft(end - 24h * 100, 24h * 365);
  CHECK(cut.shortened()->find(bcpki::format_time(end)) != std::string::npos);
  CHECK(renew(root, bundle.node_ca(), end - 24h * 100).not_after == end);
  CHECK_FALSE(draft(end - 24h * 100, 24h * 100).shortened());
  CHECK(draft(kNow + 24h, 24h * 3650).shortened());

  CHECK(code_of([&] { return draft(kNow - 1h, 24h * 365); }) == bcpki::Code::invalid_state);
  CHECK_NOTHROW(draft(end - 24h, 24h * 365));
  CHECK(code_of([&] { return draft(end - 24h + 1s, 24h * 365); }) == bcpki::Code::invalid_state);
  CHECK(code_of([&] { return draft(end + 24h * 365, 24h * 365); }) == bcpki::Code::invalid_state);
  for (const std::chrono::seconds lifetime : {0s, -1s, 24h - 1s, 24h * 3650 + 1s})
    CHECK(code_of([&] { return draft(kNow, lifetime); }) == bcpki::Code::invalid_input);
}

TEST_CASE("an expired CA is renewed all the same") {
  const auto bundle = golden("expired-node-ca.json");
  const auto root = bcpki::RootAuthority::of(bundle);
  CHECK(renew(root, bundle.node_ca(), kNow).not_after > kNow);
}

TEST_CASE("a root renews only the CAs under it") {
  const auto bundle = created();
  const auto other = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto refused = [&](bcpki::View der) {
    return code_of([&] { return root.renew(der, 24h * 365, kNow, bcpki::system_rng()); }) ==
           bcpki::Code::invalid_input;
  };
  CHECK(refused(other.node_ca().chain()[0].der));
  CHECK(refused(root.certificate().der));
  CHECK(refused({}));
  const auto leaf_key = bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng());
  const auto leaf =
      bundle.serving_ca()
          .gateway({.names = {"gw.example.com"}}, leaf_key.public_key(), kNow, bcpki::system_rng())
          .sign(bundle.serving_ca().signer());
  CHECK(refused(leaf.der));
  // Everything but the signature is right.
  auto forged = bundle.node_ca().chain()[0].der;
  forged.back() ^= std::byte{1};
  CHECK(refused(forged));
}

TEST_CASE("a certificate for a CA is signed where the root's key is") {
  const auto bundle = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto draft = [&] {
    return root.renew(bundle.node_ca().chain()[0].der, 24h * 365, kNow, bcpki::system_rng());
  };
  auto air_gap = draft();
  const auto signature = bundle.signer("rootCa")->sign(air_gap.to_be_signed());
  CHECK_NOTHROW(std::move(air_gap).finish(signature));
  CHECK(code_of([&] { return draft().finish(bcpki::Sig64{}); }) == bcpki::Code::invalid_input);
  CHECK(code_of([&] { return draft().sign(bundle.node_ca().signer()); }) ==
        bcpki::Code::invalid_config);
}

TEST_CASE("the root's key is read from its file or from PEM") {
  const auto bundle = golden("offline-root.json");
  CHECK(code_of([&] { bcpki::RootAuthority::of(bundle); }) == bcpki::Code::invalid_state);
  const auto from_file = bcpki::open_root_key(bcpki::as_bytes(golden_text("root-key.json")),
                                              {.open = with({kSecret}), .bundle = &bundle});
  CHECK_FALSE(from_file.in_clear);
  CHECK_FALSE(from_file.unvouched);

  // Without the bundle the file knows its own root.
  const auto alone = bcpki::open_root_key(bcpki::as_bytes(golden_text("root-key.json")),
                                          {.open = with({kSecret})});
  CHECK(alone.authority.trust_domain() == bundle.trust_domain());
  CHECK(alone.authority.public_key() == from_file.authority.public_key());
  CHECK_NOTHROW(renew(alone.authority, bundle.node_ca(), kNow));
}

TEST_CASE("a PEM key is the root's by its whole public key") {
  const auto bundle = bcpki::open_bundle(golden_text("plaintext.json"));
  const auto scalar = scalar_of_root();
  const auto own = pem_of(scalar);
  const auto opened = bcpki::open_root_key(own.reveal(), {.bundle = &bundle});
  CHECK(opened.in_clear);
  CHECK(opened.authority.public_key() == bundle.signer("rootCa")->public_key());

  const auto root_der = bundle.node_ca().chain()[1].der;
  const auto alone = bcpki::open_root_key(own.reveal(), {.certificate = root_der});
  CHECK(alone.authority.trust_domain() == bundle.trust_domain());
  CHECK(code_of([&] { bcpki::open_root_key(own.reveal(), {}); }) == bcpki::Code::invalid_input);

  const auto n_minus_d = pem_of(negated(scalar));
  CHECK(reason_of(n_minus_d.reveal(), {.bundle = &bundle}) == "root-key");
  CHECK(reason_of(n_minus_d.reveal(), {.certificate = root_der}) == "root-key");
  const auto other = created();
  CHECK(reason_of(own.reveal(), {.bundle = &other}) == "root-key");

  // A CA's certificate is no root.
  const auto ca = bundle.node_ca().chain()[0].der;
  CHECK(code_of([&] { bcpki::open_root_key(own.reveal(), {.certificate = ca}); }) ==
        bcpki::Code::invalid_input);
  const auto ca_signer = [&] { return bundle.signer("nodeCa"); };
  CHECK(code_of([&] { bcpki::RootAuthority(bundle.trust_domain(), ca, ca_signer()); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([&] {
          bcpki::RootAuthority("other.example", root_der, bundle.signer("rootCa"));
        }) == bcpki::Code::invalid_input);
  CHECK(code_of([&] { bcpki::RootAuthority(bundle.trust_domain(), root_der, ca_signer()); }) ==
        bcpki::Code::invalid_input);
}

TEST_CASE("keys of other kinds and other passphrases are told apart") {
  namespace files = bcpki::test::key_files;
  const auto bundle = created();
  const auto reason = [&](std::string_view pem, std::string_view passphrase) {
    return reason_of(
        bcpki::as_bytes(pem),
        {.passphrase = [=] { return bcpki::SecretBytes(passphrase); }, .bundle = &bundle});
  };
  CHECK(reason(files::kPkcs8, "") == "root-key");
  CHECK(reason(files::kEd25519, "") == "root-key");
  CHECK(reason(files::kPublic, "") == "pem-form");
  CHECK(reason(bundle.node_ca().chain()[0].pem(), "") == "pem-form");
  CHECK(reason("", "") == "pem-form");
}

TEST_CASE("a root key file is sealed anew") {
  const auto bundle = golden("offline-root.json");
  const auto text = golden_text("root-key.json");
  const bcpki::SecretBytes next(bcpki::test::kOtherSecret);
  const auto resealed = bcpki::reseal_root_key(bcpki::as_bytes(text), with({kSecret}), false, next,
                                               bcpki::system_rng());
  const auto open = [&](std::string_view secret) {
    return bcpki::open_root_key(resealed.reveal(), {.open = with({secret}), .bundle = &bundle});
  };
  CHECK_NOTHROW(open(bcpki::test::kOtherSecret));
  CHECK(code_of([&] { open(kSecret); }) == bcpki::Code::invalid_config);

  const auto reseal = [&](bcpki::View file, const bcpki::OpenOptions& how, bool accept) {
    return bcpki::reseal_root_key(file, how, accept, next, bcpki::system_rng());
  };
  CHECK(code_of([&] { reseal(bcpki::as_bytes(text), {}, true); }) == bcpki::Code::missing_env);
  const auto in_clear = bcpki::export_root_key(created(), nullptr, bcpki::system_rng());
  auto allowed = [] {
    auto options = with({kSecret});
    options.allow_unauthenticated = true;
    return options;
  };
  CHECK(code_of([&] { reseal(in_clear.reveal(), with({kSecret}), true); }) ==
        bcpki::Code::invalid_config);
  CHECK(code_of([&] { reseal(in_clear.reveal(), allowed(), false); }) ==
        bcpki::Code::invalid_state);
  CHECK_NOTHROW(reseal(in_clear.reveal(), allowed(), true));
  const bcpki::SecretBytes weak(std::string(40, 'a'));
  CHECK(code_of([&] {
          bcpki::reseal_root_key(bcpki::as_bytes(text), with({kSecret}), false, weak,
                                 bcpki::system_rng());
        }) == bcpki::Code::invalid_input);
}
