#include "bcpki/time.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <catch2/catch.hpp>

#include "bcpki/error.h"

namespace {

using bcpki::CalendarTime;
using bcpki::UnixTime;
using std::chrono::milliseconds;

static_assert(!std::is_convertible_v<std::int64_t, UnixTime>);
static_assert(!std::is_constructible_v<UnixTime, std::int64_t>);

constexpr std::int64_t kNoon = 1796040000000;  // 2026-11-30T12:00:00Z, `date -u +%s`

std::optional<std::int64_t> parsed(std::string_view text) {
  const auto t = bcpki::parse_time(text);
  return t ? std::optional(t->to_milliseconds()) : std::nullopt;
}

bool is_refused(UnixTime t) {
  try {
    bcpki::format_time(t);
    return false;
  } catch (const bcpki::Error& error) {
    return error.code() == bcpki::Code::invalid_input;
  }
}

TEST_CASE("times are read to the millisecond, with any offset") {
  struct Vector {
    std::string text;
    std::int64_t ms;
  };
  const auto v = GENERATE(values<Vector>({
      {"2026-11-30T12:00:00Z", kNoon},
      {"2026-11-30T12:00:00.5Z", kNoon + 500},
      {"2026-11-30T12:00:00.05Z", kNoon + 50},
      {"2026-11-30T12:00:00.125Z", kNoon + 125},
      {"2026-11-30T12:00:00.000Z", kNoon},
      {"2026-11-30T13:30:00+01:30", kNoon},
      {"2026-11-30T00:00:00-12:00", kNoon},
      {"2026-12-01T11:59:00+23:59", kNoon},
      {"2026-11-30T12:00:00+00:00", kNoon},
      {"2026-11-30T12:00:00-00:00", kNoon},
      {"2026-11-30T13:00:00.125+01:00", kNoon + 125},
      {"2028-02-29T00:00:00Z", 1835395200000},
      {"2000-02-29T00:00:00Z", 951782400000},
      {"1970-01-01T00:00:00Z", 0},
      {"1969-12-31T23:59:59.999Z", -1},
      {"0000-01-01T00:00:00Z", -62167219200000},
      {"9999-12-31T23:59:59.999Z", 253402300799999},
  }));
  CHECK(parsed(v.text) == v.ms);
}

TEST_CASE("what is no time of ours is refused") {
  const std::string text = GENERATE(as<std::string>(),             //
                                    "", "2026-11-30",              // not whole
                                    "2026-11-30T12:00Z",           //
                                    "2026-11-30T12:00:00",         //
                                    "2026-11-30t12:00:00Z",        // another letter
                                    "2026-11-30T12:00:00z",        //
                                    "2026-11-30 12:00:00Z",        //
                                    "2026-02-30T00:00:00Z",        // no such date
                                    "2027-02-29T00:00:00Z",        //
                                    "1900-02-29T00:00:00Z",        //
                                    "2026-11-31T00:00:00Z",        //
                                    "2026-13-01T00:00:00Z",        //
                                    "2026-00-01T00:00:00Z",        //
                                    "2026-01-00T00:00:00Z",        //
                                    "2026-11-30T24:00:00Z",        // no such time
                                    "2026-11-30T12:60:00Z",        //
                                    "2026-11-30T12:00:60Z",        //
                                    "2026-11-30T12:00:00.Z",       // no fraction of ours
                                    "2026-11-30T12:00:00.0005Z",   //
                                    "2026-11-30T12:00:00.1234Z",   //
                                    "2026-11-30T12:00:00,5Z",      //
                                    "2026-11-30T12:00:00.5.5Z",    //
                                    "2026-11-30T12:00:00+0100",    // no offset
                                    "2026-11-30T12:00:00+01",      //
                                    "2026-11-30T12:00:00+24:00",   //
                                    "2026-11-30T12:00:00+01:60",   //
                                    "2026-11-30T12:00:00+-1:00",   //
                                    "2026-11-30T12:00:00Z+01:00",  //
                                    "1796040000",                  // something around it
                                    "+2026-11-30T12:00:00Z",       //
                                    "26-11-30T12:00:00Z",          //
                                    "12026-11-30T12:00:00Z",       //
                                    "-026-11-30T12:00:00Z",        //
                                    "2026-1-30T12:00:00Z",         //
                                    " 2026-11-30T12:00:00Z",       //
                                    "2026-11-30T12:00:00Z ",       //
                                    "2026-11-30T12:00:00Z\n",      //
                                    "2026-11-30T12: 0:00Z",        //
                                    "0000-01-01T00:00:00+00:01",   // outside the years 0 to 9999
                                    "9999-12-31T23:59:59-00:01");
  CHECK_FALSE(bcpki::parse_time(text));
}

TEST_CASE("a NUL does not end a time") {
  CHECK_FALSE(bcpki::parse_time(std::string_view("2026-11-30T12:00:00Z\0", 21)));
}

TEST_CASE("times are written in UTC, with milliseconds where there are any") {
  CHECK(bcpki::format_time(UnixTime::milliseconds(kNoon)) == "2026-11-30T12:00:00Z");
  CHECK(bcpki::format_time(UnixTime::milliseconds(kNoon + 125)) == "2026-11-30T12:00:00.125Z");
  CHECK(bcpki::format_time(UnixTime::milliseconds(kNoon + 5)) == "2026-11-30T12:00:00.005Z");
  CHECK(bcpki::format_time(UnixTime()) == "1970-01-01T00:00:00Z");
  CHECK(bcpki::format_time(UnixTime::milliseconds(-1)) == "1969-12-31T23:59:59.999Z");
  CHECK(bcpki::format_time(UnixTime::seconds(-62167219200)) == "0000-01-01T00:00:00Z");
  CHECK(bcpki::format_time(UnixTime::milliseconds(253402300799999)) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("a time that has no four-digit year is refused, not written wrongly") {
  CHECK(is_refused(UnixTime::milliseconds(-62167219200001)));
  CHECK(is_refused(UnixTime::seconds(253402300800)));
  CHECK(is_refused(UnixTime::milliseconds(std::numeric_limits<std::int64_t>::max())));
  CHECK(is_refused(UnixTime::milliseconds(-std::numeric_limits<std::int64_t>::max() + 1000)));
}

TEST_CASE("every day of four centuries is written and read") {
  std::size_t wrong = 0;
  constexpr std::int64_t kDay = 86'400'000;
  for (std::int64_t day = -150'000; day < 10'000; ++day) {
    const auto t = UnixTime::milliseconds(day * kDay + 1);
    if (bcpki::parse_time(bcpki::format_time(t)) != t) ++wrong;
    const auto midnight = t.floor_seconds();
    if (bcpki::from_calendar(bcpki::to_calendar(t)) != midnight) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a calendar time drops the fraction, also before 1970") {
  const CalendarTime noon = bcpki::to_calendar(UnixTime::milliseconds(kNoon + 999));
  CHECK(noon.year == 2026);
  CHECK(noon.month == 11);
  CHECK(noon.day == 30);
  CHECK(noon.hour == 12);
  CHECK(noon.minute == 0);
  CHECK(noon.second == 0);
  const CalendarTime before = bcpki::to_calendar(UnixTime::milliseconds(-1));
  CHECK(before.year == 1969);
  CHECK(before.second == 59);
}

TEST_CASE("a calendar time that no calendar has is refused") {
  const auto c = GENERATE(values<CalendarTime>({
      {.year = -1},
      {.year = 10000},
      {.month = 0},
      {.month = 13},
      {.month = 257},
      {.day = 0},
      {.day = 32},
      {.day = 257},
      {.year = 2027, .month = 2, .day = 29},
      {.hour = 24},
      {.minute = 60},
      {.second = 60},
  }));
  CHECK_FALSE(bcpki::from_calendar(c));
}

TEST_CASE("seconds and milliseconds round down") {
  CHECK(UnixTime::milliseconds(1999).to_seconds() == 1);
  CHECK(UnixTime::milliseconds(-1).to_seconds() == -1);
  CHECK(UnixTime::milliseconds(-1000).to_seconds() == -1);
  CHECK(UnixTime::milliseconds(-1001).to_seconds() == -2);
  using std::chrono::microseconds;
  using std::chrono::system_clock;
  const auto clock = [](std::int64_t us) { return system_clock::time_point(microseconds(us)); };
  CHECK(UnixTime::of(clock(1999)).to_milliseconds() == 1);
  CHECK(UnixTime::of(clock(-1)).to_milliseconds() == -1);
}

TEST_CASE("times are ordered and moved") {
  const auto t = UnixTime::seconds(10);
  CHECK(t < t + milliseconds(1));
  CHECK(t - milliseconds(1) < t);
  CHECK((t + std::chrono::hours(1)) - t == std::chrono::hours(1));
}

}  // namespace
