#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/certificate.h"
#include "bcpki/doctor.h"
#include "bcpki/rng.h"
#include "bcpki/rotation.h"
#include "bcpki/upkeep.h"

#include "support/bundles.h"
#include "support/findings.h"
#include "support/key_files.h"
#include "support/run.h"

namespace {

namespace key_files = bcpki::test::key_files;
using namespace std::chrono_literals;
using bcpki::Bundle;
using bcpki::Certificate;
using bcpki::Examination;
using bcpki::PrivateKey;
using bcpki::UnixTime;
using bcpki::test::created;
using bcpki::test::Found;
using bcpki::test::found;
using bcpki::test::kNow;
using bcpki::test::run;
using bcpki::test::the_finding;

constexpr auto kDay = 24h;

// Content is a file's path and what is in it.
struct Content {
  std::string path;
  std::string text;
  bool open_to_others = false;
};

Examination examined(const Bundle* bundle, const std::vector<Content>& contents,
                     UnixTime now = kNow, std::chrono::seconds warn = 60 * kDay) {
  std::vector<bcpki::DeployedFile> files;
  for (const auto& [path, text, open] : contents)
    files.push_back({.path = path,
                     .shell_path = "'" + path + "'",
                     .open_to_others = open,
                     .content = bcpki::as_bytes(text)});
  return bcpki::examine_files(bundle, files, {.warn = warn}, now);
}

Found found_in(const Bundle& bundle, const std::string& text, UnixTime now = kNow) {
  return found(examined(&bundle, {{"a.crt", text}}, now));
}

// Pair is a certificate and its key, in PEM.
struct Pair {
  Certificate certificate;
  std::string key;
};

std::string text_of(const bcpki::SecretBytes& pem) {
  return std::string(bcpki::as_text(pem.reveal()));
}

Pair gateway(const Bundle& bundle) {
  auto& rng = bcpki::system_rng();
  const auto key = PrivateKey::generate(bcpki::KeyAlgorithm::p256, rng);
  const auto& ca = bundle.serving_ca();
  return {ca.gateway({.names = {"gw.example.com"}}, key.public_key(), kNow, rng).sign(ca.signer()),
          text_of(key.pkcs8_pem())};
}

// foreign is a certificate of a hundred years that OpenSSL signs with its own key.
std::string foreign(const std::string& serial = "1",
                    const std::vector<std::string>& key = {"ec", "-pkeyopt",
                                                           "ec_paramgen_curve:P-256"}) {
  std::vector<std::string> command{"faketime", "2026-01-01", "openssl",     "req",   "-x509",
                                   "-nodes",   "-keyout",    "/dev/null",   "-subj", "/CN=other",
                                   "-days",    "36500",      "-set_serial", serial,  "-newkey"};
  command.insert(command.end(), key.begin(), key.end());
  const auto made = run(command);
  REQUIRE(made.status == 0);
  return made.out;
}

const UnixTime kFarNow = *bcpki::parse_time("2060-01-01T00:00:00Z");

Bundle renewed(const Bundle& bundle, UnixTime now) {
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto certificate = root.renew(bundle.serving_ca().chain()[0].der, bcpki::kDefaultCaLifetime,
                                      now, bcpki::system_rng())
                               .sign(root.signer());
  return bcpki::install_ca_certificates(bundle, std::vector{certificate}, now);
}

Bundle without_former_node_ca(const Bundle& bundle) {
  const auto root = bcpki::RootAuthority::of(bundle);
  const auto key = bcpki::RotatingKey::node_ca;
  const auto added = bcpki::add_next_key(bundle, key, &root, kNow, bcpki::system_rng());
  return bcpki::drop_previous_key(bcpki::switch_keys(added, key, true, kNow), key, true, kNow);
}

}  // namespace

TEST_CASE("a gateway's files as they were issued have no finding") {
  const auto bundle = created();
  const auto pair = gateway(bundle);
  const auto chain = pair.certificate.pem() + bundle.serving_ca().chain()[0].pem();
  const auto examination =
      examined(&bundle, {{"tls/gateway.crt", chain}, {"tls/gateway.key", pair.key}});
  CHECK(found(examination).empty());
  REQUIRE(examination.files.size() == 2);
  CHECK(examination.files[0].path == "tls/gateway.crt");
  CHECK(examination.files[0].position == 1);
  CHECK(examination.files[0].not_after == pair.certificate.not_after);
  CHECK(examination.files[0].renew_by == bcpki::renew_by(pair.certificate));
  CHECK(examination.files[0].serial_hex == pair.certificate.serial_hex);
  CHECK(examination.files[1].position == 2);
  CHECK(examination.files[1].not_after == bundle.serving_ca().chain()[0].not_after);
  CHECK_FALSE(examination.files[1].renew_by);
}

TEST_CASE("every certificate of the bundle is known, in a trust file and as DER") {
  const auto bundle = created();
  std::string all;
  for (const auto* ca : {&bundle.node_ca(), &bundle.serving_ca(), &bundle.internal_ca()})
    for (const auto& certificate : ca->chain()) {
      all += "a comment\r\n" + certificate.pem();
      const auto der = std::string(bcpki::as_text(certificate.der));
      CHECK(found_in(bundle, der).empty());
    }
  const auto examination = examined(&bundle, {{"ca.pem", all}});
  CHECK(found(examination).empty());
  CHECK(examination.files.size() == 6);
}

TEST_CASE(
    "a leaf is due when two thirds of its life are over, and has ended after its last second") {
  const auto bundle = created();
  const auto pair = gateway(bundle);
  const auto text = pair.certificate.pem();
  const auto due = bcpki::renew_by(pair.certificate);
  CHECK(found_in(bundle, text, due - 1s).empty());
  CHECK(found_in(bundle, text, due) == Found{"warning file.expiring a.crt"});
  CHECK(found_in(bundle, text, pair.certificate.not_after + 999ms) ==
        Found{"warning file.expiring a.crt"});
  CHECK(found_in(bundle, text, pair.certificate.not_after + 1s) ==
        Found{"error file.expired a.crt"});
  CHECK(found_in(bundle, text, pair.certificate.not_before - 1s) ==
        Found{"error file.not-yet-valid a.crt"});
  const auto expired = examined(&bundle, {{"a.crt", text}}, pair.certificate.not_after + 1s);
  CHECK(expired.findings[0].message ==
        "certificate 1, \"gw.example.com\", ended at 2026-12-30T11:59:00Z, less than a day ago");
  CHECK(expired.findings[0].fix == "bc-pki issue-gateway");
}

TEST_CASE("another deployment's certificates are foreign, even of the same names") {
  const auto bundle = created();
  const auto other = created();
  const auto pair = gateway(other);
  CHECK(found_in(bundle, pair.certificate.pem()) == Found{"warning file.foreign a.crt"});
  CHECK(found_in(bundle, other.node_ca().chain()[0].pem()) == Found{"warning file.foreign a.crt"});
  CHECK(found_in(bundle, other.node_ca().chain()[1].pem()) == Found{"warning file.foreign a.crt"});
  CHECK(found_in(bundle, foreign()) == Found{"warning file.foreign a.crt"});
  CHECK(found_in(bundle, foreign("1", {"rsa:2048"})) == Found{"warning file.foreign a.crt"});
}

TEST_CASE("without a bundle nothing is said of whose a certificate is") {
  const auto pair = gateway(created());
  const auto examination = examined(nullptr, {{"a.crt", pair.certificate.pem()}});
  CHECK(found(examination).empty());
  CHECK(examination.files.size() == 1);
  CHECK(found(examined(nullptr, {{"a.crt", pair.certificate.pem()}},
                       pair.certificate.not_after + 1s)) == Found{"error file.expired a.crt"});
}

TEST_CASE("a CA certificate from before its renewal is stale, and what it signed is not") {
  const auto before = created();
  const auto pair = gateway(before);
  const auto& former = before.serving_ca().chain()[0];
  const auto after = renewed(before, kNow + 24h);
  const auto examination =
      examined(&after, {{"a.crt", pair.certificate.pem() + former.pem()}}, kNow + 24h);
  CHECK(found(examination) == Found{"warning file.stale-ca a.crt"});
  CHECK(examination.findings[0].message ==
        "certificate 2, \"compute.example.com gateway serving CA\", has the key of servingCa but "
        "is not the bundle's certificate");
  CHECK_THAT(examination.findings[0].fix, Catch::Matchers::StartsWith("bc-pki export serving-ca"));
  // It has an end of its own.
  CHECK(found(examined(&after, {{"a.crt", former.pem()}}, former.not_after - 60 * kDay)) ==
        Found{"warning file.stale-ca a.crt", "warning file.expiring a.crt"});
  CHECK(found(examined(&after, {{"a.crt", former.pem()}}, former.not_after - 60 * kDay - 1s)) ==
        Found{"warning file.stale-ca a.crt"});
  CHECK(found(examined(&after, {{"a.crt", former.pem()}}, former.not_after + 1s)) ==
        Found{"warning file.stale-ca a.crt", "error file.expired a.crt"});
}

TEST_CASE("a CA that was dropped from the bundle is still trusted where its file is") {
  const auto before = created();
  const auto after = without_former_node_ca(before);
  const auto examination = examined(&after, {{"ca.pem", before.node_ca().chain()[0].pem()}});
  CHECK(found(examination) == Found{"warning file.stale-ca ca.pem"});
  CHECK_THAT(examination.findings[0].message, Catch::Matchers::Contains("none of the bundle's"));
}

TEST_CASE("a serial number that is zero or negative is an error") {
  const auto bundle = created();
  for (const auto* serial : {"0", "-1", "-0x7f01"}) {
    CAPTURE(serial);
    CHECK(found_in(bundle, foreign(serial)) ==
          Found{"error file.serial a.crt", "warning file.foreign a.crt"});
  }
  for (const auto* serial : {"1", "0x80", "0x0080"})
    CHECK(found_in(bundle, foreign(serial)) == Found{"warning file.foreign a.crt"});
}

TEST_CASE("files that are damaged are errors, those that hold something else are ignored") {
  const auto bundle = created();
  const auto pem = gateway(bundle).certificate.pem();
  const Found unreadable{"error file.unreadable a.crt"}, ignored{"info file.ignored a.crt"};
  CHECK(found_in(bundle, "") == unreadable);
  CHECK(found_in(bundle, pem.substr(0, pem.size() / 2)) == unreadable);
  CHECK(found_in(bundle, pem + pem.substr(28)) == unreadable);
  CHECK(found_in(bundle, "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n") ==
        unreadable);
  CHECK(found_in(bundle, "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n") ==
        unreadable);
  CHECK(found_in(bundle, "{}\n") == ignored);
  CHECK(found_in(bundle, std::string(3, '\0')) == ignored);
  CHECK(found_in(bundle, std::string("0\x82\x01", 3)) == ignored);
  CHECK(found_in(bundle, std::string(key_files::kPublic)) == ignored);
  // What stands beside it is looked at all the same.
  CHECK(
      examined(&bundle,
               {{"a.crt", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n" + pem}})
          .files.size() == 1);
}

TEST_CASE("a private key that others can read is an error, an encrypted one a warning") {
  const auto bundle = created();
  const auto open = [&](std::string_view key) {
    return examined(&bundle, {{"a.key", std::string(key), true}});
  };
  CHECK(found(open(key_files::kPkcs8)) == Found{"error file.key-open a.key"});
  CHECK(open(key_files::kPkcs8).findings[0].fix == "chmod 600 'a.key'");
  CHECK(found(open(key_files::kSec1)) == Found{"error file.key-open a.key"});
  CHECK(found(open(key_files::kSha256)) == Found{"warning file.key-open a.key"});
  CHECK(found(examined(&bundle, {{"a.key", std::string(key_files::kPkcs8)}})).empty());
  CHECK(found(examined(&bundle, {{"a.key", std::string(key_files::kSha256)}})).empty());
  // A certificate is for everyone.
  CHECK(found(examined(&bundle, {{"a.crt", gateway(bundle).certificate.pem(), true}})).empty());
}

TEST_CASE("a key that is not its certificate's is an error, in one file or in two") {
  const auto bundle = created();
  const auto pair = gateway(bundle);
  const auto other = gateway(bundle);
  const auto cert = pair.certificate.pem();
  const auto mixed = examined(&bundle, {{"t/a.key", other.key}, {"t/a.crt", cert}});
  CHECK(found(mixed) == Found{"error file.key-mismatch t/a.key"});
  CHECK(mixed.findings[0].message == "it is not the key of the certificate in t/a.crt");
  CHECK(found(examined(&bundle, {{"a.pem", other.key + cert}})) ==
        Found{"error file.key-mismatch a.pem"});
  CHECK(found(examined(&bundle, {{"a.pem", cert + pair.key}})).empty());
  // Other names belong to others.
  CHECK(found(examined(&bundle, {{"a.key", other.key}, {"b.crt", cert}})).empty());
  CHECK(found(examined(&bundle, {{"t/a.key", other.key}, {"u/a.crt", cert}})).empty());
  // Behind the certificate stands its CA, whose key it need not be.
  const auto chain = cert + bundle.serving_ca().chain()[0].pem();
  CHECK(found(examined(&bundle, {{"a.key", pair.key}, {"a.crt", chain}})).empty());
  // What cannot be compared is not.
  CHECK(found(examined(&bundle, {{"a.key", std::string(key_files::kSha256)}, {"a.crt", cert}}))
            .empty());
}

TEST_CASE("a foreign CA is warned of as long before its end as ours, however far that is") {
  const auto bundle = created();
  const auto text = foreign();
  const auto all = found(examined(&bundle, {{"a.crt", text}}, kFarNow, 36500 * kDay));
  CHECK(all == Found{"warning file.foreign a.crt", "warning file.expiring a.crt"});
  CHECK(found(examined(&bundle, {{"a.crt", text}}, kFarNow, 0s)) ==
        Found{"warning file.foreign a.crt"});
}
