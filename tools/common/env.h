// What a command may know of the world besides its arguments: time, chance and the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/rng.h"
#include "bcpki/time.h"

namespace cli {

struct Env {
  bcpki::UnixTime now;
  bcpki::Rng& (*rng)();  // asked for only by who needs it: a start without it is faster
  const char* (*lookup)(const char* name);
  int out;
  int err;
  std::vector<std::string> warnings{};

  // variable returns the value of an environment variable; an empty one counts as not set.
  std::optional<std::string_view> variable(std::string_view name) const;

  // warn keeps a line for people. All are written to stderr when the command has ended.
  void warn(std::string line) { warnings.push_back(std::move(line)); }
};

// system_env is the machine's: nothing else in the tools reads a clock.
Env system_env();

}  // namespace cli
