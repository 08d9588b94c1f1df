// Files: opened once and judged by their descriptor, written whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <sys/stat.h>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace cli {

// absolute_path is the path that reports name: from the root. `..` stays, since the directory
// before it may be a link.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// File is what was read and what its descriptor said then.
struct File {
  bcpki::SecretBytes content;
  mode_t mode;  // the permission bits
  uid_t owner;
  nlink_t links;

  // open_to_others says whether group or others may read or change it.
  bool open_to_others() const { return (mode & 0066) != 0; }
};

// single_quoted is `text` as one word of a shell.
std::string single_quoted(std::string_view text);

// shell_quoted is the same, without quotes where no shell needs them: every command that people are
// told to run holds paths in this form.
std::string shell_quoted(std::string_view text);

// mode_advice says that other users may read or change `path`, and what to run.
std::string mode_advice(const std::filesystem::path& path, mode_t mode);

// read_start reads at most `size` bytes of a regular file. Throws NOT_FOUND where there is none,
// INVALID_INPUT where it is anything but a regular file, IO_ERROR where it cannot be read.
File read_start(const std::filesystem::path& path, std::size_t size);

// read_file reads a whole file. Throws as read_start, and INVALID_INPUT beyond `limit` bytes.
File read_file(const std::filesystem::path& path, std::size_t limit);

// write_stream writes all of `text`. Throws IO_ERROR naming `name`.
void write_stream(int descriptor, std::string_view name, std::string_view text);

// require_absent throws INVALID_STATE where anything has that name, a dangling link too.
void require_absent(const std::filesystem::path& path);

// Access is who may read a file that is made: its owner, or everyone.
enum class Access : mode_t { owner = 0600, everyone = 0644 };

// FileKind is a kind of PEM file. One takes the place only of its like.
struct FileKind {
  std::string_view name;
  std::string_view label;  // what the label of each block ends with, parameters apart
  Access access;
};

inline constexpr FileKind kCertificateFile{"certificate", "CERTIFICATE", Access::everyone};
inline constexpr FileKind kKeyFile{"private key", "PRIVATE KEY", Access::owner};

// No such file is larger.
inline constexpr std::size_t kMaxPemBytes = std::size_t{1} << 20;

// require_replaceable throws INVALID_STATE where `path` is something that a Transaction would not
// replace by a file of this kind.
void require_replaceable(const std::filesystem::path& path, const FileKind& kind);

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : held_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int get() const { return held_; }

 private:
  int held_;
};

// Transaction writes the files of one command: all of them, or none and nothing is left behind.
// SIGINT, SIGTERM, SIGHUP and SIGQUIT wait until it ends. Directories that are missing are made,
// 0700.
//
// Everything throws IO_ERROR where the file system refuses, naming the path.
class Transaction {
 public:
  Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();  // without `commit`, everything is as it was before

  // lock keeps other Transactions that lock out of the directory of `path` until this one ends.
  // What a command judges before it writes, it judges under the lock. Throws INVALID_STATE where
  // the other one does not end. A file system without locks is used without.
  void lock(const std::filesystem::path& path);

  // create prepares a file that must not exist. Throws INVALID_STATE where it does.
  void create(const std::filesystem::path& path, Access access, bcpki::View content);

  // replace prepares a file that may exist as a regular file, or as a link of ours to one of ours,
  // which is then replaced where it points. Owner, group and mode stay as they were. Throws
  // INVALID_STATE where it is anything else, or holds neither nothing nor what `kind` says.
  void replace(const std::filesystem::path& path, const FileKind& kind, bcpki::View content);

  // commit gives every prepared file its name, in the order in which they were prepared.
  void commit();

 private:
  // Staged is a file under its temporary name, beside the name that it will get.
  struct Staged {
    enum class State { prepared, created, exchanged, replaced };
    std::filesystem::path path;
    Descriptor directory;
    std::string temporary;
    const FileKind* kind;  // none where no other file may be there
    bool replaces;
    State state = State::prepared;
  };

  void stage(const std::filesystem::path& path, mode_t mode, bcpki::View content,
             const FileKind* kind, const std::optional<struct stat>& former);
  Descriptor open_parent(const std::filesystem::path& path);
  void make_directories(const std::filesystem::path& directory);
  static void publish(Staged& staged);
  static void withdraw(Staged& staged) noexcept;

  std::optional<Descriptor> locked_;
  std::vector<Staged> staged_;
  std::vector<std::filesystem::path> made_;  // directories, outermost first
  bool committed_ = false;
  sigset_t former_mask_;
};

}  // namespace cli
