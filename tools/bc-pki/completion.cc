#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bc-pki/commands.h"
#include "common/args.h"
#include "common/io.h"

namespace cli {
namespace {

std::string function_name(const Tool& tool) {
  std::string name = fmt::format("_{}", tool.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

Kind kind_of(const Positional& positional) {
  return positional.choices != nullptr ? Kind::choice : Kind::path;
}

// bash: a function that lists the words for a command, the word before and the word so far.

std::string bash_words(std::string_view words) {
  return fmt::format("compgen -W '{}' -- \"$3\"", words);
}

std::string bash_values(Kind kind, Choices choices) {
  if (kind == Kind::path) return "compgen -f -- \"$3\"";
  if (kind == Kind::choice) return bash_words(fmt::format("{}", fmt::join(choices(), " ")));
  return ":";
}

std::string bash_case(const Command& command) {
  std::string names;
  std::string values;
  for (const Flag* flag : all_flags(command)) {
    names += fmt::format("--{} ", flag->name);
    if (flag->kind != Kind::toggle) {
      values += fmt::format("    '{} --{}') {} ;;\n", command.name, flag->name,
                            bash_values(flag->kind, flag->choices));
    }
  }
  std::string words = bash_words(names);
  for (const Positional& positional : command.positionals) {
    const std::string more = bash_values(kind_of(positional), positional.choices);
    if (!words.ends_with(more)) words += "; " + more;
  }
  return fmt::format("{}    '{} '*) {} ;;\n", values, command.name, words);
}

std::string bash(const Tool& tool) {
  std::string commands;
  std::string cases;
  for (const Command* command : tool.commands) {
    commands += fmt::format("{} ", command->name);
    cases += bash_case(*command);
  }
  return fmt::format(R"(# bash completion for {0}
{1}_words() {{
  case "$1 $2" in
{2}    *) {3} ;;
  esac
}}
{1}() {{
  local command=
  if [ "$COMP_CWORD" -gt 1 ]; then command=${{COMP_WORDS[1]}}; fi
  mapfile -t COMPREPLY < <({1}_words "$command" "$3" "$2")
}}
complete -o filenames -F {1} {0}
)",
                     tool.name, function_name(tool), cases,
                     bash_words(commands + "--help --version"));
}

// zsh: a specification of `_arguments` for each command.

std::string zsh_action(Kind kind, Choices choices) {
  if (kind == Kind::path) return "_files";
  if (kind == Kind::choice) return fmt::format("({})", fmt::join(choices(), " "));
  return "";
}

std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_case(const Command& command) {
  std::string specifications;
  for (const Flag* flag : all_flags(command)) {
    const std::string help = zsh_text(flag->help);
    const std::string specification =
        flag->kind == Kind::toggle
            ? fmt::format("--{}[{}]", flag->name, help)
            : fmt::format("{}--{}=[{}]:{}:{}", flag->kind == Kind::repeated ? "*" : "", flag->name,
                          help, flag->value_name, zsh_action(flag->kind, flag->choices));
    specifications += " \\\n      " + single_quoted(specification);
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const Positional& positional = command.positionals[i];
    specifications += " \\\n      " + single_quoted(fmt::format(
                                          "{}:{}:{}", i + 1, positional.name,
                                          zsh_action(kind_of(positional), positional.choices)));
  }
  return fmt::format("    {}) _arguments{} ;;\n", command.name, specifications);
}

std::string zsh(const Tool& tool) {
  std::string commands;
  std::string cases;
  for (const Command* command : tool.commands) {
    commands += fmt::format(
        "    {}\n", single_quoted(fmt::format("{}:{}", command->name, zsh_text(command->summary))));
    cases += zsh_case(*command);
  }
  return fmt::format(R"(#compdef {0}
{1}() {{
  local -a commands=(
{2}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{3}  esac
}}
if [[ $funcstack[1] == _{0} ]]; then
  {1} "$@"
elif (( $+functions[compdef] )); then
  compdef {1} {0}
fi
)",
                     tool.name, function_name(tool), commands, cases);
}

// fish: one line for each flag and argument.

std::string fish_values(Kind kind, Choices choices) {
  if (kind == Kind::toggle) return "";
  if (kind == Kind::path) return " -r -F";
  if (kind == Kind::choice) return fmt::format(" -x -a '{}'", fmt::join(choices(), " "));
  return " -x";
}

std::string fish_lines(const Tool& tool, const Command& command) {
  const std::string start =
      fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", tool.name, command.name);
  std::string lines;
  for (const Flag* flag : all_flags(command)) {
    lines += fmt::format("{} -l {}{} -d {}\n", start, flag->name,
                         fish_values(flag->kind, flag->choices), single_quoted(flag->help));
  }
  for (const Positional& positional : command.positionals) {
    lines += positional.choices != nullptr
                 ? fmt::format("{} -a '{}'\n", start, fmt::join(positional.choices(), " "))
                 : fmt::format("{} -F\n", start);
  }
  return lines;
}

std::string fish(const Tool& tool) {
  std::string text = fmt::format("# fish completion for {0}\ncomplete -c {0} -f\n", tool.name);
  for (const Command* command : tool.commands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", tool.name,
                        command->name, single_quoted(command->summary));
  }
  for (const Command* command : tool.commands) text += fish_lines(tool, *command);
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const Tool& tool);
};

constexpr std::array kShells = {Shell{"bash", bash}, Shell{"zsh", zsh}, Shell{"fish", fish}};

std::vector<std::string_view> shell_names() {
  std::vector<std::string_view> names(kShells.size());
  std::ranges::transform(kShells, names.begin(), &Shell::name);
  return names;
}

Report completion(const Args& args, Env&) {
  const std::string& name = args.text("SHELL");
  Report report;
  report.add("shell", "", name);
  return report.add_raw("text", std::ranges::find(kShells, name, &Shell::name)->script(kTool));
}

constexpr std::array kPositionals = {
    Positional{.name = "SHELL", .help = "The shell", .choices = shell_names}};

}  // namespace

constinit const Command kCompletion{
    .name = "completion",
    .summary = "print a completion script for a shell",
    .description = "The script completes commands, flags, their values and file names.",
    .example = "source <(bc-pki completion bash)",
    .positionals = kPositionals,
    .run = completion};

}  // namespace cli
