#include "common/env.h"

#include <chrono>
#include <cstdlib>

#include <unistd.h>

namespace cli {
namespace {

const char* system_variable(const char* name) {
  return std::getenv(name);
}

}  // namespace

std::optional<std::string_view> Env::variable(std::string_view name) const {
  const char* value = lookup(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Env system_env() {
  return {.now = bcpki::UnixTime::of(std::chrono::system_clock::now()),
          .rng = bcpki::system_rng,
          .lookup = system_variable,
          .out = STDOUT_FILENO,
          .err = STDERR_FILENO};
}

}  // namespace cli
