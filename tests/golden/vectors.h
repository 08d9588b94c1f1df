// Golden vectors: what every file of them has in common. A file's cases are replayed by a
// `replay_…` function that stands in a file of its own and in the table of bcpki_golden.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bytes.h"

#include "format/json.h"

namespace bcpki::golden {

// Failure says why a case failed.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Folder is a folder of vectors that remembers what was read of it.
class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  bool has(std::string_view name) const;

  // text reads the file at `place` below the folder; throws Failure where it cannot.
  std::string text(const std::filesystem::path& place);

  // unread lists the places that nobody read, sorted; a folder below this one of which nothing was
  // read is one of them.
  std::vector<std::string> unread() const;

 private:
  void list_unread(const std::filesystem::path& place, std::vector<std::string>& out) const;
  bool is_read(const std::filesystem::path& place) const;

  std::filesystem::path path_;
  std::set<std::filesystem::path> read_;
};

// expect throws Failure(`why`) where `holds` does not.
void expect(bool holds, std::string_view why);

// expect_verdict is for cases that say whether a value is `valid`.
void expect_verdict(bool taken, bool valid);

// expect_equal shows both sides where they differ.
void expect_equal(std::string_view what, std::string_view actual, std::string_view expected);

// Members reads an object whose every member must be read: what nobody reads tests nothing. Throws
// Failure where a member is missing or of another type.
class Members {
 public:
  explicit Members(const json::Value& object);

  const json::Value& member(std::string_view name);
  const json::Value* optional(std::string_view name);  // null where there is none

  const std::string& text(std::string_view name);
  bool flag(std::string_view name);
  std::uint64_t number(std::string_view name);
  const json::Array& list(std::string_view name);
  Bytes hex(std::string_view name);
  Bytes base64(std::string_view name);

  // within reads the object called `name` with `read`.
  void within(std::string_view name, const std::function<void(Members&)>& read);

  // finish throws Failure where a member was not read.
  void finish() const;

 private:
  const json::Value* object_;
  std::set<std::string, std::less<>> read_;
};

// Report counts the cases of one file and prints each that failed.
class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  // judge runs the case called `id`, which no other case of the file may be called.
  void judge(std::string_view id, const std::function<void()>& run);

  std::size_t passed() const { return passed_; }
  std::size_t failed() const { return failed_; }

 private:
  std::string file_;
  std::set<std::string, std::less<>> ids_;
  std::size_t passed_ = 0, failed_ = 0;
};

// each_case judges every case of `cases`, named by its member `id_member`. A list without cases
// fails.
void each_case(const json::Array& cases, Report& report, const std::function<void(Members&)>& check,
               std::string_view id_member = "id");

// Replay reads the members of a file beside its `description`; `folder` holds the file.
using Replay = void (*)(Members& document, Folder& folder, Report& report);

void replay_approver_set_changes(Members& document, Folder& folder, Report& report);
void replay_approver_sets(Members& document, Folder& folder, Report& report);
void replay_batch_approvals(Members& document, Folder& folder, Report& report);
void replay_batch_scopes(Members& document, Folder& folder, Report& report);
void replay_bundles(Members& document, Folder& folder, Report& report);
void replay_identifiers(Members& document, Folder& folder, Report& report);
void replay_keys(Members& document, Folder& folder, Report& report);
void replay_primitives(Members& document, Folder& folder, Report& report);
void replay_signatures(Members& document, Folder& folder, Report& report);

// ReplayText replays a file that is one document of a format, or has no description.
using ReplayText = void (*)(const std::string& text, Folder& folder, Report& report);

void replay_approver_keys(const std::string& text, Folder& folder, Report& report);
void replay_scope_file(const std::string& text, Folder& folder, Report& report);
void replay_signature_file(const std::string& text, Folder& folder, Report& report);

// refused_sets_as_texts makes a string of each set that approver-set.json wants refused: some are
// no JSON that we read.
std::string refused_sets_as_texts(const std::string& text);

}  // namespace bcpki::golden
