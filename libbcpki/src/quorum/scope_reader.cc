#include "quorum/scope_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "quorum/fields.h"

namespace bcpki {
namespace {

using json::Token;

constexpr std::size_t kUsualLeafBytes = 128;  // in a file; with others the list only grows

class ScopeReader {
 public:
  explicit ScopeReader(std::string_view text) : reader_(text) {
    leaves().entries.reserve(std::min(text.size() / kUsualLeafBytes, kMaxScopeEntries));
  }

  ScopeDocument read() {
    const Token top = reader_.next();
    if (top == Token::array_begin) {
      document_.is_bare = true;
      read_leaves();
    } else if (top == Token::object_begin) {
      read_members(kMembers);
    } else {
      reader_.fail("the top is neither an object nor a list of leaves");
    }
    reader_.next();
    return std::move(document_);
  }

 private:
  struct Member {
    std::string_view name;
    void (ScopeReader::*read)();
    bool is_required = true;
  };

  static const std::array<Member, 13> kMembers;
  static const std::array<Member, 4> kLeafMembers;
  static const std::array<Member, 2> kPayloadMembers;

  // read_members reads an object that is open to its end.
  template <std::size_t count>
  void read_members(const std::array<Member, count>& members) {
    std::array<bool, count> seen{};
    std::size_t at = count - 1;
    while (reader_.next() == Token::name) {
      at = find(members, at + 1);
      seen[at] = true;
      (this->*members[at].read)();
    }
    for (std::size_t i = 0; i < count; ++i)
      if (members[i].is_required && !seen[i])
        reader_.fail(fmt::format("{} is missing", members[i].name));
  }

  // find returns the place of the member that the reader names. Most files have them in the order
  // of the table, so it looks from `first` on.
  template <std::size_t count>
  std::size_t find(const std::array<Member, count>& members, std::size_t first) const {
    const std::string_view name = reader_.text();
    for (std::size_t i = 0; i < count; ++i)
      if (const std::size_t at = (first + i) % count; members[at].name == name) return at;
    reader_.fail("a member that we do not know");
  }

  std::string_view string() {
    if (reader_.next() != Token::string) reader_.fail("what is no string");
    return reader_.text();
  }

  std::uint64_t integer() {
    if (reader_.next() != Token::integer) reader_.fail("what is no whole number");
    return reader_.integer();
  }

  template <class Parse>
  auto parsed(Parse parse, std::string_view otherwise) {
    auto value = parse(string());
    if (!value) reader_.fail(otherwise);
    return *std::move(value);
  }

  std::string named(bool (*is)(std::string_view), std::string_view otherwise) {
    const std::string_view text = string();
    if (!is(text)) reader_.fail(otherwise);
    return std::string(text);
  }

  Digest32 digest() { return parsed(parse_digest, "what is not 32 bytes of hex"); }

  void read_format() {
    if (string() != kScopeFileFormat)
      reader_.fail(fmt::format("another format than {}", kScopeFileFormat));
  }

  void read_version() {
    if (integer() != kFormatVersion)
      reader_.fail(fmt::format("another version than {}", kFormatVersion));
  }

  void read_batch_id() { contents().batch_id = named(is_id, "what is no batch id"); }

  void read_trust_domain() {
    contents().trust_domain = named(is_trust_domain, "what is no trust domain");
  }

  void read_not_after() {
    contents().not_after = parsed(parse_whole_seconds,
                                  "what is no time in whole seconds such as 2026-11-30T12:00:00Z");
  }

  void read_root() { document_.root = digest(); }
  void read_size() { document_.size = integer(); }
  void read_reason() { contents().words.reason = string(); }
  void read_created_by() { contents().words.created_by = string(); }
  void read_created_by_agent() { contents().words.created_by_agent = string(); }
  void read_delegation_id() { contents().words.delegation_id = string(); }

  void read_created_at() {
    contents().words.created_at = parsed(parse_time, "what is no RFC 3339 time");
  }

  void read_leaf_list() {
    if (reader_.next() != Token::array_begin) reader_.fail("what is no list of leaves");
    read_leaves();
  }

  // read_leaves reads a list that is open to its end.
  void read_leaves() {
    for (Token token = reader_.next(); token != Token::array_end; token = reader_.next()) {
      if (token != Token::object_begin) reader_.fail("a leaf that is no object");
      if (leaves().entries.size() == kMaxScopeEntries)
        reader_.fail(fmt::format("more than {} leaves", kMaxScopeEntries));
      leaves().entries.emplace_back();
      read_members(kLeafMembers);
    }
  }

  // BatchScope judges subjects and kinds.
  void read_subject() { entry().subject = string(); }
  void read_kind() { entry().kind = string(); }

  void read_payload_digest() { entry().payload_sha256 = digest(); }

  void read_payload() {
    if (reader_.next() != Token::object_begin) reader_.fail("a payload that is no object");
    leaves().payloads.resize(leaves().entries.size());
    leaves().payloads.back().emplace();
    read_members(kPayloadMembers);
  }

  void read_type_url() { payload().type_url = string(); }

  void read_value() {
    payload().value = parsed(parse_base64, "what is no base64");
    if (payload().value.size() > kMaxPayloadBytes)
      reader_.fail(fmt::format("a payload larger than {} bytes", kMaxPayloadBytes));
  }

  ScopeContents& contents() { return document_.contents; }
  ScopeEntries& leaves() { return contents().leaves; }
  BatchEntry& entry() { return leaves().entries.back(); }
  ScopePayload& payload() { return *leaves().payloads.back(); }

  json::Reader reader_;
  ScopeDocument document_;
};

constexpr std::array<ScopeReader::Member, 13> ScopeReader::kMembers = {{
    {"format", &ScopeReader::read_format},
    {"version", &ScopeReader::read_version},
    {"batchId", &ScopeReader::read_batch_id},
    {"trustDomain", &ScopeReader::read_trust_domain},
    {"notAfter", &ScopeReader::read_not_after},
    {"root", &ScopeReader::read_root},
    {"size", &ScopeReader::read_size},
    {"leaves", &ScopeReader::read_leaf_list},
    {"reason", &ScopeReader::read_reason, false},
    {"createdBy", &ScopeReader::read_created_by, false},
    {"createdByAgent", &ScopeReader::read_created_by_agent, false},
    {"delegationId", &ScopeReader::read_delegation_id, false},
    {"createdAt", &ScopeReader::read_created_at, false},
}};

constexpr std::array<ScopeReader::Member, 4> ScopeReader::kLeafMembers = {{
    {"subject", &ScopeReader::read_subject},
    {"kind", &ScopeReader::read_kind},
    {"payloadSha256", &ScopeReader::read_payload_digest, false},
    {"payload", &ScopeReader::read_payload, false},
}};

constexpr std::array<ScopeReader::Member, 2> ScopeReader::kPayloadMembers = {{
    {"typeUrl", &ScopeReader::read_type_url},
    {"value", &ScopeReader::read_value},
}};

// version_of finds the version of a file that was refused: a newer one may have members and values
// that we do not know.
std::uint64_t version_of(std::string_view text) try {
  json::Reader reader(text);
  int depth = 0;
  for (Token token = reader.next(); token != Token::end; token = reader.next()) {
    if (token == Token::object_begin || token == Token::array_begin) ++depth;
    if (token == Token::object_end || token == Token::array_end) --depth;
    if (token == Token::name && depth == 1 && reader.text() == "version")
      return reader.next() == Token::integer ? reader.integer() : 0;
  }
  return 0;
} catch (const json::SyntaxError&) {
  return 0;
}

}  // namespace

ScopeDocument parse_scope(std::string_view text) try {
  if (text.size() > kMaxScopeFileBytes)
    refuse_file(kScopeFileName, fmt::format("it is larger than {} bytes", kMaxScopeFileBytes));
  return ScopeReader(text).read();
} catch (const json::SyntaxError& error) {
  if (const auto version = version_of(text); version > kFormatVersion)
    refuse_version(kScopeFileName, version);
  refuse_file(kScopeFileName, error.what());
}

}  // namespace bcpki
