#include "support/run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bcpki::test {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Files, not pipes: no side waits for the other.
using File = std::unique_ptr<std::FILE, Close>;

void require(bool done, const std::string& what) {
  if (!done) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void to_start(const File& file) {
  require(std::fseek(file.get(), 0, SEEK_SET) == 0, "seek");
}

File file_with(const std::string& text) {
  File file(std::tmpfile());
  require(file != nullptr, "a temporary file");
  require(std::fwrite(text.data(), 1, text.size(), file.get()) == text.size(), "write");
  to_start(file);
  return file;
}

std::string text_of(const File& file) {
  require(std::fseek(file.get(), 0, SEEK_END) == 0, "seek");
  const long size = std::ftell(file.get());
  require(size >= 0, "seek");
  to_start(file);
  std::string text(static_cast<std::size_t>(size), '\0');
  require(std::fread(text.data(), 1, text.size(), file.get()) == text.size(), "read");
  return text;
}

// start gives the child the three files as its stdin, stdout and stderr.
pid_t start(const std::vector<std::string>& command, const std::array<std::FILE*, 3>& streams) {
  std::vector<char*> arguments(command.size() + 1);
  std::ranges::transform(command, arguments.begin(),
                         [](const std::string& word) { return const_cast<char*>(word.c_str()); });

  posix_spawn_file_actions_t actions;
  require(posix_spawn_file_actions_init(&actions) == 0, "spawn");
  for (std::size_t i = 0; i < streams.size(); ++i)
    require(
        posix_spawn_file_actions_adddup2(&actions, fileno(streams[i]), static_cast<int>(i)) == 0,
        "spawn");
  pid_t child = 0;
  errno = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  const bool started = errno == 0;
  posix_spawn_file_actions_destroy(&actions);
  require(started, command.front());
  return child;
}

}  // namespace

Ran run(const std::vector<std::string>& command, std::string_view input) {
  const File in = file_with(std::string(input));
  const File out = file_with("");
  const File err = file_with("");
  const pid_t child = start(command, {in.get(), out.get(), err.get()});
  int state = 0;
  require(waitpid(child, &state, 0) == child, "wait");
  return {.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state),
          .out = text_of(out),
          .err = text_of(err)};
}

}  // namespace bcpki::test
