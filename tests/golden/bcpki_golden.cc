// bcpki-golden DIR replays the golden vectors of a folder. Exit status: 0 where every case passed,
// 1 where one failed or there was none, 2 where there is no such folder.
#include <array>
#include <span>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "golden/vectors.h"

namespace bcpki::golden {
namespace {

namespace fs = std::filesystem;

// VectorFile is a file that is replayed: its members, or its text. `prepare` makes JSON that we
// read of one that is not.
struct VectorFile {
  std::string_view name;
  std::variant<Replay, ReplayText> replay;
  std::string (*prepare)(const std::string& text) = nullptr;
};
constexpr std::array<VectorFile, 12> kFiles = {{
    {"primitives.json", replay_primitives},
    {"keys.json", replay_keys},
    {"signatures.json", replay_signatures},
    {"identifiers.json", replay_identifiers},
    {"bundle.json", replay_bundles},
    {"batch-scope.json", replay_batch_scopes},
    {"approver-set.json", replay_approver_sets, refused_sets_as_texts},
    {"approver-set-change.json", replay_approver_set_changes},
    {"batch-approval.json", replay_batch_approvals},
    {"scope-file.json", replay_scope_file},
    {"signature-file.json", replay_signature_file},
    {"approver-keys.json", replay_approver_keys},
}};

struct Totals {
  std::size_t passed = 0, failed = 0;
};

void replay_members(Replay replay, const std::string& text, Folder& folder, Report& report) {
  const json::Value value = json::parse(text);
  Members document(value);
  document.text("description");
  replay(document, folder, report);
  document.finish();
}

void replay_document(const VectorFile& file, Folder& folder, Report& report) {
  std::string text = folder.text(file.name);
  if (file.prepare) text = file.prepare(text);
  if (const auto* replay = std::get_if<Replay>(&file.replay)) {
    replay_members(*replay, text, folder, report);
  } else {
    std::get<ReplayText>(file.replay)(text, folder, report);
  }
  expect(report.passed() + report.failed() > 0, "holds no case");
}

Totals replay_file(const VectorFile& file, Folder& folder) {
  Report report{std::string(file.name)};
  try {
    replay_document(file, folder, report);
  } catch (const std::exception& e) {
    const std::string why = e.what();
    report.judge("the file", [&why] { throw Failure(why); });
  }
  fmt::print("{}: {} passed, {} failed\n", file.name, report.passed(), report.failed());
  return {report.passed(), report.failed()};
}

Totals replay_folder(Folder folder) {
  Totals totals;
  for (const VectorFile& file : kFiles) {
    if (!folder.has(file.name)) continue;
    const Totals one = replay_file(file, folder);
    totals.passed += one.passed;
    totals.failed += one.failed;
  }
  for (const std::string& place : folder.unread()) fmt::print("{}: not read\n", printable(place));
  if (totals.passed + totals.failed == 0) {
    fmt::print("no file of vectors that this program knows\n");
    ++totals.failed;
  }
  return totals;
}

int run(std::span<char* const> arguments) {
  if (arguments.size() != 2 || !fs::is_directory(arguments[1])) {
    fmt::print(stderr, "usage: bcpki-golden DIR, a folder of golden vectors\n");
    return 2;
  }
  const Totals totals = replay_folder(Folder(arguments[1]));
  fmt::print("{} passed, {} failed\n", totals.passed, totals.failed);
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bcpki::golden

int main(int argc, char** argv) try {
  return bcpki::golden::run(std::span(argv, static_cast<std::size_t>(argc)));
} catch (const std::exception& e) {
  fmt::print(stderr, "bcpki-golden: {}\n", e.what());
  return 2;
}
