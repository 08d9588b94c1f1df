// Each check of a bundle, switched off, lets one of its cases open or fall to a later check: so the
// vectors are refused by the check that they name, and by nothing before it.
#include <algorithm>

#include <catch2/catch.hpp>

#include "golden/bundle_cases.h"
#include "pki/document.h"
#include "support/check_gate_switchable.h"

namespace {

namespace golden = bcpki::golden;

golden::Folder vectors() {
  return golden::Folder(BCPKI_GOLDEN_DIR);
}

std::vector<golden::BundleCase> refused_cases() {
  const auto text = vectors().text("bundle.json");
  const auto document = bcpki::json::parse(text);
  std::vector<golden::BundleCase> out;
  for (const auto& value : *document.find("cases")->array()) {
    golden::Members members(value);
    auto found = golden::read_bundle_case(members);
    if (!found.check.empty()) out.push_back(std::move(found));
  }
  return out;
}

std::size_t place(std::string_view slug) {
  const auto slugs = bcpki::check_slugs();
  const auto found = std::ranges::find(slugs, slug);
  REQUIRE(found != slugs.end());
  return static_cast<std::size_t>(found - slugs.begin());
}

bool goes_further(std::string_view slug, const golden::Outcome& outcome) {
  return outcome.check.empty() ? outcome.error.empty() : place(outcome.check) > place(slug);
}

TEST_CASE("every check stands in the order of formats.md section 6") {
  const std::vector<std::string_view> wanted{"json",
                                             "format",
                                             "version",
                                             "seal-form",
                                             "seal-and-keys",
                                             "unsealed-with-secret",
                                             "seal-open",
                                             "former-format",
                                             "public-digest",
                                             "unknown-member",
                                             "member-missing",
                                             "member-form",
                                             "pem",
                                             "chain-form",
                                             "profile",
                                             "chain-signature",
                                             "jwk-kid",
                                             "ssh-line",
                                             "next-and-previous",
                                             "key-shared",
                                             "key-missing",
                                             "key-unknown",
                                             "key-mismatch",
                                             "root-key"};
  CHECK(bcpki::check_slugs() == wanted);
}

TEST_CASE("a check that is switched off lets one of its cases through") {
  const auto cases = refused_cases();
  auto folder = vectors();
  for (const auto slug : bcpki::check_slugs()) {
    // Nothing can follow these: there is no document, no plaintext, no member to go on with.
    // `member-form` has no vector; the next test is its case.
    if (slug == "json" || slug == "seal-open" || slug == "member-missing" || slug == "member-form")
      continue;
    CAPTURE(slug);
    const bool seen = std::ranges::any_of(cases, [&](const golden::BundleCase& refused) {
      if (refused.check != slug) return false;
      CHECK(golden::open_case(refused, folder).check == slug);
      const bcpki::test::ClosedGate gate{std::string(slug)};
      return goes_further(slug, golden::open_case(refused, folder));
    });
    CHECK(seen);
  }
}

TEST_CASE("member-form, switched off, lets a value of a wrong type through") {
  auto text = vectors().text("bundle/plaintext.json");
  const std::string_view number = "\"trustVersion\": 1";
  text.replace(text.find(number), number.size(), "\"trustVersion\": \"1\"");
  const auto open = [&]() -> golden::Outcome {
    try {
      bcpki::open_bundle(text);
      return {};
    } catch (const bcpki::Error& error) {
      return {{}, "refused", std::string(error.detail("check"))};
    }
  };
  CHECK(open().check == "member-form");
  const bcpki::test::ClosedGate gate{"member-form"};
  CHECK(goes_further("member-form", open()));
}

}  // namespace
