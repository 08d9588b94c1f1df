// Time is an argument: nothing in the library reads a clock.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bcpki {

// UnixTime is a moment in whole milliseconds since 1970-01-01T00:00:00Z. Made by name, so that
// seconds are never taken for milliseconds: `UnixTime(1796040000)` does not compile.
class UnixTime {
 public:
  constexpr UnixTime() = default;  // the epoch

  static constexpr UnixTime seconds(std::int64_t s) { return UnixTime(s * 1000); }
  static constexpr UnixTime milliseconds(std::int64_t ms) { return UnixTime(ms); }
  static UnixTime of(std::chrono::system_clock::time_point t);  // rounds down

  // to_seconds rounds down, also before 1970: whole seconds are what certificates hold.
  constexpr std::int64_t to_seconds() const {
    return ms_ >= 0 ? ms_ / 1000 : -((-ms_ + 999) / 1000);
  }
  constexpr std::int64_t to_milliseconds() const { return ms_; }
  constexpr UnixTime floor_seconds() const { return seconds(to_seconds()); }

  friend constexpr auto operator<=>(UnixTime, UnixTime) = default;
  friend constexpr UnixTime operator+(UnixTime t, std::chrono::milliseconds d) {
    return UnixTime(t.ms_ + d.count());
  }
  friend constexpr UnixTime operator-(UnixTime t, std::chrono::milliseconds d) {
    return UnixTime(t.ms_ - d.count());
  }
  friend constexpr std::chrono::milliseconds operator-(UnixTime a, UnixTime b) {
    return std::chrono::milliseconds(a.ms_ - b.ms_);
  }

 private:
  explicit constexpr UnixTime(std::int64_t ms) : ms_(ms) {}
  std::int64_t ms_ = 0;
};

// CalendarTime is a moment in UTC as people write it.
struct CalendarTime {
  int year = 1970;
  unsigned month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

// to_calendar drops fractions of a second (rounding down). Throws INVALID_INPUT outside the years 0
// to 9999.
CalendarTime to_calendar(UnixTime t);

// from_calendar returns nullopt for a date that no calendar has, hours above 23, minutes or seconds
// above 59, or a year outside 0 to 9999.
std::optional<UnixTime> from_calendar(const CalendarTime& c);

// parse_time reads RFC 3339 as formats.md section 1 narrows it: upper-case `T`, `Z` or `±hh:mm`, up
// to 3 fraction digits, a real date. Anything else is nullopt.
std::optional<UnixTime> parse_time(std::string_view text);

// format_time writes `2026-11-30T12:00:00Z`, and `.125` before the `Z` where milliseconds are not
// 0. Throws as to_calendar.
std::string format_time(UnixTime t);

}  // namespace bcpki
