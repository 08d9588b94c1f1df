#include <span>
#include <vector>

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"
#include "bcpki/key.h"
#include "bcpki/signer.h"

#include "golden/vectors.h"

namespace bcpki::golden {
namespace {

PublicKey read_key(Members& members) {
  return PublicKey::read(members.base64("spki")).value_or_throw(Code::invalid_input);
}

std::vector<Bytes> read_parts(Members& members) {
  std::vector<Bytes> parts;
  for (const json::Value& part : members.list("parts")) {
    const auto bytes = part.string() ? parse_hex(*part.string()) : std::nullopt;
    expect(bytes.has_value(), "a part must be hex");
    parts.push_back(*bytes);
  }
  return parts;
}

void check_key(Members& members) {
  const PublicKey key = read_key(members);
  expect_equal("pin", key.pin(), members.text("pin"));
  expect_equal("kid", key.kid(), members.text("kid"));
  members.within("jwk", [&key](Members& jwk) {
    const View coordinates = key.raw().subspan(1);
    expect_equal("kty", "EC", jwk.text("kty"));
    expect_equal("crv", "P-256", jwk.text("crv"));
    expect_equal("x", base64url(coordinates.first(32)), jwk.text("x"));
    expect_equal("y", base64url(coordinates.last(32)), jwk.text("y"));
    expect_equal("thumbprint", key.thumbprint(), jwk.text("kid"));
  });
}

void check_signature(Members& members) {
  const std::string& purpose = members.text("purpose");
  const std::vector<Bytes> owned = read_parts(members);
  const std::vector<View> parts(owned.begin(), owned.end());
  const PublicKey key = read_key(members);
  const Bytes signature = members.hex("sig");
  const bool valid = members.flag("valid");
  members.optional("why");

  const Bytes input = purpose_input(purpose, parts);
  expect_equal("input", hex(input), members.text("input"));
  expect_verdict(key.verify(input, signature), valid);

  // The last part is the verifier's own trust domain, unless the case tests the encoding alone.
  if (parts.empty() || !is_trust_domain(as_text(parts.back()))) return;
  const std::span<const View> before = std::span(parts).first(parts.size() - 1);
  expect_verdict(verify_purpose(key, purpose, before, as_text(parts.back()), signature), valid);
}

}  // namespace

void replay_keys(Members& document, Folder&, Report& report) {
  each_case(document.list("keys"), report, check_key, "kid");
}

void replay_signatures(Members& document, Folder&, Report& report) {
  each_case(document.list("cases"), report, check_signature);
}

}  // namespace bcpki::golden
