// DER, read strictly (X.690 section 10): definite minimal lengths, single-byte tags below 31,
// contents as their universal types have them, and nothing left over. No keys, no meaning: what
// stands in a certificate is x509.h's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "bcpki/bytes.h"
#include "bcpki/time.h"

namespace bcpki::der {

// Tags that the formats use.
inline constexpr std::uint8_t kBoolean = 0x01, kInteger = 0x02, kBitString = 0x03,
                              kOctetString = 0x04, kNull = 0x05, kOid = 0x06, kEnumerated = 0x0a,
                              kUtf8String = 0x0c, kNumericString = 0x12, kPrintableString = 0x13,
                              kTeletexString = 0x14, kIa5String = 0x16, kUtcTime = 0x17,
                              kGeneralizedTime = 0x18, kVisibleString = 0x1a,
                              kUniversalString = 0x1c, kBmpString = 0x1e, kSequence = 0x30,
                              kSet = 0x31;

// context is the tag [n] of a primitive element, context_constructed that of one that holds others.
constexpr std::uint8_t context(std::uint8_t n) {
  return 0x80 | n;
}
constexpr std::uint8_t context_constructed(std::uint8_t n) {
  return 0xa0 | n;
}

// kOctets is a constant of octets: an identifier's content, or a fixed piece of DER.
template <int... octets>
inline constexpr std::array kOctets{std::byte{octets}...};

// fits says whether `content` is one that DER has for the universal type `tag`: a minimal INTEGER,
// a BOOLEAN of 00 or ff, an OID of whole subidentifiers, a string of its character set, …. A type
// without a rule of its own takes any content. For elements under an implicit tag; `Reader` asks it
// of all others.
bool fits(std::uint8_t tag, View content);

// Element is one TLV: its tag, its content and the whole with its header.
struct Element {
  std::uint8_t tag = 0;
  View content;
  View whole;
};

// Reader walks the elements of one level. A step that does not fit returns nullopt (or false) and
// leaves the reader failed: every later step fails too, so a caller may check once at the end.
class Reader {
 public:
  explicit Reader(View input) : rest_(input) {}

  // next takes any element, or one of `tag`.
  std::optional<Element> next();
  std::optional<Element> next(std::uint8_t tag);

  // optional takes an element of `tag`; where another is next it returns nullopt without failing.
  std::optional<Element> optional(std::uint8_t tag);

  // enter takes an element of `tag` and returns a reader of its content, else a failed one.
  Reader enter(std::uint8_t tag);

  std::optional<View> integer();                    // two's complement content, minimal
  std::optional<std::uint64_t> unsigned_integer();  // not negative, below 2^63
  std::optional<View> oid();                        // content octets, well-formed
  std::optional<bool> boolean();                    // exactly 00 or ff
  std::optional<View> bit_string();                 // whole octets only (0 unused bits)
  std::optional<View> octet_string();
  std::optional<UnixTime> time();  // UTCTime before 2050, else GeneralizedTime; seconds and `Z`

  bool at_end() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }
  View rest() const { return rest_; }

 private:
  std::optional<View> content(std::uint8_t tag);

  View rest_;
  bool ok_ = true;
};

// take says whether a step of a reader gave something, and puts it into `out`.
template <class T>
bool take(const std::optional<T>& step, T& out) {
  if (step) out = *step;
  return step.has_value();
}

// open returns a reader of what is in `input`, which must be exactly one SEQUENCE, made of elements
// all the way down (at most 32 deep), the components of each SET ascending; else a failed reader.
Reader open(View input);

// Writer appends DER to a buffer.
class Writer {
 public:
  void element(std::uint8_t tag, View content);
  void raw(View der) { out_.insert(out_.end(), der.begin(), der.end()); }
  void integer(View magnitude);  // big-endian, unsigned; written minimal and positive
  void integer(std::uint64_t value);
  void oid(View content) { element(kOid, content); }
  void boolean(bool value);
  void bit_string(View octets, int unused_bits = 0);
  void octet_string(View octets) { element(kOctetString, octets); }
  void utf8(std::string_view text) { element(kUtf8String, as_bytes(text)); }

  // time writes UTCTime before 2050, from 2050 GeneralizedTime. Throws INVALID_INPUT before 1950
  // and after 9999.
  void time(UnixTime t);

  // nested writes an element whose content `fill` writes.
  template <class Fill>
  void nested(std::uint8_t tag, Fill fill) {
    Writer inner;
    fill(inner);
    element(tag, inner.out_);
  }

  const Bytes& bytes() const { return out_; }
  Bytes take() && { return std::move(out_); }

 private:
  Bytes out_;
};

}  // namespace bcpki::der
