#include "format/der.h"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace {

namespace der = bcpki::der;
using bcpki::Bytes;
using bcpki::View;

Bytes hex(std::string_view text) {
  return bcpki::parse_hex(text).value();
}

std::string hex(View bytes) {
  return bcpki::hex(bytes);
}

// takes says whether `text` is one element that the reader takes.
bool takes(std::string_view text) {
  const Bytes input = hex(text);
  der::Reader reader(input);
  return reader.next() && reader.at_end();
}

bool opens(std::string_view text) {
  const Bytes input = hex(text);
  return der::open(input).ok();
}

// nested is `depth` SEQUENCEs, one in the other.
Bytes nested(int depth) {
  Bytes out;
  for (; depth > 0; --depth) {
    der::Writer writer;
    writer.element(der::kSequence, out);
    out = std::move(writer).take();
  }
  return out;
}

std::optional<std::string> time_of(std::uint8_t tag, std::string_view text) {
  der::Writer writer;
  writer.element(tag, bcpki::as_bytes(text));
  const auto time = der::Reader(writer.bytes()).time();
  if (!time) return std::nullopt;
  return bcpki::format_time(*time);
}

std::string written_time(std::string_view rfc3339) {
  der::Writer writer;
  writer.time(bcpki::parse_time(rfc3339).value());
  const auto element = der::Reader(writer.bytes()).next().value();
  return std::string(element.tag == der::kUtcTime ? "U" : "G") +
         std::string(bcpki::as_text(element.content));
}

TEST_CASE("an element is a tag, a length and exactly so many octets") {
  const Bytes input = hex("0403aabbcc0500");
  der::Reader reader(input);
  const auto element = reader.next();
  REQUIRE(element);
  CHECK(element->tag == der::kOctetString);
  CHECK(hex(element->content) == "aabbcc");
  CHECK(hex(element->whole) == "0403aabbcc");
  CHECK(hex(reader.rest()) == "0500");
  CHECK_FALSE(reader.at_end());
  CHECK(reader.next(der::kNull));
  CHECK(reader.at_end());
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.at_end());
}

TEST_CASE("lengths are definite and minimal") {
  const std::string octets_127(std::size_t{127} * 2, '0');
  const std::string octets_128(std::size_t{128} * 2, '0');
  const std::string octets_256(std::size_t{256} * 2, '0');
  CHECK(takes("0400"));
  CHECK(takes("047f" + octets_127));
  CHECK(takes("048180" + octets_128));
  CHECK(takes("04820100" + octets_256));

  CHECK_FALSE(takes("04817f" + octets_127));    // one octet would do
  CHECK_FALSE(takes("04820080" + octets_128));  // a leading zero
  CHECK_FALSE(takes("0483000100" + octets_256));
  CHECK_FALSE(takes("30800000"));  // indefinite
  CHECK_FALSE(takes("24800401010000"));
  CHECK_FALSE(takes("04ff"));  // reserved
}

TEST_CASE("an element ends within its input") {
  CHECK_FALSE(takes(""));
  CHECK_FALSE(takes("04"));
  CHECK_FALSE(takes("0401"));
  CHECK_FALSE(takes("0402aa"));
  CHECK_FALSE(takes("0481"));
  CHECK_FALSE(takes("048201"));
  CHECK_FALSE(takes("0484ffffffff00"));
  CHECK_FALSE(takes("0488ffffffffffffffff"));
  CHECK_FALSE(takes("0489010000000000000000"));
}

TEST_CASE("tags are one octet, and constructed where their type is") {
  CHECK(takes("3000"));
  CHECK(takes("3100"));
  CHECK(takes("a000"));
  CHECK(takes("8000"));
  CHECK(takes("5e00"));

  CHECK_FALSE(takes("1f2000"));  // a number in the octets behind it
  CHECK_FALSE(takes("bf2000"));
  CHECK_FALSE(takes("0000"));        // end of contents
  CHECK_FALSE(takes("1000"));        // a primitive SEQUENCE
  CHECK_FALSE(takes("1100"));        // a primitive SET
  CHECK_FALSE(takes("2403040101"));  // an OCTET STRING in pieces
  CHECK_FALSE(takes("2c030c0161"));  // a UTF8String in pieces
}

TEST_CASE("contents are of their universal type") {
  struct Case {
    std::string_view input;
    bool is_taken;
  };
  const std::vector<Case> cases{
      {"0101ff", true},
      {"010100", true},
      {"010101", false},
      {"0100", false},
      {"0102ffff", false},
      // INTEGER and ENUMERATED
      {"020100", true},
      {"02017f", true},
      {"0201ff", true},
      {"02020080", true},
      {"0202ff7f", true},
      {"0200", false},
      {"02020000", false},
      {"0202007f", false},
      {"0202ff80", false},
      {"0a0101", true},
      {"0a020001", false},
      {"0a00", false},
      // BIT STRING: the example of X.690 section 8.6.4.2 and around it
      {"0307040a3b5f291cd0", true},
      {"030100", true},
      {"0300", false},
      {"030101", false},
      {"030207ff", false},
      {"03020780", true},
      {"03020880", false},
      {"0307050a3b5f291cd0", false},
      // NULL
      {"0500", true},
      {"050100", false},
      // OBJECT IDENTIFIER: {2 999 3} of X.690 section 8.19.5
      {"0603883703", true},
      {"060100", true},
      {"0600", false},
      {"060188", false},
      {"06028037", false},
      {"0603883783", false},
      {"060488008003", false},
      // UTF8String
      {"0c03c3a461", true},
      {"0c04f09f989c", true},
      {"0c02c0af", false},
      {"0c03eda080", false},
      {"0c04f4908080", false},
      {"0c01e4", false},
      {"0c0180", false},
      // NumericString, PrintableString, IA5String, VisibleString
      {"1203312039", true},
      {"120161", false},
      {"130341202e", true},
      {"13012a", false},
      {"130140", false},
      {"130100", false},
      {"160140", true},
      {"160180", false},
      {"160100", true},
      {"1a0120", true},
      {"1a017f", false},
      {"1a010a", false},
      // TeletexString is of no character set that anybody agrees on.
      {"1402e4ff", true},
      // BMPString and UniversalString
      {"1e0265e5", true},
      {"1e0165", false},
      {"1e02d800", false},
      {"1c040001f61c", true},
      {"1c0300006a", false},
      {"1c040000d800", false},
      {"1c0400110000", false},
      // Under another class the type is not known.
      {"810101", true},
      {"8200", true},
      {"860180", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.input);
    CHECK(takes(c.input) == c.is_taken);
  }
}

TEST_CASE("an implicit tag hides the type, so `fits` is asked") {
  CHECK(der::fits(der::kIa5String, bcpki::as_bytes("example.com")));
  CHECK_FALSE(der::fits(der::kIa5String, bcpki::as_bytes("b\xc3\xbc"
                                                         "cher.example")));
  CHECK(der::fits(der::kBitString, hex("00aa")));
  CHECK_FALSE(der::fits(der::kBitString, hex("01ab")));
  CHECK_FALSE(der::fits(der::kOid, hex("2a86")));
  CHECK(der::fits(der::kOctetString, hex("")));
}

TEST_CASE("a step that does not fit fails every later step") {
  const Bytes input = hex("020105020106");
  der::Reader reader(input);
  CHECK_FALSE(reader.next(der::kSequence));
  CHECK_FALSE(reader.ok());
  CHECK_FALSE(reader.integer());
  CHECK_FALSE(reader.optional(der::kInteger));
  CHECK_FALSE(reader.enter(der::kInteger).ok());
  CHECK_FALSE(reader.at_end());
}

TEST_CASE("what is optional may be missing, but not broken") {
  const Bytes input = hex("0500");
  der::Reader reader(input);
  CHECK_FALSE(reader.optional(der::kBoolean));
  CHECK(reader.ok());
  CHECK(reader.optional(der::kNull));
  CHECK_FALSE(reader.optional(der::kNull));
  CHECK(reader.at_end());

  const Bytes broken = hex("010101");
  der::Reader broken_reader(broken);
  CHECK_FALSE(broken_reader.optional(der::kBoolean));
  CHECK_FALSE(broken_reader.ok());
}

TEST_CASE("entering gives a reader of the content") {
  const Bytes input = hex("30060201010201020500");
  der::Reader reader(input);
  der::Reader inner = reader.enter(der::kSequence);
  CHECK(inner.unsigned_integer() == 1U);
  CHECK(inner.unsigned_integer() == 2U);
  CHECK(inner.at_end());
  CHECK(reader.next(der::kNull));
  CHECK(reader.at_end());
}

TEST_CASE("integers: the octets as they stand, or a number below 2^63") {
  const auto number = [](std::string_view text) {
    const Bytes input = hex(text);
    return der::Reader(input).unsigned_integer();
  };
  const Bytes negative = hex("0201fb");
  CHECK(hex(der::Reader(negative).integer().value()) == "fb");
  CHECK(number("020100") == 0U);
  CHECK(number("02020100") == 256U);
  CHECK(number("02087fffffffffffffff") == 0x7fffffffffffffffU);
  CHECK_FALSE(number("020900ffffffffffffffff"));
  CHECK_FALSE(number("0201fb"));
  CHECK_FALSE(number("02020001"));
}

TEST_CASE("steps of the other types") {
  const Bytes input = hex("06035504030101ff010100030300aabb0402ccdd");
  der::Reader reader(input);
  CHECK(hex(reader.oid().value()) == "550403");
  CHECK(reader.boolean() == true);
  CHECK(reader.boolean() == false);
  CHECK(hex(reader.bit_string().value()) == "aabb");
  CHECK(hex(reader.octet_string().value()) == "ccdd");
  CHECK(reader.at_end());

  const Bytes half_an_octet = hex("030204a0");
  der::Reader bits(half_an_octet);
  CHECK_FALSE(bits.bit_string());
  CHECK_FALSE(bits.ok());
}

TEST_CASE("times are UTCTime until 2049, GeneralizedTime from 2050, in seconds and UTC") {
  CHECK(time_of(der::kUtcTime, "261130120000Z") == "2026-11-30T12:00:00Z");
  CHECK(time_of(der::kUtcTime, "491231235959Z") == "2049-12-31T23:59:59Z");
  CHECK(time_of(der::kUtcTime, "500101000000Z") == "1950-01-01T00:00:00Z");
  CHECK(time_of(der::kUtcTime, "000229000000Z") == "2000-02-29T00:00:00Z");
  CHECK(time_of(der::kGeneralizedTime, "20500101000000Z") == "2050-01-01T00:00:00Z");
  CHECK(time_of(der::kGeneralizedTime, "99991231235959Z") == "9999-12-31T23:59:59Z");

  CHECK_FALSE(time_of(der::kGeneralizedTime, "20491231235959Z"));
  CHECK_FALSE(time_of(der::kGeneralizedTime, "19491231235959Z"));
  CHECK_FALSE(time_of(der::kGeneralizedTime, "20500101000000.5Z"));
  CHECK_FALSE(time_of(der::kGeneralizedTime, "205001010000Z"));
  CHECK_FALSE(time_of(der::kGeneralizedTime, "20500101000000"));
  CHECK_FALSE(time_of(der::kUtcTime, "2611301200Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130120000"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130120000z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130120000+0000"));
  CHECK_FALSE(time_of(der::kUtcTime, "26113012000 Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "-61130120000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "260229120000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261301120000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "260001120000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130240000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130126000Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "261130125960Z"));
  CHECK_FALSE(time_of(der::kUtcTime, "20500101000000Z"));
  CHECK_FALSE(time_of(der::kOctetString, "261130120000Z"));
}

TEST_CASE("opening takes one SEQUENCE, good all the way down") {
  CHECK(opens("3000"));
  CHECK(opens("30053003020101"));
  CHECK_FALSE(opens(""));
  CHECK_FALSE(opens("300000"));
  CHECK_FALSE(opens("3100"));
  CHECK_FALSE(opens("020101"));
  CHECK_FALSE(opens("3005300302010100"));
  CHECK_FALSE(opens("3006300402020001"));    // an INTEGER that is not minimal
  CHECK_FALSE(opens("3005a003020200"));      // cut off inside
  CHECK_FALSE(opens("3006a0043002800000"));  // something behind
  CHECK(opens("3006800430028001"));          // a primitive's content is its own affair
}

TEST_CASE("the components of a SET ascend") {
  CHECK(opens("30083106020101020102"));
  CHECK(opens("30083106020101020101"));
  CHECK_FALSE(opens("30083106020102020101"));
  CHECK(opens("30083106020101040100"));
  CHECK_FALSE(opens("30083106040100020101"));
  CHECK_FALSE(opens("30093107040200ff0401ff"));
  CHECK(opens("3006310404000500"));
}

TEST_CASE("depth has an end") {
  CHECK(der::open(nested(32)).ok());
  CHECK_FALSE(der::open(nested(33)).ok());
  CHECK_FALSE(der::open(nested(10000)).ok());
}

TEST_CASE("written lengths are minimal") {
  const auto header = [](std::size_t size) {
    der::Writer writer;
    writer.octet_string(Bytes(size));
    return hex(View(writer.bytes()).first(writer.bytes().size() - size));
  };
  CHECK(header(0) == "0400");
  CHECK(header(127) == "047f");
  CHECK(header(128) == "048180");
  CHECK(header(255) == "0481ff");
  CHECK(header(256) == "04820100");
  CHECK(header(65536) == "0483010000");
}

TEST_CASE("written integers are minimal and not negative") {
  const auto of_magnitude = [](std::string_view text) {
    der::Writer writer;
    writer.integer(View(hex(text)));
    return hex(writer.bytes());
  };
  const auto of_number = [](std::uint64_t n) {
    der::Writer writer;
    writer.integer(n);
    return hex(writer.bytes());
  };
  CHECK(of_magnitude("") == "020100");
  CHECK(of_magnitude("0000") == "020100");
  CHECK(of_magnitude("007f") == "02017f");
  CHECK(of_magnitude("80") == "02020080");
  CHECK(of_magnitude("00ff00") == "020300ff00");
  CHECK(of_number(0) == "020100");
  CHECK(of_number(128) == "02020080");
  CHECK(of_number(600000) == "02030927c0");
  CHECK(of_number(~std::uint64_t{0}) == "020900ffffffffffffffff");
}

TEST_CASE("everything else is written as X.690 has it") {
  der::Writer writer;
  writer.nested(der::kSequence, [](der::Writer& inner) {
    inner.boolean(true);
    inner.boolean(false);
    inner.oid(der::kOctets<0x88, 0x37, 0x03>);
    inner.bit_string(hex("0a3b5f291cd0"), 4);
    inner.utf8("Jos\xc3\xa9");
    inner.raw(hex("0500"));
  });
  CHECK(hex(writer.bytes()) ==
        "301d0101ff01010006038837030307040a3b5f291cd0"
        "0c054a6f73c3a90500");
  CHECK(der::open(writer.bytes()).ok());
}

TEST_CASE("times are written in the type that their year has") {
  CHECK(written_time("1970-01-01T00:00:00Z") == "U700101000000Z");
  CHECK(written_time("1950-01-01T00:00:00Z") == "U500101000000Z");
  CHECK(written_time("2026-11-30T12:00:00.999Z") == "U261130120000Z");
  CHECK(written_time("2049-12-31T23:59:59Z") == "U491231235959Z");
  CHECK(written_time("2050-01-01T00:00:00Z") == "G20500101000000Z");
  CHECK(written_time("9999-12-31T23:59:59Z") == "G99991231235959Z");
  CHECK_THROWS_AS(written_time("1949-12-31T23:59:59Z"), bcpki::Error);
  CHECK_THROWS_AS(der::Writer().time(bcpki::UnixTime::seconds(253402300800)), bcpki::Error);
}

}  // namespace
