#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/doctor.h"
#include "bcpki/encoding.h"
#include "bcpki/error.h"
#include "bcpki/rng.h"
#include "bcpki/rotation.h"
#include "bcpki/upkeep.h"

#include "support/bundles.h"
#include "support/code_of.h"
#include "support/findings.h"

namespace {

using namespace std::chrono_literals;
using bcpki::Examination;
using bcpki::Severity;
using bcpki::UnixTime;
using bcpki::test::code_of;
using bcpki::test::created;
using bcpki::test::Found;
using bcpki::test::found;
using bcpki::test::golden_text;
using bcpki::test::has;
using bcpki::test::kNow;
using bcpki::test::kOtherSecret;
using bcpki::test::kSecret;
using bcpki::test::the_finding;
using bcpki::test::with;

constexpr auto kDay = 24h;

// The CAs of created() end a year after the minute before kNow.
constexpr UnixTime kEnd = kNow - 60s + 365 * kDay;

// Case is what is asked of the doctor.
struct Case {
  std::string text;
  std::vector<std::string_view> secrets{kSecret};
  UnixTime now = kNow;
  std::chrono::seconds warn = bcpki::kDefaultDoctorWarning;
  bool open_to_others = false;
};

Examination examined(const Case& asked, bcpki::OpenOptions open = {}) {
  for (const auto secret : asked.secrets) open.secrets.emplace_back(secret);
  return bcpki::examine_bundle({.path = "pki.json",
                                .shell_path = "'pki.json'",
                                .open_to_others = asked.open_to_others,
                                .content = bcpki::as_bytes(asked.text)},
                               std::move(open), {.warn = asked.warn}, asked.now);
}

// sealed is a bundle's file without the root key.
std::string sealed(const bcpki::Bundle& bundle, bool omit_root_key = true) {
  const bcpki::SecretBytes secret(kSecret);
  const auto file = bcpki::export_bundle(
      bundle, {.secret = &secret, .omit_root_key = omit_root_key}, bcpki::system_rng());
  return std::string(bcpki::as_text(file.reveal()));
}

std::string in_clear(const bcpki::Bundle& bundle) {
  const auto file = bcpki::export_bundle(bundle, {.omit_root_key = true}, bcpki::system_rng());
  return std::string(bcpki::as_text(file.reveal()));
}

Found found_at(UnixTime now, std::chrono::seconds warn, const std::string& text) {
  return found(examined({.text = text, .now = now, .warn = warn}));
}

bcpki::Bundle added(const bcpki::Bundle& bundle, bcpki::RotatingKey key) {
  const auto root = bcpki::RootAuthority::of(bundle);
  return bcpki::add_next_key(bundle, key, &root, kNow, bcpki::system_rng());
}

bcpki::Bundle switched(const bcpki::Bundle& bundle, bcpki::RotatingKey key) {
  return bcpki::switch_keys(added(bundle, key), key, true, kNow);
}

}  // namespace

TEST_CASE("a bundle in order has no finding, and every certificate in it is told") {
  const auto examination = examined({.text = sealed(created())});
  CHECK(found(examination).empty());
  REQUIRE(examination.bundle);
  CHECK(examination.bundle->authenticated());
  Found members;
  for (const auto& member : examination.members) members.push_back(member.name);
  CHECK(members == Found{"rootCa", "nodeCa", "servingCa", "internalCa", "joinSigning",
                         "commandSigning", "auditSigning"});
  CHECK(examination.members[1].not_after == kEnd);
  CHECK(examination.members[1].not_before == kNow - 60s);
}

TEST_CASE("a root key in the bundle is pointed out") {
  const auto examination = examined({.text = sealed(created(), false)});
  CHECK(found(examination) == Found{"info pki.root-in-bundle pki.json"});
}

TEST_CASE("without the secret the public half is looked at, with a warning") {
  const auto examination = examined({.text = sealed(created()), .secrets = {}, .now = kEnd + 1s});
  CHECK(found(examination) == Found{"warning pki.unauthenticated pki.json",
                                    "error pki.ca-expired nodeCa", "error pki.ca-expired servingCa",
                                    "error pki.ca-expired internalCa"});
  CHECK(examination.members.size() == 7);
  // Whether the root key is in the bundle cannot be seen.
  CHECK(the_finding(examination, "pki.ca-expired", "nodeCa").fix ==
        "bc-pki renew-ca --ca node [--root-key PATH]");
}

TEST_CASE("a wrong secret is an error, and the public half is looked at all the same") {
  const auto examination =
      examined({.text = sealed(created()), .secrets = {kOtherSecret}, .now = kEnd - 60 * kDay});
  CHECK(found(examination) == Found{"error pki.unseal pki.json", "warning pki.ca-expiring nodeCa",
                                    "warning pki.ca-expiring servingCa",
                                    "warning pki.ca-expiring internalCa"});
  REQUIRE(examination.bundle);
  CHECK_FALSE(examination.bundle->authenticated());
}

TEST_CASE("the secret before the one in use is a warning") {
  CHECK(found(examined({.text = sealed(created()), .secrets = {kOtherSecret, kSecret}})) ==
        Found{"warning pki.previous-secret pki.json"});
  CHECK(found(examined({.text = sealed(created()), .secrets = {"", kSecret}})) ==
        Found{"warning pki.previous-secret pki.json"});
  CHECK(found(examined({.text = sealed(created()), .secrets = {kSecret, kOtherSecret}})).empty());
}

TEST_CASE("what nothing vouches for is an error, whatever the environment allows") {
  for (const bool allowed : {false, true}) {
    const auto former =
        found(examined({.text = golden_text("former.json")}, {.allow_unauthenticated = allowed}));
    CHECK(has(former, "error pki.former-format pki.json"));
    CHECK_FALSE(has(former, "warning pki.unauthenticated pki.json"));
    const auto plain =
        found(examined({.text = in_clear(created())}, {.allow_unauthenticated = allowed}));
    CHECK(plain ==
          Found{"warning pki.plaintext pki.json", "error pki.unsealed-with-secret pki.json"});
  }
}

TEST_CASE("keys in clear are a warning, and open to others an error") {
  const auto plain = in_clear(created());
  CHECK(found(examined({.text = plain, .secrets = {}})) == Found{"warning pki.plaintext pki.json"});
  const auto open = examined({.text = plain, .secrets = {}, .open_to_others = true});
  CHECK(found(open) ==
        Found{"warning pki.plaintext pki.json", "error pki.open-to-others pki.json"});
  CHECK(the_finding(open, "pki.open-to-others").fix == "chmod 600 'pki.json'");
  CHECK(found(examined({.text = sealed(created()), .open_to_others = true})) ==
        Found{"warning pki.open-to-others pki.json"});
}

TEST_CASE("every vector that is refused is an error that names its check") {
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BCPKI_GOLDEN_DIR "/bundle")) {
    const auto text = golden_text(entry.path().filename().native());
    CAPTURE(entry.path().filename());
    const auto examination = examined({.text = text});
    try {
      (void)bcpki::open_bundle(text, with({kSecret}));
      CHECK(examination.bundle);
    } catch (const bcpki::Error& error) {
      ++refused;
      CHECK(examination.count(Severity::error) > 0);
      const std::string check(error.detail("check"));
      if (check == "former-format") {
        CHECK(the_finding(examination, "pki.former-format").severity == Severity::error);
      } else if (check == "unsealed-with-secret") {
        CHECK(the_finding(examination, "pki.unsealed-with-secret").severity == Severity::error);
      } else {
        const auto& first = examination.findings.at(0);
        CHECK(first.id == (check == "seal-open" ? "pki.unseal" : "pki.unreadable"));
        CHECK_THAT(first.message, Catch::Matchers::EndsWith("(check " + check + ")"));
        CHECK_FALSE(first.fix.empty());
      }
    }
  }
  CHECK(refused > 50);
}

TEST_CASE("an older or other bundle than the expected one is found, and looked at") {
  const auto text = sealed(created());
  const auto refused = [&](bcpki::OpenOptions open) {
    return found(examined({.text = text, .now = kEnd + 1s}, std::move(open)));
  };
  const std::vector<std::string> expired = {"error pki.ca-expired nodeCa",
                                            "error pki.ca-expired servingCa",
                                            "error pki.ca-expired internalCa"};
  const auto first = [&](const std::string& finding) {
    Found all{finding};
    all.insert(all.end(), expired.begin(), expired.end());
    return all;
  };
  const auto rolled_back = first("error pki.rolled-back pki.json");
  CHECK(refused({.min_generation = 2}) == rolled_back);
  CHECK(refused({.min_trust_version = 2}) == rolled_back);
  CHECK(refused({.min_trust_version = 2, .min_generation = 2}) == rolled_back);
  CHECK(refused({.expect_digest = bcpki::Digest32{}}) == rolled_back);
  CHECK(refused({.expect_pins = R"({"servingCaPin": "sha256/other"})"}) == rolled_back);
  CHECK(refused({.expect_trust_domain = "other.example.com"}) ==
        first("error pki.other-trust-domain pki.json"));
  CHECK(refused({.min_trust_version = 1, .min_generation = 1}) == expired);
}

TEST_CASE("expected pins that are none are no finding but an error of who asked") {
  CHECK(code_of([] { (void)examined({.text = sealed(created())}, {.expect_pins = "pins"}); }) ==
        bcpki::Code::invalid_input);
}

TEST_CASE("a certificate is warned of from the first second of the time that was asked for") {
  const auto text = sealed(created());
  const Found warned{"warning pki.ca-expiring nodeCa", "warning pki.ca-expiring servingCa",
                     "warning pki.ca-expiring internalCa"};
  for (const int days : {1, 30, 60, 364}) {
    CAPTURE(days);
    const auto warn = days * kDay;
    const bool short_too = days < 60;
    CHECK(found_at(kEnd - warn, warn, text) == warned);
    CHECK((found_at(kEnd - warn - 1s, warn, text).empty() || short_too));
    CHECK_FALSE(has(found_at(kEnd - warn - 1s, warn, text), warned[0]));
  }
}

TEST_CASE("a certificate is valid in its last second, and has ended in the next") {
  const auto text = sealed(created());
  const auto last = examined({.text = text, .now = kEnd + 999ms});
  CHECK(has(found(last), "warning pki.ca-expiring nodeCa"));
  const auto over = examined({.text = text, .now = kEnd + 1s});
  CHECK(has(found(over), "error pki.ca-expired nodeCa"));
  CHECK_FALSE(has(found(over), "error pki.ca-expired commandSigning"));
  CHECK(the_finding(over, "pki.ca-expired", "nodeCa").message ==
        "\"compute.example.com node CA\" ended at 2027-11-30T11:59:00Z, less than a day ago");
  CHECK(the_finding(over, "pki.ca-expired", "nodeCa").fix ==
        "bc-pki renew-ca --ca node --root-key PATH");
}

TEST_CASE("a certificate that is not valid yet is an error") {
  const auto examination = examined({.text = sealed(created()), .now = kNow - 61s});
  CHECK(examination.count(Severity::error) == 7);
  CHECK(the_finding(examination, "pki.ca-not-yet-valid", "rootCa").message ==
        "\"compute.example.com root CA\" is valid from 2026-11-30T11:59:00Z; it is "
        "2026-11-30T11:58:59Z now");
  CHECK(found(examined({.text = sealed(created()), .now = kNow - 60s})).empty());
}

TEST_CASE("each certificate has the command that replaces it") {
  const auto text = sealed(created(), false);
  const auto fixes = examined({.text = text, .now = kNow, .warn = 36500 * kDay});
  const auto fix = [&](std::string_view member) {
    return the_finding(fixes, "pki.ca-expiring", member).fix;
  };
  CHECK(fix("nodeCa") == "bc-pki renew-ca --ca node");
  CHECK(fix("servingCa") == "bc-pki renew-ca --ca serving");
  CHECK(fix("internalCa") == "bc-pki renew-ca --ca internal");
  CHECK(fix("commandSigning") == "bc-pki rotate --key command-root --stage add");
  CHECK(fix("auditSigning") == "bc-pki rotate --key audit --stage add");
  CHECK(fix("rootCa") == "nothing renews it: plan a new deployment");
  CHECK(fix("joinSigning") == "nothing renews it: plan a new deployment");
}

TEST_CASE("a CA that ends with the root is not mended by another certificate") {
  const auto bundle = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto late = root.certificate().not_after - 10 * kDay;
  const auto renewed =
      root.renew(bundle.node_ca().chain()[0].der, bcpki::kMaxCaLifetime, late, bcpki::system_rng())
          .sign(root.signer());
  const auto last = bcpki::install_ca_certificates(bundle, std::vector{renewed}, late);
  const auto examination = examined({.text = sealed(last), .now = late});
  CHECK(the_finding(examination, "pki.ca-expiring", "nodeCa").fix ==
        "it ends with the root: plan a new deployment");
}

TEST_CASE("a CA with less left than six lives of what it issues is short, at most 60 days") {
  const auto text = sealed(created());
  struct Expected {
    const char* member;
    std::chrono::hours left;
  };
  for (const auto& [member, left] :
       {Expected{"nodeCa", 6 * kDay}, {"internalCa", 42 * kDay}, {"servingCa", 60 * kDay}}) {
    CAPTURE(member);
    const std::string short_ca = std::string("warning pki.ca-short ") + member;
    CHECK_FALSE(has(found_at(kEnd - left, 0s, text), short_ca));
    CHECK(has(found_at(kEnd - left + 1s, 0s, text), short_ca));
    CHECK(has(found_at(kEnd - 1s, 0s, text), short_ca));
    // What is warned of anyway is not said twice.
    CHECK_FALSE(has(found_at(kEnd - left + 1s, left, text), short_ca));
    CHECK(has(found_at(kEnd - left + 1s, left, text),
              std::string("warning pki.ca-expiring ") + member));
  }
}

TEST_CASE("a rotation that is half done has its next step") {
  for (const auto& [name, key] : bcpki::rotating_key_names()) {
    CAPTURE(name);
    const auto with_next = examined({.text = sealed(added(created(), key))});
    CHECK(found(with_next) == Found{"info pki.rotation " + std::string(name)});
    CHECK(the_finding(with_next, "pki.rotation").fix ==
          "bc-pki rotate --key " + std::string(name) + " --stage switch" +
              (name == "command-root" ? " --force" : ""));

    const auto bundle = switched(created(), key);
    const auto drop_at = bcpki::rotation_of(bundle, key).drop_at;
    const auto text = sealed(bundle);
    if (!drop_at) {
      CHECK(found(examined({.text = text, .now = kNow + 30 * kDay})) ==
            Found{"info pki.rotation audit"});
      continue;
    }
    const auto early = examined({.text = text, .now = *drop_at - 1s});
    CHECK(found(early) == Found{"info pki.rotation " + std::string(name)});
    CHECK_THAT(early.findings[0].message, Catch::Matchers::Contains(format_time(*drop_at)));
    const auto due = examined({.text = text, .now = *drop_at});
    CHECK(found(due) == Found{"warning pki.rotation " + std::string(name)});
    CHECK(due.findings[0].fix == "bc-pki rotate --key " + std::string(name) + " --stage drop");
  }
}

TEST_CASE("next and former certificates are judged, too, each by its own name") {
  const auto next =
      examined({.text = sealed(added(created(), bcpki::RotatingKey::node_ca)), .now = kEnd + 1s});
  CHECK(the_finding(next, "pki.ca-expired", "nodeCaNext").severity == Severity::error);
  CHECK(the_finding(next, "pki.ca-expired", "nodeCaNext").fix ==
        "bc-pki rotate --key node-ca --stage switch");
  CHECK(the_finding(next, "pki.ca-expired", "nodeCa").severity == Severity::error);

  const auto former = examined(
      {.text = sealed(switched(created(), bcpki::RotatingKey::node_ca)), .now = kEnd + 1s});
  CHECK(the_finding(former, "pki.ca-expired", "nodeCaPrevious").severity == Severity::warning);
  CHECK(the_finding(former, "pki.ca-expired", "nodeCaPrevious").fix ==
        "bc-pki rotate --key node-ca --stage drop");

  const auto audit = examined(
      {.text = sealed(switched(created(), bcpki::RotatingKey::audit)), .now = kNow + 3651 * kDay});
  CHECK(the_finding(audit, "pki.ca-expired", "auditSigningPrevious").severity == Severity::info);
  CHECK(the_finding(audit, "pki.ca-expired", "auditSigning").severity == Severity::error);
}

TEST_CASE("a rotation under way is finished before another one begins") {
  const auto fix = [](const bcpki::Bundle& bundle) {
    const auto examination = examined({.text = sealed(bundle), .now = kNow + 1826 * kDay});
    return the_finding(examination, "pki.ca-expired", "commandSigning").fix;
  };
  const auto key = bcpki::RotatingKey::command_root;
  CHECK(fix(created()) == "bc-pki rotate --key command-root --stage add");
  CHECK(fix(added(created(), key)) == "bc-pki rotate --key command-root --stage switch");
  CHECK(fix(switched(created(), key)) == "bc-pki rotate --key command-root --stage drop");
}

TEST_CASE("a bundle from before some of its keys lacks them") {
  const auto sandbox = examined({.text = golden_text("no-sandbox-ca.json")});
  CHECK(the_finding(sandbox, "pki.no-sandbox-ca").fix == "bc-pki add-sandbox-ca");
  CHECK(the_finding(sandbox, "pki.no-sandbox-ca").severity == Severity::info);
  const auto oldest = found(examined({.text = golden_text("oldest.json")}));
  for (const auto* member : {"commandSigning", "execTicket", "sshCa", "auditSigning"})
    CHECK(has(oldest, std::string("info pki.no-member ") + member));
}

TEST_CASE("a moment a hundred years on, and a warning of a hundred years, are judged exactly") {
  const auto text = sealed(created());
  const auto far = examined({.text = text, .now = *bcpki::parse_time("2126-11-30T12:00:00Z")});
  CHECK(far.count(Severity::error) == 7);
  CHECK(the_finding(far, "pki.ca-expired", "nodeCa").message ==
        "\"compute.example.com node CA\" ended at 2027-11-30T11:59:00Z, 36159 days ago");
  const auto last = *bcpki::parse_time("9999-12-31T23:59:59Z");
  CHECK(examined({.text = text, .now = last, .warn = 36500 * kDay}).count(Severity::error) == 7);
  const auto all = examined({.text = text, .now = kNow, .warn = 36500 * kDay});
  CHECK(all.count(Severity::warning) == 7);
  CHECK(all.count(Severity::error) == 0);
}
