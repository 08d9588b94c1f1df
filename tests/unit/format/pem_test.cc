#include "format/pem.h"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"

namespace {

namespace pem = bcpki::pem;
using bcpki::Bytes;
using bcpki::View;

// openssl pkcs8 -topk8 -nocrypt: three lines, the last one short.
constexpr std::string_view kKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+4npxZgEl37b++Fp\n"
    "PaLOZcevS2lZGQXDv2yir/5lPamhRANCAAQ73SkOnEOAFwUfIW5ScXEMfhugPQpa\n"
    "vSccvoJXRDkRaCMDgXtYYqrQxV5go/eraVoxVZIYI4v1omBHBneU5Uc4\n"
    "-----END PRIVATE KEY-----\n";

// openssl genpkey -algorithm ed25519: exactly one line of 64 columns.
constexpr std::string_view kOneLine =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIIcYZXCKfqd2VcWWZC7q+YL+Hi+ja4mDn3aUgk8kYgPJ\n"
    "-----END PRIVATE KEY-----\n";

// openssl ec -aes128: RFC 1421 headers before the body.
constexpr std::string_view kWithHeaders =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,C1FD0DFB8A61E17AD33F53740A140B40\n"
    "\n"
    "93fjVSBtBlW3fpMhRr3a4HdLMLL+u6k5hX838rrw0khTOW4t0Jd0j5DKdojuVuGH\n"
    "JSo9PmHcdc34QM01bS0c8g6EgwhxsJnmrFGuxYDIgloWRR0r9tw3RWy2PHTNHZza\n"
    "cO3zZk17yvBcmKQZ7UOLDSJUsjaz3v+Lrx8BcjId2ow=\n"
    "-----END EC PRIVATE KEY-----\n";

Bytes from_base64(std::string_view text) {
  return bcpki::parse_base64(text).value();
}

const Bytes kKeyDer = from_base64(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+4npxZgEl37b++FpPaLOZcevS2lZGQXDv2yir/5l"
    "PamhRANCAAQ73SkOnEOAFwUfIW5ScXEMfhugPQpavSccvoJXRDkRaCMDgXtYYqrQxV5go/eraVoxVZIYI4v1omBH"
    "BneU5Uc4");

std::string hex(const bcpki::SecretBytes& secret) {
  return bcpki::hex(secret.reveal());
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string block(std::string_view label, std::string_view body) {
  return "-----BEGIN " + std::string(label) + "-----\n" + std::string(body) + "-----END " +
         std::string(label) + "-----\n";
}

// count returns the number of blocks in `text`, or -1 where it is refused.
int count(std::string_view text) {
  const auto blocks = pem::parse_blocks(text);
  return blocks ? static_cast<int>(blocks->size()) : -1;
}

TEST_CASE("a block is written as OpenSSL writes it") {
  CHECK(pem::encode("PRIVATE KEY", kKeyDer) == kKey);
  CHECK(bcpki::as_text(pem::encode_secret("PRIVATE KEY", kKeyDer).reveal()) == kKey);
  const auto one_line = pem::parse_exact("PRIVATE KEY", kOneLine);
  REQUIRE(one_line);
  CHECK(one_line->size() == 48);
  CHECK(pem::encode("PRIVATE KEY", one_line->reveal()) == kOneLine);
}

TEST_CASE("what is written is read exactly") {
  const auto der = pem::parse_exact("PRIVATE KEY", kKey);
  REQUIRE(der);
  CHECK(hex(*der) == bcpki::hex(kKeyDer));

  for (std::size_t size = 1; size < 200; ++size) {
    const Bytes octets(size, std::byte{0xa5});
    const auto again = pem::parse_exact("X", pem::encode("X", octets));
    CAPTURE(size);
    REQUIRE(again);
    CHECK(bcpki::equal(again->reveal(), octets));
  }
}

TEST_CASE("exactly means every byte") {
  const std::string text(kKey);
  const auto refused = [](std::string_view changed) {
    return !pem::parse_exact("PRIVATE KEY", changed);
  };
  CHECK(refused(""));
  CHECK(refused(" " + text));
  CHECK(refused("\n" + text));
  CHECK(refused(text + "\n"));
  CHECK(refused(text + " "));
  CHECK(refused(text + text));
  CHECK(refused(text.substr(0, text.size() - 1)));
  CHECK(refused(replaced(text, "\n", "\r\n")));
  CHECK(refused(replaced(text, "KEY-----\n", "KEY----- \n")));
  CHECK(refused(replaced(text, "PRIVATE KEY-----\n", "PRIVATE KEY-----\n\n")));
  CHECK(refused(replaced(text, "PRIVATE KEY", "CERTIFICATE")));
  CHECK(refused(replaced(text, "PRIVATE", "private")));
  CHECK(refused(block("PRIVATE KEY", "")));
  CHECK_FALSE(pem::parse_exact("CERTIFICATE", text));

  std::size_t taken = 0;  // any byte left out
  for (std::size_t i = 0; i < text.size(); ++i)
    taken += refused(text.substr(0, i) + text.substr(i + 1)) ? 0 : 1;
  CHECK(taken == 0);
}

TEST_CASE("lines of other lengths are not exact") {
  const std::string body(96, 'A');
  const auto exact = [](std::string_view lines) {
    return pem::parse_exact("X", block("X", lines));
  };
  CHECK(exact(body.substr(0, 64) + "\n" + body.substr(64) + "\n"));
  CHECK_FALSE(exact(body + "\n"));
  CHECK_FALSE(exact(body.substr(0, 60) + "\n" + body.substr(60) + "\n"));
  CHECK_FALSE(exact(body.substr(0, 32) + "\n" + body.substr(32) + "\n"));
}

TEST_CASE("blocks from elsewhere are found") {
  const std::string text(kKey);
  const std::vector<std::string> forms{
      text,
      text.substr(0, text.size() - 1),
      replaced(text, "\n", "\r\n"),
      replaced(text, "\n", " \t\n"),
      replaced(text, "\n", "\n\n"),
      "Subject: a key\nX509v3 extensions:\n" + text + "that was all\n",
      block("PRIVATE KEY", bcpki::base64(kKeyDer) + "\n"),  // one long line
      block("PRIVATE KEY", replaced(bcpki::base64(kKeyDer), "A", "A\n") + "\n"),
  };
  for (const std::string& form : forms) {
    CAPTURE(form);
    const auto blocks = pem::parse_blocks(form);
    REQUIRE(blocks);
    REQUIRE(blocks->size() == 1);
    CHECK(blocks->front().label == "PRIVATE KEY");
    CHECK(hex(blocks->front().der) == bcpki::hex(kKeyDer));
    CHECK_FALSE(blocks->front().has_headers);
  }
}

TEST_CASE("several blocks are found in their order") {
  const auto blocks =
      pem::parse_blocks(block("EC PARAMETERS", "BggqhkjOPQMBBw==\n") + "\n" + std::string(kKey));
  REQUIRE(blocks);
  REQUIRE(blocks->size() == 2);
  CHECK(blocks->at(0).label == "EC PARAMETERS");
  CHECK(hex(blocks->at(0).der) == "06082a8648ce3d030107");
  CHECK(blocks->at(1).label == "PRIVATE KEY");
  CHECK(count("") == 0);
  CHECK(count("no block at all\n") == 0);
}

TEST_CASE("no more blocks are taken than asked for") {
  std::string text;
  for (int i = 0; i < 16; ++i) text += block("X", "AAAA\n");
  CHECK(count(text) == 16);
  CHECK(count(text + block("X", "AAAA\n")) == -1);
  CHECK(pem::parse_blocks(block("X", "AAAA\n"), 1));
  CHECK_FALSE(pem::parse_blocks(block("X", "AAAA\n") + block("X", "AAAA\n"), 1));
}

TEST_CASE("headers are skipped and told") {
  const auto blocks = pem::parse_blocks(kWithHeaders);
  REQUIRE(blocks);
  REQUIRE(blocks->size() == 1);
  CHECK(blocks->front().label == "EC PRIVATE KEY");
  CHECK(blocks->front().has_headers);
  CHECK(blocks->front().der.size() == 128);
  CHECK(count(block("X", "Proc-Type: 4,ENCRYPTED\nAAAA\n")) == -1);  // no blank line behind
  CHECK(count(block("X", "AAAA\nProc-Type: 4,ENCRYPTED\n\nAAAA\n")) == -1);
  CHECK(count(block("X", "Folded: a\n b\n\nAAAA\n")) == 1);
}

TEST_CASE("a block ends with its own END") {
  CHECK(count("-----BEGIN X-----\nAAAA\n") == -1);
  CHECK(count("-----BEGIN X-----\n") == -1);
  CHECK(count("-----BEGIN X-----") == -1);
  CHECK(count("-----BEGIN X-----\nAAAA\n-----END Y-----\n") == -1);
  CHECK(count("-----BEGIN X-----\nAAAA\n-----END X----\n") == -1);
  CHECK(count("-----BEGIN X-----\nAAAA\n-----END X------\n") == -1);
  CHECK(count("-----BEGIN X-----\nAAAA-----END X-----\n") == -1);
  CHECK(count("-----BEGIN X-----\nAAAA\n-----BEGIN X-----\nAAAA\n-----END X-----\n") == -1);
  CHECK(count("-----END X-----\n") == -1);
  CHECK(count(block("X", "AAAA\n") + "-----END X-----\n") == -1);
}

TEST_CASE("a body is base64 and not empty") {
  CHECK(count(block("X", "AA==\n")) == 1);
  CHECK(count(block("X", "")) == -1);
  CHECK(count(block("X", "\n \n")) == -1);
  CHECK(count(block("X", "AAA\n")) == -1);
  CHECK(count(block("X", "AA=\n")) == -1);
  CHECK(count(block("X", "AA==\nAAAA\n")) == -1);
  CHECK(count(block("X", "AB==\n")) == -1);  // bits that are not zero
  CHECK(count(block("X", "AA_-\n")) == -1);
  CHECK(count(block("X", " AAAA\n")) == -1);
  CHECK(count(block("X", "AA AA\n")) == -1);
  CHECK(count(block("X", "AA\rAA\n")) == -1);
  CHECK(count(block("X", std::string("AA\0AA\n", 6))) == -1);
  CHECK(count(block("X", "AAAA\n# comment\n")) == -1);
}

TEST_CASE("a label is printable and has no dash or space at its edges") {
  CHECK(count(block("X509 CRL", "AAAA\n")) == 1);
  CHECK(count(block("A-B", "AAAA\n")) == 1);
  CHECK(count(block(std::string(64, 'X'), "AAAA\n")) == 1);
  CHECK(count(block(std::string(65, 'X'), "AAAA\n")) == -1);
  CHECK(count(block("", "AAAA\n")) == -1);
  CHECK(count(block("-X", "AAAA\n")) == -1);
  CHECK(count(block("X-", "AAAA\n")) == -1);
  CHECK(count(block(" X", "AAAA\n")) == -1);
  CHECK(count(block("X ", "AAAA\n")) == -1);
  CHECK(count(block("X\x01", "AAAA\n")) == -1);
  CHECK(count(block("X\xc3\xa4", "AAAA\n")) == -1);
  CHECK(count("-----BEGIN X----\nAAAA\n-----END X----\n") == -1);
}

TEST_CASE("only what starts a line is a block") {
  CHECK(count("see -----BEGIN X-----\nAAAA\nand more\n") == 0);
  CHECK(count("-----begin X-----\n") == 0);
  CHECK(count("---- BEGIN SSH2 PUBLIC KEY ----\n") == 0);
}

}  // namespace
