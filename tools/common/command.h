// A command is data and one function. Parsing, help, completion and the check of the man pages all
// read the same table, so none of them can say something else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cli {

class Args;
class Report;
struct Env;

// Choices lists the values that a flag or argument takes.
using Choices = std::vector<std::string_view> (*)();

// Kind is what a value is, and so how it is judged and completed.
enum class Kind {
  text,
  path,      // of a file or directory
  number,    // a whole number from `min` to `max`
  toggle,    // on or off; takes no value
  list,      // values separated by commas
  repeated,  // the flag may stand more than once
  choice,    // one of `choices`
  duration,  // a whole number and a unit: `10d`, `12h`, `30m`
};

// Flag is one `--name VALUE`. A flag wins over its environment variable, that over the default.
struct Flag {
  std::string_view name{};        // without its dashes
  std::string_view value_name{};  // how help calls the value; none for a toggle
  std::string_view help{};
  Kind kind = Kind::text;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  Choices choices = nullptr;
  std::string_view variable{};
  std::string_view fallback{};
  bool required = false;
};

// Positional is one argument that stands for itself; every one is required.
struct Positional {
  std::string_view name{};
  std::string_view help{};
  Choices choices = nullptr;  // any path where there are none
};

// Command is what stands behind the tool's name. `run` holds no rule: arguments, one library call,
// a report.
struct Command {
  std::string_view name{};
  std::string_view summary{};
  std::string_view description{};
  std::string_view example{};
  std::span<const Flag> flags{};
  std::span<const Positional> positionals{};
  Report (*run)(const Args& args, Env& env) = nullptr;
};

// Variable is an environment variable that no single flag stands for.
struct Variable {
  std::string_view name{};
  std::string_view help{};
};

// Tool is a program: its commands in help order.
struct Tool {
  std::string_view name{};
  std::string_view version{};
  std::string_view summary{};
  std::span<const Command* const> commands{};
  std::span<const Variable> variables{};
};

// Every command takes these besides its own.
inline constexpr Flag kJsonFlag{
    .name = "json", .help = "Print one JSON document", .kind = Kind::toggle};
inline constexpr Flag kHelpFlag{.name = "help", .help = "Print this help", .kind = Kind::toggle};

// kTool is the program that this is; each one defines its own.
extern const Tool kTool;

}  // namespace cli
