#include "base/utf8.h"

#include <string>

#include <catch2/catch.hpp>

namespace {

namespace utf8 = bcpki::utf8;

TEST_CASE("every code point but the surrogates is read as it is written") {
  std::size_t wrong = 0;
  for (char32_t code = 0; code <= utf8::kMaxCode; ++code) {
    if (utf8::is_surrogate(code)) continue;
    const utf8::Character written = utf8::encode(code);
    const utf8::Character read = utf8::decode(written.text());
    if (read.code != code || read.text() != written.text()) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the examples of RFC 3629 section 7 are read") {
  CHECK(utf8::decode("\u2262").code == U'\u2262');
  CHECK(utf8::decode("\uD55C").text() == "\xed\x95\x9c");
  CHECK(utf8::decode("\u65E5 and more").text() == "\xe6\x97\xa5");
  CHECK(utf8::decode("\xf0\xa3\x8e\xb4").code == U'\U000233b4');
}

TEST_CASE("what is no UTF-8 has no size") {
  const std::string bytes = GENERATE(as<std::string>(),   //
                                     "\x80",              // a continuation alone
                                     "\xbf\xbf",          //
                                     "\xc3",              // cut off
                                     "\xe2\x82",          //
                                     "\xf0\x9f\x98",      //
                                     "\xc3(",             // something else where one must follow
                                     "\xe2\x82(",         //
                                     "\xc0\xaf",          // overlong
                                     "\xc1\xbf",          //
                                     "\xe0\x9f\xbf",      //
                                     "\xf0\x8f\xbf\xbf",  //
                                     "\xed\xa0\x80",      // surrogates
                                     "\xed\xbf\xbf",      //
                                     "\xf4\x90\x80\x80",  // above U+10FFFF
                                     "\xf7\xbf\xbf\xbf",  //
                                     "\xf8\x88\x80\x80\x80",      // five bytes
                                     "\xfc\x84\x80\x80\x80\x80",  // six
                                     "\xfe", "\xff");
  CHECK(utf8::decode(bytes).size == 0);
}

}  // namespace
