#include "common/run.h"

#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bcpki/error.h"
#include "bcpki/process.h"

#include "common/args.h"
#include "common/io.h"
#include "common/report.h"

namespace cli {
namespace {

using bcpki::Code;
using bcpki::Error;

// A stream that was closed at the start gets a descriptor that cannot be used: no file of ours may
// land on it, and output to nowhere is an error.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // The lowest free descriptor is the one that was missing; nothing can be reported yet.
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

void disable_core_dumps() {
  constexpr rlimit kNone{.rlim_cur = 0, .rlim_max = 0};
  if (::setrlimit(RLIMIT_CORE, &kNone) != 0 || ::prctl(PR_SET_DUMPABLE, 0) != 0) {
    throw Error(Code::internal, "core dumps cannot be switched off");
  }
}

// A closed pipe and a file size limit are errors of a write, not the end of the process.
void ignore_write_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) (void)std::signal(signal, SIG_IGN);
}

void print(const Output& output, bool changed, const Env& env) {
  try {
    write_stream(env.out, "standard output", output.out);
  } catch (const Error& error) {
    if (!changed) throw;
    throw Error(error.code(), fmt::format("{}; the command itself was carried out", error.what()));
  }
}

// Said is what there is to say besides the result.
struct Said {
  std::string err;
  std::optional<Error> failure{};
};

// carry_out prints the result.
Said carry_out(const Tool& tool, std::span<const char* const> words, Env& env) {
  const auto parsed = parse(tool, words, env);
  if (const auto* text = std::get_if<std::string>(&parsed)) {
    print({.out = *text, .err = {}}, false, env);
    return {};
  }
  const auto& [command, args] = std::get<Invocation>(parsed);
  bcpki::start_own_process();
  const Report report = command->run(args, env);
  Output output = render(report, args.json());
  print(output, report.changed(), env);
  return {std::move(output.err), report.failure()};
}

// outcome runs `step` and returns what it threw, as an Error of ours.
template <class Step>
std::optional<Error> outcome(Step step) {
  try {
    step();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Code::internal, "out of memory");
  } catch (const std::exception& error) {
    return Error(Code::internal, error.what());
  }
}

int run_checked(const Tool& tool, std::span<const char* const> words, Env& env) {
  const bool json = asks_for_json(words);
  Said said;
  std::optional<Error> error = outcome([&] {
    disable_core_dumps();
    ignore_write_signals();
    said = carry_out(tool, words, env);
  });
  if (!error) error = said.failure;
  said.err += render_problems(tool.name, env.warnings, error ? &*error : nullptr, json);
  // What stderr cannot take is lost; the exit status still says how it went.
  (void)outcome([&] { write_stream(env.err, "standard error", said.err); });
  return error ? bcpki::code_info(error->code()).exit_status : 0;
}

}  // namespace

int run(const Tool& tool, int argc, char** argv, Env env) noexcept {
  try {
    occupy_standard_streams();
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    return run_checked(tool, words.subspan(words.empty() ? 0 : 1), env);
  } catch (...) {
    return bcpki::code_info(Code::internal).exit_status;
  }
}

}  // namespace cli
