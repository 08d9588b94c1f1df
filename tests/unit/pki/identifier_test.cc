#include "bcpki/identifier.h"

#include <array>
#include <string>

#include <catch2/catch.hpp>

namespace {

using bcpki::SpiffeId;

std::string times(std::size_t count, char c) {
  std::string text(count, c);
  return text;
}

TEST_CASE("trust domains end at 255 characters and 63 a label") {
  const std::string label = times(63, 'x');
  CHECK(bcpki::is_trust_domain(label));
  CHECK(bcpki::is_trust_domain(label + "." + label + "." + label + "." + label));
  CHECK_FALSE(bcpki::is_trust_domain(label + "x"));
  CHECK_FALSE(bcpki::is_trust_domain(label + "." + label + "." + label + "." + label + ".x"));
  for (const char* text : {"", "A.com", "a..b", ".a", "a.", "a b", "a/b", "a:1", "a\n", "é.com"})
    CHECK_FALSE(bcpki::is_trust_domain(text));
}

TEST_CASE("ids are 1 to 128 characters that no path or screen can misread") {
  CHECK(bcpki::is_id("node_01h455vb4pex5vsknk084sn02q"));
  CHECK(bcpki::is_id(times(128, 'a')));
  for (const std::string& text :
       {std::string(), times(129, 'a'), std::string("."), std::string(".."), std::string("-a"),
        std::string("../a"), std::string("a b"), std::string("a\0b", 3), std::string("ä")})
    CHECK_FALSE(bcpki::is_id(text));
}

TEST_CASE("an organization is 1 to 64 printable characters") {
  CHECK(bcpki::is_organization("better-compute"));
  CHECK(bcpki::is_organization("ACME, Inc. (\"~\")"));
  CHECK(bcpki::is_organization(times(64, 'a')));
  for (const std::string& text : {std::string(), times(65, 'a'), std::string("a\tb"),
                                  std::string("a\x7f"), std::string("Ünïcode")})
    CHECK_FALSE(bcpki::is_organization(text));
}

TEST_CASE("a statement has a name and a value, in 512 bytes") {
  const std::string prefix = "urn:bc:x:";
  CHECK(bcpki::is_statement(prefix + times(512 - prefix.size(), 'y')));
  CHECK_FALSE(bcpki::is_statement(prefix + times(513 - prefix.size(), 'y')));
  CHECK(bcpki::is_statement("urn:bc:a-1:v:w"));
  for (const char* uri : {"", "urn:bc:", "urn:bc:x", "urn:bc:x:", "urn:bc::y", "urn:bc:-x:y",
                          "urn:bc:X:y", "urn:BC:x:y", "urn:bc:x:a b", "urn:bc:x:\xc3\xa9"})
    CHECK_FALSE(bcpki::is_statement(uri));
}

TEST_CASE("a statement's name tells which statements are two of one kind") {
  CHECK(bcpki::statement_name("urn:bc:tpm-ak:000b:00") == "tpm-ak");
  CHECK(bcpki::statement_name("urn:bc:x:y:z") == "x");
  CHECK(bcpki::statement_name("urn:bc:x:").empty());
}

TEST_CASE("a TPM statement's digest is of its algorithm's length") {
  struct Algorithm {
    const char* id;
    std::size_t bytes;
  };
  for (const Algorithm& a : {Algorithm{"0004", 20}, Algorithm{"000b", 32}, Algorithm{"000c", 48},
                             Algorithm{"000d", 64}, Algorithm{"0012", 32}, Algorithm{"0027", 32},
                             Algorithm{"0028", 48}, Algorithm{"0029", 64}}) {
    const std::string start = std::string("urn:bc:tpm-ak:") + a.id + ":";
    CHECK(bcpki::is_tpm_ak_statement(start + times(2 * a.bytes, 'f')));
    CHECK_FALSE(bcpki::is_tpm_ak_statement(start + times(2 * a.bytes, 'F')));
    CHECK_FALSE(bcpki::is_tpm_ak_statement(start + times(2 * a.bytes - 2, 'f')));
    CHECK_FALSE(bcpki::is_tpm_ak_statement(start + times(2 * a.bytes + 2, 'f')));
  }
  CHECK_FALSE(bcpki::is_tpm_ak_statement("urn:bc:tpm-ak:000a:" + times(64, 'f')));
  CHECK_FALSE(bcpki::is_tpm_ak_statement("urn:bc:tpm-ek:000b:" + times(64, 'f')));
}

TEST_CASE("a role unit names one role") {
  CHECK(bcpki::is_role_unit("bc-role:node-tenant"));
  CHECK(bcpki::is_role_unit("bc-role:" + times(32, 'a')));
  for (const std::string& unit :
       {std::string("bc-role:"), "bc-role:" + times(33, 'a'), std::string("bc-role:Node"),
        std::string("bc-role:1a"), std::string("role:node"), std::string("bc-role:node\n")})
    CHECK_FALSE(bcpki::is_role_unit(unit));
}

TEST_CASE("a kind is two or more words in 64 characters") {
  CHECK(bcpki::is_kind("site.httpProxy"));
  CHECK(bcpki::is_kind("a." + times(62, 'b')));
  for (const std::string& kind : {"a." + times(63, 'b'), std::string("node"), std::string("a..b"),
                                  std::string("a."), std::string(".a"), std::string("a.B"),
                                  std::string("a.1"), std::string("a-b.c"), std::string()})
    CHECK_FALSE(bcpki::is_kind(kind));
}

TEST_CASE("nothing in a subject can hide on a screen") {
  CHECK(bcpki::is_subject("bmc:node_1/[fe80::1]"));
  CHECK(bcpki::is_subject(times(512, '!')));
  for (const std::string& subject :
       {std::string(), times(513, '!'), std::string("a b"), std::string("a\x1b[2J"),
        std::string("\x7f"), std::string("\xe2\x80\xaenode"), std::string("a\xc2\xa0")})
    CHECK_FALSE(bcpki::is_subject(subject));
}

TEST_CASE("DNS names fold upper case and nothing else") {
  CHECK(bcpki::normalize_dns_name("GW.Example.COM") == "gw.example.com");
  CHECK(bcpki::normalize_dns_name("*.Example.com") == "*.example.com");
  CHECK(bcpki::normalize_dns_name("xn--nxasmq6b.example") == "xn--nxasmq6b.example");
  CHECK(bcpki::normalize_dns_name("localhost") == "localhost");
}

TEST_CASE("what is no DNS name is refused") {
  for (const char* name : {"",
                           ".",
                           "a.",
                           ".a",
                           "a..b",
                           "-a.b",
                           "a-.b",
                           "a_b.c",
                           "*",
                           "*.",
                           "**.a",
                           "*.*.a",
                           "a.*.b",
                           "f*.x",
                           "10.0.0.1",
                           "127.1",
                           "::1",
                           "[::1]",
                           "2130706433",
                           "a.1",
                           "*.1",
                           "a:443",
                           "http://a",
                           "a b",
                           "b\u00fccher.example",
                           "\xe2\x84\xaa.example",
                           "a,DNS:b"})
    CHECK_FALSE(bcpki::normalize_dns_name(name));
  CHECK_FALSE(bcpki::normalize_dns_name(std::string("a\0.b", 4)));
}

TEST_CASE("DNS names end at 253 characters and 63 a label") {
  const std::string label = times(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + times(61, 'a');
  CHECK(bcpki::normalize_dns_name(longest) == longest);
  CHECK_FALSE(bcpki::normalize_dns_name(longest + "a"));
  CHECK_FALSE(bcpki::normalize_dns_name(label + "a.b"));
}

TEST_CASE("a wildcard covers one label") {
  CHECK(bcpki::covers_dns_name("*.example.com", "a.example.com"));
  CHECK(bcpki::covers_dns_name("*.example.com", "A.EXAMPLE.com"));
  for (const char* name : {"example.com", "a.b.example.com", "a.example.org", "aexample.com",
                           "*.example.com", ".example.com", "a.example.com.", "com", ""})
    CHECK_FALSE(bcpki::covers_dns_name("*.example.com", name));
  CHECK_FALSE(bcpki::covers_dns_name("a.example.com", "a.example.com"));
  CHECK_FALSE(bcpki::covers_dns_name("*", "a"));
}

TEST_CASE("a SPIFFE id has a trust domain, a site and a node") {
  const std::string uri = "spiffe://compute.example.com/site/S.1-_/node/node_01";
  const auto id = SpiffeId::parse(uri);
  REQUIRE(id);
  CHECK(id->trust_domain == "compute.example.com");
  CHECK(id->site == "S.1-_");
  CHECK(id->node == "node_01");
  CHECK(id->uri() == uri);
}

TEST_CASE("nothing in a SPIFFE id is normalised") {
  for (const char* uri : {"",
                          "spiffe://td/site/s/node/",
                          "spiffe://td/site/s/node/n/",
                          "spiffe://td/site//node/n",
                          "SPIFFE://td/site/s/node/n",
                          "spiffe://TD/site/s/node/n",
                          "spiffe://td:8443/site/s/node/n",
                          "spiffe://u@td/site/s/node/n",
                          "spiffe://td/site/s/node/n?q",
                          "spiffe://td/site/s/node/n#f",
                          "spiffe://td/site/s/node/%61",
                          "spiffe://td/site/../node/n",
                          "spiffe://td/Site/s/node/n",
                          "spiffe://td/site/s/node/n/x",
                          "spiffe://td/node/n/site/s",
                          "spiffe:///site/s/node/n",
                          "spiffe:/td/site/s/node/n",
                          " spiffe://td/site/s/node/n",
                          "spiffe://td/site/s/node/n\n",
                          "spiffe://td/site/s/node/n ",
                          "spiffe://td/site/s/node/n\t",
                          "\tspiffe://td/site/s/node/n",
                          "spiffe://td/site/s/node/a/../b",
                          "spiffe://td/site/s/node/a//b",
                          "spiffe://td/site/s/node/./n",
                          "spiffe://td//site/s/node/n",
                          "spiffe://td /site/s/node/n",
                          "spiffe://%61/site/s/node/n",
                          "spiffe://Example.org/x",
                          "spiffe://td/x",
                          "spiffe://td",
                          "spiffe://td/",
                          "spiffe://[::1]/site/s/node/n",
                          "https://td/site/s/node/n",
                          "x//td/site/s/node/n"})
    CHECK_FALSE(SpiffeId::parse(uri));
  CHECK_FALSE(SpiffeId::parse("spiffe://td/site/s/node/" + times(129, 'n')));
  CHECK_FALSE(SpiffeId::parse(times(1 << 20, '/')));
}

TEST_CASE("parts that are not valid make no SPIFFE id") {
  CHECK(SpiffeId{"td", "s", "n"}.uri() == "spiffe://td/site/s/node/n");
  for (const SpiffeId& id :
       {SpiffeId{"", "s", "n"}, SpiffeId{"TD", "s", "n"}, SpiffeId{"td", "", "n"},
        SpiffeId{"td", "s", ""}, SpiffeId{"td", "s/node/x", "n"}, SpiffeId{"td", "s", "n?x"}})
    CHECK_FALSE(id.uri());
}

}  // namespace
