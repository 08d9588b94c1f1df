#include "bcpki/scope_file.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "quorum/fields.h"
#include "quorum/scope_reader.h"

namespace bcpki {
namespace {

void require(bool holds, std::string_view what) {
  if (!holds) refuse_file(kScopeFileName, what);
}

std::size_t characters(std::string_view text) {
  const auto starts_character = [](char c) { return (c & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

void require_contents(const ScopeContents& contents) {
  const ScopeEntries& leaves = contents.leaves;
  require(is_trust_domain(contents.trust_domain), "it needs a valid trust domain");
  require(contents.not_after >= UnixTime(), "it ends before 1970");
  require(characters(contents.words.reason.value_or("")) <= kMaxReason,
          fmt::format("its reason is longer than {} characters", kMaxReason));
  require(leaves.entries.size() <= kMaxScopeEntries,
          fmt::format("it has more than {} leaves", kMaxScopeEntries));
  require(leaves.payloads.size() <= leaves.entries.size(), "it has more payloads than leaves");
  const auto is_large = [](const std::optional<ScopePayload>& payload) {
    return payload && payload->value.size() > kMaxPayloadBytes;
  };
  require(std::ranges::none_of(leaves.payloads, is_large),
          fmt::format("a payload is larger than {} bytes", kMaxPayloadBytes));
}

// bind_payloads gives each entry the digest of its payload.
void bind_payloads(ScopeEntries& leaves) {
  for (std::size_t i = 0; i < leaves.payloads.size(); ++i) {
    const auto* payload = leaves.payload(i);
    if (!payload) continue;
    auto& bound = leaves.entries[i].payload_sha256;
    const Digest32 digest = sha256(payload->value);
    if (bound && *bound != digest)
      refuse_file(
          kScopeFileName,
          fmt::format("/leaves/{}/payloadSha256 is not the digest of the payload beside it", i));
    bound = digest;
  }
}

// lead_with_payloads moves the payload of one of equal entries to the one that stands for the leaf.
// It moves, since equal entries may be many.
void lead_with_payloads(ScopeFile& file) {
  ScopeEntries& leaves = file.contents.leaves;
  const auto key = [&](std::size_t i) {
    const BatchEntry& entry = leaves.entries[i];
    return std::tuple<std::string_view, std::string_view, Digest32>(
        entry.subject, entry.kind, entry.payload_sha256.value_or(Digest32()));
  };
  std::map<decltype(key(0)), std::size_t> with_payload;
  for (std::size_t i = 0; i < leaves.payloads.size(); ++i)
    if (leaves.payloads[i]) with_payload.emplace(key(i), i);
  if (with_payload.empty()) return;
  leaves.payloads.resize(leaves.entries.size());
  for (std::uint32_t leaf = 0; leaf < file.scope.size(); ++leaf) {
    const std::size_t first = file.scope.entry_of(leaf);
    const auto found = with_payload.find(key(first));
    if (leaves.entries[first].payload_sha256 && found != with_payload.end())
      std::swap(leaves.payloads[first], leaves.payloads[found->second]);
  }
}

void require_payload_total(const ScopeFile& file) {
  std::size_t total = 0;
  for (std::uint32_t leaf = 0; leaf < file.scope.size(); ++leaf)
    if (const auto* payload = file.payload_of(leaf)) total += payload->value.size();
  require(total <= kMaxBatchPayloadBytes,
          fmt::format("its payloads are together larger than {} bytes", kMaxBatchPayloadBytes));
}

// add_flag fills what a bare list does not say; what a file says must be the same.
template <class T>
void add_flag(T& value, bool is_bare, const std::optional<T>& flag, std::string_view name) {
  if (is_bare)
    require(flag.has_value(), fmt::format("a bare list of leaves needs {} beside it", name));
  else
    require(!flag || *flag == value, fmt::format("it is for another {} than the one given", name));
  if (flag) value = *flag;
}

void add_flags(ScopeDocument& document, const ScopeFlags& flags) {
  ScopeContents& contents = document.contents;
  add_flag(contents.batch_id, document.is_bare, flags.batch_id, "batch id");
  add_flag(contents.trust_domain, document.is_bare, flags.trust_domain, "trust domain");
  add_flag(contents.not_after, document.is_bare, flags.not_after, "end");
}

void require_root(const ScopeRoot& made, const ScopeDocument& document, const ScopeFlags& flags) {
  if (!document.is_bare && (made.root != document.root || made.size != document.size))
    throw Error(Code::scope_mismatch,
                fmt::format("the leaves give {} of {}, the file says {} of {}: do not sign it",
                            hex(made.root), made.size, hex(document.root), document.size),
                {{"root", hex(made.root)}, {"size", std::to_string(made.size)}});
  if (flags.root && made.root != *flags.root)
    throw Error(
        Code::scope_changed,
        fmt::format("the batch is not the one that was reviewed: its root is {}", hex(made.root)),
        {{"root", hex(made.root)}});
}

json::Value payload_json(const ScopePayload& payload) {
  json::Object out;
  out.emplace_back("typeUrl", payload.type_url);
  out.emplace_back("value", base64(payload.value));
  return out;
}

json::Value leaf_json(const BatchEntry& entry, const ScopePayload* payload) {
  json::Object out;
  out.emplace_back("subject", entry.subject);
  out.emplace_back("kind", entry.kind);
  if (entry.payload_sha256) out.emplace_back("payloadSha256", hex(*entry.payload_sha256));
  if (payload) out.emplace_back("payload", payload_json(*payload));
  return out;
}

void put_words(json::Object& out, const ServerWords& words) {
  const auto put = [&](std::string_view name, const std::optional<std::string>& text) {
    if (text) out.emplace_back(name, *text);
  };
  put("reason", words.reason);
  put("createdBy", words.created_by);
  put("createdByAgent", words.created_by_agent);
  put("delegationId", words.delegation_id);
  if (words.created_at) out.emplace_back("createdAt", format_time(*words.created_at));
}

// Lines of a subject and a kind.

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

BatchEntry parse_line(std::string_view line, std::size_t number) {
  const auto space = line.find_first_of(" \t");
  BatchEntry entry{std::string(line.substr(0, space))};
  if (space != std::string_view::npos) entry.kind = trimmed(line.substr(space));
  if (!is_subject(entry.subject) || !is_kind(entry.kind))
    refuse_file(
        kScopeFileName,
        fmt::format("line {} is not a subject and a kind such as \"node_1 node.reboot\"", number));
  return entry;
}

ScopeEntries parse_lines(std::string_view text) {
  ScopeEntries leaves;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    require(leaves.entries.size() < kMaxScopeEntries,
            fmt::format("it has more than {} leaves", kMaxScopeEntries));
    leaves.entries.push_back(parse_line(line, number));
  }
  return leaves;
}

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
}

}  // namespace

const ScopePayload* ScopeEntries::payload(std::size_t place) const {
  return place < payloads.size() && payloads[place] ? &*payloads[place] : nullptr;
}

const ScopePayload* ScopeFile::payload_of(std::uint32_t index) const {
  return contents.leaves.payload(scope.entry_of(index));
}

ScopeFile make_scope_file(ScopeContents contents) {
  contents.not_after = contents.not_after.floor_seconds();
  require_contents(contents);
  bind_payloads(contents.leaves);
  auto scope = BatchScope::make(contents.batch_id, contents.leaves.entries);
  ScopeFile file{std::move(contents), std::move(scope)};
  if (file.scope.size() < file.contents.leaves.entries.size()) lead_with_payloads(file);
  require_payload_total(file);
  return file;
}

ScopeFile read_scope_file(std::string_view text, const ScopeFlags& flags) {
  ScopeDocument document = parse_scope(text);
  add_flags(document, flags);
  ScopeFile file = make_scope_file(std::move(document.contents));
  require_root(file.scope.root(), document, flags);
  return file;
}

std::string write_scope_file(const ScopeFile& file) {
  const ScopeContents& contents = file.contents;
  json::Object top;
  top.emplace_back("format", kScopeFileFormat);
  top.emplace_back("version", kFormatVersion);
  top.emplace_back("batchId", contents.batch_id);
  top.emplace_back("trustDomain", contents.trust_domain);
  top.emplace_back("notAfter", format_time(contents.not_after));
  top.emplace_back("root", hex(file.scope.root().root));
  top.emplace_back("size", std::uint64_t{file.scope.size()});
  put_words(top, contents.words);
  json::Array leaves;
  for (std::size_t i = 0; i < contents.leaves.entries.size(); ++i)
    leaves.push_back(leaf_json(contents.leaves.entries[i], contents.leaves.payload(i)));
  top.emplace_back("leaves", std::move(leaves));
  return laid_out(std::move(top));
}

ScopeEntries read_scope_entries(std::string_view text) {
  if (!is_json(text)) return parse_lines(text);
  ScopeDocument document = parse_scope(text);
  require(document.is_bare, "the leaves of a new scope are a list, not a whole file");
  return std::move(document.contents.leaves);
}

}  // namespace bcpki
