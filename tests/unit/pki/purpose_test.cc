#include <array>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/rng.h"
#include "bcpki/signer.h"

#include "support/code_of.h"
#include "support/hex.h"

namespace {

using bcpki::as_bytes;
using bcpki::Bytes;
using bcpki::Code;
using bcpki::KeyAlgorithm;
using bcpki::PrivateKey;
using bcpki::PublicKey;
using bcpki::View;
using bcpki::test::code_of;
using bcpki::test::from_hex;

constexpr const char* kTrustDomain = "compute.example.com";

std::unique_ptr<bcpki::Signer> new_signer(KeyAlgorithm algorithm = KeyAlgorithm::p256) {
  return bcpki::make_signer(PrivateKey::generate(algorithm, bcpki::system_rng()));
}

// A key whose holder answers with nonsense.
class LyingSigner final : public bcpki::Signer {
 public:
  explicit LyingSigner(PublicKey key) : key_(std::move(key)) {}

  const PublicKey& public_key() const override { return key_; }
  bcpki::Sig64 sign(View) override {
    ++asked_;
    return {};
  }
  int asked() const { return asked_; }

 private:
  PublicKey key_;
  int asked_ = 0;
};

// Golden vectors signatures-001, with its parts, and signatures-006 and 007.
const std::array kParts = {
    from_hex("bf7ac60266daf96f442606e63a590e7818d6602161684e4385c4e26cd32ccc66"),
    from_hex("6e6f64655f3031"), from_hex("000001a22c538200")};
const std::array<View, 3> kViews = {kParts[0], kParts[1], kParts[2]};

PublicKey vector_key() {
  const auto spki = bcpki::parse_base64(
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZLm76qVc5dH3yTrbROtQdwy0+dIfBi0V/GmCvY/UlUAMiZYVIxLc"
      "cWk3B4pVtoe41nLXltPNSRaxrChn8epM1A==");
  return PublicKey::read(*spki).value_or_throw(Code::invalid_input);
}

Bytes vector_signature() {
  return from_hex(
      "c03314afc5336d4c4e79f2176508e30e5c55969937287df9aba192f6b978e3ec412b86603166e6c94b9e453d95"
      "4645beb714fc310cd81606a53e5b9557abd21e");
}

TEST_CASE("the input frames the purpose and counts the parts") {
  const std::array<View, 4> parts = {kViews[0], kViews[1], kViews[2], as_bytes(kTrustDomain)};
  CHECK(bcpki::hex(bcpki::purpose_input("x509pop", parts)) ==
        "6265747465722d636f6d707574652f7369672f7631000000000778353039706f700000000400000020bf7ac602"
        "66daf96f442606e63a590e7818d6602161684e4385c4e26cd32ccc66000000076e6f64655f3031000000080000"
        "01a22c53820000000013636f6d707574652e6578616d706c652e636f6d");
  CHECK(bcpki::hex(bcpki::purpose_input("empty", {})) ==
        "6265747465722d636f6d707574652f7369672f76310000000005656d70747900000000");
  const std::array<View, 1> one_empty = {};
  CHECK(bcpki::hex(bcpki::purpose_input("empty", one_empty)) ==
        "6265747465722d636f6d707574652f7369672f76310000000005656d7074790000000100000000");
}

TEST_CASE("a signature counts for its own purpose, parts and trust domain") {
  const PublicKey key = vector_key();
  const Bytes sig = vector_signature();
  CHECK(bcpki::verify_purpose(key, "x509pop", kViews, kTrustDomain, sig));

  CHECK_FALSE(bcpki::verify_purpose(key, "renew", kViews, kTrustDomain, sig));
  CHECK_FALSE(bcpki::verify_purpose(key, "x509pop", kViews, "staging.example", sig));
  CHECK_FALSE(bcpki::verify_purpose(key, "x509pop", std::span(kViews).first(2), kTrustDomain, sig));
  const std::array<View, 3> swapped = {kViews[1], kViews[0], kViews[2]};
  CHECK_FALSE(bcpki::verify_purpose(key, "x509pop", swapped, kTrustDomain, sig));
  CHECK_FALSE(
      bcpki::verify_purpose(new_signer()->public_key(), "x509pop", kViews, kTrustDomain, sig));
  for (const std::size_t size : {0, 63})
    CHECK_FALSE(bcpki::verify_purpose(key, "x509pop", kViews, kTrustDomain, View(sig).first(size)));
}

TEST_CASE("without a valid trust domain of one's own nothing is verified or signed") {
  const auto signer = new_signer();
  for (const std::string trust_domain : {"", "Compute.Example.com", "a..b", "spiffe://a", "a b"}) {
    std::vector<View> parts(kViews.begin(), kViews.end());
    parts.push_back(as_bytes(trust_domain));
    const auto sig = signer->sign(bcpki::purpose_input("renew", parts));
    CHECK_FALSE(bcpki::verify_purpose(signer->public_key(), "renew", kViews, trust_domain, sig));
    CHECK(code_of([&] { bcpki::sign_purpose(*signer, "renew", kViews, trust_domain); }) ==
          Code::invalid_input);
  }
}

TEST_CASE("what is signed verifies and names its key") {
  const auto signer = new_signer();
  const auto signature = bcpki::sign_purpose(*signer, "renew", kViews, kTrustDomain);
  CHECK(signature.kid == signer->public_key().kid());
  CHECK(bcpki::verify_purpose(signer->public_key(), "renew", kViews, kTrustDomain, signature.sig));
}

TEST_CASE("only P-256 keys sign with a purpose") {
  const auto signer = new_signer(KeyAlgorithm::ed25519);
  CHECK(code_of([&] { bcpki::sign_purpose(*signer, "renew", kViews, kTrustDomain); }) ==
        Code::invalid_input);
  const std::array<View, 1> parts = {as_bytes(kTrustDomain)};
  const auto sig = signer->sign(bcpki::purpose_input("renew", parts));
  CHECK_FALSE(bcpki::verify_purpose(signer->public_key(), "renew", {}, kTrustDomain, sig));
}

TEST_CASE("a signature that is not the key's is never handed on") {
  LyingSigner signer(vector_key());
  CHECK(code_of([&] { bcpki::sign_purpose(signer, "renew", kViews, kTrustDomain); }) ==
        Code::invalid_response);
  CHECK(signer.asked() == 1);
  CHECK(code_of([&] { bcpki::sign_purpose(signer, "renew", kViews, ""); }) == Code::invalid_input);
  CHECK(signer.asked() == 1);
}

}  // namespace
