// JSON, read strictly and written canonically: formats.md section 1 (RFC 8259, RFC 8785).
//
// `Reader` is the one parser: it pulls one token after the other, keeps no tree and refuses what
// formats.md refuses. `parse` builds a `Value` over it for documents that are small. What is read
// under a member that holds secrets goes into SecretBytes and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace bcpki::json {

inline constexpr std::uint64_t kMaxInteger = (std::uint64_t{1} << 53) - 1;
inline constexpr int kMaxDepth = 32;

// SyntaxError is what the text is not. `what()` reads "line 3, column 14: duplicate member
// \"a\" at /rootCa" and holds no value of the document.
class SyntaxError final : public std::exception {
 public:
  explicit SyntaxError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

enum class Token {
  object_begin,
  object_end,
  array_begin,
  array_end,
  name,     // a member's name: `text()`
  string,   // `text()`, or `take_secret()`
  integer,  // `integer()`
  boolean,  // `boolean()`
  null,
  end,  // after the top value; only white space followed it
};

// Reader pulls tokens from `text`, which must outlive it. Throws SyntaxError.
class Reader {
 public:
  explicit Reader(std::string_view text, int max_depth = kMaxDepth);

  Token next();

  // text is the unescaped string of the last `name` or `string` token, valid until `next()`.
  std::string_view text() const { return text_; }
  std::uint64_t integer() const { return integer_; }
  bool boolean() const { return boolean_; }

  // take_secret moves the last string into a secret and wipes the reader's copy.
  SecretBytes take_secret();

  // pointer is the RFC 6901 JSON pointer of where the reader stands.
  std::string pointer() const;

  // fail throws a SyntaxError at the reader's place.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  // What may come next. `more` is behind a value: a comma, a closing bracket or the end.
  enum class Expect : std::uint8_t { value, first_name, first_element, more };

  // Level is an object or array that is open.
  struct Level {
    bool is_object;
    bool inside = false;         // the reader stands in the member `name` or in the last element
    std::size_t elements = 0;    // begun so far, in an array
    std::string_view name{};     // of the last member, in an object
    std::size_t first_name = 0;  // where the object's names start in `names_`
    std::set<std::string_view> many_names{};  // all of them, once they are more than a few
  };

  Token read_value();
  Token read_name();
  Token read_element();
  Token read_more();
  Token read_word(std::string_view word, Token token);
  Token read_integer();
  Token open(Token token);
  Token close(Token token);

  void read_string();
  void read_escape();
  void read_utf8();
  char32_t read_unicode_escape();
  char32_t read_code_unit();

  bool take(char c);
  std::string_view rest() const { return document_.substr(at_); }
  void remember_name();
  bool is_repeated(std::string_view name);

  [[noreturn]] void fail_expecting(std::string_view what) const;
  [[noreturn]] void fail_at(std::size_t place, std::string_view what) const;

  std::string_view document_;
  std::size_t max_depth_;
  std::size_t at_ = 0;           // the next byte to read
  std::size_t token_start_ = 0;  // of the last token: where `fail` points to
  Expect expect_ = Expect::value;
  std::vector<Level> levels_;
  std::vector<std::string_view> names_;  // of every open object, the innermost last
  std::deque<std::string> unescaped_names_;

  std::string_view text_;  // in `document_`, or in `unescaped_` where it had escapes
  SecretBytes unescaped_;
  bool is_ascii_ = true;  // the last string
  std::uint64_t integer_ = 0;
  bool boolean_ = false;
};

struct Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;  // in the document's order

// Value is one JSON value. `SecretBytes` are strings that were read as secrets.
struct Value {
  std::variant<std::nullptr_t, bool, std::uint64_t, std::string, SecretBytes, Array, Object> held =
      nullptr;

  Value() = default;
  Value(bool b) : held(b) {}
  Value(std::uint64_t n) : held(n) {}
  Value(std::string s) : held(std::move(s)) {}
  Value(std::string_view s) : held(std::string(s)) {}
  Value(const char* s) : held(std::string(s)) {}
  Value(SecretBytes s) : held(std::move(s)) {}
  Value(Array a) : held(std::move(a)) {}
  Value(Object o) : held(std::move(o)) {}

  // Each returns null where the value is of another type.
  const bool* boolean() const { return std::get_if<bool>(&held); }
  const std::uint64_t* integer() const { return std::get_if<std::uint64_t>(&held); }
  const std::string* string() const { return std::get_if<std::string>(&held); }
  const SecretBytes* secret() const { return std::get_if<SecretBytes>(&held); }
  const Array* array() const { return std::get_if<Array>(&held); }
  const Object* object() const { return std::get_if<Object>(&held); }

  // text and text(name) are the value's or its member's string, or nullopt where it is missing or
  // of another type.
  std::optional<std::string_view> text() const;
  std::optional<std::string_view> text(std::string_view name) const;

  // find returns the member called `name` of an object, or null.
  const Value* find(std::string_view name) const;

  // clone copies the value; secrets get a second owner.
  Value clone() const;
};

struct ParseOptions {
  std::string_view secret_member{};  // every string below this member of the top object is a secret
};

// parse reads one whole document of any top type. Throws SyntaxError.
Value parse(std::string_view text, const ParseOptions& options = {});

// canonical and write throw Error (INVALID_INPUT) for a string that is no UTF-8 and for an integer
// above kMaxInteger.

// canonical writes RFC 8785: members sorted (by UTF-16 code units), no white space. Members of the
// top object named in `omit` are left out.
std::string canonical(const Value& value, std::span<const std::string_view> omit = {});

// write lays the value out for people: two spaces a level, members in their order, a line break at
// the end. What it returns is a secret where the value holds one.
SecretBytes write(const Value& value);

}  // namespace bcpki::json
