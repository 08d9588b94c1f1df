#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "base/utf8.h"
#include "format/json.h"
#include "format/json_text.h"

namespace bcpki::json {
namespace {

// Up to here names are compared one by one, which costs no allocation; a larger object keeps a set,
// so that a hostile one costs n log n.
constexpr std::size_t kFewNames = 16;

// Names and pointers in messages are cut here: the text may come from anywhere.
constexpr std::size_t kMaxShown = 200;

struct Hint {
  std::string_view start;
  std::string_view what;
};

// What people and their tools do write where JSON has something else.
constexpr std::array kHints = {
    Hint{"\xef\xbb\xbf", "a byte order mark (save the file as UTF-8 without it)"},
    Hint{"\xff\xfe", "UTF-16 (save the file as UTF-8)"},
    Hint{"\xfe\xff", "UTF-16 (save the file as UTF-8)"},
    Hint{"-----BEGIN ", "a PEM file instead of JSON"},
    Hint{"//", "a comment (JSON has none)"},
    Hint{"/*", "a comment (JSON has none)"},
    Hint{"#", "a comment (JSON has none)"},
    Hint{"'", "a single quote (JSON has double quotes)"},
    Hint{"-", "a sign (numbers are whole, from 0 to 9007199254740991)"},
    Hint{"+", "a sign (numbers are whole, from 0 to 9007199254740991)"},
    Hint{"]", "something is missing before a closing bracket, or a comma is too many"},
    Hint{"}", "something is missing before a closing bracket, or a comma is too many"},
};

constexpr std::string_view kNoEnd = "a string without its closing quote";

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t end_of_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::string shown(std::string_view text) {
  if (text.size() <= kMaxShown) return std::string(text);
  return fmt::format("{}...", text.substr(0, kMaxShown));
}

// append_token adds `/name`, escaped as RFC 6901 asks.
void append_token(std::string& pointer, std::string_view name) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace

Reader::Reader(std::string_view text, int max_depth)
    : document_(text), max_depth_(static_cast<std::size_t>(max_depth)) {}

Token Reader::next() {
  at_ = end_of_space(document_, at_);
  token_start_ = at_;
  switch (expect_) {
    case Expect::value:
      return read_value();
    case Expect::first_name:
      return take('}') ? close(Token::object_end) : read_name();
    case Expect::first_element:
      return take(']') ? close(Token::array_end) : read_element();
    case Expect::more:
      break;
  }
  return read_more();
}

Token Reader::read_more() {
  if (levels_.empty()) {
    if (at_ < document_.size()) fail_expecting("something behind the end of the document");
    return Token::end;
  }
  const bool in_object = levels_.back().is_object;
  if (take(in_object ? '}' : ']')) return close(in_object ? Token::object_end : Token::array_end);
  if (!take(',')) fail_expecting("a comma or a closing bracket is missing");
  at_ = end_of_space(document_, at_);
  token_start_ = at_;
  return in_object ? read_name() : read_element();
}

Token Reader::read_name() {
  levels_.back().inside = false;
  if (!take('"')) fail_expecting("a member's name in double quotes is missing");
  read_string();
  if (!is_ascii_) fail("a member's name that is not ASCII");
  remember_name();
  at_ = end_of_space(document_, at_);
  if (!take(':')) fail_expecting("a colon is missing behind a member's name");
  expect_ = Expect::value;
  return Token::name;
}

Token Reader::read_element() {
  levels_.back().inside = true;
  ++levels_.back().elements;
  return read_value();
}

Token Reader::read_value() {
  if (levels_.size() >= max_depth_) fail(fmt::format("more than {} levels", max_depth_));
  expect_ = Expect::more;
  const char first = at_ < document_.size() ? document_[at_] : '\0';
  switch (first) {
    case '"':
      ++at_;
      read_string();
      return Token::string;
    case '{':
      return open(Token::object_begin);
    case '[':
      return open(Token::array_begin);
    case 't':
      boolean_ = true;
      return read_word("true", Token::boolean);
    case 'f':
      boolean_ = false;
      return read_word("false", Token::boolean);
    case 'n':
      return read_word("null", Token::null);
    default:
      if (is_digit(first)) return read_integer();
      fail_expecting("what is no JSON value");
  }
}

Token Reader::read_word(std::string_view word, Token token) {
  if (!rest().starts_with(word)) fail_expecting("what is no JSON value");
  at_ += word.size();
  return token;
}

Token Reader::read_integer() {
  const auto at_digit = [&] { return at_ < document_.size() && is_digit(document_[at_]); };
  const bool leads_with_zero = document_[at_] == '0';
  integer_ = 0;
  do {
    integer_ = integer_ * 10 + static_cast<std::uint64_t>(document_[at_] - '0');
    if (integer_ > kMaxInteger) fail("a number above 9007199254740991");
    ++at_;
    if (leads_with_zero && at_digit()) fail("a number with a leading zero");
  } while (at_digit());
  if (rest().starts_with('.') || rest().starts_with('e') || rest().starts_with('E')) {
    fail("a number with a fraction or an exponent");
  }
  return Token::integer;
}

Token Reader::open(Token token) {
  ++at_;
  const bool is_object = token == Token::object_begin;
  expect_ = is_object ? Expect::first_name : Expect::first_element;
  levels_.push_back({.is_object = is_object, .first_name = names_.size()});
  return token;
}

Token Reader::close(Token token) {
  expect_ = Expect::more;
  names_.resize(levels_.back().first_name);
  levels_.pop_back();
  return token;
}

// read_string reads what follows an opening quote. Text without escapes is not copied.
void Reader::read_string() {
  const std::size_t quote = at_ - 1;
  std::size_t run = at_;
  unescaped_.truncate(0);
  is_ascii_ = true;
  for (;;) {
    at_ = end_of_plain(document_, at_);
    if (at_ == document_.size()) fail_at(quote, kNoEnd);
    const char c = document_[at_];
    if (c == '"') break;
    if (c == '\\') {
      unescaped_.append(as_bytes(document_.substr(run, at_ - run)));
      read_escape();
      run = at_;
    } else {
      read_utf8();
    }
  }
  text_ = document_.substr(run, at_ - run);
  ++at_;
  if (!unescaped_.empty()) {
    unescaped_.append(as_bytes(text_));
    text_ = as_text(std::as_const(unescaped_).reveal());
  }
}

// read_utf8 reads what is neither plain nor a quote or backslash.
void Reader::read_utf8() {
  if (is_control(document_[at_]))
    fail_at(at_, "a control character in a string (write it as an escape)");
  is_ascii_ = false;
  while (at_ < document_.size() && !is_ascii(document_[at_])) {
    const utf8::Character c = utf8::decode(rest());
    if (c.size == 0) fail_at(at_, "bytes that are no UTF-8");
    at_ += c.size;
  }
}

void Reader::read_escape() {
  const std::size_t backslash = at_++;
  if (at_ == document_.size()) fail_at(backslash, kNoEnd);
  const char letter = document_[at_++];
  if (letter == 'u') {
    const utf8::Character c = utf8::encode(read_unicode_escape());
    is_ascii_ = is_ascii_ && c.size == 1;
    unescaped_.append(as_bytes(c.text()));
    return;
  }
  const auto* escape = std::ranges::find(kEscapes, letter, &Escape::letter);
  if (escape == kEscapes.end()) fail_at(backslash, "an escape that is none of JSON");
  unescaped_.append(as_bytes({&escape->means, 1}));
}

// read_unicode_escape reads what follows `\u`, and its other half where it is half of a pair.
char32_t Reader::read_unicode_escape() {
  constexpr std::string_view kHalf = "half of a surrogate pair";
  const std::size_t backslash = at_ - 2;
  const char32_t first = read_code_unit();
  if (!utf8::is_surrogate(first)) return first;
  if (first >= 0xdc00 || !rest().starts_with("\\u")) fail_at(backslash, kHalf);
  at_ += 2;
  const char32_t second = read_code_unit();
  if (!utf8::is_surrogate(second) || second < 0xdc00) fail_at(backslash, kHalf);
  return 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff));
}

char32_t Reader::read_code_unit() {
  const std::string_view digits = rest().substr(0, 4);
  std::uint16_t unit = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (error != std::errc() || end != digits.data() + 4) {
    fail_at(at_ - 2, "\\u without four hex digits");
  }
  at_ += 4;
  return unit;
}

bool Reader::take(char c) {
  if (at_ == document_.size() || document_[at_] != c) return false;
  ++at_;
  return true;
}

void Reader::remember_name() {
  const bool had_escapes = !unescaped_.empty();
  const std::string_view name = had_escapes ? unescaped_names_.emplace_back(text_) : text_;
  if (is_repeated(name)) fail(fmt::format("duplicate member \"{}\"", shown(name)));
  names_.push_back(name);
  levels_.back().name = name;
  levels_.back().inside = true;
}

// is_repeated also puts `name` into the set of an object that has many.
bool Reader::is_repeated(std::string_view name) {
  Level& level = levels_.back();
  const auto names = std::span(names_).subspan(level.first_name);
  if (names.size() < kFewNames) return std::ranges::find(names, name) != names.end();
  if (level.many_names.empty()) level.many_names.insert(names.begin(), names.end());
  return !level.many_names.insert(name).second;
}

SecretBytes Reader::take_secret() {
  SecretBytes secret = unescaped_.empty() ? SecretBytes(text_) : std::move(unescaped_);
  text_ = {};
  return secret;
}

std::string Reader::pointer() const {
  std::string path;
  for (const Level& level : levels_) {
    if (!level.inside) break;
    append_token(path, level.is_object ? level.name : std::to_string(level.elements - 1));
  }
  return path;
}

void Reader::fail(std::string_view what) const {
  fail_at(token_start_, what);
}

// fail_expecting says `what` is wrong with what stands here, or better what it looks like.
void Reader::fail_expecting(std::string_view what) const {
  const bool is_blank = std::ranges::all_of(document_, is_space);
  if (is_blank) fail_at(at_, "the file is empty");
  if (at_ == document_.size()) fail_at(at_, "the text ends too early");
  const auto looks_like = [&](const Hint& hint) { return rest().starts_with(hint.start); };
  const auto* hint = std::ranges::find_if(kHints, looks_like);
  fail_at(at_, hint == kHints.end() ? what : hint->what);
}

void Reader::fail_at(std::size_t place, std::string_view what) const {
  const std::string_view before = document_.substr(0, place);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto starts_character = [](char c) { return (c & 0xc0) != 0x80; };
  const std::string where = pointer();
  throw SyntaxError(
      printable(fmt::format("line {}, column {}: {}{}{}", 1 + std::ranges::count(before, '\n'),
                            1 + std::ranges::count_if(line, starts_character), what,
                            where.empty() ? "" : " at ", shown(where))));
}

}  // namespace bcpki::json
