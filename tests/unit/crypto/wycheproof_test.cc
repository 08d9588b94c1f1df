// ES256 in P1363 form against the cases of Wycheproof.
#include <string>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/key.h"

#include "support/test_data.h"

namespace {

namespace json = bcpki::json;

bcpki::Bytes hex_member(const json::Value& value, std::string_view name) {
  return bcpki::parse_hex(value.text(name).value()).value();
}

}  // namespace

TEST_CASE("signatures are valid where Wycheproof says so, and nowhere else") {
  const auto document = bcpki::test::foreign_json(
      bcpki::test::data_text("wycheproof/ecdsa_secp256r1_sha256_p1363_test.json"));
  std::uint64_t count = 0;
  for (const auto& group : *document.find("testGroups")->array()) {
    const auto point = hex_member(*group.find("publicKey"), "uncompressed");
    const auto key = bcpki::PublicKey::read_point(point);
    REQUIRE(static_cast<bool>(key));
    for (const auto& test : *group.find("tests")->array()) {
      CAPTURE(*test.find("tcId")->integer(), std::string(*test.text("comment")));
      CHECK(key->verify(hex_member(test, "msg"), hex_member(test, "sig")) ==
            (test.text("result") == "valid"));
      ++count;
    }
  }
  CHECK(count == *document.find("numberOfTests")->integer());
}
