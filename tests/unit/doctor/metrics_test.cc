#include <string>

#include <catch2/catch.hpp>

#include "bcpki/doctor.h"

#include "support/bundles.h"

namespace {

using bcpki::Severity;
using bcpki::UnixTime;
using bcpki::test::kNow;

bcpki::Finding found(Severity severity, std::string_view id) {
  return {.severity = severity, .id = id, .subject = "", .message = ""};
}

bcpki::FileCertificate certificate(std::string path) {
  return {.path = std::move(path),
          .position = 1,
          .serial_hex = "01",
          .not_before = kNow,
          .not_after = UnixTime::seconds(4)};
}

// label is the path as it stands in the metrics.
std::string label(std::string path) {
  const auto text = bcpki::prometheus_metrics({.files = {certificate(std::move(path))}}, kNow);
  const auto start = text.find("{path=\"") + 7;
  return text.substr(start, text.find("\",position=") - start);
}

}  // namespace

TEST_CASE("moments, counts and the bundle's numbers are told in the text format") {
  bcpki::Examination examination;
  examination.bundle = bcpki::test::created();
  examination.members = {{.member = "nodeCa",
                          .stage = "next",
                          .name = "nodeCaNext",
                          .not_before = kNow,
                          .not_after = UnixTime::milliseconds(1796040000999)}};
  examination.files = {certificate("/etc/tls/gateway.crt")};
  examination.files[0].renew_by = UnixTime::seconds(3);
  examination.findings = {found(Severity::warning, "file.foreign"),
                          found(Severity::error, "pki.unseal"),
                          found(Severity::warning, "file.foreign")};
  CHECK(
      bcpki::prometheus_metrics(examination, kNow) ==
      R"(# HELP bc_pki_doctor_last_run_seconds When the doctor looked at all this, in seconds since 1970.
# TYPE bc_pki_doctor_last_run_seconds gauge
bc_pki_doctor_last_run_seconds 1796040000
# HELP bc_pki_bundle_authenticated Whether the seal vouched for the bundle.
# TYPE bc_pki_bundle_authenticated gauge
bc_pki_bundle_authenticated 0
# HELP bc_pki_bundle_generation The bundle's generation.
# TYPE bc_pki_bundle_generation gauge
bc_pki_bundle_generation 1
# HELP bc_pki_bundle_trust_version The bundle's trust version.
# TYPE bc_pki_bundle_trust_version gauge
bc_pki_bundle_trust_version 1
# HELP bc_pki_certificate_not_after_seconds When a certificate of the bundle ends, in seconds since 1970.
# TYPE bc_pki_certificate_not_after_seconds gauge
bc_pki_certificate_not_after_seconds{member="nodeCa",stage="next"} 1796040000
# HELP bc_pki_file_certificate_not_after_seconds When a certificate in a file ends, in seconds since 1970.
# TYPE bc_pki_file_certificate_not_after_seconds gauge
bc_pki_file_certificate_not_after_seconds{path="/etc/tls/gateway.crt",position="1"} 4
# HELP bc_pki_file_certificate_renew_by_seconds When a leaf certificate in a file should be replaced, in seconds since 1970.
# TYPE bc_pki_file_certificate_renew_by_seconds gauge
bc_pki_file_certificate_renew_by_seconds{path="/etc/tls/gateway.crt",position="1"} 3
# HELP bc_pki_findings How often the doctor found something of this id.
# TYPE bc_pki_findings gauge
bc_pki_findings{severity="error",id="pki.unseal"} 1
bc_pki_findings{severity="warning",id="file.foreign"} 2
)");
}

TEST_CASE("without a bundle there are metrics all the same") {
  const auto text = bcpki::prometheus_metrics({}, kNow);
  CHECK_THAT(text, Catch::Matchers::Contains("\nbc_pki_bundle_authenticated 0\n"));
  CHECK_THAT(text, !Catch::Matchers::Contains("generation"));
  CHECK_THAT(text, !Catch::Matchers::Contains("not_after"));
}

TEST_CASE("a path in a label is escaped, and is UTF-8 without control characters") {
  CHECK(label(R"(/a"b\c)") == R"(/a\"b\\c)");
  CHECK(label("/a\nb\x1b") == R"(/a\\u000ab\\u001b)");
  CHECK(label("/a\xff") == R"(/a\\xff)");
  CHECK(label("/b\xc3\xbc") == "/b\xc3\xbc");
  CHECK(label("/a{b=\"c\"} 1") == R"(/a{b=\"c\"} 1)");
}
