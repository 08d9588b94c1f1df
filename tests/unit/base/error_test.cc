#include "bcpki/error.h"

#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

namespace {

using bcpki::Code;
using bcpki::Error;
using bcpki::Reason;
using bcpki::Verdict;

TEST_CASE("exit statuses are the ones people were promised") {
  const std::map<std::string_view, int> promised = {
      {"INTERNAL", 1},        {"USAGE", 2},          {"MISSING_ENV", 3},
      {"INVALID_CONFIG", 4},  {"INVALID_STATE", 5},  {"INVALID_INPUT", 6},
      {"NOT_FOUND", 7},       {"ACCESS_DENIED", 8},  {"CONFLICT", 9},
      {"SCOPE_MISMATCH", 10}, {"SCOPE_CHANGED", 11}, {"SCOPE_UNEXPECTED", 12},
      {"UNBOUND_SCOPE", 13},  {"OPAQUE_SCOPE", 14},  {"INVALID_RESPONSE", 15},
      {"UNSUPPORTED", 16},    {"UNAVAILABLE", 17},   {"IO_ERROR", 18},
      {"AUDIT_TAMPERED", 19},
  };
  std::map<std::string_view, int> told;
  for (const bcpki::CodeInfo& info : bcpki::code_table()) told[info.name] = info.exit_status;
  CHECK(told == promised);
}

TEST_CASE("the table stands by exit status and every code finds its row") {
  int status = 0;
  for (const bcpki::CodeInfo& info : bcpki::code_table()) {
    CHECK(info.exit_status == ++status);
    CHECK(&bcpki::code_info(info.code) == &info);
    CHECK_FALSE(info.sentence.empty());
  }
  CHECK(bcpki::code_info(Code::internal).name == "INTERNAL");
  CHECK(bcpki::code_info(Code::io_error).name == "IO_ERROR");
  CHECK(bcpki::code_info(Code::audit_tampered).name == "AUDIT_TAMPERED");
}

TEST_CASE("an error carries its code, message and details in order") {
  const Error error(Code::access_denied, "not approved", {{"reason", "expired"}, {"batch", "b1"}});
  CHECK(error.code() == Code::access_denied);
  CHECK(error.what() == std::string("not approved"));
  CHECK(error.detail("reason") == "expired");
  CHECK(error.detail("batch") == "b1");
  CHECK(error.detail("other").empty());
  CHECK(error.details() == Error::Details{{"reason", "expired"}, {"batch", "b1"}});
}

TEST_CASE("an error's message cannot drive a terminal") {
  CHECK(Error(Code::io_error, "a\x1b[2J\nb\u202e").what() ==
        std::string("a\\u001b[2J\\u000ab\\u202e"));
}

TEST_CASE("a verdict is the value or the reason") {
  const Verdict<int> yes(7);
  REQUIRE(yes);
  CHECK(*yes == 7);
  CHECK_THROWS_AS(yes.reason(), std::bad_variant_access);

  const Verdict<int> no(Reason{"expired", "ended yesterday"});
  REQUIRE_FALSE(no);
  CHECK(no.reason().slug == "expired");
  CHECK_THROWS_AS(*no, std::bad_variant_access);
}

TEST_CASE("a refusal becomes an error that names its reason") {
  CHECK(Verdict<int>(7).value_or_throw(Code::access_denied) == 7);
  try {
    Verdict<int>(Reason{"expired", "ended yesterday"}).value_or_throw(Code::access_denied);
    FAIL("a refusal was taken for a value");
  } catch (const Error& error) {
    CHECK(error.code() == Code::access_denied);
    CHECK(error.what() == std::string("ended yesterday"));
    CHECK(error.detail("reason") == "expired");
  }
}

}  // namespace
