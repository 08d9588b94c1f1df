// Other programs as witnesses: tests run them without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bcpki::test {

struct Ran {
  int status = -1;  // the exit status; 128 and more for a signal
  std::string out, err;
};

// run starts `command` (found in PATH) with `input` on its stdin and waits for its end. Throws
// std::runtime_error where it cannot be started.
Ran run(const std::vector<std::string>& command, std::string_view input = {});

}  // namespace bcpki::test
