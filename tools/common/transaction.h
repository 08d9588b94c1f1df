// Files that a command writes: whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "bcpki/bytes.h"

#include "common/interruptions.h"
#include "common/io.h"

namespace cli {

// require_absent throws INVALID_STATE where anything has that name, a dangling link too.
void require_absent(const std::filesystem::path& path);

// Access is who may read a file that is made: its owner, or everyone.
enum class Access : mode_t { owner = 0600, everyone = 0644 };

// FileKind is a kind of file that a command makes again and again. One takes the place only of its
// like.
struct FileKind {
  std::string_view name;
  bool (*is_like)(std::string_view text);  // never asked of an empty file
  Access access;
};

extern const FileKind kCertificateFile;  // PEM
extern const FileKind kKeyFile;          // PEM

// No such file is larger.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

// require_replaceable throws INVALID_STATE where `path` is something that a Transaction would not
// replace by a file of this kind.
void require_replaceable(const std::filesystem::path& path, const FileKind& kind);

// Transaction writes the files of one command: all of them, or none and nothing is left behind.
// SIGINT, SIGTERM, SIGHUP and SIGQUIT wait until it ends. Directories that are missing are made,
// 0700.
//
// Everything throws IO_ERROR where the file system refuses, naming the path.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();  // without `commit`, everything is as it was before

  // lock keeps other Transactions that lock out of the directory of `path` until this one ends.
  // What a command judges before it writes, it judges under the lock; what killed ones left of the
  // files that it writes there, it removes. Throws INVALID_STATE where the other one does not end.
  // A file system without locks is used without.
  void lock(const std::filesystem::path& path);

  // create prepares a file that must not exist. Throws INVALID_STATE where it does.
  void create(const std::filesystem::path& path, Access access, bcpki::View content);

  // replace prepares a file that may exist as a regular file, or as a link of ours to one of ours,
  // which is then replaced where it points. Owner, group and mode stay as they were. Throws
  // INVALID_STATE where it is anything else, or holds neither nothing nor what `kind` says.
  void replace(const std::filesystem::path& path, const FileKind& kind, bcpki::View content);

  // rewrite prepares the next content of the file that was read as `former`. Owner, group and mode
  // stay as they were; a link of ours to one of ours is followed. Throws INVALID_STATE for a file
  // of several hard links, and CONFLICT, here or in `commit`, where it is no longer what was read.
  // `former` must live as long as this.
  void rewrite(const std::filesystem::path& path, const File& former, bcpki::View content);

  // commit gives every prepared file its name, in the order in which they were prepared. What fails
  // is taken back; where that fails too, and where a former file cannot be removed, the error says
  // what is where.
  void commit();

 private:
  HeldInterruptions held_;  // first, so that it ends last

  // Expected is what may stand at a name when its file gets it; nothing where both are null.
  struct Expected {
    const FileKind* kind = nullptr;
    const File* read = nullptr;  // this very file
  };

  // Staged is a file under its temporary name, beside the name that it will get.
  struct Staged {
    enum class State { prepared, created, linked, exchanged, replaced };
    std::filesystem::path path;
    Descriptor directory;
    std::string temporary;
    Expected expected;
    bool replaces;
    State state = State::prepared;
  };

  void stage(const std::filesystem::path& path, mode_t mode, bcpki::View content,
             const Expected& expected, const std::optional<struct stat>& former);
  void remove_leftovers(const std::filesystem::path& path) const;
  Descriptor open_parent(const std::filesystem::path& path);
  void make_directories(const std::filesystem::path& directory);
  void publish_all();
  static void publish(Staged& staged);
  static bool take_free_name(Staged& staged);
  std::string take_back();
  static bool withdraw(Staged& staged) noexcept;
  void remove_former_files() const;
  static std::string whereabouts(const Staged& staged);

  std::optional<Descriptor> locked_;
  bool is_alone_ = false;  // and the file system has locks
  std::vector<Staged> staged_;
  std::vector<std::filesystem::path> made_;  // directories, outermost first
  bool committed_ = false;
};

}  // namespace cli
