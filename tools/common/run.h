// The one place where a command starts and ends.
#pragma once

#include "common/command.h"
#include "common/env.h"

namespace cli {

// run does what the command line says and returns the exit status. It catches everything.
int run(const Tool& tool, int argc, char** argv, Env env) noexcept;

}  // namespace cli
