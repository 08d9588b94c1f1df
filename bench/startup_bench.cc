// What a person waits for: bc-pki as a process, against the smallest thing that OpenSSL's own tool
// does. The tool's path comes in BCPKI_TOOL.
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ratio.h"

namespace {

using Arguments = std::vector<std::string>;

std::string tool() {
  const char* path = getenv("BCPKI_TOOL");
  if (path == nullptr) throw std::runtime_error("BCPKI_TOOL is not set");
  return path;
}

// spawn runs a program to its end with its output thrown away.
void spawn(const Arguments& arguments) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("cannot run " + arguments[0]);
}

// Deployment is a folder with a sealed bundle, made by the tool and removed at the end.
class Deployment {
 public:
  Deployment() {
    std::string name = (std::filesystem::temp_directory_path() / "bcpki-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder");
    folder_ = name;
    spawn({tool(), "init", "--trust-domain", "bench.example", "--pki", pki(), "--generate-secret",
           secret()});
  }

  ~Deployment() { std::filesystem::remove_all(folder_); }

  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  std::string pki() const { return folder_ / "pki.json"; }
  std::string secret() const { return folder_ / "secret"; }

 private:
  std::filesystem::path folder_;
};

void against_openssl_version(benchmark::State& state, double goal, const Arguments& arguments) {
  bench::paired(
      state, goal, bench::Clock::wall, [] {}, [] { spawn({"openssl", "version"}); },
      [&] { spawn(arguments); });
}

void show(benchmark::State& state) {
  static const Deployment deployment;
  setenv("BETTER_COMPUTE_SECRET_FILE", deployment.secret().c_str(), 1);
  against_openssl_version(state, 1.5, {tool(), "show", "--pki", deployment.pki()});
  unsetenv("BETTER_COMPUTE_SECRET_FILE");
}

void version(benchmark::State& state) {
  against_openssl_version(state, 1.0, {tool(), "--version"});
}

void help(benchmark::State& state) {
  against_openssl_version(state, 1.0, {tool(), "--help"});
}

BENCHMARK(show)->Repetitions(3)->Iterations(101)->UseManualTime();
BENCHMARK(version)->Repetitions(3)->Iterations(101)->UseManualTime();
BENCHMARK(help)->Repetitions(3)->Iterations(101)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv);
}
