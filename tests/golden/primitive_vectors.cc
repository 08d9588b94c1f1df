#include <algorithm>
#include <array>

#include "bcpki/encoding.h"
#include "bcpki/time.h"

#include "golden/vectors.h"

namespace bcpki::golden {
namespace {

// A reader says whether it takes `value`, and checks what it makes of it.
using Reads = bool (*)(const std::string& value, Members& members);

template <auto parse, auto write>
bool reads_as_written(const std::string& value, Members&) {
  const auto bytes = parse(value);
  if (bytes) expect_equal("what is written again", write(*bytes), value);
  return bytes.has_value();
}

// Hex is read in either case, so it need not be written as it was read.
bool reads_hex(const std::string& value, Members&) {
  const auto bytes = parse_hex(value);
  if (bytes) expect(parse_hex(hex(*bytes)) == bytes, "reads differently when written again");
  return bytes.has_value();
}

bool reads_time(const std::string& value, Members& members) {
  const auto time = parse_time(value);
  if (time)
    expect(time->to_milliseconds() == static_cast<std::int64_t>(members.number("ms")),
           "is another time");
  return time.has_value();
}

bool reads_json(const std::string& value, Members&) try {
  json::parse(value);
  return true;
} catch (const json::SyntaxError&) {
  return false;
}

struct Primitive {
  std::string_view kind;
  Reads reads;
};
constexpr std::array<Primitive, 5> kPrimitives = {{
    {"base64", reads_as_written<parse_base64, base64>},
    {"base64url", reads_as_written<parse_base64url, base64url>},
    {"hex", reads_hex},
    {"time", reads_time},
    {"json", reads_json},
}};

}  // namespace

void replay_primitives(Members& document, Folder&, Report& report) {
  each_case(document.list("cases"), report, [](Members& members) {
    const auto* const primitive =
        std::ranges::find(kPrimitives, members.text("kind"), &Primitive::kind);
    expect(primitive != kPrimitives.end(), "unknown `kind`");
    expect_verdict(primitive->reads(members.text("value"), members), members.flag("valid"));
  });
}

}  // namespace bcpki::golden
