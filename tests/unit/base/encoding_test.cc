#include "bcpki/encoding.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using bcpki::as_bytes;
using bcpki::as_text;
using std::string_literals::operator""s;

using Parse = std::optional<bcpki::Bytes> (*)(std::string_view);

std::optional<std::string> text_of(const std::optional<bcpki::Bytes>& bytes) {
  return bytes ? std::optional(std::string(as_text(*bytes))) : std::nullopt;
}

std::string all_bytes() {
  std::string text;
  for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
  return text;
}

// takes_only says whether `parse` takes no character but `digits` in the second place of `text`.
bool takes_only(Parse parse, std::string text, std::string_view digits) {
  for (const char c : all_bytes()) {
    text[1] = c;
    if (parse(text).has_value() != (digits.find(c) != digits.npos)) return false;
  }
  return true;
}

TEST_CASE("RFC 4648 section 10 is written and read") {
  struct Vector {
    std::string plain, base64, base64url, hex;
  };
  const auto v = GENERATE(values<Vector>({
      {"", "", "", ""},
      {"f", "Zg==", "Zg", "66"},
      {"fo", "Zm8=", "Zm8", "666f"},
      {"foo", "Zm9v", "Zm9v", "666f6f"},
      {"foob", "Zm9vYg==", "Zm9vYg", "666f6f62"},
      {"fooba", "Zm9vYmE=", "Zm9vYmE", "666f6f6261"},
      {"foobar", "Zm9vYmFy", "Zm9vYmFy", "666f6f626172"},
  }));
  CHECK(bcpki::base64(as_bytes(v.plain)) == v.base64);
  CHECK(bcpki::base64url(as_bytes(v.plain)) == v.base64url);
  CHECK(bcpki::hex(as_bytes(v.plain)) == v.hex);
  CHECK(text_of(bcpki::parse_base64(v.base64)) == v.plain);
  CHECK(text_of(bcpki::parse_base64url(v.base64url)) == v.plain);
  CHECK(text_of(bcpki::parse_hex(v.hex)) == v.plain);
}

TEST_CASE("the last two digits tell the alphabets apart") {
  CHECK(bcpki::base64(as_bytes("\xff\xef")) == "/+8=");
  CHECK(bcpki::base64url(as_bytes("\xff\xef")) == "_-8");
  CHECK(text_of(bcpki::parse_base64("/+8=")) == "\xff\xef");
  CHECK(text_of(bcpki::parse_base64url("_-8")) == "\xff\xef");
  CHECK_FALSE(bcpki::parse_base64("_-8="));
  CHECK_FALSE(bcpki::parse_base64url("/+8"));
}

TEST_CASE("every byte survives every encoding at every length") {
  const std::string all = all_bytes();
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const std::string tail = all.substr(all.size() - size);
    REQUIRE(text_of(bcpki::parse_base64(bcpki::base64(as_bytes(tail)))) == tail);
    REQUIRE(text_of(bcpki::parse_base64url(bcpki::base64url(as_bytes(tail)))) == tail);
    REQUIRE(text_of(bcpki::parse_hex(bcpki::hex(as_bytes(tail)))) == tail);
  }
}

TEST_CASE("base64 is refused where it is not the one encoding of its bytes") {
  const std::string text = GENERATE(as<std::string>(), "AA", "AA=", "AAA", "A===", "====", "=", "A",
                                    "AB==", "AAB=", "AA==AA==", "AAAA====", "AAAA=", "A=A=", "AA=A",
                                    " AA==", "AA==\n", "AA\n==", "AAAA\r\n", "A\0A="s);
  CHECK_FALSE(bcpki::parse_base64(text));
}

TEST_CASE("base64url is refused where it is not the one encoding of its bytes") {
  const std::string text =
      GENERATE(as<std::string>(), "A", "AB", "AAB", "AA==", "AA=", "AAA=", "A A", "AA\n", " AA",
               "AAAAA", "A\u00e9", "AAAA=", "AA\0"s);
  CHECK_FALSE(bcpki::parse_base64url(text));
}

TEST_CASE("two texts never mean the same bytes") {
  const std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::size_t taken = 0;
  for (const char first : digits) {
    for (const char second : digits) {
      const std::string text{first, second};
      const auto bytes = bcpki::parse_base64url(text);
      if (!bytes) continue;
      ++taken;
      REQUIRE(bcpki::base64url(*bytes) == text);
    }
  }
  CHECK(taken == 256);
}

TEST_CASE("only the digits of an alphabet are read") {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  CHECK(takes_only(bcpki::parse_base64, "AAAA", letters + "+/"));
  CHECK(takes_only(bcpki::parse_base64url, "AAAA", letters + "-_"));
  CHECK(takes_only(bcpki::parse_hex, "00", "0123456789abcdefABCDEF"));
}

TEST_CASE("hex is read in either case") {
  CHECK(text_of(bcpki::parse_hex("aF09")) == "\xaf\x09");
  CHECK(text_of(bcpki::parse_hex("666F6F626172")) == "foobar");
}

TEST_CASE("hex is refused where it is not pairs of digits") {
  const std::string text = GENERATE(as<std::string>(), "0", "000", "0g", "g0", "0x00", " 00", "00 ",
                                    "0 0 ", "00\n", "\u00e9", "0\0"s);
  CHECK_FALSE(bcpki::parse_hex(text));
}

TEST_CASE("printable leaves alone what people can see") {
  const std::string text =
      GENERATE(as<std::string>(), "", "plain ~ text", "back\\slash", "Gr\u00fc\u00dfe",
               "\u65e5\u672c\u8a9e", "\U0001f600", "\u00a0", "\u2010\u2027", "\ue000", "\ufffd");
  CHECK(bcpki::printable(text) == text);
}

TEST_CASE("printable writes out what could hide, move or end a line") {
  struct Vector {
    std::string text, shown;
  };
  const auto v = GENERATE(values<Vector>({
      {"\0"s, "\\u0000"},
      {"a\nb\r\tc", "a\\u000ab\\u000d\\u0009c"},
      {"\x1b[31mred", "\\u001b[31mred"},
      {"\x7f", "\\u007f"},
      {"\u0080\u0085\u009b\u009f", "\\u0080\\u0085\\u009b\\u009f"},
      {"soft\u00adhyphen", "soft\\u00adhyphen"},
      {"\u061c", "\\u061c"},
      {"\u180e", "\\u180e"},
      {"\u200b\u200d\u200e\u200f", "\\u200b\\u200d\\u200e\\u200f"},
      {"\u2028\u2029\u202a\u202e", "\\u2028\\u2029\\u202a\\u202e"},
      {"\u2060\u2066\u2069\u206f", "\\u2060\\u2066\\u2069\\u206f"},
      {"\u115f\u3164\uffa0", "\\u115f\\u3164\\uffa0"},
      {"\ufe0f\ufeff\ufff9\ufffb", "\\ufe0f\\ufeff\\ufff9\\ufffb"},
      {"\ufdd0\ufdef\uffff", "\\ufdd0\\ufdef\\uffff"},
      {"\U0001fffe\U0010ffff", "\\u{1fffe}\\u{10ffff}"},
      {"\U000e0001\U000e0041\U000e007f", "\\u{e0001}\\u{e0041}\\u{e007f}"},
  }));
  CHECK(bcpki::printable(v.text) == v.shown);
}

TEST_CASE("printable shows bytes that are no UTF-8, one by one") {
  CHECK(bcpki::printable("a\xff") == "a\\xff");
  CHECK(bcpki::printable("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(bcpki::printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(bcpki::printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(bcpki::printable("\xe2\x82") == "\\xe2\\x82");
  CHECK(bcpki::printable("\xe2\x82\u20ac") == "\\xe2\\x82\u20ac");
}

}  // namespace
