#include "common/io.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "bcpki/error.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kChunkSize = std::size_t{16} << 10;
constexpr int kMaxLinks = 8;
constexpr int kMaxTemporaries = 100;
constexpr int kLockAttempts = 200;
constexpr std::chrono::milliseconds kLockPause(50);
constexpr mode_t kPermissions = 07777;

// A temporary name must fit where the name itself does.
constexpr std::size_t kMaxStem = 200;

// What no shell gives a meaning, wherever it stands in a word.
constexpr std::string_view kShellPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:@%+,-";

[[noreturn]] void fail(Code code, const fs::path& path, std::string_view what) {
  throw Error(code, fmt::format("{} {}", path.native(), what));
}

[[noreturn]] void fail_io(const fs::path& path, std::string_view what, int error = errno) {
  fail(Code::io_error, path, fmt::format("{}: {}", what, std::generic_category().message(error)));
}

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a FIFO";
  if (S_ISSOCK(mode)) return "is a socket";
  if (S_ISLNK(mode)) return "is a symbolic link";
  return "is a device";
}

[[noreturn]] void fail_to_open(const fs::path& path) {
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
      fail(Code::not_found, path, "does not exist");
    case ENXIO:
      fail(Code::invalid_input, path, "is a socket or a device, not a regular file");
    case ELOOP:
      fail(Code::invalid_input, path, "is a loop of symbolic links");
    case ENAMETOOLONG:
      fail(Code::invalid_input, path, "has too long a name");
    default:
      fail_io(path, "cannot be read");
  }
}

std::size_t read_some(int descriptor, std::span<std::byte> out, const fs::path& path) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor, out.data(), out.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) fail_io(path, "cannot be read");
  return static_cast<std::size_t>(count);
}

// write_all returns 0, or the errno of what went wrong.
int write_all(int descriptor, bcpki::View bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

// status_of returns what stands at `path` itself, not behind a link.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  if (errno == ENOTDIR) {
    fail(Code::invalid_state, path, "cannot be made: what stands above it is not a directory");
  }
  fail_io(path, "cannot be examined");
}

[[noreturn]] void fail_no_regular_file(const fs::path& path, mode_t mode) {
  fail(Code::invalid_state, path,
       fmt::format("{}; only a regular file is replaced", kind_name(mode)));
}

// holds says whether the PEM blocks of `text` are of the kind. Text around them is only a comment,
// and an empty file has nothing to lose.
bool holds(std::string_view text, const FileKind& kind) {
  if (text.empty()) return true;
  const std::string wanted = fmt::format("{}-----", kind.label);
  bool found = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // A curve may stand in front of its key.
    if (!line.starts_with("-----BEGIN ") || line.ends_with(" PARAMETERS-----")) continue;
    if (!line.ends_with(wanted)) return false;
    found = true;
  }
  return found;
}

void require_kind(const fs::path& path, const FileKind& kind) {
  const File file = read_start(path, kMaxPemBytes + 1);
  if (file.content.size() > kMaxPemBytes || !holds(bcpki::as_text(file.content.reveal()), kind)) {
    fail(Code::invalid_state, path,
         fmt::format("is no {}; choose another path or remove it", kind.name));
  }
}

// Target is where a replacing write ends, and the file that is there now.
struct Target {
  fs::path path;
  std::optional<struct stat> former;
};

// follow_links finds the target and judges whose it and the links to it are.
Target follow_links(const fs::path& given) {
  const uid_t own = ::geteuid();
  fs::path path = given;
  for (int links = 0; links <= kMaxLinks; ++links) {
    const std::optional<struct stat> status = status_of(path);
    if (!status && links == 0) return {path, std::nullopt};
    if (!status) fail(Code::invalid_state, given, "is a link to nothing; remove it");
    if (links > 0 && status->st_uid != own) {
      fail(Code::invalid_state, given, "is a link to a file of another user; remove it");
    }
    if (S_ISREG(status->st_mode)) return {path, status};
    if (!S_ISLNK(status->st_mode)) fail_no_regular_file(path, status->st_mode);
    if (status->st_uid != own) {
      fail(Code::invalid_state, given, "is a link of another user; remove it");
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail_io(path, "cannot be read", error.value());
    path = absolute_path(path.parent_path() / next);
  }
  fail(Code::invalid_state, given, "is a chain of too many links; remove it");
}

Target find_target(const fs::path& given, const FileKind& kind) {
  // Links like /dev/stdout lead to what has no name; what it is, is plain all the same.
  struct stat behind{};
  if (::stat(given.c_str(), &behind) == 0 && !S_ISREG(behind.st_mode)) {
    fail_no_regular_file(given, behind.st_mode);
  }
  Target target = follow_links(given);
  if (target.former) require_kind(target.path, kind);
  return target;
}

void sync_directory(int descriptor, const fs::path& path) {
  // Some file systems cannot; there is nothing that could be done instead.
  if (::fsync(descriptor) != 0 && errno != EINVAL) fail_io(path, "cannot be synced");
}

Descriptor open_directory(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOTDIR) fail(Code::invalid_state, path, "is not a directory");
  if (descriptor < 0) fail_io(path, "cannot be opened");
  return Descriptor(descriptor);
}

// New is a file under a name that nothing had.
struct New {
  Descriptor file;
  std::string name;
};

New make_temporary(const Descriptor& directory, const fs::path& path) {
  for (int attempt = 0; attempt < kMaxTemporaries; ++attempt) {
    std::string name = fmt::format(".{}.{}-{}.tmp", path.filename().native().substr(0, kMaxStem),
                                   ::getpid(), attempt);
    const int descriptor =
        ::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) return {Descriptor(descriptor), std::move(name)};
    if (errno != EEXIST) fail_io(path, "cannot be written");
  }
  fail_io(path, "cannot be written", EEXIST);
}

void set_access(const Descriptor& file, const fs::path& path, mode_t mode,
                const std::optional<struct stat>& former) {
  if (former && ::fchown(file.get(), former->st_uid, former->st_gid) != 0) {
    fail_io(path, "cannot keep its owner and group (remove it, or run this as its owner)");
  }
  // EPERM for a file that we own means a file system without modes, such as a USB stick's.
  if (::fchmod(file.get(), mode) != 0 && errno != EPERM) fail_io(path, "cannot get its mode");
}

// move_to_free_name never takes a name that is in use.
bool move_to_free_name(int directory, const char* from, const char* to) {
  if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::linkat(directory, from, directory, to, 0) != 0) return false;
  // The file has its name; a second one is only untidy.
  (void)::unlinkat(directory, from, 0);
  return true;
}

[[noreturn]] void fail_existing(const fs::path& path) {
  fail(Code::invalid_state, path, "exists already; choose another path");
}

[[noreturn]] void fail_to_name(const fs::path& path) {
  if (errno == EEXIST) fail_existing(path);
  if (errno == EBUSY) {
    fail(Code::invalid_state, path, "is a mount point; mount its directory instead");
  }
  fail_io(path, "cannot be written");
}

// wait_for_lock returns with the lock, or without where the file system has none.
void wait_for_lock(const Descriptor& directory, const fs::path& path) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    if (::flock(directory.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(kLockPause);
  }
  fail(Code::invalid_state, path, "is locked by another program; try again when it has ended");
}

bool is_still(const Descriptor& directory, const fs::path& path) {
  struct stat held{};
  struct stat named{};
  return ::fstat(directory.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

sigset_t interruptions() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&set, signal);
  return set;
}

}  // namespace

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error);
  if (error) whole = path;
  return std::ranges::find(whole, fs::path("..")) == whole.end() ? whole.lexically_normal() : whole;
}

std::string single_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_quoted(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(kShellPlain) == std::string_view::npos;
  return plain ? std::string(text) : single_quoted(text);
}

std::string mode_advice(const fs::path& path, mode_t mode) {
  return fmt::format("{} is open to other users (mode {:04o}); run `chmod 600 {}`", path.native(),
                     mode, shell_quoted(path.native()));
}

File read_start(const fs::path& path, std::size_t size) {
  // A FIFO must not block and a terminal must not become ours: what it is, is judged only after.
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (opened < 0) fail_to_open(path);
  const Descriptor descriptor(opened);
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) fail_io(path, "cannot be examined");
  if (!S_ISREG(status.st_mode)) {
    fail(Code::invalid_input, path,
         fmt::format("{}, not a regular file", kind_name(status.st_mode)));
  }
  bcpki::SecretBytes content;
  bcpki::SecretBytes chunk(kChunkSize);
  while (content.size() < size) {
    const std::size_t wanted = std::min(kChunkSize, size - content.size());
    const std::size_t count = read_some(descriptor.get(), chunk.reveal().first(wanted), path);
    if (count == 0) break;
    content.append(chunk.reveal().first(count));
  }
  return {.content = std::move(content),
          .mode = status.st_mode & kPermissions,
          .owner = status.st_uid,
          .links = status.st_nlink};
}

File read_file(const fs::path& path, std::size_t limit) {
  File file = read_start(path, limit + 1);
  if (file.content.size() > limit) {
    fail(Code::invalid_input, path, fmt::format("is larger than {} bytes", limit));
  }
  return file;
}

void write_stream(int descriptor, std::string_view name, std::string_view text) {
  if (const int error = write_all(descriptor, bcpki::as_bytes(text)); error != 0) {
    fail_io(name, "cannot be written", error);
  }
}

void require_absent(const fs::path& path) {
  if (status_of(path)) fail_existing(path);
}

void require_replaceable(const fs::path& path, const FileKind& kind) {
  (void)find_target(path, kind);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : held_(std::exchange(other.held_, -1)) {}

Descriptor::~Descriptor() {
  if (held_ >= 0) ::close(held_);
}

Transaction::Transaction() {
  const sigset_t waiting = interruptions();
  ::sigprocmask(SIG_BLOCK, &waiting, &former_mask_);
}

Transaction::~Transaction() {
  if (!committed_) {
    for (; !staged_.empty(); staged_.pop_back()) withdraw(staged_.back());
    for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());
  }
  ::sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
}

void Transaction::lock(const fs::path& path) {
  do {
    locked_.emplace(open_parent(path));
    wait_for_lock(*locked_, path.parent_path());
    // Whoever had the lock may have removed the directory that it had made.
  } while (!is_still(*locked_, path.parent_path()));
}

void Transaction::create(const fs::path& path, Access access, bcpki::View content) {
  require_absent(path);
  stage(path, static_cast<mode_t>(access), content, nullptr, std::nullopt);
}

void Transaction::replace(const fs::path& path, const FileKind& kind, bcpki::View content) {
  const auto [target, former] = find_target(path, kind);
  const mode_t mode = former ? former->st_mode & kPermissions : static_cast<mode_t>(kind.access);
  stage(target, mode, content, &kind, former);
}

Descriptor Transaction::open_parent(const fs::path& path) {
  if (!path.has_filename()) fail(Code::invalid_state, path, "is the name of a directory");
  (void)status_of(path);
  make_directories(path.parent_path());
  return open_directory(path.parent_path());
}

void Transaction::stage(const fs::path& path, mode_t mode, bcpki::View content,
                        const FileKind* kind, const std::optional<struct stat>& former) {
  Descriptor directory = open_parent(path);
  New made = make_temporary(directory, path);
  // From here on the destructor removes it.
  staged_.push_back({.path = path,
                     .directory = std::move(directory),
                     .temporary = std::move(made.name),
                     .kind = kind,
                     .replaces = former.has_value()});
  set_access(made.file, path, mode, former);
  if (const int error = write_all(made.file.get(), content); error != 0) {
    fail_io(path, "cannot be written", error);
  }
  if (::fsync(made.file.get()) != 0) fail_io(path, "cannot be written");
}

void Transaction::make_directories(const fs::path& directory) {
  if (directory == directory.parent_path() || status_of(directory)) return;
  make_directories(directory.parent_path());
  if (::mkdir(directory.c_str(), 0700) != 0) {
    if (errno == EEXIST) return;
    fail_io(directory, "cannot be made");
  }
  made_.push_back(directory);
  if (::chmod(directory.c_str(), 0700) != 0 && errno != EPERM)
    fail_io(directory, "cannot get its mode");
}

void Transaction::publish(Staged& staged) {
  const int directory = staged.directory.get();
  const char* from = staged.temporary.c_str();
  const std::string name = staged.path.filename().native();
  if (!staged.replaces) {
    if (move_to_free_name(directory, from, name.c_str())) {
      staged.state = Staged::State::created;
      return;
    }
    if (errno != EEXIST || staged.kind == nullptr) fail_to_name(staged.path);
    // Who keeps to no lock was faster: what is there now is judged like what was there before.
    if (find_target(staged.path, *staged.kind).path != staged.path) fail_existing(staged.path);
  }
  if (::renameat2(directory, from, directory, name.c_str(), RENAME_EXCHANGE) == 0) {
    staged.state = Staged::State::exchanged;
    return;
  }
  // Not every file system can exchange two names; the former file is then gone for good.
  if ((errno != EINVAL && errno != ENOSYS) ||
      ::renameat(directory, from, directory, name.c_str()) != 0) {
    fail_to_name(staged.path);
  }
  staged.state = Staged::State::replaced;
}

void Transaction::withdraw(Staged& staged) noexcept {
  const int directory = staged.directory.get();
  const std::string name = staged.path.filename().native();
  const char* temporary = staged.temporary.c_str();
  switch (staged.state) {
    case Staged::State::replaced:
      return;
    case Staged::State::created:
      ::unlinkat(directory, name.c_str(), 0);
      return;
    case Staged::State::exchanged:
      (void)::renameat2(directory, temporary, directory, name.c_str(), RENAME_EXCHANGE);
      [[fallthrough]];
    case Staged::State::prepared:
      ::unlinkat(directory, temporary, 0);
  }
}

void Transaction::commit() {
  for (Staged& staged : staged_) publish(staged);
  for (const Staged& staged : staged_) sync_directory(staged.directory.get(), staged.path);
  for (const fs::path& made : made_) {
    sync_directory(open_directory(made.parent_path()).get(), made);
  }
  committed_ = true;
  for (const Staged& staged : staged_) {
    if (staged.state == Staged::State::exchanged) {
      ::unlinkat(staged.directory.get(), staged.temporary.c_str(), 0);
    }
  }
}

}  // namespace cli
