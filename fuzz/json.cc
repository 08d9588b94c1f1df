// Our strict JSON reader against nlohmann's: what ours takes, nlohmann takes as the same value;
// what nlohmann takes and ours refuses breaks a rule that ours adds.
#include "format/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "bcpki/encoding.h"

namespace {

namespace json = bcpki::json;
using Tree = nlohmann::json;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Rules walks through what nlohmann reads and notes whether it breaks a rule of ours.
class Rules final : public nlohmann::json_sax<Tree> {
 public:
  bool is_broken() const { return is_broken_; }

  bool null() override { return value(true); }
  bool boolean(bool) override { return value(true); }
  bool number_integer(number_integer_t) override { return value(false); }  // it has a sign
  bool number_unsigned(number_unsigned_t n) override { return value(n <= json::kMaxInteger); }
  bool number_float(number_float_t, const string_t&) override { return value(false); }
  bool string(string_t&) override { return value(true); }
  bool binary(binary_t&) override { return value(false); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    note(is_ascii(name) && names_.back().insert(name).second);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Tree::exception&) override {
    return false;
  }

 private:
  void note(bool holds) { is_broken_ = is_broken_ || !holds; }

  bool value(bool holds) {
    note(holds && names_.size() < json::kMaxDepth);
    return true;
  }

  bool open() {
    value(true);
    names_.emplace_back();
    return true;
  }

  bool close() {
    names_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> names_;  // of every open object, and none for an array
  bool is_broken_ = false;
};

// has_a_reason says whether `text`, which ours refused, is refused by nlohmann or breaks a rule of
// ours. nlohmann skips a byte order mark and takes a NUL for the end.
bool has_a_reason(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf") || text.find('\0') != std::string_view::npos) return true;
  Rules rules;
  return !Tree::sax_parse(text, &rules) || rules.is_broken();
}

void check_taken(std::string_view text, const json::Value& value) {
  const std::string canonical = json::canonical(value);
  const Tree tree = Tree::parse(text, nullptr, false);
  require(!tree.is_discarded() && tree.dump() == canonical);

  const bcpki::SecretBytes written = json::write(value);
  require(json::canonical(json::parse(bcpki::as_text(written.reveal()))) == canonical);
  require(json::canonical(json::parse(canonical)) == canonical);

  const json::Value with_secrets = json::parse(text, {.secret_member = "privateKeys"});
  require(json::canonical(with_secrets) == canonical);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_taken(text, json::parse(text));
  } catch (const json::SyntaxError& error) {
    require(bcpki::printable(error.what()) == error.what());
    require(has_a_reason(text));
  }
  return 0;
}
