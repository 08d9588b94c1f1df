#include <set>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "bcpki/doctor.h"
#include "bcpki/error.h"

#include "support/findings.h"

namespace {

using bcpki::Code;
using bcpki::Error;
using bcpki::Examined;
using bcpki::failed_examination;
using bcpki::Finding;
using bcpki::Severity;
using bcpki::test::Found;
using bcpki::test::found;

Finding plain(Severity severity, std::string_view id, std::string subject) {
  return {.severity = severity, .id = id, .subject = std::move(subject), .message = ""};
}

}  // namespace

TEST_CASE("ids are unique, and each says what it is about") {
  std::set<std::string_view> ids;
  for (const auto& [id, sentence] : bcpki::finding_table()) {
    CHECK(ids.insert(id).second);
    CHECK_FALSE(sentence.empty());
    CHECK((id.starts_with("pki.") || id.starts_with("root.") || id.starts_with("file.")));
  }
  CHECK(ids.size() > 30);
}

TEST_CASE("what could not be looked at is a finding by what it was and why") {
  struct Expected {
    Examined what;
    Code code;
    Error::Details details;
    std::string_view id;
    Severity severity;
  };
  const std::vector<Expected> expected = {
      {Examined::bundle, Code::not_found, {}, "pki.missing", Severity::error},
      {Examined::bundle, Code::io_error, {}, "pki.unreadable", Severity::error},
      {Examined::bundle, Code::invalid_input, {}, "pki.unreadable", Severity::error},
      {Examined::bundle,
       Code::invalid_config,
       {{"check", "pem"}},
       "pki.unreadable",
       Severity::error},
      {Examined::bundle,
       Code::invalid_config,
       {{"check", "seal-open"}},
       "pki.unseal",
       Severity::error},
      {Examined::bundle,
       Code::invalid_config,
       {{"reason", "pins"}},
       "pki.rolled-back",
       Severity::error},
      {Examined::root_key,
       Code::invalid_config,
       {{"check", "root-key"}},
       "root.other",
       Severity::error},
      {Examined::root_key,
       Code::invalid_input,
       {{"reason", "root-key"}},
       "root.other",
       Severity::error},
      {Examined::root_key,
       Code::invalid_config,
       {{"check", "seal-open"}},
       "root.unreadable",
       Severity::error},
      {Examined::root_key, Code::not_found, {}, "root.unreadable", Severity::error},
      {Examined::root_key, Code::missing_env, {}, "root.unreadable", Severity::error},
      {Examined::root_key, Code::invalid_state, {}, "root.unreadable", Severity::error},
      {Examined::file, Code::not_found, {}, "file.no-match", Severity::warning},
      {Examined::file, Code::invalid_input, {}, "file.ignored", Severity::info},
      {Examined::file, Code::io_error, {}, "file.unreadable", Severity::error},
  };
  for (const auto& [what, code, details, id, severity] : expected) {
    CAPTURE(id, int(code));
    const auto finding = failed_examination(what, "/a/b", Error(code, "/a/b: is odd", details));
    CHECK(finding.id == id);
    CHECK(finding.severity == severity);
    CHECK(finding.subject == "/a/b");
    CHECK_THAT(finding.message, Catch::Matchers::StartsWith("is odd"));
  }
}

TEST_CASE("a message names its subject once, and its check") {
  const auto message = [](std::string_view subject, std::string_view said,
                          Error::Details details = {}) {
    return failed_examination(Examined::bundle, subject, Error(Code::io_error, said, details))
        .message;
  };
  CHECK(message("/a", "/a does not exist") == "does not exist");
  CHECK(message("/a", "/a: the bundle is odd", {{"check", "pem"}}) ==
        "the bundle is odd (check pem)");
  CHECK(message("/b", "/a: the bundle is odd") == "/a: the bundle is odd");
  CHECK(message("/a", "/a") == "");
}

TEST_CASE("findings are ordered by severity, id and subject") {
  bcpki::Examination all;
  all.add({.findings = {plain(Severity::info, "pki.rotation", "audit"),
                        plain(Severity::error, "pki.unseal", "x"),
                        plain(Severity::warning, "file.foreign", "b")}});
  all.add({.findings = {plain(Severity::warning, "file.foreign", "a"),
                        plain(Severity::error, "file.expired", "z")}});
  all.sort();
  CHECK(found(all) == Found{"error file.expired z", "error pki.unseal x", "warning file.foreign a",
                            "warning file.foreign b", "info pki.rotation audit"});
  CHECK(all.count(Severity::error) == 2);
  CHECK(all.count(Severity::warning) == 2);
  CHECK(all.count(Severity::info) == 1);
}

TEST_CASE("a severity that is none of its enumeration's has no name") {
  CHECK_THROWS_AS(bcpki::severity_name(Severity(7)), Error);
}
