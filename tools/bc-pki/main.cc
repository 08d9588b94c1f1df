#include "common/run.h"

int main(int argc, char** argv) {
  return cli::run(cli::kTool, argc, argv, cli::system_env());
}
