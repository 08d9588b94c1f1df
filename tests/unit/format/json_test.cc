#include "format/json.h"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/error.h"

namespace {

namespace json = bcpki::json;
using Catch::Matchers::Contains;
using json::Reader;
using json::Token;
using json::Value;
using std::string_literals::operator""s;

// refusal returns why `text` is refused, or "" where it is not.
std::string refusal(std::string_view text) {
  try {
    json::parse(text);
    return "";
  } catch (const json::SyntaxError& error) {
    return error.what();
  }
}

// reformatted returns `text` as canonical JSON.
std::string reformatted(std::string_view text) {
  return json::canonical(json::parse(text));
}

std::string laid_out(const Value& value) {
  return std::string(bcpki::as_text(json::write(value).reveal()));
}

// Values cannot be copied, so that no initializer list can hold them.
template <class... Values>
json::Array array(Values... values) {
  json::Array out;
  (out.push_back(std::move(values)), ...);
  return out;
}

json::Object object(std::string_view name, Value value) {
  json::Object out;
  out.emplace_back(name, std::move(value));
  return out;
}

std::string repeated(std::size_t count, std::string_view text) {
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string members(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out += "\"member" + std::to_string(i) + "\":" + std::to_string(i);
  }
  return out;
}

// ---- What is taken ------------------------------------------------------------------------------

TEST_CASE("documents of any top type are taken") {
  const std::string text = GENERATE(as<std::string>(), "{}", "[]", "\"x\"", "\"\"", "0", "17",
                                    "9007199254740991", "true", "false", "null", "[[],{}]");
  CHECK(reformatted(text) == text);
}

TEST_CASE("white space stands anywhere between tokens") {
  CHECK(reformatted(" \t\r\n{ \"a\"\n:\t[ 1 ,\r2 , { } ] } \n") == R"({"a":[1,2,{}]})");
}

TEST_CASE("a value finds its members and knows its type") {
  const Value value =
      json::parse(R"({"s":"x","n":7,"t":true,"f":false,"z":null,"a":[1],"o":{"p":"y"}})");
  REQUIRE(value.object() != nullptr);
  CHECK(value.object()->size() == 7);
  CHECK(*value.find("s")->string() == "x");
  CHECK(*value.find("n")->integer() == 7);
  CHECK(*value.find("t")->boolean());
  CHECK_FALSE(*value.find("f")->boolean());
  CHECK(std::holds_alternative<std::nullptr_t>(value.find("z")->held));
  CHECK(value.find("a")->array()->size() == 1);
  CHECK(*value.find("o")->find("p")->string() == "y");
  CHECK(value.text("s") == "x");
  CHECK(value.find("s")->text() == "x");
  CHECK_FALSE(value.text("n"));
  CHECK_FALSE(value.text("p"));
  CHECK_FALSE(value.find("s")->text("p"));
  CHECK(value.find("p") == nullptr);
  CHECK(value.find("s")->find("p") == nullptr);
  CHECK(value.find("s")->integer() == nullptr);
  CHECK(value.find("s")->secret() == nullptr);
}

TEST_CASE("members stay in the document's order") {
  const Value value = json::parse(R"({"z":1,"a":2,"m":3})");
  std::string order;
  for (const auto& [name, member] : *value.object()) order += name;
  CHECK(order == "zam");
}

TEST_CASE("escapes are undone") {
  struct Vector {
    std::string json, text;
  };
  const auto v = GENERATE(values<Vector>({
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20ac\uffff")", "A\u00e9\u20ac\uffff"},
      {R"("\u00E9\u00e9")", "\u00e9\u00e9"},
      {R"("\u0000")", "\0"s},
      {R"("\ud83d\ude00")", "\U0001f600"},
      {R"("\ud800\udc00\udbff\udfff")", "\U00010000\U0010ffff"},
      {R"("\ud7ff\ue000")", "\ud7ff\ue000"},
      {R"("a\nb")", "a\nb"},
      {R"("\n")", "\n"},
      {"\"\u00e9\U0001f600 \x7f/\"", "\u00e9\U0001f600 \x7f/"},
  }));
  CHECK(*json::parse(v.json).string() == v.text);
}

TEST_CASE("every character of a string is seen, wherever it stands") {
  const std::string special = GENERATE(as<std::string>(), "\\n", "\u20ac", "\\\"", "\\u0041");
  const std::string meaning = special == "\\n"     ? "\n"
                              : special == "\\\""  ? "\""
                              : special[0] == '\\' ? "A"
                                                   : special;
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string head(before, 'x');
      const std::string tail(after, 'y');
      const Value value = json::parse('"' + head + special + tail + '"');
      REQUIRE(*value.string() == head + meaning + tail);
      for (const char* bad : {"\x01", "\x1f", "\n", "\x80", "\xff"}) {
        REQUIRE_FALSE(refusal('"' + head + bad + tail + '"').empty());
      }
    }
  }
}

// ---- What is refused ----------------------------------------------------------------------------

TEST_CASE("texts that are not JSON are refused, with a reason that helps") {
  struct Vector {
    std::string text, reason;
  };
  const auto v = GENERATE(values<Vector>({
      {"", "line 1, column 1: the file is empty"},
      {" \n ", "the file is empty"},
      {"\xef\xbb\xbf{}", "line 1, column 1: a byte order mark"},
      {"\xff\xfe{\0}\0"s, "UTF-16"},
      {"\xfe\xff\0{\0}"s, "UTF-16"},
      {"-----BEGIN CERTIFICATE-----\nMIIB\n", "a PEM file instead of JSON"},
      {"// c\n{}", "line 1, column 1: a comment"},
      {"{}\n# c", "line 2, column 1: a comment"},
      {"[1/* c */]", "a comment"},
      {"{'a':1}", "a single quote"},
      {"['a']", "a single quote"},
      {"[1,]", "a comma is too many at /1"},
      {"{\"a\":1,}", "a comma is too many"},
      {"{\"a\":}", "something is missing before a closing bracket"},
      {"{\"a\":-1}", "a sign (numbers are whole, from 0 to 9007199254740991) at /a"},
      {"[+1]", "a sign"},
      {"{\"a\":1", "the text ends too early"},
      {"{\"a\"", "the text ends too early"},
      {"{\"a", "a string without its closing quote"},
      {"\"", "a string without its closing quote"},
      {"\"\\", "a string without its closing quote"},
      {"\"\\\"", "a string without its closing quote"},
      {"[", "the text ends too early"},
      {"{", "the text ends too early"},
      {"{\"a\":", "the text ends too early"},
      {"[1,", "the text ends too early"},
      {"{\"a\":1}x", "something behind the end of the document"},
      {"{}{}", "something behind the end of the document"},
      {"{}\0"s, "something behind the end of the document"},
      {"\0{}"s, "no JSON value"},
      {"1 2", "something behind the end of the document"},
      {"{a:1}", "name in double quotes is missing"},
      {"{1:1}", "name in double quotes is missing"},
      {"{,}", "name in double quotes is missing"},
      {"[,]", "no JSON value"},
      {"{\"a\" 1}", "a colon is missing"},
      {"{\"a\"=1}", "a colon is missing"},
      {"{\"a\":1 \"b\":2}", "a comma or a closing bracket is missing at /a"},
      {"{\"a\":1;\"b\":2}", "a comma or a closing bracket is missing at /a"},
      {"[1 2]", "a comma or a closing bracket is missing at /0"},
      {"[1}", "missing"},
      {"{\"a\":1]", "missing"},
      {"nul", "no JSON value"},
      {"nulll", "something behind the end"},
      {"True", "no JSON value"},
      {"{\"a\":NaN}", "no JSON value at /a"},
      {"{\"a\":Infinity}", "no JSON value at /a"},
      {"{\"a\":undefined}", "no JSON value at /a"},
      {"\u00a0{}", "no JSON value"},
      {"\f{}", "no JSON value"},
  }));
  CHECK_THAT(refusal(v.text), Contains(v.reason));
}

TEST_CASE("numbers are whole, plain and at most 2^53-1") {
  const std::string number = GENERATE(
      as<std::string>(), "-1", "-0", "+1", "1.0", "1.", ".5", "0.5", "1e2", "1E2", "1e+2", "0e0",
      "01", "00", "007", "9007199254740992", "9007199254740993", "18446744073709551616",
      "18446744073709551617", "99999999999999999999999999999999", "0x10", "1_000", "1,5", "\u0661");
  CHECK_FALSE(refusal(number).empty());
  CHECK_FALSE(refusal("{\"a\":" + number + "}").empty());
}

TEST_CASE("strings are UTF-8 without control characters") {
  const std::string text =
      GENERATE(as<std::string>(),  //
               "\n", "\t", "\x1f", "\0"s, "\x80", "\xbf", "\xc3", "\xe2\x82", "\xf0\x9f\x98",
               "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
               "\xed\xbf\xbf", "\xed\xa0\xbd\xed\xb8\x80", "\xf4\x90\x80\x80",
               "\xf8\x88\x80\x80\x80", "\xff", "\xfe", "ok \u20ac \xff");
  CHECK_FALSE(refusal("\"" + text + "\"").empty());
  CHECK_FALSE(refusal("{\"" + text + "\":1}").empty());
  CHECK_FALSE(refusal("\"" + text).empty());
}

TEST_CASE("escapes are the ones of RFC 8259, surrogates in pairs") {
  const std::string text =
      GENERATE(as<std::string>(), R"(\a)", R"(\')", R"(\x41)", R"(\U0041)", R"(\0)", "\\\n",
               "\\\u20ac", R"(\u)", R"(\u1)", R"(\u123)", R"(\u123g)", R"(\u 123)", R"(\u+123)",
               R"(\u-123)", R"(\u0x41)", R"(\ud800)", R"(\udc00)", R"(\udfff)", R"(\udbffx)",
               R"(\ud800\n)", R"(\ud800\u0041)", R"(\ud800\ud800)", R"(\udc00\ud800)",
               R"(\udc00\udc00)", R"(\ud800\\udc00)", R"(\ud800\u)", R"(\ud800\udc0)");
  CHECK_FALSE(refusal("\"" + text + "\"").empty());
  CHECK_FALSE(refusal("\"" + text).empty());
}

TEST_CASE("members' names are ASCII") {
  const std::string name =
      GENERATE(as<std::string>(), "\u00e9", "\\u00e9", "\\u0080", "a\U0001f600", "\\ud83d\\ude00");
  CHECK_THAT(refusal("{\"" + name + "\":1}"), Contains("a member's name that is not ASCII"));
}

TEST_CASE("any ASCII is a member's name") {
  CHECK(reformatted(R"({"":1," ":2,"\u0000":3,"\u007f":4,"\"":5})") ==
        "{\"\":1,\"\\u0000\":3,\" \":2,\"\\\"\":5,\"\x7f\":4}");
}

TEST_CASE("a member stands once, however it is spelled and wherever it is") {
  struct Vector {
    std::string text, reason;
  };
  const auto v = GENERATE(values<Vector>({
      {R"({"a":1,"a":1})", "line 1, column 8: duplicate member \"a\""},
      {R"({"a":1,"\u0061":1})", "duplicate member \"a\""},
      {R"({"\u0061":1,"a":1})", "duplicate member \"a\""},
      {R"({"\u0061\u0062":1,"a\u0062":1})", "duplicate member \"ab\""},
      {R"({"\/":1,"/":1})", "duplicate member \"/\""},
      {R"({"":1,"":1})", "duplicate member \"\""},
      {R"({"a":1,"b":{"a":1},"c":[],"a":1})", "duplicate member \"a\""},
      {R"({"a":{"b":1,"b":2}})", "duplicate member \"b\" at /a"},
      {R"([{"x":[{"b":1,"c":2,"b":2}]}])", "duplicate member \"b\" at /0/x/0"},
      {"{\"rootCa\":{\n  \"chain\":[],\n  \"chain\":[]}}",
       "line 3, column 3: duplicate member \"chain\" at /rootCa"},
      {R"({"\u001b[2J":1,"\u001b[2J":1})", "duplicate member \"\\u001b[2J\""},
  }));
  CHECK_THAT(refusal(v.text), Contains(v.reason));
}

TEST_CASE("a name may come again in another object") {
  CHECK(refusal(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})").empty());
}

TEST_CASE("a duplicate is found among any number of members") {
  const std::size_t count = GENERATE(1U, 2U, 15U, 16U, 17U, 18U, 100U);
  const std::string all = members(count);
  CHECK(refusal("{" + all + "}").empty());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string again = "\"member" + std::to_string(i) + "\":0";
    REQUIRE_THAT(refusal("{" + all + "," + again + "}"), Contains("duplicate member"));
    REQUIRE_THAT(refusal("{" + all + ",\"new\":{}," + again + ",\"newer\":0}"),
                 Contains("duplicate member"));
  }
}

TEST_CASE("100,000 members are read, and a duplicate among them is found") {
  const std::string all = members(100'000);
  CHECK(json::parse("{" + all + "}").object()->size() == 100'000);
  CHECK_THAT(refusal("{" + all + ",\"\\u006dember50000\":0}"),
             Contains("duplicate member \"member50000\""));
}

TEST_CASE("values nest to depth 32") {
  const auto nested = [](std::size_t depth, std::string_view inside) {
    return repeated(depth, "[") + std::string(inside) + repeated(depth, "]");
  };
  CHECK(refusal(nested(32, "")).empty());
  CHECK(refusal(nested(31, "1")).empty());
  CHECK(refusal(nested(31, "{}")).empty());
  CHECK_THAT(refusal(nested(33, "")), Contains("line 1, column 33: more than 32 levels at /0/0/"));
  CHECK_FALSE(refusal(nested(32, "1")).empty());
  CHECK_FALSE(refusal(nested(32, "{}")).empty());
  CHECK_FALSE(refusal(repeated(33, "{\"a\":")).empty());
}

TEST_CASE("breadth is not depth") {
  CHECK(refusal("[" + repeated(10'000, "[],{},") + "[]]").empty());
}

TEST_CASE("200,000 opened brackets are refused without a stack of them") {
  CHECK_THAT(refusal(std::string(200'000, '[')), Contains("more than 32 levels"));
  CHECK_THAT(refusal(repeated(200'000, "{\"a\":")), Contains("more than 32 levels"));
}

TEST_CASE("a reader may be told another depth") {
  const auto reads = [](std::string_view text, int depth) {
    try {
      Reader reader(text, depth);
      while (reader.next() != Token::end) continue;
      return true;
    } catch (const json::SyntaxError&) {
      return false;
    }
  };
  CHECK(reads("[]", 1));
  CHECK_FALSE(reads("[[]]", 1));
  CHECK(reads(std::string(100, '[') + std::string(100, ']'), 100));
}

// ---- What a refusal says ------------------------------------------------------------------------

TEST_CASE("a refusal points to line and column, counted in characters") {
  CHECK(refusal("{\n  \"a\": 1,\n  \"b\": x\n}") ==
        "line 3, column 8: what is no JSON value at /b");
  CHECK(refusal("{\r\n  x") == "line 2, column 3: a member's name in double quotes is missing");
  CHECK_THAT(refusal("[\"\u00e9\U0001f600\", x]"), Contains("line 1, column 8: "));
  CHECK_THAT(refusal("[\"ab\\q\"]"), Contains("line 1, column 5: an escape"));
  CHECK_THAT(refusal("[\"ab\x01\"]"), Contains("line 1, column 5: a control character"));
  CHECK_THAT(refusal("[\"ab\xff\"]"), Contains("line 1, column 5: bytes that are no UTF-8"));
  CHECK_THAT(refusal("[\"ab\\ud800\"]"), Contains("line 1, column 5: half of a surrogate pair"));
  CHECK_THAT(refusal("[\"ab\\u12\"]"), Contains("line 1, column 5: \\u without four hex digits"));
  CHECK_THAT(refusal("[1, \"ab"), Contains("line 1, column 5: a string without"));
  CHECK_THAT(refusal("[10.5]"), Contains("line 1, column 2: a number with a fraction"));
  CHECK_THAT(refusal("[007]"), Contains("line 1, column 2: a number with a leading zero"));
}

TEST_CASE("a refusal names the JSON pointer, as RFC 6901 escapes it") {
  CHECK_THAT(refusal(R"({"a":{"b":[1,2,{"c":x}]}})"), Contains(" at /a/b/2/c"));
  CHECK_THAT(refusal(R"({"a/b":{"m~n":x}})"), Contains(" at /a~1b/m~0n"));
  CHECK_THAT(refusal(R"({"":x})"), Contains(" at /"));
  CHECK_THAT(refusal(R"({"\u001b[2J":x})"), Contains(" at /\\u001b[2J"));
  CHECK_THAT(refusal("[x]"), Contains(" at /0"));
  CHECK_THAT(refusal(R"({"a":[1,2],x})"), !Contains(" at "));
}

TEST_CASE("a refusal is short, whatever the names are") {
  const std::string name(100'000, 'n');
  CHECK(refusal("{\"" + name + "\":1,\"" + name + "\":1}").size() < 1000);
  CHECK(refusal("{\"" + name + "\":{\"" + name + "\":x}}").size() < 1000);
}

TEST_CASE("a refusal never shows a value") {
  const std::string text =
      GENERATE(as<std::string>(), "hunter2", "\"hunter2", "\"hunter2\\q\"", "\"hunter2\x01\"",
               "\"hunter2\xff\"", "\"hunter2\" \"x", "\"\\ud800hunter2\"");
  CHECK_THAT(refusal("{\"password\":" + text), !Contains("hunter2"));
}

// ---- The reader ---------------------------------------------------------------------------------

TEST_CASE("the reader gives one token after the other and says where it stands") {
  Reader reader(R"({"a":[1,"x",{"b":true}],"c":null} )");
  const auto at = [&](Token token, std::string_view pointer) {
    return reader.next() == token && reader.pointer() == pointer;
  };
  CHECK(at(Token::object_begin, ""));
  CHECK(at(Token::name, "/a"));
  CHECK(reader.text() == "a");
  CHECK(at(Token::array_begin, "/a"));
  CHECK(at(Token::integer, "/a/0"));
  CHECK(reader.integer() == 1);
  CHECK(at(Token::string, "/a/1"));
  CHECK(reader.text() == "x");
  CHECK(at(Token::object_begin, "/a/2"));
  CHECK(at(Token::name, "/a/2/b"));
  CHECK(at(Token::boolean, "/a/2/b"));
  CHECK(reader.boolean());
  CHECK(at(Token::object_end, "/a/2"));
  CHECK(at(Token::array_end, "/a"));
  CHECK(at(Token::name, "/c"));
  CHECK(at(Token::null, "/c"));
  CHECK(at(Token::object_end, ""));
  CHECK(at(Token::end, ""));
  CHECK(at(Token::end, ""));
}

TEST_CASE("a reader's user fails at the last token") {
  Reader reader("{\n  \"a\": [1, 2]}");
  while (reader.next() != Token::integer) continue;
  reader.next();
  try {
    reader.fail("a number that is even");
  } catch (const json::SyntaxError& error) {
    CHECK(error.what() == "line 2, column 12: a number that is even at /a/1"s);
  }
}

TEST_CASE("a string can be taken as a secret") {
  const std::string text =
      GENERATE(as<std::string>(), R"("hunter2")", R"("hunt\u0065r2")", R"("\u0068unter2")");
  Reader reader(text);
  REQUIRE(reader.next() == Token::string);
  const bcpki::SecretBytes secret = reader.take_secret();
  CHECK(bcpki::as_text(secret.reveal()) == "hunter2");
  CHECK(reader.text().empty());
  CHECK(reader.next() == Token::end);
}

TEST_CASE("a taken secret outlives what is read next") {
  Reader reader(R"(["a\nb","c\nd",""])");
  reader.next();
  reader.next();
  const bcpki::SecretBytes first = reader.take_secret();
  reader.next();
  const bcpki::SecretBytes second = reader.take_secret();
  reader.next();
  CHECK(reader.take_secret().empty());
  CHECK(bcpki::as_text(first.reveal()) == "a\nb");
  CHECK(bcpki::as_text(second.reveal()) == "c\nd");
}

TEST_CASE("every string below the secret member is a secret, and no other") {
  const Value value = json::parse(
      R"({"other":{"keys":"x"},"keys":{"a":"one\n","b":["two",3,{"c":"three"}]},"last":"y"})",
      {.secret_member = "keys"});
  const Value& keys = *value.find("keys");
  const auto text = [](const Value& v) { return bcpki::as_text(v.secret()->reveal()); };
  CHECK(text(*keys.find("a")) == "one\n");
  const json::Array& b = *keys.find("b")->array();
  CHECK(text(b[0]) == "two");
  CHECK(*b[1].integer() == 3);
  CHECK(text(*b[2].find("c")) == "three");
  CHECK(*value.find("other")->find("keys")->string() == "x");
  CHECK(*value.find("last")->string() == "y");
}

TEST_CASE("the secret member may be a string itself, spelled in any way") {
  const Value value = json::parse(R"({"\u006bey":"x"})", {.secret_member = "key"});
  REQUIRE(value.find("key")->secret() != nullptr);
  CHECK(bcpki::as_text(value.find("key")->secret()->reveal()) == "x");
}

TEST_CASE("without a secret member nothing is a secret") {
  CHECK(json::parse(R"({"":"x"})").find("")->string() != nullptr);
}

// ---- Writing ------------------------------------------------------------------------------------

TEST_CASE("RFC 8785 section 3.2.2: literals and strings") {
  CHECK(reformatted(R"({"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",)"
                    R"("literals":[null, true, false]})") ==
        "{\"literals\":[null,true,false],"
        "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST_CASE("RFC 8785 section 3.2.3: members are sorted by UTF-16") {
  json::Object members;
  members.emplace_back("\u20ac", "Euro Sign");
  members.emplace_back("\r", "Carriage Return");
  members.emplace_back("\ufb33", "Hebrew Letter Dalet With Dagesh");
  members.emplace_back("1", "One");
  members.emplace_back("\U0001f600", "Emoji: Grinning Face");
  members.emplace_back("\u0080", "Control");
  members.emplace_back("\u00f6", "Latin Small Letter O With Diaeresis");
  CHECK(json::canonical(Value(std::move(members))) ==
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
        "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
        "\"\U0001f600\":\"Emoji: Grinning Face\","
        "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST_CASE("surrogates sort before U+E000 and after U+D7FF, prefixes first") {
  json::Object members;
  for (const char* name : {"\ue000", "\uffff", "\ud7ff", "\U00010000", "\U0010ffff", "\U00010000a",
                           "a\uffff", "a\U0001f600", "a", ""}) {
    members.emplace_back(name, std::uint64_t{0});
  }
  CHECK(json::canonical(Value(std::move(members))) ==
        "{\"\":0,\"a\":0,\"a\U0001f600\":0,\"a\uffff\":0,\"\ud7ff\":0,\"\U00010000\":0,"
        "\"\U00010000a\":0,\"\U0010ffff\":0,\"\ue000\":0,\"\uffff\":0}");
}

TEST_CASE("control characters are written in their one canonical way, DEL and others as they are") {
  std::string text;
  for (char c = 0; c < 0x20; ++c) text += c;
  CHECK(json::canonical(Value(text)) ==
        R"("\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f)"
        R"(\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d)"
        R"(\u001e\u001f")");
  CHECK(json::canonical(Value("\x7f\u2028/\U0001f600")) == "\"\x7f\u2028/\U0001f600\"");
}

TEST_CASE("canonical sorts at every level and omits only members of the top") {
  const Value value =
      json::parse(R"({"seal":{"x":1},"b":[{"seal":1,"a":2}],"a":{"z":1,"seal":2,"b":3}})");
  CHECK(json::canonical(value) ==
        R"({"a":{"b":3,"seal":2,"z":1},"b":[{"a":2,"seal":1}],"seal":{"x":1}})");
  constexpr std::array<std::string_view, 2> kOmit = {"seal", "privateKeys"};
  CHECK(json::canonical(value, kOmit) == R"({"a":{"b":3,"seal":2,"z":1},"b":[{"a":2,"seal":1}]})");
  CHECK(json::canonical(json::parse(R"(["seal"])"), kOmit) == R"(["seal"])");
}

TEST_CASE("people read two spaces a level, members in their order") {
  CHECK(laid_out(json::parse(R"({"z":1,"a":[true,null,"x\ny"],"o":{"p":{}},"e":[]})")) ==
        R"({
  "z": 1,
  "a": [
    true,
    null,
    "x\ny"
  ],
  "o": {
    "p": {}
  },
  "e": []
}
)");
  CHECK(laid_out(Value(std::uint64_t{7})) == "7\n");
}

TEST_CASE("secrets are written as the strings they are") {
  const auto secret = [] { return bcpki::SecretBytes(std::string_view("key\n\"\u20ac")); };
  CHECK(laid_out(Value(object("a", secret()))) == "{\n  \"a\": \"key\\n\\\"\u20ac\"\n}\n");
  CHECK(json::canonical(Value(object("a", secret()))) == "{\"a\":\"key\\n\\\"\u20ac\"}");
}

TEST_CASE("what is written is read as the same value") {
  const std::string text = R"({"a":[1,{"b":"\u0001\ud83d\ude00"}],"c":"","n":9007199254740991})";
  const Value value = json::parse(text);
  CHECK(reformatted(laid_out(value)) == json::canonical(value));
}

TEST_CASE("what no reader would take is not written") {
  const auto refuses = [](const Value& value, const std::function<void(const Value&)>& write) {
    try {
      write(value);
      return false;
    } catch (const bcpki::Error& error) {
      return error.code() == bcpki::Code::invalid_input;
    }
  };
  std::vector<Value> values;
  values.emplace_back("\xff");
  values.emplace_back("ok\xed\xa0\x80");
  values.emplace_back(json::kMaxInteger + 1);
  values.emplace_back(array(Value(object("\xc0\xaf", Value()))));
  for (const Value& value : values) {
    CHECK(refuses(value, [](const Value& v) { json::canonical(v); }));
    CHECK(refuses(value, [](const Value& v) { json::write(v); }));
  }
}

}  // namespace
