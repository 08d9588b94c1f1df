// What a user typed, judged by a command's table.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/command.h"
#include "common/env.h"

namespace cli {

// fail_usage throws USAGE.
[[noreturn]] void fail_usage(std::string_view message);

// Args are the values of one command: each from its flag, its environment variable or its default,
// in this order, and already what its kind says. The names are those of the command's table.
class Args {
 public:
  // text is the one value of a flag or argument, "" where there is none.
  const std::string& text(std::string_view name) const;

  // list holds every value of a list or repeated flag.
  const std::vector<std::string>& list(std::string_view name) const;

  // number and duration are 0 where there is none.
  std::uint64_t number(std::string_view name) const;
  std::chrono::seconds duration(std::string_view name) const;
  bool on(std::string_view name) const { return given(name); }
  bool json() const { return on(kJsonFlag.name); }

  // given says whether the flag or its variable was set; a default is not given.
  bool given(std::string_view name) const;

  struct Value {
    std::vector<std::string> texts{};
    bool given = false;
  };
  explicit Args(std::map<std::string, Value, std::less<>> values) : values_(std::move(values)) {}

 private:
  const Value& value(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

// all_flags returns a command's own flags and those that every command takes, in help order.
std::vector<const Flag*> all_flags(const Command& command);

// Invocation is a command and what it is called with.
struct Invocation {
  const Command* command;
  Args args;
};

// parse reads the words behind the program's name: what is to be run, or the text that `--help` or
// `--version` asks for. Throws USAGE.
std::variant<Invocation, std::string> parse(const Tool& tool, std::span<const char* const> words,
                                            const Env& env);

// asks_for_json says whether `--json` stands among the words, for errors before they are parsed.
bool asks_for_json(std::span<const char* const> words);

}  // namespace cli
