#include "bcpki/time.h"

#include <fmt/format.h>

#include "bcpki/error.h"

namespace bcpki {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

constexpr int kMaxYear = 9999;

constexpr sys_days first_day_of(int year) {
  return std::chrono::year(year) / std::chrono::January / 1;
}
constexpr sys_seconds kBegin = first_day_of(0);
constexpr sys_seconds kEnd = first_day_of(kMaxYear + 1);

constexpr bool is_writable(sys_seconds t) {
  return kBegin <= t && t < kEnd;
}

// Scanner takes text apart from the left; once something does not fit it is broken for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) { broken_ |= !take(c); }

  // digits reads a number of exactly `count` digits.
  unsigned digits(int count) {
    unsigned value = 0;
    for (; count > 0; --count) value = value * 10 + digit();
    return value;
  }

  // fraction reads 1 to 3 digits behind the decimal point.
  milliseconds fraction() {
    unsigned value = 0;
    unsigned weight = 100;
    do {
      value += weight * digit();
      weight /= 10;
    } while (weight > 0 && at_digit());
    return milliseconds(value);
  }

  // offset reads `Z` or `±hh:mm`.
  minutes offset() {
    if (take('Z')) return minutes(0);
    const bool west = take('-');
    if (!west) expect('+');
    const unsigned hour = digits(2);
    expect(':');
    const unsigned minute = digits(2);
    broken_ |= hour > 23 || minute > 59;
    const minutes east = hours(hour) + minutes(minute);
    return west ? -east : east;
  }

  bool is_done() const { return !broken_ && rest_.empty(); }

 private:
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  unsigned digit() {
    if (!at_digit()) {
      broken_ = true;
      return 0;
    }
    const auto value = static_cast<unsigned>(rest_[0] - '0');
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace

UnixTime UnixTime::of(std::chrono::system_clock::time_point t) {
  return UnixTime(std::chrono::floor<std::chrono::milliseconds>(t).time_since_epoch().count());
}

CalendarTime to_calendar(UnixTime t) {
  const sys_seconds moment{seconds(t.to_seconds())};
  if (!is_writable(moment)) {
    throw Error(Code::invalid_input, "a time outside the years 0 to 9999");
  }
  const sys_days day = std::chrono::floor<days>(moment);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(moment - day);
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .hour = static_cast<unsigned>(clock.hours().count()),
          .minute = static_cast<unsigned>(clock.minutes().count()),
          .second = static_cast<unsigned>(clock.seconds().count())};
}

std::optional<UnixTime> from_calendar(const CalendarTime& c) {
  if (c.year < 0 || c.year > kMaxYear || c.month > 12 || c.day > 31) return std::nullopt;
  if (c.hour > 23 || c.minute > 59 || c.second > 59) return std::nullopt;
  const year_month_day date(std::chrono::year(c.year), std::chrono::month(c.month),
                            std::chrono::day(c.day));
  if (!date.ok()) return std::nullopt;
  const sys_seconds moment = sys_days(date) + hours(c.hour) + minutes(c.minute) + seconds(c.second);
  return UnixTime::seconds(moment.time_since_epoch().count());
}

std::optional<UnixTime> parse_time(std::string_view text) {
  Scanner scan(text);
  CalendarTime c;
  c.year = static_cast<int>(scan.digits(4));
  scan.expect('-');
  c.month = scan.digits(2);
  scan.expect('-');
  c.day = scan.digits(2);
  scan.expect('T');
  c.hour = scan.digits(2);
  scan.expect(':');
  c.minute = scan.digits(2);
  scan.expect(':');
  c.second = scan.digits(2);
  const milliseconds fraction = scan.take('.') ? scan.fraction() : milliseconds(0);
  const minutes offset = scan.offset();
  if (!scan.is_done()) return std::nullopt;

  const std::optional<UnixTime> local = from_calendar(c);
  if (!local) return std::nullopt;
  const UnixTime moment = *local + fraction - offset;
  // An offset can lead out of the years that `format_time` writes.
  if (!is_writable(sys_seconds(seconds(moment.to_seconds())))) return std::nullopt;
  return moment;
}

std::string format_time(UnixTime t) {
  const CalendarTime c = to_calendar(t);
  const std::int64_t fraction = t.to_milliseconds() - t.floor_seconds().to_milliseconds();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", c.year, c.month, c.day, c.hour,
                     c.minute, c.second,
                     fraction == 0 ? std::string() : fmt::format(".{:03}", fraction));
}

}  // namespace bcpki
