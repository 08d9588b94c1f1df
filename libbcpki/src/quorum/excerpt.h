// Foreign text in messages.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace bcpki {

// excerpt is the start of `text`: it may come from anywhere and be of any length.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kMaxShown = 80;
  if (text.size() <= kMaxShown) return std::string(text);
  return fmt::format("{}...", text.substr(0, kMaxShown));
}

}  // namespace bcpki
