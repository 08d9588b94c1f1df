#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/error.h"

#include "base/utf8.h"
#include "format/json.h"
#include "format/json_text.h"

namespace bcpki::json {
namespace {

// utf16_rank makes bytes of UTF-8 compare as the UTF-16 they stand for: there U+10000 and above,
// which start with 0xf0 or more, are surrogates and come before U+E000 to U+FFFF.
constexpr unsigned utf16_rank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0xee || byte == 0xef ? byte + 0x10U : byte;
}

bool utf16_less(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, utf16_rank, utf16_rank);
}

using Names = std::span<const std::string_view>;

enum class Layout : std::uint8_t { canonical, indented };

class Writer {
 public:
  explicit Writer(Layout layout) : is_indented_(layout == Layout::indented) {}

  // document writes the top value without those of its members that are named in `omit`.
  SecretBytes document(const Value& top, Names omit) {
    if (const Object* members = top.object()) {
      object(*members, omit);
    } else {
      value(top);
    }
    if (is_indented_) put("\n");
    return std::move(out_);
  }

 private:
  void value(const Value& value) {
    std::visit([this](const auto& held) { write(held); }, value.held);
  }

  void write(std::nullptr_t) { put("null"); }
  void write(bool b) { put(b ? "true" : "false"); }
  void write(const std::string& text) { string(text); }
  void write(const SecretBytes& text) { string(as_text(text.reveal())); }
  void write(const Object& members) { object(members, {}); }

  void write(std::uint64_t n) {
    if (n > kMaxInteger) throw Error(Code::invalid_input, "an integer above 9007199254740991");
    put(fmt::format_int(n).c_str());
  }

  void write(const Array& elements) {
    block("[]", elements, [this](const Value& element) { value(element); });
  }

  void object(const Object& all, Names omit) {
    std::vector<const Member*> members;
    for (const Member& member : all) {
      if (std::ranges::find(omit, member.first) == omit.end()) members.push_back(&member);
    }
    if (!is_indented_) std::ranges::sort(members, utf16_less, &Member::first);
    block("{}", members, [this](const Member* member) {
      string(member->first);
      put(is_indented_ ? ": " : ":");
      value(member->second);
    });
  }

  template <class Items, class Write>
  void block(std::string_view brackets, const Items& items, Write write_item) {
    put(brackets.substr(0, 1));
    ++level_;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) put(",");
      is_first = false;
      break_line();
      write_item(item);
    }
    --level_;
    if (!items.empty()) break_line();
    put(brackets.substr(1));
  }

  void break_line() {
    if (!is_indented_) return;
    put("\n");
    for (int i = 0; i < level_; ++i) put("  ");
  }

  void string(std::string_view text) {
    put("\"");
    while (!text.empty()) {
      const std::size_t plain = end_of_plain(text, 0);
      put(text.substr(0, plain));
      text.remove_prefix(plain);
      if (!text.empty()) text.remove_prefix(special(text));
    }
    put("\"");
  }

  // special writes the first character of `text`, which is not plain, and returns its size.
  std::size_t special(std::string_view text) {
    if (!is_ascii(text[0])) {
      const utf8::Character c = utf8::decode(text);
      if (c.size == 0) throw Error(Code::invalid_input, "a string for JSON that is no UTF-8");
      put(c.text());
      return c.size;
    }
    const auto* escape = std::ranges::find(kEscapes, text[0], &Escape::means);
    if (escape != kEscapes.end()) {
      const std::array pair = {'\\', escape->letter};
      put({pair.data(), pair.size()});
    } else {
      put(fmt::format("\\u{:04x}", static_cast<unsigned>(text[0])));
    }
    return 1;
  }

  void put(std::string_view text) { out_.append(as_bytes(text)); }

  bool is_indented_;
  int level_ = 0;
  SecretBytes out_;
};

}  // namespace

std::string canonical(const Value& value, Names omit) {
  const SecretBytes text = Writer(Layout::canonical).document(value, omit);
  return std::string(as_text(text.reveal()));
}

SecretBytes write(const Value& value) {
  return Writer(Layout::indented).document(value, {});
}

}  // namespace bcpki::json
