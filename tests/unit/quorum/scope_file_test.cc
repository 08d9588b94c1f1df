#include "bcpki/scope_file.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

#include "support/code_of.h"
#include "support/test_data.h"

namespace {

using bcpki::BatchEntry;
using bcpki::Bytes;
using bcpki::Code;
using bcpki::Digest32;
using bcpki::ScopeContents;
using bcpki::ScopeFile;
using bcpki::ScopeFlags;
using bcpki::ScopePayload;
using bcpki::UnixTime;
using bcpki::test::code_of;

using Texts = std::vector<std::string>;

constexpr UnixTime kEnd = UnixTime::seconds(1796040000);
const std::string kType = "type.googleapis.com/bettercompute.v1.NodeRebootRequest";

Bytes bytes(std::string_view text) {
  return bcpki::to_bytes(bcpki::as_bytes(text));
}

Digest32 digest(std::string_view text) {
  return bcpki::sha256(bcpki::as_bytes(text));
}

// Two unbound leaves, one bound to a digest, one to a payload.
ScopeContents contents() {
  ScopeContents out;
  out.batch_id = "batch_1";
  out.trust_domain = "compute.example.com";
  out.not_after = kEnd;
  out.words.reason = "kernel update";
  out.leaves.entries = {{"node_1", "node.reboot"},
                        {"node_2", "node.reboot"},
                        {"node_3", "node.reboot", digest("now")},
                        {"node_4", "node.reboot"}};
  out.leaves.payloads.resize(4);
  out.leaves.payloads[3] = ScopePayload{kType, bytes("later")};
  return out;
}

std::string file(const ScopeContents& from = contents()) {
  return bcpki::write_scope_file(bcpki::make_scope_file(from));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

// Refusal is how `read_scope_file` refused a text; INTERNAL where it did not.
struct Refusal {
  Code code = Code::internal;
  std::string message;
};

Refusal refusal(const std::string& text, const ScopeFlags& flags = {}) {
  try {
    bcpki::read_scope_file(text, flags);
  } catch (const bcpki::Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

bool is_refused(const std::string& text) {
  return refusal(text).code == Code::invalid_input;
}

Code made(const std::function<void(ScopeContents&)>& change) {
  auto given = contents();
  change(given);
  try {
    bcpki::make_scope_file(std::move(given));
  } catch (const bcpki::Error& error) {
    return error.code();
  }
  return Code::internal;
}

// A list of one leaf as a whole scope, with what a bare list lacks.
ScopeFile bare(const std::string& leaf) {
  return bcpki::read_scope_file("[" + leaf + "]", {"batch_1", "compute.example.com", kEnd, {}});
}

bool is_leaf_refused(const std::string& leaf) {
  try {
    bare(leaf);
  } catch (const bcpki::Error& error) {
    CHECK(error.code() == Code::invalid_input);
    return true;
  }
  return false;
}

std::string payload_leaf(std::string_view base64, std::string_view more = "") {
  return R"({"subject":"node_1","kind":"node.reboot","payload":{"typeUrl":"x","value":")" +
         std::string(base64) + "\"}" + std::string(more) + "}";
}

}  // namespace

TEST_CASE("a scope file is read as it was written") {
  const std::string text = file();
  const auto read = bcpki::read_scope_file(text);
  CHECK(bcpki::write_scope_file(read) == text);
  CHECK(read.terms() == bcpki::make_scope_file(contents()).terms());
  CHECK(read.terms().scope.size == 4);
  CHECK(read.terms().not_after == kEnd);
  CHECK(read.contents.words.reason == "kernel update");
  CHECK_FALSE(read.contents.words.created_by.has_value());
}

TEST_CASE("members may stand in any order, and words nobody signs may be missing") {
  const std::string text =
      R"({"leaves":[{"kind":"node.reboot","subject":"node_1"}],"size":1,"root":")" +
      bcpki::hex(bcpki::batch_leaf("batch_1", {"node_1", "node.reboot"})) +
      R"(","createdAt":"2026-11-29T10:00:00.125+01:00","createdByAgent":"agent_1","delegationId":"d","createdBy":"u","reason":"","notAfter":"2026-11-30T13:00:00+01:00","trustDomain":"a.example","batchId":"batch_1","version":1,"format":"better-compute-batch-scope"})";
  const auto read = bcpki::read_scope_file(text);
  CHECK(read.terms().not_after == kEnd);
  CHECK(read.contents.words.created_by == "u");
  CHECK(read.contents.words.created_by_agent == "agent_1");
  CHECK(read.contents.words.delegation_id == "d");
  CHECK(bcpki::format_time(*read.contents.words.created_at) == "2026-11-29T09:00:00.125Z");
}

TEST_CASE("root and size are made of the leaves, and a file that says otherwise is refused") {
  const std::string good = file();
  const auto root = bcpki::hex(bcpki::make_scope_file(contents()).scope.root().root);
  CHECK(refusal(replaced(good, root, std::string(64, '0'))).code == Code::scope_mismatch);
  CHECK(refusal(replaced(good, "\"size\": 4", "\"size\": 5")).code == Code::scope_mismatch);
  CHECK(refusal(replaced(good, "\"size\": 4", "\"size\": 0")).code == Code::scope_mismatch);
  CHECK(refusal(replaced(good, "\"size\": 4", "\"size\": 4294967300")).code ==
        Code::scope_mismatch);
  CHECK(refusal(replaced(good, "node_2", "node_9")).code == Code::scope_mismatch);
  CHECK(refusal(replaced(good, "\"batch_1\"", "\"batch_2\"")).code == Code::scope_mismatch);
  CHECK(is_refused(replaced(good, root, root.substr(2))));
}

TEST_CASE("equal leaves are one, in the file and its size") {
  auto given = contents();
  given.leaves.entries.push_back(given.leaves.entries[0]);
  const std::string text = file(given);
  const auto read = bcpki::read_scope_file(text);
  CHECK(read.scope.size() == 4);
  CHECK(read.contents.leaves.entries.size() == 5);
  CHECK(read.terms() == bcpki::make_scope_file(contents()).terms());
}

TEST_CASE("what one of two equal leaves is bound to is shown for the leaf") {
  auto given = contents();
  given.leaves.entries = {{"node_1", "node.reboot", digest("later")}, {"node_1", "node.reboot"}};
  given.leaves.payloads = {std::nullopt, ScopePayload{kType, bytes("later")}};
  const auto made_file = bcpki::make_scope_file(given);
  CHECK(made_file.scope.size() == 1);
  REQUIRE(made_file.payload_of(0) != nullptr);
  CHECK(made_file.payload_of(0)->value == bytes("later"));
}

TEST_CASE("many equal leaves share one payload and copy none") {
  auto given = contents();
  given.leaves.entries.assign(100'000, {"node_1", "node.reboot", bcpki::sha256(Bytes(65536))});
  given.leaves.payloads.assign(1, std::nullopt);
  given.leaves.payloads.resize(100'000);
  given.leaves.payloads.back() = ScopePayload{kType, Bytes(65536)};
  const auto file = bcpki::make_scope_file(std::move(given));
  CHECK(file.scope.size() == 1);
  CHECK(file.payload_of(0)->value.size() == 65536);
  CHECK(std::ranges::count_if(file.contents.leaves.payloads,
                              [](const auto& payload) { return payload.has_value(); }) == 1);
}

TEST_CASE("a payload gives its leaf its digest, and one beside it must be the same") {
  const auto read = bcpki::read_scope_file(file());
  const BatchEntry bound{"node_4", "node.reboot", digest("later")};
  REQUIRE(read.scope.find(bound).has_value());
  CHECK(*read.payload_of(*read.scope.find(bound)) == ScopePayload{kType, bytes("later")});
  CHECK(read.payload_of(*read.scope.find({"node_1", "node.reboot"})) == nullptr);

  const std::string later = bcpki::hex(digest("later"));
  const auto beside = [&](const std::string& hex) {
    return payload_leaf(bcpki::base64(bytes("later")), ",\"payloadSha256\":\"" + hex + "\"");
  };
  CHECK(bare(beside(later)).scope.find({"node_1", "node.reboot", digest("later")}).has_value());
  CHECK(is_leaf_refused(beside(bcpki::hex(digest("now")))));
  CHECK(is_leaf_refused(beside("")));
}

TEST_CASE("an empty payload is one, and its leaf bound to it") {
  const auto read = bare(payload_leaf(""));
  CHECK(read.scope.find({"node_1", "node.reboot", digest("")}).has_value());
  CHECK_FALSE(read.scope.find({"node_1", "node.reboot"}).has_value());
  CHECK(read.payload_of(0)->value.empty());
}

TEST_CASE("a payload has at most 64 KiB, and those of a batch 8 MiB together") {
  const auto of_size = [](std::size_t size) { return payload_leaf(bcpki::base64(Bytes(size))); };
  CHECK_FALSE(is_leaf_refused(of_size(65536)));
  CHECK(is_leaf_refused(of_size(65537)));

  const auto with = [](std::size_t count) {
    return [count](ScopeContents& given) {
      given.leaves = {};
      for (std::size_t i = 0; i < count; ++i) {
        given.leaves.entries.push_back({"node_" + std::to_string(i), "node.reboot"});
        given.leaves.payloads.emplace_back(ScopePayload{kType, Bytes(65536)});
      }
    };
  };
  CHECK(made(with(128)) == Code::internal);
  CHECK(made(with(129)) == Code::invalid_input);
  // Equal leaves are one, and so are their payloads.
  CHECK(made([&](ScopeContents& given) {
          with(128)(given);
          given.leaves.entries.push_back({"node_0", "node.reboot"});
          given.leaves.payloads.emplace_back(ScopePayload{kType, Bytes(65536)});
        }) == Code::internal);
}

TEST_CASE("an unbound leaf has no digest, not an empty one") {
  CHECK_FALSE(is_leaf_refused(R"({"subject":"node_1","kind":"node.reboot"})"));
  const std::string no_hex = "\"" + std::string(63, '0') + "g\"";
  for (const std::string& value : Texts{R"("")", "null", "0", R"("00")", "{}", no_hex}) {
    CAPTURE(value);
    CHECK(is_leaf_refused(R"({"subject":"node_1","kind":"node.reboot","payloadSha256":)" + value +
                          "}"));
  }
}

TEST_CASE("a leaf and a payload have their members and no other") {
  for (const std::string leaf :
       {"{}",
        "[]",
        "null",
        "\"node_1 node.reboot\"",
        R"({"subject":"node_1"})",
        R"({"kind":"node.reboot"})",
        R"({"subject":"node_1","kind":"node.reboot","x":1})",
        R"({"subject":"node_1","kind":"node.reboot","leafIndex":0})",
        R"({"subject":1,"kind":"node.reboot"})",
        R"({"subject":"node_1","kind":null})",
        R"({"subject":"node_1","subject":"node_2","kind":"node.reboot"})",
        R"({"subject":"node_1","\u0073ubject":"node_2","kind":"node.reboot"})",
        R"({"subject":"node_1","kind":"node.reboot","payload":null})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{}})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{"typeUrl":"x"}})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{"value":""}})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{"typeUrl":"x","value":"AA"}})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{"typeUrl":"x","value":"","x":1}})",
        R"({"subject":"node_1","kind":"node.reboot","payload":{"typeUrl":1,"value":""}})",
        R"({"subject":"node 1","kind":"node.reboot"})",
        R"({"subject":"","kind":"node.reboot"})",
        R"({"subject":"node_1\n","kind":"node.reboot"})",
        R"({"subject":"n\u00f6de","kind":"node.reboot"})",
        R"({"subject":"node_1","kind":"reboot"})",
        R"({"subject":"node_1","kind":"Node.Reboot"})"}) {
    CAPTURE(leaf);
    CHECK(is_leaf_refused(leaf));
  }
}

TEST_CASE("a file has its members and no other, each of its form") {
  const std::string good = file();
  for (const std::string name :
       {"format", "version", "batchId", "trustDomain", "notAfter", "root", "size", "leaves"}) {
    CAPTURE(name);
    CHECK(is_refused(replaced(good, "\"" + name + "\"", "\"x\"")));
  }
  CHECK(is_refused(replaced(good, "better-compute-batch-scope", "better-compute-pki")));
  CHECK(is_refused(replaced(good, "\"version\": 1", "\"version\": 0")));
  CHECK(is_refused(replaced(good, "\"version\": 1", "\"version\": \"1\"")));
  CHECK(is_refused(replaced(good, "\"size\": 4", "\"size\": 4.0")));
  CHECK(is_refused(replaced(good, "\"size\": 4", "\"size\": \"4\"")));
  CHECK(is_refused(replaced(good, "\"size\": 4", "\"size\": 4, \"size\": 4")));
  CHECK(is_refused(replaced(good, "\"reason\": \"kernel update\"", "\"reason\": null")));
  CHECK(is_refused(replaced(good, "\"reason\"", "\"createdAt\": \"yesterday\", \"reason\"")));
  CHECK(is_refused(replaced(good, "compute.example.com", "compute.example.com.")));
  CHECK(is_refused(replaced(good, "\"batch_1\"", "\"\"")));
  CHECK(is_refused("{}"));
  CHECK(is_refused(""));
  CHECK(is_refused("1"));
  CHECK(is_refused(good + "]"));
  CHECK(is_refused(good.substr(0, good.size() - 3)));
}

TEST_CASE("an end is a moment in whole seconds with its zone") {
  const std::string good = file();
  for (const std::string end :
       {"\"2026-11-30T12:00:00.5Z\"", "\"2026-11-30T12:00:00.000Z\"", "\"2026-11-30T12:00:00\"",
        "\"20261130\"", "\"2026-11-30\"", "1796040000", "1796040000000", "0", "null",
        "\"1969-12-31T23:59:59Z\""}) {
    CAPTURE(end);
    CHECK(is_refused(replaced(good, "\"2026-11-30T12:00:00Z\"", end)));
  }
}

TEST_CASE("a file of a newer version says so, whatever else it holds") {
  const std::string good = file();
  const auto newer = replaced(good, "\"version\": 1", "\"version\": 2");
  CHECK(refusal(newer).message.find("newer version") != std::string::npos);
  const auto with_more = replaced(replaced(newer, "\"version\": 2,\n", ""), "\"leaves\"",
                                  "\"more\": {\"version\": 1}, \"version\": 2, \"leaves\"");
  CHECK(refusal(with_more).message.find("newer version") != std::string::npos);
  CHECK(refusal(replaced(good, "\"leaves\"", "\"more\": 1, \"leaves\""))
            .message.find("newer version") == std::string::npos);
}

TEST_CASE("what is refused is named with its place") {
  const std::string good = file();
  CHECK(refusal(replaced(good, "\"kind\": \"node.reboot\"", "\"kind\": 1"))
            .message.find("/leaves/0/kind") != std::string::npos);
  CHECK(refusal(replaced(good, "node_2", "node 2")).message.find("leaf 1") != std::string::npos);
  CHECK(refusal(replaced(good, "\"trustDomain\"", "\"x\"")).message.find("/x") !=
        std::string::npos);
  CHECK(refusal(R"({"format":"better-compute-batch-scope"})").message.find("is missing") !=
        std::string::npos);
}

TEST_CASE("a file has at most 100,000 leaves and 64 MiB") {
  std::string list = "[";
  for (int i = 0; i < 100'000; ++i) list += R"({"subject":"node_1","kind":"node.reboot"},)";
  const ScopeFlags flags{"batch_1", "compute.example.com", kEnd, {}};
  const std::string last = R"({"subject":"node_2","kind":"node.reboot"}])";
  CHECK(refusal(list + last, flags).code == Code::invalid_input);
  list.pop_back();
  CHECK(bcpki::read_scope_file(list + "]", flags).scope.size() == 1);

  const std::string large = std::string(bcpki::kMaxScopeFileBytes - file().size(), ' ') + file();
  CHECK(refusal(large).code == Code::internal);
  CHECK(refusal(" " + large).code == Code::invalid_input);
}

TEST_CASE("a bare list is a scope with what stands beside it, and nothing less") {
  const std::string list = R"([{"subject":"node_1","kind":"node.reboot"}])";
  const ScopeFlags flags{"batch_1", "compute.example.com", kEnd, {}};
  const auto read = bcpki::read_scope_file(list, flags);
  CHECK(read.terms() == bcpki::ApprovalTerms{
                            {"batch_1", bcpki::batch_leaf("batch_1", {"node_1", "node.reboot"}), 1},
                            kEnd,
                            "compute.example.com"});
  const auto without = [&](const std::function<void(ScopeFlags&)>& change) {
    auto less = flags;
    change(less);
    return refusal(list, less).code;
  };
  CHECK(without([](ScopeFlags& f) { f.batch_id.reset(); }) == Code::invalid_input);
  CHECK(without([](ScopeFlags& f) { f.trust_domain.reset(); }) == Code::invalid_input);
  CHECK(without([](ScopeFlags& f) { f.not_after.reset(); }) == Code::invalid_input);
  CHECK(without([](ScopeFlags& f) { f.trust_domain = "No.Domain"; }) == Code::invalid_input);
  CHECK(without([](ScopeFlags& f) { f.batch_id = ""; }) == Code::invalid_input);
  CHECK(refusal("[]", flags).code == Code::invalid_input);
}

TEST_CASE("what is said beside a file is the same, or the file is refused") {
  const std::string text = file();
  const auto root = bcpki::make_scope_file(contents()).scope.root().root;
  CHECK(refusal(text, {"batch_1", "compute.example.com", kEnd, root}).code == Code::internal);
  CHECK(refusal(text, {.batch_id = "batch_2"}).code == Code::invalid_input);
  CHECK(refusal(text, {.trust_domain = "staging.example.com"}).code == Code::invalid_input);
  CHECK(refusal(text, {.not_after = kEnd + std::chrono::seconds(1)}).code == Code::invalid_input);
  CHECK(refusal(text, {.root = Digest32{}}).code == Code::scope_changed);
}

TEST_CASE("contents that no reader takes are not made") {
  CHECK(made([](ScopeContents&) {}) == Code::internal);
  CHECK(made([](ScopeContents& c) { c.batch_id = ""; }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.trust_domain = ""; }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.not_after = UnixTime::seconds(-1); }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.leaves = {}; }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.leaves.payloads.resize(5); }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.leaves.entries[0].kind = "x"; }) == Code::invalid_input);
  CHECK(made([](ScopeContents& c) { c.words.reason = std::string(500, 'x'); }) == Code::internal);
  CHECK(made([](ScopeContents& c) { c.words.reason = std::string(501, 'x'); }) ==
        Code::invalid_input);
  CHECK(made([](ScopeContents& c) {
          c.words.reason->clear();
          for (int i = 0; i < 500; ++i) *c.words.reason += "\xc3\xa9";
        }) == Code::internal);
}

TEST_CASE("an end is cut to whole seconds when a scope is made") {
  auto given = contents();
  given.not_after = kEnd + std::chrono::milliseconds(999);
  CHECK(bcpki::make_scope_file(given).terms().not_after == kEnd);
}

TEST_CASE("the entries of a new scope are a list, or lines of a subject and a kind") {
  const auto lines = bcpki::read_scope_entries(
      "node_1 node.reboot\r\n\n   \nbmc:node_2/10.0.0.1\t  bmc.power  \nnode_3 disk.wipe");
  CHECK(lines.entries == std::vector<BatchEntry>{{"node_1", "node.reboot"},
                                                 {"bmc:node_2/10.0.0.1", "bmc.power"},
                                                 {"node_3", "disk.wipe"}});
  CHECK(lines.payload(0) == nullptr);

  const auto list = bcpki::read_scope_entries(" [" + payload_leaf("AAAA") + "]");
  REQUIRE(list.entries.size() == 1);
  CHECK(*list.payload(0) == ScopePayload{"x", Bytes(3)});
}

TEST_CASE("entries that are neither are refused with their line") {
  const auto message = [](const std::string& text) -> std::string {
    try {
      bcpki::read_scope_entries(text);
    } catch (const bcpki::Error& error) {
      CHECK(error.code() == Code::invalid_input);
      return error.what();
    }
    return "";
  };
  CHECK(message("node_1 node.reboot\nnode_2\n").find("line 2") != std::string::npos);
  CHECK(message("node_1 reboot").find("line 1") != std::string::npos);
  CHECK(message("node_1 node.reboot extra").find("line 1") != std::string::npos);
  CHECK(message("# a comment\n").find("line 1") != std::string::npos);
  CHECK(message("n\xc3\xb6"
                "de node.reboot")
            .find("line 1") != std::string::npos);
  CHECK_FALSE(message(file()).empty());
  CHECK_FALSE(message("[{}]").empty());
  std::string many;
  for (int i = 0; i <= 100'000; ++i) many += "node_1 node.reboot\n";
  CHECK_FALSE(message(many).empty());
}

TEST_CASE("hostile text is one printable line in an error") {
  const std::string good = file();
  for (const std::string hostile :
       {"h1\\n  approvals: 3 of 3 OK", "\\u001b[2K\\u001b[1A", "\\r\\b", "\\u009b2K", "\\u0007",
        "\\u202e\\u2066", "\\u0000", "a\\u200bb"}) {
    CAPTURE(hostile);
    for (const std::string where : {"node_1", "\"batch_1", "compute.example", "better-compute"}) {
      const std::string message = refusal(replaced(good, where, where + hostile)).message;
      CHECK_FALSE(message.empty());
      CHECK(std::ranges::all_of(message, [](char c) { return c >= 0x20 && c <= 0x7e; }));
    }
  }
  CHECK(refusal(replaced(good, "node_1", std::string(65536, 'x'))).message.size() < 400);
  CHECK(
      refusal(replaced(good, "\"reason\"", "\"" + std::string(65536, 'x') + "\"")).message.size() <
      400);
}
