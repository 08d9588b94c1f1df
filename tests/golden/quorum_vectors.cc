#include <optional>

#include <nlohmann/json.hpp>

#include "bcpki/approver_set.h"
#include "bcpki/batch_approval.h"
#include "bcpki/batch_scope.h"
#include "bcpki/encoding.h"
#include "bcpki/scope_file.h"
#include "bcpki/signer.h"
#include "bcpki/time.h"

#include "golden/vectors.h"
#include "quorum/set_json.h"

namespace bcpki::golden {
namespace {

std::optional<Digest32> payload_of(Members& members) {
  const std::string& text = members.text("payloadSha256");
  if (text.empty()) return std::nullopt;
  return parse_digest(text);
}

BatchEntry read_entry(Members& members) {
  return {members.text("subject"), members.text("kind"), payload_of(members)};
}

Digest32 read_digest(Members& members, std::string_view name) {
  const auto digest = parse_digest(members.text(name));
  expect(digest.has_value(), "a digest must be hex of 32 bytes");
  return *digest;
}

std::vector<Bytes> read_siblings(Members& members) {
  std::vector<Bytes> siblings;
  for (const json::Value& sibling : members.list("siblings")) {
    const auto bytes = sibling.string() ? parse_hex(*sibling.string()) : std::nullopt;
    expect(bytes.has_value(), "a sibling must be hex");
    siblings.push_back(*bytes);
  }
  return siblings;
}

std::vector<BatchEntry> read_entries(Members& members) {
  std::vector<BatchEntry> entries;
  for (const json::Value& value : members.list("entries")) {
    Members entry(value);
    entries.push_back(read_entry(entry));
    entry.finish();
  }
  return entries;
}

void check_leaf(const BatchScope& scope, Members& leaf) {
  const BatchEntry entry = read_entry(leaf);
  const auto index = static_cast<std::uint32_t>(leaf.number("index"));
  const std::vector<Bytes> siblings = read_siblings(leaf);
  expect(scope.find(entry) == index, "a leaf has another index");
  expect_equal("a leaf's hash", hex(scope.leaf(index)), leaf.text("hash"));
  expect(scope.proof(index).siblings == siblings, "a leaf has another proof");
  const auto proven = verify_batch_proof(scope.root(), entry, {index, siblings});
  expect(proven && proven->hash() == scope.leaf(index), "a proof does not hold");
}

void check_tree(Members& members) {
  members.text("note");
  const BatchScope scope = BatchScope::make(members.text("batchId"), read_entries(members));
  expect_equal("root", hex(scope.root().root), members.text("root"));
  expect(scope.size() == members.number("size"), "the tree is of another size");
  const json::Array& leaves = members.list("leaves");
  expect(leaves.size() == scope.size(), "`leaves` are not all leaves");
  for (const json::Value& value : leaves) {
    Members leaf(value);
    check_leaf(scope, leaf);
    leaf.finish();
  }
}

void check_refused_proof(Members& members) {
  members.text("why");
  const ScopeRoot scope{members.text("batchId"), read_digest(members, "root"),
                        static_cast<std::uint32_t>(members.number("size"))};
  const BatchEntry entry = read_entry(members);
  const auto proven =
      verify_batch_proof(scope, entry, {members.number("index"), read_siblings(members)});
  expect(!proven, "is not valid and was taken");
  expect_equal("reason", proven.reason().slug, "not-in-scope");
}

Verdict<ApproverSet> read_set(const json::Value& value) {
  return ApproverSet::check(claimed_quorum(Fields(value, "set")));
}

void check_required(const ApproverSet& set, Members& members) {
  for (const json::Value& value : members.list("required")) {
    Members row(value);
    const auto size = static_cast<std::uint32_t>(row.number("size"));
    expect(set.required_approvals(size) == row.number("approvals"), "needs another number");
    row.finish();
  }
}

Bytes signing_input(const ApproverSet& set, std::uint64_t epoch, std::string_view trust_domain) {
  Bytes number;
  for (int shift = 56; shift >= 0; shift -= 8)
    number.push_back(static_cast<std::byte>(epoch >> shift));
  const Digest32 digest = set.digest();
  return purpose_input("approver-set", std::vector<View>{number, digest, as_bytes(trust_domain)});
}

void check_set(Members& members) {
  const ApproverSet set = read_set(members.member("set")).value_or_throw(Code::invalid_input);
  expect_equal("input", hex(set.input()), members.text("input"));
  expect_equal("digest", hex(set.digest()), members.text("sha256"));
  expect_equal("signing input",
               hex(signing_input(set, members.number("epoch"), members.text("trustDomain"))),
               members.text("signingInput"));
  check_required(set, members);
  const ApproverSet again = read_approver_set(write_approver_set({set})).set;
  expect(again.digest() == set.digest(), "is another set when written and read again");
}

// A refused set may hold what our JSON reader does not take: here it is a text.
void check_refused_set(Members& members) {
  members.text("why");
  const auto is_taken = [&] {
    try {
      return static_cast<bool>(read_set(json::parse(members.text("set"))));
    } catch (const json::SyntaxError&) {
      return false;
    } catch (const Error&) {
      return false;
    }
  }();
  expect_verdict(is_taken, false);
}

std::vector<ClaimedSignature> read_signatures(Members& members) {
  std::vector<ClaimedSignature> signatures;
  for (const json::Value& value : members.list("signatures"))
    signatures.push_back(read_signature(Fields(value, "signature")));
  return signatures;
}

void expect_approvers(const std::vector<std::string>& counted, const json::Array& kids) {
  expect(kids.size() == counted.size(), "others approved");
  for (std::size_t i = 0; i < kids.size(); ++i)
    expect_equal("an approver", counted[i], kids[i].text().value_or("no kid"));
}

template <class T>
void expect_refused(const Verdict<T>& verdict, Members& expected) {
  expect(!verdict, "is not valid and was taken");
  expect_equal("reason", verdict.reason().slug, expected.text("reason"));
}

void expect_change(const Verdict<Tally>& verdict, Members& expected) {
  if (!expected.flag("take")) return expect_refused(verdict, expected);
  expect(static_cast<bool>(verdict), "may be taken and was refused");
  expect_approvers(verdict->counted, expected.list("approvedBy"));
}

HeldApprovers read_held(Members& members) {
  HeldApprovers held;
  if (members.member("pin").string()) held.pin = read_digest(members, "pin");
  if (!members.member("held").object()) return held;
  members.within("held", [&](Members& inner) {
    held.set = ApproverSet::check_held(claimed_quorum(Fields(inner.member("set"), "set")))
                   .value_or_throw(Code::invalid_input);
    held.epoch = inner.number("epoch");
  });
  return held;
}

Verdict<Tally> change(const HeldApprovers& held, Members& next, std::string_view trust_domain) {
  const std::uint64_t epoch = next.number("epoch");
  const auto signatures = read_signatures(next);
  auto set = read_set(next.member("set"));
  if (!set) return set.reason();
  return verify_approver_set_change(held, {*set, epoch, signatures}, trust_domain);
}

void check_change(Members& members) {
  members.text("why");
  const HeldApprovers held = read_held(members);
  const std::string& trust_domain = members.text("trustDomain");
  std::optional<Verdict<Tally>> verdict;
  members.within("next", [&](Members& next) { verdict = change(held, next, trust_domain); });
  members.within("expect", [&](Members& expected) { expect_change(*verdict, expected); });
}

BatchApproval read_approval(Members& members) {
  return {members.text("batchId"), members.hex("scopeRoot"), members.number("scopeSize"),
          parse_time(members.text("notAfter")), read_signatures(members)};
}

void check_approval(Members& members) {
  members.text("why");
  const ApproverSet set = read_set(members.member("set")).value_or_throw(Code::invalid_input);
  const ApprovalRules rules{set, members.text("trustDomain")};
  const auto now = parse_time(members.text("now"));
  expect(now.has_value(), "`now` must be a time");
  BatchApproval approval;
  members.within("approval", [&](Members& inner) { approval = read_approval(inner); });
  const auto verdict = verify_batch_approval(&approval, approval.batch_id, rules, *now);
  members.within("expect", [&](Members& expected) {
    if (!expected.optional("approvedBy")) return expect_refused(verdict, expected);
    expect(static_cast<bool>(verdict), "is valid and was refused");
    expect_approvers(verdict->approved_by(), expected.list("approvedBy"));
  });
}

std::string canonical(std::string_view text) {
  return json::canonical(json::parse(text));
}

PrivateKey approver_key(Members& document, std::string_view name) {
  std::optional<PrivateKey> key;
  document.within(name, [&](Members& members) {
    auto read = PrivateKey::read_pem(as_bytes(members.text("pkcs8")));
    expect(static_cast<bool>(read), "the key cannot be read");
    key = *std::move(read);
    expect_equal("kid", key->public_key().kid(), members.text("kid"));
  });
  return *std::move(key);
}

// A key signs, and its signature counts in a set of it alone.
void check_approver_key(Members& document, std::string_view name) {
  const PrivateKey key = approver_key(document, name);
  const PublicKey public_key = key.public_key();
  expect(public_key.verify(as_bytes("a message"), key.sign(as_bytes("a message"))),
         "a signature does not verify");
  const ApproverSet set = ApproverSet::make({.approvers = {{public_key}}, .threshold = 1});
  expect(set.find(public_key.kid()) != nullptr, "the key is not in its set");
}

}  // namespace

std::string refused_sets_as_texts(const std::string& text) {
  auto document = nlohmann::json::parse(text);
  for (auto& refused : document["refusedSets"]) refused["set"] = refused["set"].dump();
  return document.dump();
}

void replay_batch_scopes(Members& document, Folder&, Report& report) {
  each_case(document.list("trees"), report, check_tree);
  each_case(document.list("refusedProofs"), report, check_refused_proof);
}

void replay_batch_approvals(Members& document, Folder&, Report& report) {
  each_case(document.list("cases"), report, check_approval);
}

void replay_scope_file(const std::string& text, Folder&, Report& report) {
  report.judge("the file", [&] {
    const ScopeFile file = read_scope_file(text);
    expect_equal("the file written again", canonical(write_scope_file(file)), canonical(text));
  });
}

// The signature is over the scope file beside it, by an approver of approver-keys.json.
void replay_signature_file(const std::string& text, Folder& folder, Report& report) {
  report.judge("the file", [&] {
    const SignatureFile file = read_signature_file(text);
    expect_equal("the file written again", canonical(write_signature_file(file)), canonical(text));
    const ScopeFile scope = read_scope_file(folder.text("scope-file.json"));
    expect(file.terms == scope.terms(), "it is not over scope-file.json");
  });
  report.judge("the signature", [&] {
    const SignatureFile file = read_signature_file(text);
    const json::Value keys = json::parse(folder.text("approver-keys.json"));
    Members members(keys);
    const PublicKey alice = approver_key(members, "alice").public_key();
    const ApproverSet set = ApproverSet::make({.approvers = {{alice}}, .threshold = 1});
    const BatchApproval approval = ApprovalFile{file.terms, {file.signature}}.approval();
    const auto verdict = verify_batch_approval(
        &approval, file.terms.scope.batch_id, {set, file.terms.trust_domain}, file.terms.not_after);
    expect(static_cast<bool>(verdict), "it does not verify");
  });
}

void replay_approver_keys(const std::string& text, Folder&, Report& report) {
  const json::Value keys = json::parse(text);
  for (const auto& [name, value] : *keys.object())
    report.judge(name, [&, name = name] {
      Members members(keys);
      check_approver_key(members, name);
    });
}

void replay_approver_sets(Members& document, Folder&, Report& report) {
  each_case(document.list("sets"), report, check_set);
  each_case(document.list("refusedSets"), report, check_refused_set);
}

void replay_approver_set_changes(Members& document, Folder&, Report& report) {
  each_case(document.list("cases"), report, check_change);
}

}  // namespace bcpki::golden
