// The one place where a check of a bundle could be left out. The library's answer is always yes; a
// build of the tests alone puts another file in its place, to see that each check has a case that
// only it refuses.
#pragma once

#include <string_view>

namespace bcpki {

bool check_enabled(std::string_view slug) noexcept;

}  // namespace bcpki
