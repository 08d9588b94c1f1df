#include "common/args.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bcpki/error.h"

namespace cli {
namespace {

using Values = std::map<std::string, Args::Value, std::less<>>;

constexpr std::chrono::seconds kMaxDuration = std::chrono::hours(24 * 3650);
constexpr std::size_t kMaxDigits = 19;

// How far a word may be from a known one to be taken for a slip of the hand.
constexpr std::size_t kNearEdits = 3;

std::string dashed(std::string_view name) {
  return fmt::format("--{}", name);
}

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// hint ends a message about an unknown word: the nearest known one, or where all are listed.
std::string hint(std::string_view word, const std::vector<std::string>& known,
                 std::string_view help) {
  const auto distance = [word](const std::string& other) { return edits_between(word, other); };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  if (nearest != known.end() && distance(*nearest) <= std::min(kNearEdits, nearest->size() / 2)) {
    return fmt::format("did you mean {}?", *nearest);
  }
  return fmt::format("`{}` lists them", help);
}

std::string range_of(const Flag& flag) {
  return fmt::format("a whole number from {} to {}", flag.min, flag.max);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.size() > kMaxDigits) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  struct Unit {
    char letter;
    std::chrono::seconds one;
  };
  static constexpr std::array kUnits = {Unit{'d', std::chrono::hours(24)},
                                        Unit{'h', std::chrono::hours(1)},
                                        Unit{'m', std::chrono::minutes(1)}};
  if (text.empty()) return std::nullopt;
  const auto number = parse_number(text.substr(0, text.size() - 1));
  const auto* const unit = std::ranges::find(kUnits, text.back(), &Unit::letter);
  if (!number || unit == kUnits.end()) return std::nullopt;
  if (*number > static_cast<std::uint64_t>(kMaxDuration / unit->one)) return std::nullopt;
  return static_cast<std::int64_t>(*number) * unit->one;
}

void judge_choice(const std::string& text, Choices choices, std::string_view source) {
  const std::vector<std::string_view> known = choices();
  if (std::ranges::find(known, text) == known.end()) {
    fail_usage(fmt::format("{} must be one of {}", source, fmt::join(known, ", ")));
  }
}

// judge refuses a value that is not of the flag's kind; `source` is the flag or variable.
void judge(const Flag& flag, const std::string& text, std::string_view source) {
  if (flag.kind == Kind::number) {
    const auto number = parse_number(text);
    if (!number || *number < flag.min || *number > flag.max) {
      fail_usage(fmt::format("{} must be {}", source, range_of(flag)));
    }
  } else if (flag.kind == Kind::duration && !parse_duration(text)) {
    fail_usage(
        fmt::format("{} must be a whole number and a unit, such as 10d, 12h or 30m, of at "
                    "most 3650d",
                    source));
  } else if (flag.kind == Kind::choice) {
    judge_choice(text, flag.choices, source);
  } else if (text.empty()) {
    fail_usage(fmt::format("{} must not be empty", source));
  }
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Args::Value value_of(const Flag& flag, std::vector<std::string> texts, const Env& env) {
  std::string source = dashed(flag.name);
  if (flag.kind == Kind::toggle) return {.texts = {}, .given = !texts.empty()};
  if (texts.empty() && !flag.variable.empty()) {
    if (const auto set = env.variable(flag.variable)) {
      source = flag.variable;
      texts.emplace_back(*set);
    }
  }
  if (texts.size() > 1 && flag.kind != Kind::repeated) {
    fail_usage(fmt::format("{} was given {} times", source, texts.size()));
  }
  for (const std::string& text : texts) judge(flag, text, source);
  if (texts.empty()) {
    if (flag.required) {
      fail_usage(flag.variable.empty()
                     ? fmt::format("{} is required", source)
                     : fmt::format("{} (or {}) is required", source, flag.variable));
    }
    if (flag.fallback.empty()) return {};
    return {.texts = {std::string(flag.fallback)}, .given = false};
  }
  if (flag.kind == Kind::list) texts = split_list(texts.front());
  return {.texts = std::move(texts), .given = true};
}

// Words are what stands on a command line, sorted by flag and argument but not judged.
struct Words {
  std::map<std::string_view, std::vector<std::string>> given;
  std::vector<std::string> unknown;
};

const Flag* flag_called(const Command& command, std::string_view dashed_name) {
  const std::vector<const Flag*> flags = all_flags(command);
  const auto found =
      std::ranges::find(flags, dashed_name, [](const Flag* flag) { return dashed(flag->name); });
  return found == flags.end() ? nullptr : *found;
}

// What CLI11 would take without a word, or refuse with too few. A forgotten value must not swallow
// the flag behind it; one that looks like a flag stands behind `=`.
void refuse_missing_values(const Command& command, std::span<const char* const> words) {
  const auto end = std::ranges::find(words, std::string_view("--"));
  for (auto word = words.begin(); word != end; ++word) {
    const std::string_view text = *word;
    const std::string_view name = text.substr(0, text.find('='));
    const Flag* flag = flag_called(command, name);
    if (flag == nullptr || flag->kind == Kind::toggle) continue;
    if (text.size() == name.size() + 1) fail_usage(fmt::format("{} must not be empty", name));
    if (text.size() > name.size()) continue;
    const auto next = std::next(word);
    if (next == words.end()) fail_usage(fmt::format("{} needs a value", name));
    if (std::string_view(*next).starts_with("--")) {
      fail_usage(fmt::format("{} needs a value, not {}", name, *next));
    }
  }
}

Words sort_words(const Command& command, std::span<const char* const> words) {
  refuse_missing_values(command, words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<std::string_view, CLI::Option*> options;
  for (const Flag* flag : all_flags(command)) {
    const std::string names = flag == &kHelpFlag ? "-h,--help" : dashed(flag->name);
    options[flag->name] = flag->kind == Kind::toggle
                              ? app.add_flag(names)->disable_flag_override()
                              : app.add_option(names)->expected(1)->multi_option_policy(
                                    CLI::MultiOptionPolicy::TakeAll);
  }
  for (const Positional& positional : command.positionals) {
    options[positional.name] = app.add_option(std::string(positional.name));
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    fail_usage(error.what());
  }
  Words sorted;
  for (const auto& [name, option] : options) {
    if (option->count() > 0) sorted.given[name] = option->results();
  }
  sorted.unknown = app.remaining();
  // CLI11 hands back the mark where the flags end.
  const auto mark = std::ranges::find(sorted.unknown, "--");
  if (mark != sorted.unknown.end()) sorted.unknown.erase(mark);
  return sorted;
}

void refuse_unknown(const Tool& tool, const Command& command, const Words& words) {
  if (words.unknown.empty()) return;
  const std::string& word = words.unknown.front();
  if (!word.starts_with('-')) fail_usage(fmt::format("unexpected argument {}", word));
  std::vector<std::string> known;
  for (const Flag* flag : all_flags(command)) known.push_back(dashed(flag->name));
  const std::string flag = word.substr(0, word.find('='));
  fail_usage(fmt::format("unknown flag {}; {}", flag,
                         hint(flag, known, fmt::format("{} {} --help", tool.name, command.name))));
}

Args judge_words(const Command& command, Words words, const Env& env) {
  Values values;
  for (const Flag* flag : all_flags(command)) {
    values[std::string(flag->name)] = value_of(*flag, std::move(words.given[flag->name]), env);
  }
  for (const Positional& positional : command.positionals) {
    std::vector<std::string>& texts = words.given[positional.name];
    if (texts.empty() || texts.front().empty()) {
      fail_usage(fmt::format("{} is required", positional.name));
    }
    if (positional.choices != nullptr) {
      judge_choice(texts.front(), positional.choices, positional.name);
    }
    values[std::string(positional.name)] = {.texts = std::move(texts), .given = true};
  }
  return Args(std::move(values));
}

// A Row is a term and what help says about it.
struct Row {
  std::string term;
  std::string help;
};

std::string lay_out(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.term.size());
  std::string text;
  for (const Row& row : rows) text += fmt::format("  {:{}}  {}\n", row.term, width, row.help);
  return text;
}

std::string term_of(const Flag& flag) {
  return flag.kind == Kind::toggle ? dashed(flag.name)
                                   : fmt::format("--{} {}", flag.name, flag.value_name);
}

Row describe(const Flag& flag) {
  std::vector<std::string> facts;
  if (flag.required) facts.emplace_back("required");
  if (flag.kind == Kind::number) facts.push_back(fmt::format("{} to {}", flag.min, flag.max));
  if (flag.kind == Kind::choice) {
    facts.push_back(fmt::format("{}", fmt::join(flag.choices(), ", ")));
  }
  if (!flag.fallback.empty()) facts.push_back(fmt::format("default {}", flag.fallback));
  if (flag.kind == Kind::repeated) facts.emplace_back("may be repeated");
  if (!flag.variable.empty()) facts.emplace_back(flag.variable);
  return {.term = term_of(flag),
          .help = facts.empty() ? std::string(flag.help)
                                : fmt::format("{} ({})", flag.help, fmt::join(facts, "; "))};
}

std::string help_for(const Tool& tool, const Command& command) {
  std::string usage = fmt::format("{} {}", tool.name, command.name);
  std::vector<Row> positionals;
  for (const Positional& positional : command.positionals) {
    usage += fmt::format(" {}", positional.name);
    std::string help(positional.help);
    if (positional.choices != nullptr) {
      help += fmt::format(" ({})", fmt::join(positional.choices(), ", "));
    }
    positionals.push_back({std::string(positional.name), std::move(help)});
  }
  std::vector<Row> flags;
  for (const Flag* flag : all_flags(command)) {
    if (flag->required) usage += fmt::format(" {}", term_of(*flag));
    flags.push_back(describe(*flag));
  }
  return fmt::format(
      "{} {}: {}\n\nusage: {} [flags]\n\n{}\n\n{}flags:\n{}\nexample:\n  {}\n", tool.name,
      command.name, command.summary, usage, command.description,
      positionals.empty() ? "" : fmt::format("arguments:\n{}\n", lay_out(positionals)),
      lay_out(flags), command.example);
}

std::string help_for(const Tool& tool) {
  std::vector<Row> commands;
  for (const Command* command : tool.commands) {
    commands.push_back({std::string(command->name), std::string(command->summary)});
  }
  std::vector<Row> variables;
  for (const Variable& variable : tool.variables) {
    variables.push_back({std::string(variable.name), std::string(variable.help)});
  }
  return fmt::format(
      "{0}: {1}\n\nusage: {0} COMMAND [flags]\n\ncommands:\n{2}\nenvironment:\n{3}\n"
      "`{0} COMMAND --help` explains a command; `{0} --version` prints the version.\n",
      tool.name, tool.summary, lay_out(commands), lay_out(variables));
}

const Command& find_command(const Tool& tool, std::string_view name) {
  const auto found = std::ranges::find(tool.commands, name, &Command::name);
  if (found != tool.commands.end()) return **found;
  const std::string_view flag = name.substr(0, name.find('='));
  if (std::ranges::any_of(tool.commands, [flag](const Command* command) {
        return flag_called(*command, flag) != nullptr;
      })) {
    fail_usage(fmt::format("put {} behind the command", flag));
  }
  std::vector<std::string> known{"--help", "--version"};
  for (const Command* command : tool.commands) known.emplace_back(command->name);
  fail_usage(fmt::format("unknown {} {}; {}", name.starts_with('-') ? "flag" : "command", name,
                         hint(name, known, fmt::format("{} --help", tool.name))));
}

// text_alone is what a word prints that takes the place of a command.
std::optional<std::string> text_alone(const Tool& tool, std::string_view word) {
  if (word == "--help" || word == "-h") return help_for(tool);
  if (word == "--version") return fmt::format("{} {}\n", tool.name, tool.version);
  return std::nullopt;
}

}  // namespace

std::vector<const Flag*> all_flags(const Command& command) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : command.flags) flags.push_back(&flag);
  flags.push_back(&kJsonFlag);
  flags.push_back(&kHelpFlag);
  return flags;
}

void fail_usage(std::string_view message) {
  throw bcpki::Error(bcpki::Code::usage, message);
}

const Args::Value& Args::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw bcpki::Error(bcpki::Code::internal, fmt::format("no flag is called {}", name));
  }
  return found->second;
}

const std::string& Args::text(std::string_view name) const {
  static const std::string kNone;
  const std::vector<std::string>& texts = list(name);
  return texts.empty() ? kNone : texts.front();
}

const std::vector<std::string>& Args::list(std::string_view name) const {
  return value(name).texts;
}

std::uint64_t Args::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0);
}

std::chrono::seconds Args::duration(std::string_view name) const {
  return parse_duration(text(name)).value_or(std::chrono::seconds(0));
}

bool Args::given(std::string_view name) const {
  return value(name).given;
}

std::variant<Invocation, std::string> parse(const Tool& tool, std::span<const char* const> words,
                                            const Env& env) {
  if (words.empty()) {
    fail_usage(fmt::format("no command was given; `{} --help` lists them", tool.name));
  }
  const std::string_view first = words.front();
  if (const std::optional<std::string> text = text_alone(tool, first)) {
    if (words.size() > 1) fail_usage(fmt::format("{} stands alone, without {}", first, words[1]));
    return *text;
  }
  const Command& command = find_command(tool, first);
  Words sorted = sort_words(command, words.subspan(1));
  if (!sorted.given[kHelpFlag.name].empty()) return help_for(tool, command);
  refuse_unknown(tool, command, sorted);
  return Invocation{&command, judge_words(command, std::move(sorted), env)};
}

bool asks_for_json(std::span<const char* const> words) {
  const auto end = std::ranges::find(words, std::string_view("--"));
  return std::find(words.begin(), end, dashed(kJsonFlag.name)) != end;
}

}  // namespace cli
