// The pins that someone wrote down, compared with a bundle's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bcpki/bundle.h"

namespace bcpki {

// differing_pins names each field of `record` that `pins` has not. `record` is the JSON that `show`
// or `pins` prints; other members are ignored. Where it is `show`'s, a pin that it lacks must be
// missing in the bundle too. Throws INVALID_INPUT where it is neither.
std::vector<std::string> differing_pins(const Pins& pins, std::string_view record);

}  // namespace bcpki
