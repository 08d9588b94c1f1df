#include <algorithm>

#include <catch2/catch.hpp>

#include "bcpki/bundle.h"
#include "bcpki/certificate.h"
#include "bcpki/encoding.h"

#include "format/x509.h"
#include "pki/profile.h"
#include "support/code_of.h"

namespace {

using bcpki::test::code_of;
using namespace std::chrono_literals;
namespace x509 = bcpki::x509;

constexpr bcpki::UnixTime kNow = bcpki::UnixTime::seconds(1796040000);  // 2026-11-30T12:00:00Z
constexpr auto kDays = std::chrono::hours(24);

const bcpki::Bundle& bundle() {
  static const auto made =
      bcpki::create_bundle({.trust_domain = "compute.example.com"}, kNow, bcpki::system_rng());
  return made;
}

bcpki::PublicKey new_key() {
  return bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng()).public_key();
}

bcpki::Certificate issue_gateway(const bcpki::GatewayProfile& profile, bcpki::UnixTime now = kNow) {
  const auto& ca = bundle().serving_ca();
  return ca.gateway(profile, new_key(), now, bcpki::system_rng()).sign(ca.signer());
}

bcpki::Certificate issue_node(const bcpki::NodeProfile& profile) {
  const auto& ca = bundle().node_ca();
  return ca.node(profile, new_key(), kNow, bcpki::system_rng()).sign(ca.signer());
}

std::vector<std::string> names(const bcpki::Certificate& certificate, x509::GeneralNameType type) {
  const auto fields = x509::parse_certificate(certificate.der).value();
  const auto* extension = fields.find(x509::oid::subject_alt_name);
  REQUIRE(extension != nullptr);
  std::vector<std::string> out;
  const auto found = x509::parse_subject_alt_name(extension->value).value();
  for (const auto& name : found) {
    CHECK(name.type == type);
    out.emplace_back(bcpki::as_text(name.value));
  }
  return out;
}

std::vector<std::string> subject(const bcpki::Certificate& certificate) {
  std::vector<std::string> out;
  const auto fields = x509::parse_certificate(certificate.der).value();
  const auto attributes = x509::read_name(fields.subject).value();
  for (const auto& attribute : attributes) out.emplace_back(attribute.value);
  return out;
}

TEST_CASE("a gateway certificate is its profile's") {
  const auto certificate =
      issue_gateway({.names = {"GW.example.com", "*.example.com", "gw.example.com"}});
  CHECK(names(certificate, x509::GeneralNameType::dns) ==
        std::vector<std::string>{"gw.example.com", "*.example.com"});
  CHECK(bcpki::normalize_dns_names(std::vector<std::string>{"GW.example.com", "gw.example.com"}) ==
        std::vector<std::string>{"gw.example.com"});
  CHECK(subject(certificate) ==
        std::vector<std::string>{"better-compute", "bc-role:gateway", "gw.example.com"});
  CHECK(certificate.not_before == kNow - 60s);
  CHECK(certificate.not_after - certificate.not_before == 30 * kDays);

  const auto fields = x509::parse_certificate(certificate.der).value();
  const auto* usage = fields.find(x509::oid::key_usage);
  REQUIRE(usage != nullptr);
  CHECK(usage->critical);
  CHECK(x509::parse_key_usage(usage->value) == x509::digital_signature);
  const auto* basic = fields.find(x509::oid::basic_constraints);
  REQUIRE(basic != nullptr);
  CHECK(basic->critical);
  CHECK_FALSE(x509::parse_basic_constraints(basic->value)->ca);
  const auto purposes =
      x509::parse_extended_key_usage(fields.find(x509::oid::extended_key_usage)->value).value();
  REQUIRE(purposes.size() == 1);
  CHECK(bcpki::equal(purposes[0], x509::oid::server_auth));
}

TEST_CASE("an agent certificate names its node first, then statements") {
  const auto certificate = issue_node({.site = "s1",
                                       .node = "node_01",
                                       .role = bcpki::Role::node_tenant,
                                       .statements = {"urn:bc:rack:r7", "urn:bc:pool:p"}});
  CHECK(names(certificate, x509::GeneralNameType::uri) ==
        std::vector<std::string>{"spiffe://compute.example.com/site/s1/node/node_01",
                                 "urn:bc:rack:r7", "urn:bc:pool:p"});
  CHECK(subject(certificate) ==
        std::vector<std::string>{"better-compute", "bc-role:node-tenant", "node_01"});
  CHECK(certificate.not_after - certificate.not_before == 24h);
}

TEST_CASE("a CN that OpenSSL would take for a host name, or that is too long, is left out") {
  CHECK(subject(issue_node({.site = "s", .node = "node.example"})).size() == 2);
  CHECK(subject(issue_node({.site = "s", .node = std::string(65, 'n')})).size() == 2);
  CHECK(subject(issue_node({.site = "s", .node = std::string(64, 'n')})).size() == 3);
  const std::string long_name = std::string(60, 'a') + ".example";
  CHECK(subject(issue_gateway({.names = {long_name}})).size() == 2);
}

TEST_CASE("a leaf lives no longer than its role may, by whatever route it is asked") {
  CHECK(code_of([] { issue_gateway({.names = {"a"}, .lifetime = 30 * kDays + 1s}); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([] { issue_gateway({.names = {"a"}, .lifetime = 119s}); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([] { issue_gateway({.names = {"a"}, .lifetime = -1s}); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([] {
          issue_node({.site = "s", .node = "n", .role = bcpki::Role::ramdisk, .lifetime = 3h});
        }) == bcpki::Code::invalid_input);
  CHECK(code_of([] { issue_node({.site = "s", .node = "n", .lifetime = 25h}); }) ==
        bcpki::Code::invalid_input);
  const auto ramdisk = issue_node({.site = "s", .node = "n", .role = bcpki::Role::ramdisk});
  CHECK(ramdisk.not_after - ramdisk.not_before == 2h);
}

TEST_CASE("a leaf ends with its CA and says so") {
  const auto late = kNow + 355 * kDays;
  const auto& ca = bundle().serving_ca();
  auto draft = ca.gateway({.names = {"gw"}}, new_key(), late, bcpki::system_rng());
  REQUIRE(draft.shortened());
  CHECK(draft.shortened()->find(bcpki::format_time(ca.chain()[0].not_after)) != std::string::npos);
  const auto certificate = std::move(draft).sign(ca.signer());
  CHECK(certificate.not_after == ca.chain()[0].not_after);
  CHECK(certificate.not_after <= ca.chain()[1].not_after);
  CHECK_FALSE(ca.gateway({.names = {"gw"}}, new_key(), kNow, bcpki::system_rng()).shortened());
}

// short_rooted is a CA of a year below a root that has only ten days left. It is no chain that we
// make: the rule must not rest on that.
bcpki::CertificateAuthority short_rooted(bcpki::Job job, std::shared_ptr<bcpki::Signer> signer,
                                         const bcpki::PrivateKey& root_key) {
  const auto make = [&](bcpki::Job of, const bcpki::PublicKey& key, const bcpki::IssuerView* issuer,
                        bcpki::UnixTime end) {
    auto parts = bcpki::profile_parts(bcpki::profile_of(of), "o", "d", key, issuer, kNow,
                                      bcpki::system_rng());
    parts.not_after = end;
    const auto tbs = x509::encode_tbs(parts);
    return x509::encode_certificate(tbs, root_key.sign(tbs));
  };
  const auto root =
      make(bcpki::Job::root_ca, root_key.public_key(), nullptr, kNow + 10 * kDays + 1s);
  const auto fields = x509::parse_certificate(root).value();
  const auto identifier = bcpki::key_identifier(root_key.public_key());
  const bcpki::IssuerView issuer{fields.subject, identifier, kNow + 365 * kDays};
  const std::vector<bcpki::Bytes> chain{
      make(job, signer->public_key(), &issuer, kNow + 365 * kDays), root};
  return {"d", chain, std::move(signer)};
}

TEST_CASE("a leaf of any kind ends with the shortest of all its issuers") {
  const auto root_key = bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng());
  const auto ca = [&](bcpki::Job job) {
    auto key = bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng());
    return short_rooted(job, bcpki::make_signer(std::move(key)), root_key);
  };
  const auto end = kNow + 10 * kDays + 1s;
  const auto check = [&](bcpki::Draft<bcpki::Certificate> draft, bcpki::Signer& signer) {
    REQUIRE(draft.shortened());
    CHECK(draft.shortened()->find(bcpki::format_time(end)) != std::string::npos);
    CHECK(std::move(draft).sign(signer).not_after == end);
  };
  auto& rng = bcpki::system_rng();
  const auto serving = ca(bcpki::Job::serving_ca);
  check(serving.gateway({.names = {"a"}}, new_key(), kNow, rng), serving.signer());
  const auto internal = ca(bcpki::Job::internal_ca);
  check(internal.internal({.names = {"a"}}, new_key(), kNow + 5 * kDays, rng), internal.signer());
  const auto node = ca(bcpki::Job::node_ca);
  check(node.node({.site = "s", .node = "n"}, new_key(), kNow + 10 * kDays - 1h, rng),
        node.signer());
  CHECK(code_of([&] { (void)serving.gateway({.names = {"a"}}, new_key(), end, rng); }) ==
        bcpki::Code::invalid_state);
}

TEST_CASE("nothing is issued before a CA is valid or after it has ended") {
  CHECK(code_of([] { issue_gateway({.names = {"a"}}, kNow - 61s); }) == bcpki::Code::invalid_state);
  CHECK(code_of([] { issue_gateway({.names = {"a"}}, kNow + 365 * kDays); }) ==
        bcpki::Code::invalid_state);
  // In the CA's first minute a leaf starts no earlier than the CA itself.
  CHECK(issue_gateway({.names = {"a"}}, kNow - 30s).not_before ==
        bundle().serving_ca().chain()[0].not_before);
}

TEST_CASE("each CA refuses the others' work") {
  auto& rng = bcpki::system_rng();
  const auto key = new_key();
  CHECK(code_of([&] { (void)bundle().node_ca().gateway({.names = {"a"}}, key, kNow, rng); }) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([&] {
          (void)bundle().serving_ca().node({.site = "s", .node = "n"}, key, kNow, rng);
        }) == bcpki::Code::invalid_input);
  CHECK(code_of([&] { (void)bundle().serving_ca().internal({.names = {"a"}}, key, kNow, rng); }) ==
        bcpki::Code::invalid_input);
}

TEST_CASE("no CA's key becomes a leaf's") {
  const auto& ca = bundle().serving_ca();
  CHECK(code_of([&] {
          (void)ca.gateway({.names = {"a"}}, ca.public_key(), kNow, bcpki::system_rng());
        }) == bcpki::Code::invalid_input);
}

TEST_CASE("names that a certificate may not carry are refused") {
  for (const std::string name :
       {"", "10.0.0.1", "::1", "a.", "a_b", "*", "a.*.b", "b\xc3\xbc.example", "a\nb", "a,DNS:b"})
    CHECK(code_of([&] { issue_gateway({.names = {name}}); }) == bcpki::Code::invalid_input);
  CHECK(code_of([] { issue_gateway({}); }) == bcpki::Code::invalid_input);
  std::vector<std::string> many;
  for (int i = 0; i < 101; ++i) many.push_back("n" + std::to_string(i));
  CHECK(code_of([&] { issue_gateway({.names = many}); }) == bcpki::Code::invalid_input);
  many.pop_back();
  CHECK(names(issue_gateway({.names = many}), x509::GeneralNameType::dns).size() == 100);
}

TEST_CASE("a role that is none of its enumeration's is refused") {
  CHECK(code_of([] {
          issue_node({.site = "s", .node = "n", .role = static_cast<bcpki::Role>(9)});
        }) == bcpki::Code::invalid_input);
  CHECK(code_of([] {
          (void)bundle().internal_ca().internal(
              {.role = static_cast<bcpki::ServiceRole>(4), .names = {"a"}}, new_key(), kNow,
              bcpki::system_rng());
        }) == bcpki::Code::invalid_input);
  CHECK(code_of([] {
          (void)bcpki::export_public(bundle(), static_cast<bcpki::PublicPart>(99), false);
        }) == bcpki::Code::invalid_input);
}

TEST_CASE("ids and statements that are none are refused") {
  for (const std::string id : {"", ".", "..", "a/b", "-x", "a b"}) {
    CHECK(code_of([&] { issue_node({.site = id, .node = "n"}); }) == bcpki::Code::invalid_input);
    CHECK(code_of([&] { issue_node({.site = "s", .node = id}); }) == bcpki::Code::invalid_input);
  }
  const auto with = [](std::vector<std::string> statements) {
    return code_of([&] { issue_node({.site = "s", .node = "n", .statements = statements}); });
  };
  CHECK(with({"spiffe://other/site/s/node/n"}) == bcpki::Code::invalid_input);
  CHECK(with({"urn:bc:a:1", "urn:bc:a:2"}) == bcpki::Code::invalid_input);
  CHECK(with({"urn:bc:a:1", "urn:bc:b:1", "urn:bc:c:1", "urn:bc:d:1"}) ==
        bcpki::Code::invalid_input);
  CHECK(with({"urn:bc:tpm-ak:000b:ab"}) == bcpki::Code::invalid_input);
}

TEST_CASE("serial numbers are random, positive, never zero and never twice the same") {
  struct Zeros final : bcpki::Rng {
    void fill(std::span<std::byte> out) override { std::ranges::fill(out, std::byte{0}); }
  } zeros;
  CHECK(code_of([&] { bcpki::draw_serial(zeros); }) == bcpki::Code::internal);

  std::vector<bcpki::Bytes> serials;
  for (int i = 0; i < 10'000; ++i) {
    serials.push_back(bcpki::draw_serial(bcpki::system_rng()));
    CHECK(serials.back().size() == 16);
    CHECK((serials.back()[0] & std::byte{0x80}) == std::byte{0});
  }
  std::ranges::sort(serials);
  CHECK(std::ranges::adjacent_find(serials) == serials.end());
}

TEST_CASE("a draft takes its issuer's signature and no other") {
  const auto& ca = bundle().serving_ca();
  const auto draft = [&] {
    return ca.gateway({.names = {"a"}}, new_key(), kNow, bcpki::system_rng());
  };
  CHECK(code_of([&] { (void)draft().sign(bundle().node_ca().signer()); }) ==
        bcpki::Code::invalid_config);
  CHECK(code_of([&] { (void)draft().finish(bcpki::Sig64{}); }) == bcpki::Code::invalid_input);
  auto outside = draft();
  const auto signature = ca.signer().sign(outside.to_be_signed());
  CHECK(outside.digest() == bcpki::sha256(outside.to_be_signed()));
  CHECK_FALSE(std::move(outside).finish(signature).der.empty());
}

TEST_CASE("a deployed certificate serves until something about it no longer fits") {
  const auto& ca = bundle().internal_ca();
  const auto key = new_key();
  const auto draft = [&](bcpki::ServiceRole role, std::vector<std::string> names) {
    return ca.internal({.role = role, .names = std::move(names)}, new_key(), kNow,
                       bcpki::system_rng());
  };
  const auto wanted = [&] { return draft(bcpki::ServiceRole::worker, {"A.b", "c.d"}); };
  const auto certificate =
      ca.internal({.role = bcpki::ServiceRole::worker, .names = {"a.b", "c.d"}}, key, kNow,
                  bcpki::system_rng())
          .sign(ca.signer());
  const auto text = certificate.pem() + ca.chain()[0].pem();
  const auto why = [&](const bcpki::Draft<bcpki::Certificate>& job, const bcpki::PublicKey& its_key,
                       bcpki::UnixTime now, std::string_view deployed) -> std::string {
    const auto verdict = ca.still_serves(bcpki::as_bytes(deployed), job, its_key, now, 2 * kDays);
    if (!verdict) return std::string(verdict.reason().slug);
    CHECK(verdict->der == certificate.der);
    return "";
  };
  CHECK(why(wanted(), key, kNow, text).empty());
  CHECK(why(wanted(), key, certificate.not_after - 2 * kDays - 1s, text).empty());
  CHECK(why(wanted(), key, certificate.not_after - 2 * kDays, text) == "expiring");
  CHECK(ca.still_serves(bcpki::as_bytes(text), wanted(), key, kNow, std::chrono::seconds::max())
            .reason()
            .slug == "expiring");
  CHECK(why(draft(bcpki::ServiceRole::worker, {"a.b"}), key, kNow, text) == "other-names");
  CHECK(why(draft(bcpki::ServiceRole::gateway, {"a.b", "c.d"}), key, kNow, text) == "other-names");
  CHECK(why(wanted(), new_key(), kNow, text) == "other-key");
  CHECK(why(wanted(), key, kNow, ca.chain()[0].pem() + text) == "other-issuer");
  CHECK(why(wanted(), key, kNow, "no certificate") == "certificate-form");
  CHECK(why(wanted(), key, kNow, "") == "certificate-form");
}

TEST_CASE("a certificate should be renewed when two thirds of its life are over") {
  const auto certificate = issue_gateway({.names = {"a"}});
  CHECK(bcpki::renew_by(certificate) == certificate.not_before + 20 * kDays);
}

TEST_CASE("wildcards that cover another name are pointed out") {
  const std::vector<std::string> names{"*.example.com", "gw.example.com", "a.b.example.com"};
  const auto found = bcpki::overlapping_names(names);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "*.example.com already covers gw.example.com");
}

TEST_CASE("wildcards on a single label are pointed out") {
  const std::vector<std::string> names{"*.org", "*.example.org", "org", "*.localhost"};
  CHECK(bcpki::broad_wildcards(names) ==
        std::vector<std::string>{"*.org covers every name directly below org",
                                 "*.localhost covers every name directly below localhost"});
}

TEST_CASE("what is no CA of the trust domain is none") {
  const std::vector<bcpki::Bytes> own{bundle().node_ca().chain()[0].der};
  CHECK(bcpki::CertificateAuthority("compute.example.com", own).kind() ==
        bcpki::CertificateAuthority::Kind::node);
  const auto refused = [](std::string trust_domain, std::vector<bcpki::Bytes> chain) {
    return code_of([&] { bcpki::CertificateAuthority(trust_domain, chain); });
  };
  CHECK(refused("other.example", own) == bcpki::Code::invalid_input);
  CHECK(refused("compute.example.com", {}) == bcpki::Code::invalid_input);
  CHECK(refused("compute.example.com", {bundle().node_ca().chain()[1].der}) ==
        bcpki::Code::invalid_input);
  CHECK(refused("compute.example.com", {issue_gateway({.names = {"a"}}).der}) ==
        bcpki::Code::invalid_input);
  CHECK(code_of([&] { bcpki::CertificateAuthority("compute.example.com", own).signer(); }) ==
        bcpki::Code::missing_env);
}

}  // namespace
