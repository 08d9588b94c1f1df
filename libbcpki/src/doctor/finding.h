// How findings are made: each from the row of its id.
#pragma once

#include <string>
#include <string_view>

#include "bcpki/doctor.h"
#include "bcpki/time.h"

namespace bcpki {

// FindingText is what a finding says besides its id.
struct FindingText {
  std::string subject;
  std::string message;
  std::string fix{};
};

// finding makes one of the severity that its id usually has, or of `severity`.
Finding finding(std::string_view id, FindingText text);
Finding finding(std::string_view id, Severity severity, FindingText text);

// end_text says when something ended or will end, and how far that is from `now`.
std::string end_text(UnixTime not_after, UnixTime now);

// has_ended says whether a certificate is not valid any more; it is in its last second.
bool has_ended(UnixTime not_after, UnixTime now);

}  // namespace bcpki
