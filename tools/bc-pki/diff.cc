#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bc-pki/commands.h"
#include "common/bundle_file.h"

namespace cli {
namespace {

using Lineage = bcpki::BundleDiff::Lineage;
using Change = bcpki::BundleChange;

struct LineageText {
  Lineage lineage;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array kLineages = {
    LineageText{Lineage::same, "same", "the same public half"},
    LineageText{Lineage::newer, "newer", "NEW may descend from OLD"},
    LineageText{Lineage::older, "older", "OLD may descend from NEW"},
    LineageText{Lineage::diverged, "diverged", "neither descends from the other"},
    LineageText{Lineage::unrelated, "unrelated", "two deployments, or another root key"},
};

const LineageText& text_of(Lineage lineage) {
  return *std::ranges::find(kLineages, lineage, &LineageText::lineage);
}

struct KindText {
  Change::Kind kind;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array kKinds = {
    KindText{Change::Kind::added, "added", "added"},
    KindText{Change::Kind::removed, "removed", "removed"},
    KindText{Change::Kind::key, "key", "another key"},
    KindText{Change::Kind::certificate, "certificate", "another certificate for the same key"},
    KindText{Change::Kind::value, "value", "changed"},
};

const KindText& text_of(Change::Kind kind) {
  return *std::ranges::find(kKinds, kind, &KindText::kind);
}

Report side(const LoadedBundle& loaded) {
  Report report = report_on(loaded);
  report.add("authenticated", "authenticated", loaded.bundle.authenticated());
  report.add("generation", "generation", loaded.bundle.generation());
  return report;
}

Report describe(const Change& change) {
  Report report;
  report.add("member", "", change.member);
  report.add("kind", "", std::string(text_of(change.kind).name));
  if (!change.before.empty()) report.add("before", "", change.before);
  if (!change.after.empty()) report.add("after", "", change.after);
  return report;
}

std::vector<std::string> lines(const Change& change) {
  std::vector<std::string> text{
      fmt::format("{}: {}", change.member, text_of(change.kind).sentence)};
  if (!change.before.empty()) text.push_back("  - " + change.before);
  if (!change.after.empty()) text.push_back("  + " + change.after);
  return text;
}

Report diff(const Args& args, Env& env) {
  const LoadedBundle before = load_bundle(args.text("OLD"), env);
  const LoadedBundle after = load_bundle(args.text("NEW"), env);
  const bcpki::BundleDiff found = bcpki::diff_bundles(before.bundle, after.bundle);
  std::vector<Report> changes;
  Report::List shown;
  for (const Change& change : found.changes) {
    changes.push_back(describe(change));
    for (std::string& line : lines(change)) shown.push_back(std::move(line));
  }
  const LineageText& lineage = text_of(found.lineage);
  Report report;
  report.add("old", "old", side(before)).add("new", "new", side(after));
  report.add("lineage", "lineage", std::string(lineage.name),
             fmt::format("{} ({})", lineage.name, lineage.sentence));
  report.add("changes", "", std::move(changes)).add("", "changes", std::move(shown));
  return report;
}

constexpr std::array kPositionals = {Positional{.name = "OLD", .help = "The former bundle"},
                                     Positional{.name = "NEW", .help = "The bundle to compare"}};

}  // namespace

constinit const Command kDiff{
    .name = "diff",
    .summary = "say what changed between two bundles, key by key",
    .description =
        "Each bundle is checked against its seal where the secret is given. The lineage says\n"
        "whether one may descend from the other, or two people edited copies.",
    .example = "bc-pki diff /backup/pki.json .better-compute/pki.json",
    .positionals = kPositionals,
    .run = diff};

}  // namespace cli
