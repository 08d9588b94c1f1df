#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/rotation.h"

#include "bc-pki/commands.h"
#include "common/root_key.h"
#include "common/write_back.h"

namespace cli {
namespace {

using bcpki::Bundle;
using bcpki::RotatingKey;
using bcpki::Rotation;

constexpr std::string_view kKey = "key";
constexpr std::string_view kStage = "stage";
constexpr std::string_view kForce = "force";
constexpr std::string_view kCommandRoot = "command-root";

constexpr std::array<std::string_view, 4> kStages{"add", "switch", "drop", "status"};
constexpr std::string_view kStatus = kStages[3];

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, key] : bcpki::rotating_key_names()) names.push_back(name);
  return names;
}

std::vector<std::string_view> stage_names() {
  return {kStages.begin(), kStages.end()};
}

RotatingKey key_called(std::string_view name) {
  const auto names = bcpki::rotating_key_names();
  return std::ranges::find(names, name, [](const auto& row) { return row.first; })->second;
}

std::string_view stage_name(Rotation::Stage stage) {
  switch (stage) {
    case Rotation::Stage::added:
      return "added";
    case Rotation::Stage::switched:
      return "switched";
    case Rotation::Stage::settled:
      break;
  }
  return "settled";
}

std::string next_step(std::string_view name, const Rotation& rotation, const Args& args) {
  const std::string bundle =
      args.given(kPkiFlag.name)
          ? fmt::format(" --pki {}", shell_quoted(absolute_path(args.text(kPkiFlag.name)).native()))
          : "";
  const std::string command = fmt::format("bc-pki rotate --key {}{} --stage", name, bundle);
  switch (rotation.stage) {
    case Rotation::Stage::added:
      return fmt::format("when every process and machine has this bundle: {} switch{}", command,
                         name == kCommandRoot ? " --force" : "");
    case Rotation::Stage::switched:
      if (!rotation.drop_at) return "the former key stays: what it signed counts for ever";
      return fmt::format("not before {}: {} drop", bcpki::format_time(*rotation.drop_at), command);
    case Rotation::Stage::settled:
      break;
  }
  return fmt::format("to replace it: {} add", command);
}

std::optional<std::string> time_text(const std::optional<bcpki::UnixTime>& time) {
  return time ? std::optional(bcpki::format_time(*time)) : std::nullopt;
}

Report& describe(Report& report, std::string_view name, const Bundle& bundle, const Args& args) {
  const Rotation rotation = bcpki::rotation_of(bundle, key_called(name));
  report.add("key", "key", std::string(name));
  report.add("stage", "stage", std::string(stage_name(rotation.stage)));
  report.add("current", "current", rotation.current);
  report.add_if("next", "next key", rotation.next);
  report.add_if("previous", "former key", rotation.previous);
  report.add_if("switchedAt", "switched at", time_text(rotation.switched_at));
  report.add_if("dropAt", "drop at", time_text(rotation.drop_at));
  report.add("trustVersion", "trust version", bundle.trust_version());
  return report.add("", "next", Report::List{next_step(name, rotation, args)});
}

void judge_flags(std::string_view stage, const Args& args) {
  const auto only_with = [&](std::string_view flag,
                             std::initializer_list<std::string_view> stages) {
    if (args.given(flag) && std::ranges::find(stages, stage) == stages.end()) {
      fail_usage(fmt::format("--{} does not go with --stage {}", flag, stage));
    }
  };
  only_with(kForce, {"switch", "drop"});
  only_with(kRootKeyFlag.name, {"add"});
  only_with(kBundleOutFlag.name, {"add", "switch", "drop"});
}

Bundle step(const Bundle& bundle, RotatingKey key, const std::optional<RootKeyFile>& root_key,
            const Args& args, Env& env) {
  const std::string_view stage = args.text(kStage);
  if (stage == "switch") return bcpki::switch_keys(bundle, key, args.on(kForce), env.now);
  if (stage == "drop") return bcpki::drop_previous_key(bundle, key, args.on(kForce), env.now);
  std::optional<bcpki::RootAuthority> root;
  if (bcpki::needs_root(key)) root = root_of(bundle, root_key, env);
  return bcpki::add_next_key(bundle, key, root ? &*root : nullptr, env.now, env.rng());
}

Report rotate_key(std::string_view name, const Args& args, Env& env) {
  judge_flags(args.text(kStage), args);
  if (args.text(kStage) == kStatus) {
    const LoadedBundle loaded = load_bundle(args, env);
    Report report = report_on(loaded);
    report.add("changed", "changed", false);
    report.add("generation", "generation", loaded.bundle.generation());
    report.add("publicSha256", "public SHA-256", bcpki::hex(loaded.bundle.public_digest()));
    return std::move(describe(report, name, loaded.bundle, args));
  }
  const std::optional<RootKeyFile> root_key = RootKeyFile::find(args, env);
  WriteBack write_back(args, env);
  const Bundle written =
      write_back.finish(step(write_back.bundle(), key_called(name), root_key, args, env));
  Report report = write_back.report(written);
  return std::move(describe(report, name, written, args));
}

Report rotate(const Args& args, Env& env) {
  return rotate_key(args.text(kKey), args, env);
}

Report rotate_command_root(const Args& args, Env& env) {
  return rotate_key(kCommandRoot, args, env);
}

constexpr Flag kKeyFlag{.name = kKey,
                        .value_name = "KEY",
                        .help = "Which key to replace",
                        .kind = Kind::choice,
                        .choices = key_names,
                        .required = true};
constexpr Flag kStageFlag{.name = kStage,
                          .value_name = "STAGE",
                          .help = "Which step to take; status only looks",
                          .kind = Kind::choice,
                          .choices = stage_names,
                          .required = true};
constexpr Flag kForceFlag{.name = kForce,
                          .help =
                              "Switch the command root without a database that says who knows "
                              "the next one; drop a key before its time",
                          .kind = Kind::toggle};

constexpr std::array kFlags = with_write_back_flags(
    std::array{kKeyFlag, kStageFlag, kForceFlag, kRootKeyFlag, kRootSecretFlag});
constexpr std::array kCommandRootFlags =
    with_write_back_flags(std::array{kStageFlag, kForceFlag, kRootKeyFlag, kRootSecretFlag});

}  // namespace

constinit const Command kRotate{
    .name = "rotate",
    .summary = "replace a key that no machine pins, step by step",
    .description =
        "add publishes the next key; switch has it used, while the former one stays trusted; drop\n"
        "ends that trust when the last thing that the former key signed has ended. Between the\n"
        "steps, roll the bundle out. The root signs the next node or internal CA.",
    .example = "bc-pki rotate --key exec-ticket --stage add",
    .flags = kFlags,
    .run = rotate};

constinit const Command kRotateCommandRoot{
    .name = "rotate-command-root",
    .summary = "the older name of `rotate --key command-root`",
    .description = "See `bc-pki rotate --help`.",
    .example = "bc-pki rotate-command-root --stage add",
    .flags = kCommandRootFlags,
    .run = rotate_command_root};

}  // namespace cli
