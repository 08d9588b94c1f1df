#include "format/der.h"

#include <algorithm>
#include <bit>

#include "bcpki/error.h"

#include "base/utf8.h"

namespace bcpki::der {
namespace {

constexpr std::uint8_t kConstructed = 0x20;
constexpr std::uint8_t kClass = 0xc0;
constexpr std::uint8_t kTagNumber = 0x1f;
constexpr int kMaxDepth = 32;

std::uint8_t octet(std::byte b) {
  return std::to_integer<std::uint8_t>(b);
}

std::uint64_t big_endian(View octets) {
  std::uint64_t value = 0;
  for (const std::byte b : octets) value = value << 8 | octet(b);
  return value;
}

bool is_negative(View integer) {
  return octet(integer[0]) >= 0x80;
}

bool is_integer(View content) {
  if (content.size() < 2) return content.size() == 1;
  const bool second_is_negative = is_negative(content.subspan(1));
  return octet(content[0]) != (second_is_negative ? 0xff : 0x00);
}

bool is_bit_string(View content) {
  if (content.empty()) return false;
  const int unused = octet(content[0]);
  if (content.size() == 1) return unused == 0;
  return unused < 8 && std::countr_zero(octet(content.back())) >= unused;
}

bool is_oid(View content) {
  bool starts = true;  // the next octet starts a subidentifier
  for (const std::byte b : content) {
    if (starts && octet(b) == 0x80) return false;
    starts = octet(b) < 0x80;
  }
  return starts && !content.empty();
}

bool is_utf8(View text) {
  while (!text.empty()) {
    const std::size_t size = utf8::decode(as_text(text)).size;
    if (size == 0) return false;
    text = text.subspan(size);
  }
  return true;
}

// UCS-2 or UCS-4: `size` octets are one character.
bool is_ucs(View text, std::size_t size) {
  if (text.size() % size != 0) return false;
  for (; !text.empty(); text = text.subspan(size)) {
    const auto code = static_cast<char32_t>(big_endian(text.first(size)));
    if (code > utf8::kMaxCode || utf8::is_surrogate(code)) return false;
  }
  return true;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_numeric(char c) {
  return is_digit(c) || c == ' ';
}

bool is_printable(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view(" '()+,-./:=?").find(c) != std::string_view::npos;
}

bool is_ia5(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

bool is_visible(char c) {
  return c >= 0x20 && c < 0x7f;
}

bool all(View text, bool (*is_allowed)(char)) {
  return std::ranges::all_of(as_text(text), is_allowed);
}

// Of the universal types only SEQUENCE and SET are constructed (the others that may be, EXTERNAL
// and its kin, stand in no format here); number 0 ends an indefinite length.
bool is_tag(std::uint8_t tag) {
  const int number = tag & kTagNumber;
  if (number == kTagNumber) return false;
  if ((tag & kClass) != 0) return true;
  const bool must_be_constructed =
      number == (kSequence & kTagNumber) || number == (kSet & kTagNumber);
  return number != 0 && must_be_constructed == ((tag & kConstructed) != 0);
}

std::optional<Element> read_element(View input) {
  if (input.size() < 2) return std::nullopt;
  const std::uint8_t tag = octet(input[0]);
  std::size_t header = 2;
  std::uint64_t length = octet(input[1]);
  if (length >= 0x80) {
    const std::size_t octets = length & 0x7f;
    if (octets == 0 || octets > sizeof length || octets > input.size() - header)
      return std::nullopt;
    length = big_endian(input.subspan(header, octets));
    const bool is_minimal = length >= 0x80 && input[header] != std::byte{0};
    if (!is_minimal) return std::nullopt;
    header += octets;
  }
  if (length > input.size() - header) return std::nullopt;
  const Element element{
      .tag = tag, .content = input.subspan(header, length), .whole = input.first(header + length)};
  if (!is_tag(tag) || !fits(tag, element.content)) return std::nullopt;
  return element;
}

bool is_tree(const Element& element, int depth) {
  if (depth > kMaxDepth) return false;
  if ((element.tag & kConstructed) == 0) return true;
  Reader inner(element.content);
  View former;
  while (!inner.at_end()) {
    const auto component = inner.next();
    if (!component || !is_tree(*component, depth + 1)) return false;
    if (element.tag == kSet && as_text(component->whole) < as_text(former)) return false;
    former = component->whole;
  }
  return true;
}

bool is_tree(View input) {
  Reader reader(input);
  const auto element = reader.next();
  return element && reader.at_end() && is_tree(*element, 1);
}

unsigned two_digits(std::string_view text, std::size_t at) {
  return static_cast<unsigned>(((text[at] - '0') * 10) + (text[at + 1] - '0'));
}

// RFC 5280 section 4.1.2.5: seconds and `Z`; a year that UTCTime has stands in one.
std::optional<UnixTime> read_time(const Element& element) {
  const bool is_utc = element.tag == kUtcTime;
  if (!is_utc && element.tag != kGeneralizedTime) return std::nullopt;
  std::string_view text = as_text(element.content);
  if (text.size() != (is_utc ? 13U : 15U) || text.back() != 'Z') return std::nullopt;
  text.remove_suffix(1);
  if (!std::ranges::all_of(text, is_digit)) return std::nullopt;

  unsigned century = two_digits(text, 0) < 50 ? 20 : 19;
  if (!is_utc) {
    century = two_digits(text, 0);
    text.remove_prefix(2);
  }
  const unsigned year = (century * 100) + two_digits(text, 0);
  if (!is_utc && year < 2050) return std::nullopt;
  return from_calendar({.year = static_cast<int>(year),
                        .month = two_digits(text, 2),
                        .day = two_digits(text, 4),
                        .hour = two_digits(text, 6),
                        .minute = two_digits(text, 8),
                        .second = two_digits(text, 10)});
}

void append_two_digits(std::string& out, unsigned n) {
  out += static_cast<char>('0' + (n / 10));
  out += static_cast<char>('0' + (n % 10));
}

}  // namespace

bool fits(std::uint8_t tag, View content) {
  switch (tag) {
    case kBoolean:
      return content.size() == 1 && (octet(content[0]) == 0x00 || octet(content[0]) == 0xff);
    case kInteger:
    case kEnumerated:
      return is_integer(content);
    case kBitString:
      return is_bit_string(content);
    case kNull:
      return content.empty();
    case kOid:
      return is_oid(content);
    case kUtf8String:
      return is_utf8(content);
    case kNumericString:
      return all(content, is_numeric);
    case kPrintableString:
      return all(content, is_printable);
    case kIa5String:
      return all(content, is_ia5);
    case kVisibleString:
      return all(content, is_visible);
    case kUniversalString:
      return is_ucs(content, 4);
    case kBmpString:
      return is_ucs(content, 2);
    default:
      return true;
  }
}

Reader open(View input) {
  return Reader(is_tree(input) ? input : View()).enter(kSequence);
}

std::optional<Element> Reader::next() {
  const auto element = ok_ ? read_element(rest_) : std::nullopt;
  ok_ = element.has_value();
  if (element) rest_ = rest_.subspan(element->whole.size());
  return element;
}

std::optional<Element> Reader::next(std::uint8_t tag) {
  if (rest_.empty() || octet(rest_[0]) != tag) ok_ = false;
  return next();
}

std::optional<Element> Reader::optional(std::uint8_t tag) {
  if (rest_.empty() || octet(rest_[0]) != tag) return std::nullopt;
  return next();
}

Reader Reader::enter(std::uint8_t tag) {
  const auto element = next(tag);
  Reader inner(element ? element->content : View());
  inner.ok_ = ok_;
  return inner;
}

std::optional<View> Reader::integer() {
  return content(kInteger);
}

std::optional<std::uint64_t> Reader::unsigned_integer() {
  const auto octets = integer();
  if (!octets) return std::nullopt;
  ok_ = !is_negative(*octets) && octets->size() <= sizeof(std::uint64_t);
  if (!ok_) return std::nullopt;
  return big_endian(*octets);
}

std::optional<View> Reader::oid() {
  return content(kOid);
}

std::optional<bool> Reader::boolean() {
  const auto octets = content(kBoolean);
  if (!octets) return std::nullopt;
  return octet(octets->front()) != 0;
}

std::optional<View> Reader::bit_string() {
  const auto octets = content(kBitString);
  if (!octets) return std::nullopt;
  ok_ = octet(octets->front()) == 0;
  if (!ok_) return std::nullopt;
  return octets->subspan(1);
}

std::optional<View> Reader::octet_string() {
  return content(kOctetString);
}

std::optional<UnixTime> Reader::time() {
  const auto element = next();
  const auto t = element ? read_time(*element) : std::nullopt;
  ok_ = t.has_value();
  return t;
}

std::optional<View> Reader::content(std::uint8_t tag) {
  const auto element = next(tag);
  if (!element) return std::nullopt;
  return element->content;
}

void Writer::element(std::uint8_t tag, View content) {
  out_.push_back(std::byte{tag});
  const std::size_t length = content.size();
  if (length < 0x80) {
    out_.push_back(static_cast<std::byte>(length));
  } else {
    const int octets = (static_cast<int>(std::bit_width(length)) + 7) / 8;
    out_.push_back(static_cast<std::byte>(0x80 | octets));
    for (int i = octets - 1; i >= 0; --i) out_.push_back(static_cast<std::byte>(length >> 8 * i));
  }
  raw(content);
}

void Writer::integer(View magnitude) {
  const auto first = std::ranges::find_if(magnitude, [](std::byte b) { return b != std::byte{0}; });
  Bytes content(first, magnitude.end());
  if (content.empty() || is_negative(content)) content.insert(content.begin(), std::byte{0});
  element(kInteger, content);
}

void Writer::integer(std::uint64_t value) {
  std::array<std::byte, sizeof value> octets{};
  for (auto b = octets.rbegin(); b != octets.rend(); ++b, value >>= 8)
    *b = static_cast<std::byte>(value);
  integer(View(octets));
}

void Writer::boolean(bool value) {
  element(kBoolean, value ? View(kOctets<0xff>) : View(kOctets<0x00>));
}

void Writer::bit_string(View octets, int unused_bits) {
  Bytes content{static_cast<std::byte>(unused_bits)};
  content.insert(content.end(), octets.begin(), octets.end());
  element(kBitString, content);
}

void Writer::time(UnixTime t) {
  const CalendarTime c = to_calendar(t);
  if (c.year < 1950) throw Error(Code::invalid_input, "a certificate holds no time before 1950");
  const auto year = static_cast<unsigned>(c.year);
  const bool is_utc = year < 2050;
  std::string text;
  if (!is_utc) append_two_digits(text, year / 100);
  for (const unsigned part : {year % 100, c.month, c.day, c.hour, c.minute, c.second})
    append_two_digits(text, part);
  element(is_utc ? kUtcTime : kGeneralizedTime, as_bytes(text + 'Z'));
}

}  // namespace bcpki::der
