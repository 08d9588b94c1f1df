#include "bcpki/bundle.h"

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"
#include "bcpki/root_authority.h"

#include "format/json.h"
#include "support/bundles.h"
#include "support/code_of.h"

namespace {

using bcpki::test::code_of;
using bcpki::test::created;
using bcpki::test::golden_text;
using bcpki::test::kNow;
using bcpki::test::kSecret;
using bcpki::test::with;
using namespace std::chrono_literals;

std::string sealed_text(const bcpki::Bundle& bundle, bool omit_root_key = false,
                        std::string_view secret = kSecret) {
  const bcpki::SecretBytes key(secret);
  const auto text = bcpki::export_bundle(bundle, {.secret = &key, .omit_root_key = omit_root_key},
                                         bcpki::system_rng());
  return std::string(bcpki::as_text(text.reveal()));
}

std::string plain_text(const bcpki::Bundle& bundle) {
  const auto text = bcpki::export_bundle(bundle, {}, bcpki::system_rng());
  return std::string(bcpki::as_text(text.reveal()));
}

// check_of returns the check that refused, "" where the text opened.
std::string check_of(const std::string& text, const bcpki::OpenOptions& options = {}) {
  try {
    (void)bcpki::open_bundle(text, options);
    return "";
  } catch (const bcpki::Error& error) {
    CHECK(error.code() == bcpki::Code::invalid_config);
    return std::string(error.detail("check"));
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a sealed bundle opens with its secret and says the same as before") {
  const auto bundle = created();
  const auto opened = bcpki::open_bundle(sealed_text(bundle), with({kSecret}));
  CHECK(opened.authenticated());
  CHECK(opened.sealed());
  CHECK(opened.has_keys());
  CHECK(opened.has_root_key());
  CHECK(opened.generation() == 1);
  CHECK(opened.trust_version() == 1);
  CHECK(opened.public_digest() == bundle.public_digest());
  CHECK(opened.pins().certificates == bundle.pins().certificates);
  CHECK(opened.bootstrap_pins().serving_ca == opened.pins().serving_ca_spki_pin);
  const auto message = bcpki::as_bytes("message");
  for (const std::string_view member :
       {"rootCa", "nodeCa", "servingCa", "internalCa", "joinSigning", "joinEncryption",
        "commandSigning", "execTicket", "sshCa", "sandboxSshCa", "auditSigning"}) {
    const auto signer = opened.signer(member);
    CHECK(signer->public_key().verify(message, signer->sign(message)));
    CHECK(signer->public_key() == bundle.signer(member)->public_key());
  }
}

TEST_CASE("a new deployment lives as long as formats.md section 7 says") {
  const auto expires = created().pins().expires;
  const auto start = kNow - 60s;
  const auto days = [](int n) { return n * std::chrono::hours(24); };
  CHECK(expires.root == start + days(3650));
  CHECK(expires.node == start + days(365));
  CHECK(expires.serving == start + days(365));
  CHECK(expires.internal == start + days(365));
  CHECK(expires.command_signing == start + days(1825));
}

TEST_CASE("lifetimes pass leap days and 2050 unharmed") {
  for (const char* when :
       {"2028-02-29T12:00:00Z", "2027-12-31T23:59:59Z", "2049-12-31T23:59:30Z",
        "2050-01-01T00:00:30Z", "2099-03-01T00:00:00Z", "2040-01-01T00:00:00Z"}) {
    const auto now = bcpki::parse_time(when).value();
    const auto bundle = bcpki::create_bundle({.trust_domain = "d"}, now, bcpki::system_rng());
    CHECK(bundle.pins().expires.root - (now - 60s) == 3650 * std::chrono::hours(24));
  }
  const auto at = [](std::int64_t seconds) {
    return code_of([&] {
      bcpki::create_bundle({.trust_domain = "d"}, bcpki::UnixTime::seconds(seconds),
                           bcpki::system_rng());
    });
  };
  CHECK(at(-1) == bcpki::Code::invalid_input);
  CHECK(at(253402300799) == bcpki::Code::invalid_input);
}

TEST_CASE("trust domains and organizations that are none make no bundle") {
  const auto with_domain = [](std::string domain) {
    return code_of(
        [&] { bcpki::create_bundle({.trust_domain = domain}, kNow, bcpki::system_rng()); });
  };
  for (const char* domain : {"", "spiffe://x", " x ", "X", "a..b", ".a", "a."})
    CHECK(with_domain(domain) == bcpki::Code::invalid_input);
  CHECK(code_of([] { created(""); }) == bcpki::Code::invalid_input);
  CHECK(code_of([] { created(std::string(65, 'o')); }) == bcpki::Code::invalid_input);
  CHECK(code_of([] {
          created(
              "\xc3\x9cnic\xc3\xb6"
              "de");
        }) == bcpki::Code::invalid_input);
  CHECK(created(" a & b ").organization() == " a & b ");
}

TEST_CASE("a trust domain too long for a CN leaves the CN without it") {
  const std::string domain = std::string(60, 'a') + ".example";
  const auto bundle = bcpki::create_bundle({.trust_domain = domain}, kNow, bcpki::system_rng());
  CHECK(bcpki::open_bundle(sealed_text(bundle), with({kSecret})).trust_domain() == domain);
}

TEST_CASE("without its secret a sealed bundle gives pins and no key") {
  const auto opened = bcpki::open_bundle(sealed_text(created()));
  CHECK_FALSE(opened.authenticated());
  CHECK_FALSE(opened.has_keys());
  CHECK(code_of([&] { opened.signer("nodeCa"); }) == bcpki::Code::missing_env);
  CHECK(code_of([&] { opened.node_ca().signer(); }) == bcpki::Code::missing_env);
  CHECK(code_of([&] { bcpki::export_bundle(opened, {}, bcpki::system_rng()); }) ==
        bcpki::Code::invalid_state);
}

TEST_CASE("only the secret opens the seal, one trailing LF aside") {
  const auto text = sealed_text(created());
  const std::string secret(kSecret);
  CHECK(check_of(text, with({secret + "\n"})).empty());
  for (const auto& wrong :
       {secret + "\n\n", secret + "\r\n", secret + " ", secret + secret, secret.substr(1),
        std::string("x"), std::string(bcpki::test::kOtherSecret)})
    CHECK(check_of(text, with({wrong})) == "seal-open");
  CHECK_FALSE(bcpki::open_bundle(text, with({""})).authenticated());  // counts as none
  CHECK_FALSE(bcpki::open_bundle(text, with({"\n"})).authenticated());
}

TEST_CASE("secrets are tried in order, and the bundle says which one it was") {
  const auto text = sealed_text(created());
  CHECK(bcpki::open_bundle(text, with({kSecret, bcpki::test::kOtherSecret})).opened_with() == 0);
  CHECK(bcpki::open_bundle(text, with({bcpki::test::kOtherSecret, kSecret})).opened_with() == 1);
}

TEST_CASE("a deployment secret has at least 32 characters") {
  const auto size = [](std::string_view text) {
    return bcpki::deployment_secret(bcpki::SecretBytes(text)).size();
  };
  CHECK(size(std::string(32, 'a')) == 32);
  CHECK(size(std::string(32, 'a') + "\n") == 33);
  CHECK(code_of([&] { size(std::string(31, 'a') + "\n"); }) == bcpki::Code::missing_env);
  CHECK(code_of([&] { size(""); }) == bcpki::Code::missing_env);
  std::string umlauts;
  for (int i = 0; i < 31; ++i) umlauts += "\xc3\xbc";
  CHECK(code_of([&] { size(umlauts); }) == bcpki::Code::missing_env);
  CHECK(size(std::string(32, '\xff')) == 32);
  CHECK(code_of([&] { size(std::string(31, '\xff')); }) == bcpki::Code::missing_env);
}

TEST_CASE("a secret of one repeated pattern seals nothing") {
  const auto bundle = created();
  CHECK(code_of([&] { sealed_text(bundle, false, std::string(64, 'a')); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([&] { sealed_text(bundle, false, "123456789123456789123456789123456789"); }) ==
        bcpki::Code::invalid_input);
  CHECK_FALSE(sealed_text(bundle, false, "1234567890123456789012345678901234567890").empty());
  CHECK(code_of([&] { sealed_text(bundle, false, "short but varied enough 01234"); }) ==
        bcpki::Code::missing_env);
}

TEST_CASE("what varies in a secret is its characters, not their bytes") {
  const auto bundle = created();
  const auto seals = [&](const std::string& unit) {
    std::string secret;
    for (int i = 0; i < 8; ++i) secret += unit;
    return !sealed_text(bundle, false, secret).empty();
  };
  // Nine code points in 13 bytes that differ; then ten.
  CHECK(code_of([&] { seals("абрпсяđħŋ"); }) == bcpki::Code::invalid_input);
  CHECK(seals("абвгабвгдежзик"));
  CHECK(seals("\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"));
  CHECK(code_of([&] { seals("\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8"); }) ==
        bcpki::Code::invalid_input);
}

TEST_CASE("every writing draws a fresh salt and iv") {
  const auto bundle = created();
  const auto salt = [](const std::string& text) {
    return *bcpki::json::parse(text).find("seal")->find("salt")->string();
  };
  CHECK(salt(sealed_text(bundle)) != salt(sealed_text(bundle)));
}

TEST_CASE("a sealed file shows no private key, whatever its form") {
  const auto bundle = created();
  const auto text = sealed_text(bundle);
  CHECK(text.find("PRIVATE") == std::string::npos);
  const auto plain = plain_text(bundle);
  CHECK(plain.find("PRIVATE KEY") != std::string::npos);
  CHECK(check_of(plain, with({kSecret})) == "unsealed-with-secret");
  CHECK_FALSE(bcpki::open_bundle(plain).authenticated());
  CHECK(bcpki::open_bundle(plain).has_keys());
}

TEST_CASE("an offline root leaves the bundle and opens beside it") {
  const auto bundle = created();
  const bcpki::SecretBytes secret(kSecret);
  const auto file = bcpki::export_root_key(bundle, &secret, bcpki::system_rng());
  const auto root_text = bcpki::as_text(file.reveal());
  const auto opened = bcpki::open_bundle(sealed_text(bundle, true), with({kSecret}));
  CHECK_FALSE(opened.has_root_key());
  CHECK(code_of([&] { opened.signer("rootCa"); }) == bcpki::Code::not_found);
  CHECK(code_of([&] { bcpki::export_root_key(opened, &secret, bcpki::system_rng()); }) ==
        bcpki::Code::invalid_state);

  const auto other = created();
  const auto open = [&](const bcpki::Bundle& owner, bcpki::OpenOptions how) {
    return bcpki::open_root_key(file.reveal(), {.open = std::move(how), .bundle = &owner});
  };
  const auto root = open(opened, with({kSecret}));
  CHECK_FALSE(root.in_clear);
  CHECK(root.authority.public_key() == bundle.signer("rootCa")->public_key());
  CHECK(code_of([&] { open(opened, {}); }) == bcpki::Code::missing_env);
  CHECK(code_of([&] { open(other, with({kSecret})); }) == bcpki::Code::invalid_config);
  CHECK(check_of(std::string(root_text), with({kSecret})) == "format");
}

TEST_CASE("another trust domain than the expected one is refused") {
  bcpki::OpenOptions options;
  options.expect_trust_domain = "staging.example.com";
  CHECK(code_of([&] { bcpki::open_bundle(golden_text("sealed.json"), options); }) ==
        bcpki::Code::invalid_config);
  options.expect_trust_domain = "compute.example.com";
  CHECK(check_of(golden_text("sealed.json"), options).empty());
}

TEST_CASE("what a member must be is checked member by member") {
  // Without a secret nothing stands before the checks of the public half.
  const auto text = golden_text("plaintext.json");
  const auto changed = [&](std::string_view from, std::string_view to) {
    return check_of(replaced(text, from, to));
  };
  CHECK(changed("\"trustVersion\": 1", "\"trustVersion\": \"1\"") == "member-form");
  CHECK(changed("\"generation\": 1", "\"generation\": null") == "member-form");
  CHECK(changed("\"organization\": \"better-compute\"", "\"organization\": \"\"") == "member-form");
  CHECK(changed("\"use\": \"enc\"", "\"use\": \"sig\"") == "member-form");
  CHECK(changed("\"alg\": \"ES256\"", "\"alg\": \"ES384\"") == "member-form");
  CHECK(changed("\"kty\": \"EC\"", "\"kty\": \"OKP\"") == "member-form");
  CHECK(changed("\"organization\": \"better-compute\",", "") == "member-missing");
  CHECK(changed("\"use\": \"enc\",", "") == "member-missing");
  CHECK(changed("\"auditSigning\"", "\"auditSigningNext\"") == "member-missing");
  CHECK(changed("\"auditSigning\"", "\"servingCaNext\"") == "unknown-member");
  CHECK(changed("\"version\": 1", "\"version\": 2") == "version");
  CHECK(changed("\"version\": 1", "\"version\": \"1\"") == "version");
  CHECK(changed("compute.example.com\"", "Compute.example.com\"") == "format");
  CHECK(check_of("[]") == "json");
  CHECK(check_of(std::string(bcpki::kMaxBundleBytes, ' ') + "{}") == "json");
}

TEST_CASE("a newer version is told from a broken one") {
  try {
    bcpki::open_bundle(replaced(golden_text("plaintext.json"), "\"version\": 1", "\"version\": 2"));
    FAIL("opened");
  } catch (const bcpki::Error& error) {
    CHECK(std::string(error.what()).find("newer version") != std::string::npos);
  }
}

TEST_CASE("a seal in a weaker or unknown scheme is refused, never tried") {
  const auto text = golden_text("sealed.json");
  for (const auto& [from, to] :
       {std::pair{"\"A256GCM\"", "\"A128GCM\""}, std::pair{"\"HKDF-SHA256\"", "\"none\""},
        std::pair{"\"cipher\": \"A256GCM\"", "\"cipher\": null"}, std::pair{"\"iv\"", "\"nonce\""}})
    CHECK(check_of(replaced(text, from, to), with({kSecret})) == "seal-form");
}

TEST_CASE("a message never repeats what the file holds in secret") {
  const auto text = plain_text(created());
  const auto begin = text.find("-----BEGIN PRIVATE KEY-----\\n") + 29;
  const auto body = text.substr(begin, 40);
  for (const auto& broken :
       {text.substr(0, text.size() - 20), text + "x",
        replaced(text, "\"rootCa\": \"-----BEGIN PRIVATE", "\"rootCa\": \"-----BEGIN XRIVATE")}) {
    try {
      bcpki::open_bundle(broken);
      FAIL("opened");
    } catch (const bcpki::Error& error) {
      CHECK(std::string(error.what()).find(body) == std::string::npos);
    }
  }
}

TEST_CASE("public parts are as other software reads them") {
  const auto bundle = bcpki::open_bundle(golden_text("rotation-switched.json"), with({kSecret}));
  const auto part = [&](bcpki::PublicPart what, bool with_root = false) {
    return bcpki::export_public(bundle, what, with_root);
  };
  const auto blocks = [](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t at = 0;
         (at = text.find("-----BEGIN CERTIFICATE-----", at)) != std::string::npos; ++at)
      ++n;
    return n;
  };
  CHECK(blocks(part(bcpki::PublicPart::node_ca)) == 1);
  CHECK(blocks(part(bcpki::PublicPart::node_ca, true)) == 2);
  CHECK(blocks(part(bcpki::PublicPart::command_roots)) == 2);  // the former root is trusted yet
  CHECK(part(bcpki::PublicPart::ssh_ca).ends_with("compute.example.com ssh ca\n"));
  const auto set = bcpki::json::parse(part(bcpki::PublicPart::exec_jwks));
  CHECK(set.find("keys")->array()->size() == 1);
  CHECK(code_of([&] { part(bcpki::PublicPart::root, true); }) == bcpki::Code::invalid_input);
  CHECK(code_of([&] { part(bcpki::PublicPart::ssh_ca, true); }) == bcpki::Code::invalid_input);
  CHECK(code_of([&] {
          const auto old = bcpki::open_bundle(golden_text("oldest.json"), with({kSecret}));
          (void)bcpki::export_public(old, bcpki::PublicPart::ssh_ca, false);
        }) == bcpki::Code::not_found);
}

TEST_CASE("two bundles are told apart key by key") {
  using Lineage = bcpki::BundleDiff::Lineage;
  const auto open = [](const char* name) { return bcpki::open_bundle(golden_text(name)); };
  const auto sealed = open("sealed.json");
  CHECK(bcpki::diff_bundles(sealed, open("reformatted.json")).lineage == Lineage::same);

  const auto added = bcpki::diff_bundles(sealed, open("rotation-added.json"));
  CHECK(added.lineage == Lineage::newer);
  CHECK(std::ranges::any_of(added.changes, [](const bcpki::BundleChange& change) {
    return change.member == "commandSigningNext" && change.kind == bcpki::BundleChange::Kind::added;
  }));
  CHECK(bcpki::diff_bundles(open("rotation-added.json"), sealed).lineage == Lineage::older);
}

TEST_CASE("two deployments are unrelated") {
  CHECK(bcpki::diff_bundles(created(), created()).lineage == bcpki::BundleDiff::Lineage::unrelated);
}

}  // namespace

TEST_CASE("a reader says which bundle it expects") {
  const auto rotating = bcpki::test::golden("rotation-added.json");
  const auto text = bcpki::test::golden_text("rotation-added.json");
  const auto reason = [&](auto set) {
    auto options = with({kSecret});
    set(options);
    try {
      (void)bcpki::open_bundle(text, options);
      return std::string();
    } catch (const bcpki::Error& error) {
      CHECK(error.code() == bcpki::Code::invalid_config);
      CHECK(error.detail("check").empty());
      return std::string(error.detail("reason"));
    }
  };
  CHECK(reason([&](auto& o) { o.min_trust_version = rotating.trust_version(); }).empty());
  CHECK(reason([&](auto& o) { o.min_trust_version = rotating.trust_version() + 1; }) ==
        "trust-version");
  CHECK(reason([&](auto& o) { o.min_generation = rotating.generation(); }).empty());
  CHECK(reason([&](auto& o) { o.min_generation = rotating.generation() + 1; }) == "generation");
  CHECK(reason([&](auto& o) { o.expect_digest = rotating.public_digest(); }).empty());
  CHECK(reason([](auto& o) { o.expect_digest = bcpki::Digest32{}; }) == "digest");
  CHECK(reason([&](auto& o) { o.expect_trust_domain = rotating.trust_domain(); }).empty());
  CHECK(reason([](auto& o) { o.expect_trust_domain = "other.example"; }) == "trust-domain");
}

TEST_CASE("secrets are the same where they open the same seals") {
  const auto same = [](std::string_view a, std::string_view b) {
    return bcpki::same_secret(bcpki::SecretBytes(a), bcpki::SecretBytes(b));
  };
  CHECK(same("secret", "secret\n"));
  CHECK_FALSE(same("secret", "secret\n\n"));
  CHECK_FALSE(same("secret", "secreT"));
  CHECK_FALSE(same("secret", "secret\r"));
}
