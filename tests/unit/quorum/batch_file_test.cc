// Signature, approval and proof files.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/batch_approval.h"
#include "bcpki/encoding.h"

#include "support/approvers.h"
#include "support/code_of.h"
#include "support/test_data.h"

namespace {

using bcpki::ApprovalFile;
using bcpki::ApprovalTerms;
using bcpki::BatchEntry;
using bcpki::BatchScope;
using bcpki::Code;
using bcpki::ProofFile;
using bcpki::SignatureFile;
using bcpki::test::approver_kid;
using bcpki::test::approver_signer;
using bcpki::test::code_of;

ApprovalTerms terms() {
  return {BatchScope::make("batch_1", std::vector<BatchEntry>{{"node_1", "node.reboot"}}).root(),
          bcpki::UnixTime::seconds(1796040000), "compute.example.com"};
}

SignatureFile signature_by(std::string_view name, const ApprovalTerms& over = terms()) {
  return {over, bcpki::claim(bcpki::sign_batch_approval(*approver_signer(name), over))};
}

ApprovalFile approval_by(std::string_view name, const ApprovalTerms& over = terms()) {
  auto file = signature_by(name, over);
  return {file.terms, {file.signature}};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

// message_of is why the reader refuses, or "" where it does not.
template <class Read>
std::string message_of(Read read, const std::string& json) {
  try {
    read(json);
  } catch (const bcpki::Error& error) {
    CHECK(error.code() == Code::invalid_input);
    return error.what();
  }
  return "";
}

template <class Read>
bool is_refused(Read read, const std::string& json) {
  return !message_of(read, json).empty();
}

// What each file has in common: it is one document of its format, with the members that it has.
template <class Read>
void check_form(Read read, const std::string& good) {
  REQUIRE_FALSE(is_refused(read, good));
  CHECK(is_refused(read, ""));
  CHECK(is_refused(read, "null"));
  CHECK(is_refused(read, "[" + good + "]"));
  CHECK(is_refused(read, good + good));
  CHECK(is_refused(read, "\xef\xbb\xbf" + good));
  CHECK(is_refused(read, std::string(1 << 20, ' ') + good));
  CHECK(is_refused(read, replaced(good, "better-compute-", "other-")));
  CHECK(is_refused(read, replaced(good, "\"version\": 1", "\"version\": 0")));
  CHECK(is_refused(read, replaced(good, "\"batchId\"", "\"x\": 1, \"batchId\"")));
  CHECK(is_refused(read, replaced(good, "\"batchId\"", "\"\\u0062atchId\": \"b\", \"batchId\"")));
  CHECK(is_refused(read, replaced(good, "\"batch_1\"", "\"../batch\"")));
  CHECK(is_refused(read, replaced(good, "\"batch_1\"", "null")));
  CHECK(message_of(read, replaced(good, "\"version\": 1", "\"version\": 2")).find("newer") !=
        std::string::npos);
  CHECK(message_of(read, replaced(good, "\"batch_1\"", "1")).find("/batchId") != std::string::npos);
}

template <class Read>
void check_terms(Read read, const std::string& good) {
  const std::string root = bcpki::hex(terms().scope.root);
  CHECK(is_refused(read, replaced(good, root, root.substr(2))));
  CHECK(is_refused(read, replaced(good, root, root + "00")));
  CHECK(is_refused(read, replaced(good, root, "")));
  for (const std::string size : {"0", "50001", "1.0", "1e0", "01", "-1", "\"1\"", "null",
                                 "9007199254740993", "18446744073709551615"}) {
    CAPTURE(size);
    CHECK(is_refused(read, replaced(good, "\"scopeSize\": 1", "\"scopeSize\": " + size)));
  }
  for (const std::string end :
       {"1796040000", "1796040000000", "0", "\"20260901\"", "\"2026-11-30\"",
        "\"2026-11-30T12:00:00\"", "\"2026-11-30T12:00:00.5Z\"", "\"2026-11-30T12:00:00.000Z\"",
        "\"2026-02-30T12:00:00Z\"", "\"2026-11-30 12:00:00Z\"", "null"}) {
    CAPTURE(end);
    CHECK(is_refused(read, replaced(good, "\"2026-11-30T12:00:00Z\"", end)));
  }
  CHECK(is_refused(read, replaced(good, "compute.example.com", "compute..example")));
}

}  // namespace

TEST_CASE("a signature file is read as it was written") {
  const auto file = signature_by("alice");
  const auto text = bcpki::write_signature_file(file);
  const auto read = bcpki::read_signature_file(text);
  CHECK(read.terms == file.terms);
  CHECK(read.signature == file.signature);
  CHECK(bcpki::write_signature_file(read) == text);
}

TEST_CASE("a time with an offset is the same moment") {
  const auto text = bcpki::write_signature_file(signature_by("alice"));
  const auto shifted = replaced(text, "2026-11-30T12:00:00Z", "2026-11-30T13:30:00+01:30");
  CHECK(bcpki::read_signature_file(shifted).terms == terms());
}

TEST_CASE("a signature file says only what its form has") {
  const auto good = bcpki::write_signature_file(signature_by("alice"));
  check_form(bcpki::read_signature_file, good);
  check_terms(bcpki::read_signature_file, good);
  CHECK(is_refused(bcpki::read_signature_file, bcpki::write_approval_file(approval_by("alice"))));
}

TEST_CASE("a signature in a file is base64url, of whatever size") {
  const auto file = signature_by("alice");
  const auto good = bcpki::write_signature_file(file);
  const auto sig = bcpki::base64url(file.signature.sig);
  const auto with = [&](const std::string& other) {
    return is_refused(bcpki::read_signature_file, replaced(good, sig, other));
  };
  CHECK_FALSE(with(sig.substr(0, 84)));
  CHECK_FALSE(with(""));
  CHECK(with(sig + "="));
  CHECK(with(sig + "\\n"));
  CHECK(with(sig.substr(0, 40) + " " + sig.substr(41)));
  CHECK(with(sig.substr(0, 85) + "+"));
  CHECK(with(sig.substr(0, 85) + "/"));
  CHECK(with(sig + "\\u0000"));
  // 64 bytes end with a digit of two bits: one more in it is another text of the same bytes.
  CHECK(with(sig.substr(0, 85) + static_cast<char>(sig[85] + 1)));
}

TEST_CASE("an approval file is read as it was written, and a signature file as one of one") {
  ApprovalFile file = approval_by("alice");
  file.signatures.push_back(signature_by("bob").signature);
  const auto text = bcpki::write_approval_file(file);
  const auto read = bcpki::read_approval_file(text);
  CHECK(read.terms == file.terms);
  CHECK(read.signatures == file.signatures);
  CHECK(bcpki::write_approval_file(read) == text);

  const auto single = signature_by("carol");
  const auto one = bcpki::read_approval_file(bcpki::write_signature_file(single));
  CHECK(one.terms == single.terms);
  CHECK(one.signatures == std::vector{single.signature});
}

TEST_CASE("an approval file says only what its form has") {
  const auto good = bcpki::write_approval_file(approval_by("alice"));
  check_form(bcpki::read_approval_file, good);
  check_terms(bcpki::read_approval_file, good);
  const auto refused = [&](const std::string& what, const std::string& with) {
    return is_refused(bcpki::read_approval_file, replaced(good, what, with));
  };
  CHECK(refused("\"signatures\": [", "\"signatures\": [ null,"));
  CHECK(refused("\"signatures\": [", "\"signatures\": [ {},"));
  CHECK(refused("\"signatures\"", "\"signature\""));
  CHECK(refused("\"kid\"", "\"x\": 1, \"kid\""));
  CHECK(message_of(bcpki::read_approval_file, replaced(good, "\"sig\": \"", "\"sig\": \"="))
            .find("/signatures/0/sig") != std::string::npos);
}

TEST_CASE("signatures over one batch are combined, each once and in their order") {
  const auto alice = approval_by("alice");
  auto both = approval_by("bob");
  both.signatures.push_back(alice.signatures[0]);
  const auto all = bcpki::combine_signatures({alice, both, alice});
  CHECK(all.terms == terms());
  CHECK(all.signatures == std::vector{alice.signatures[0], both.signatures[0]});
  CHECK(code_of([] { return bcpki::combine_signatures({}); }) == Code::invalid_input);
}

TEST_CASE("signatures over different batches are not combined, and the member is named") {
  const auto member = [](const std::function<void(ApprovalTerms&)>& change) -> std::string {
    auto other = terms();
    change(other);
    try {
      bcpki::combine_signatures({approval_by("alice"), approval_by("bob", other)});
    } catch (const bcpki::Error& error) {
      CHECK(error.code() == Code::scope_mismatch);
      return std::string(error.detail("member"));
    }
    return "";
  };
  CHECK(member([](ApprovalTerms&) {}).empty());
  CHECK(member([](ApprovalTerms& t) { t.scope.batch_id = "batch_2"; }) == "batchId");
  CHECK(member([](ApprovalTerms& t) { t.scope.root[0] ^= std::byte{1}; }) == "scopeRoot");
  CHECK(member([](ApprovalTerms& t) { t.scope.size = 2; }) == "scopeSize");
  CHECK(member([](ApprovalTerms& t) { t.not_after = t.not_after + std::chrono::seconds(1); }) ==
        "notAfter");
  CHECK(member([](ApprovalTerms& t) { t.trust_domain = "a.example"; }) == "trustDomain");
}

TEST_CASE("a proof file is read as it was written, bound and unbound") {
  std::vector<BatchEntry> entries;
  for (int i = 0; i < 5; ++i) entries.push_back({"node_" + std::to_string(i), "node.reboot"});
  entries[0].payload_sha256.emplace();
  const auto scope = BatchScope::make("batch_1", entries);
  for (const auto& entry : entries) {
    const ProofFile file{"batch_1", entry, scope.proof(scope.find(entry).value())};
    const auto text = bcpki::write_proof_file(file);
    const auto read = bcpki::read_proof_file(text);
    CHECK(bcpki::write_proof_file(read) == text);
    CHECK(bcpki::verify_batch_proof(scope.root(), read.entry, read.proof).operator bool());
  }
}

TEST_CASE("a proof file says only what its form has") {
  const ProofFile file{
      "batch_1", {"node_1", "node.reboot", bcpki::Digest32{}}, {1, {bcpki::Bytes(32)}}};
  const auto good = bcpki::write_proof_file(file);
  check_form(bcpki::read_proof_file, good);
  const auto refused = [&](const std::string& what, const std::string& with) {
    return is_refused(bcpki::read_proof_file, replaced(good, what, with));
  };
  CHECK(refused("\"node_1\"", "\"node 1\""));
  CHECK(refused("\"node.reboot\"", "\"reboot\""));
  CHECK(refused("\"index\": 1", "\"index\": -1"));
  CHECK(refused("\"index\": 1", "\"index\": \"1\""));
  CHECK(refused("\"payloadSha256\": \"00", "\"payloadSha256\": \""));
  CHECK(refused("[\n    \"00", "[\n    \""));
  CHECK(refused("[\n    \"00", "[\n    \"0g"));
  CHECK(refused("[\n", "[\n1,"));
  const std::string zeros(64, '0');
  CHECK(refused("\"payloadSha256\": \"" + zeros + "\"", "\"payloadSha256\": \"\""));
}

TEST_CASE("hostile text in a file is shown escaped and short in the error") {
  const auto good = bcpki::write_proof_file({"batch_1", {"node_1", "node.reboot"}, {}});
  const auto message = message_of(
      bcpki::read_proof_file,
      replaced(good, "better-compute-batch-proof", "x\\u001b[2K\\u202e" + std::string(65536, 'y')));
  CHECK(message.size() < 300);
  CHECK(message.find("\\u001b[2K\\u202e") != std::string::npos);
}
