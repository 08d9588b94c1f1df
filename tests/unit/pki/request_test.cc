#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/bundle.h"
#include "bcpki/certificate.h"

#include "format/pem.h"
#include "support/key_files.h"
#include "support/run.h"

namespace {

namespace key_files = bcpki::test::key_files;
using bcpki::as_bytes;
using bcpki::test::run;

constexpr std::string_view kLabel = "CERTIFICATE REQUEST";
constexpr std::string_view kDhParameters =
    "-----BEGIN DH PARAMETERS-----\nMAYCAQcCAQU=\n-----END DH PARAMETERS-----\n";
constexpr std::string_view kEcParameters =
    "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

// request is a request that OpenSSL made for the key kPkcs8.
const std::string& request() {
  static const std::string made =
      run({"openssl", "req", "-new", "-key", "/dev/stdin", "-subj", "/CN=x"}, key_files::kPkcs8)
          .out;
  REQUIRE_FALSE(made.empty());
  return made;
}

const std::string& certificate() {
  static const std::string made =
      bcpki::create_bundle({.trust_domain = "d"}, bcpki::UnixTime::seconds(1796040000),
                           bcpki::system_rng())
          .node_ca()
          .chain()[0]
          .pem();
  return made;
}

bcpki::Bytes der_of(std::string_view pem) {
  return bcpki::to_bytes(bcpki::pem::parse_blocks(pem)->front().der.reveal());
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

std::string renamed(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// around returns the forms in which other tools hand out one block.
std::vector<std::string> around(const std::string& pem) {
  return {pem,
          "what openssl -text prints:\n    Version: 1 (0x0)\n" + pem,
          pem + "\n\nand a signature below\n-- \nalice\n",
          "\n\n" + pem + "\n\n",
          pem.substr(0, pem.size() - 1),
          with_crlf(pem),
          with_crlf("before\n" + pem + "behind\n"),
          renamed(pem, "\n", " \n")};
}

std::string request_refusal(bcpki::View text) {
  const auto read = bcpki::CertificateRequest::read(text);
  return read ? "taken" : std::string(read.reason().slug);
}

std::string certificate_refusal(bcpki::View text) {
  const auto read = bcpki::read_certificate(text);
  return read ? "taken" : std::string(read.reason().slug);
}

TEST_CASE("a request is read whatever text stands around it, and gives its own key") {
  const auto key = bcpki::PublicKey::from_spki_pem(key_files::kPublic);
  auto forms = around(request());
  forms.push_back(renamed(request(), kLabel, "NEW CERTIFICATE REQUEST"));
  forms.emplace_back(bcpki::as_text(der_of(request())));
  for (const auto& form : forms) {
    CAPTURE(form);
    const auto read = bcpki::CertificateRequest::read(as_bytes(form));
    REQUIRE(read);
    CHECK(read->public_key() == key);
  }
}

TEST_CASE("a certificate is read whatever text stands around it") {
  const auto der = der_of(certificate());
  auto forms = around(certificate());
  forms.emplace_back(bcpki::as_text(der));
  for (const auto& form : forms) {
    CAPTURE(form);
    const auto read = bcpki::read_certificate(as_bytes(form));
    REQUIRE(read);
    CHECK(read->der == der);
  }
}

TEST_CASE("a second block, of whatever kind and place, makes neither a request nor a certificate") {
  for (const std::string_view other :
       {kDhParameters, kEcParameters, key_files::kPkcs8, std::string_view(request()),
        std::string_view(certificate())}) {
    const std::string text(other);
    CHECK(request_refusal(as_bytes(request() + text)) == "pem-form");
    CHECK(request_refusal(as_bytes(text + request())) == "pem-form");
    CHECK(request_refusal(as_bytes(request() + "text between\n" + text)) == "pem-form");
    CHECK(certificate_refusal(as_bytes(certificate() + text)) == "pem-form");
    CHECK(certificate_refusal(as_bytes(text + certificate())) == "pem-form");
  }
}

TEST_CASE("a block of another kind is neither") {
  for (const std::string_view other : {std::string_view(), std::string_view("text"), kDhParameters,
                                       kEcParameters, key_files::kPkcs8, key_files::kPublic}) {
    CHECK(request_refusal(as_bytes(other)) == "pem-form");
    CHECK(certificate_refusal(as_bytes(other)) == "pem-form");
  }
  CHECK(request_refusal(as_bytes(certificate())) == "pem-form");
  CHECK(certificate_refusal(as_bytes(request())) == "pem-form");
}

TEST_CASE("a block that is called otherwise than what it holds is refused") {
  const auto as_request = bcpki::pem::encode(kLabel, der_of(certificate()));
  const auto as_certificate = bcpki::pem::encode("CERTIFICATE", der_of(request()));
  CHECK(request_refusal(as_bytes(as_request)) == "request-form");
  CHECK(certificate_refusal(as_bytes(as_certificate)) == "certificate-form");
}

TEST_CASE("DER ends where it says, as it is and in PEM") {
  const auto check = [](const bcpki::Bytes& der, std::string_view label, const auto& refusal,
                        std::string_view slug) {
    REQUIRE(refusal(bcpki::View(der)) == "taken");
    for (const std::string_view junk : {std::string_view("\0", 1), std::string_view("\n"),
                                        std::string_view("0"), std::string_view("\x30\x00", 2)}) {
      auto longer = der;
      for (const char c : junk) longer.push_back(static_cast<std::byte>(c));
      CHECK(refusal(bcpki::View(longer)) == slug);
      CHECK(refusal(as_bytes(bcpki::pem::encode(label, longer))) == slug);
    }
    auto twice = der;
    twice.insert(twice.end(), der.begin(), der.end());
    CHECK(refusal(bcpki::View(twice)) == slug);
    const auto shorter = bcpki::View(der).first(der.size() - 1);
    CHECK(refusal(shorter) == slug);
    CHECK(refusal(as_bytes(bcpki::pem::encode(label, shorter))) == slug);
  };
  check(der_of(request()), kLabel, request_refusal, "request-form");
  check(der_of(certificate()), "CERTIFICATE", certificate_refusal, "certificate-form");
}

TEST_CASE("a request for another kind of key, or that its key did not sign, is refused") {
  const auto of = [](std::string_view key) {
    return run({"openssl", "req", "-new", "-key", "/dev/stdin", "-subj", "/CN=x"}, key).out;
  };
  CHECK(request_refusal(as_bytes(of(key_files::kP384))) == "key-form");
  CHECK(request_refusal(as_bytes(of(key_files::kRsa))) == "key-form");
  CHECK(request_refusal(as_bytes(of(key_files::kEd25519))) == "key-form");
  auto der = der_of(request());
  der.back() ^= std::byte{1};
  CHECK(request_refusal(der) == "request-signature");
}

}  // namespace
