#include "common/transaction.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "bcpki/error.h"

#include "common/file_access.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

constexpr int kMaxLinks = 8;
constexpr int kMaxTemporaries = 100;
constexpr int kLockAttempts = 200;
constexpr std::chrono::milliseconds kLockPause(50);

// A temporary name must fit where the name itself does.
constexpr std::size_t kMaxStem = 200;

// status_of returns what stands at `path` itself, not behind a link.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  if (errno == ENOTDIR) {
    fail_file(Code::invalid_state, path, "cannot be made: what stands above it is not a directory");
  }
  fail_io(path, "cannot be examined");
}

[[noreturn]] void fail_no_regular_file(const fs::path& path, mode_t mode) {
  fail_file(Code::invalid_state, path,
            fmt::format("{}; only a regular file is replaced", kind_name(mode)));
}

// has_only_blocks says whether there is a PEM block in `text` and the label of each ends with
// `label`. Text around them is only a comment.
bool has_only_blocks(std::string_view text, std::string_view label) {
  const std::string wanted = fmt::format("{}-----", label);
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

bool has_only_certificates(std::string_view text) {
  return has_only_blocks(text, "CERTIFICATE");
}

bool has_only_keys(std::string_view text) {
  return has_only_blocks(text, "PRIVATE KEY");
}

// An empty file has nothing to lose.
bool is_like(const File& file, const FileKind& kind) {
  if (file.content.empty()) return true;
  return file.content.size() <= kMaxFileBytes &&
         kind.is_like(bcpki::as_text(file.content.reveal()));
}

void require_kind(const fs::path& path, const FileKind& kind) {
  const File file = read_start(path, kMaxFileBytes + 1);
  if (!is_like(file, kind)) {
    fail_file(Code::invalid_state, path,
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
    if (!status) fail_file(Code::invalid_state, given, "is a link to nothing; remove it");
    if (links > 0 && status->st_uid != own) {
      fail_file(Code::invalid_state, given, "is a link to a file of another user; remove it");
    }
    if (S_ISREG(status->st_mode)) return {path, status};
    if (!S_ISLNK(status->st_mode)) fail_no_regular_file(path, status->st_mode);
    if (status->st_uid != own) {
      fail_file(Code::invalid_state, given, "is a link of another user; remove it");
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail_io(path, "cannot be read", error.value());
    path = absolute_path(path.parent_path() / next);
  }
  fail_file(Code::invalid_state, given, "is a chain of too many links; remove it");
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
  if (descriptor < 0 && errno == ENOTDIR)
    fail_file(Code::invalid_state, path, "is not a directory");
  if (descriptor < 0) fail_io(path, "cannot be opened");
  return Descriptor(descriptor);
}

// New is a file under a name that nothing had.
struct New {
  Descriptor file;
  std::string name;
};

// temporary_start is what every temporary name for `path` starts with.
std::string temporary_start(const fs::path& path) {
  return fmt::format(".{}.bcpki-", path.filename().native().substr(0, kMaxStem));
}

New make_temporary(const Descriptor& directory, const fs::path& path) {
  for (int attempt = 0; attempt < kMaxTemporaries; ++attempt) {
    std::string name = fmt::format("{}{}-{}", temporary_start(path), ::getpid(), attempt);
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
    fail_io(path, "cannot keep its owner and group; run this as its owner, or write elsewhere");
  }
  // EPERM for a file that we own means a file system without modes, such as a USB stick's.
  if (::fchmod(file.get(), mode) != 0 && errno != EPERM) fail_io(path, "cannot get its mode");
}

// Not every file system can rename with flags.
bool has_no_such_rename(int error) {
  return error == EINVAL || error == ENOSYS;
}

bool remove_name(int directory, const char* name) {
  return ::unlinkat(directory, name, 0) == 0 || errno == ENOENT;
}

[[noreturn]] void fail_changed(const fs::path& path) {
  fail_file(Code::conflict, path, "was changed since it was read; start again");
}

// require_unchanged throws CONFLICT where the file `name` of `directory`, which was read as
// `former`, holds anything else.
void require_unchanged(const Descriptor& directory, const fs::path& name, const File& former,
                       const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
  const int opened = ::openat(directory.get(), name.c_str(), kFlags);
  if (opened < 0 && (errno == ENOENT || errno == ELOOP)) fail_changed(path);
  if (opened < 0) fail_io(path, "cannot be read");
  const Descriptor file(opened);
  struct stat status{};
  if (::fstat(opened, &status) == 0 && !S_ISREG(status.st_mode)) fail_changed(path);
  const File present = read_opened(file, path, former.content.size() + 1);
  if (!present.content.equals(former.content)) fail_changed(path);
}

[[noreturn]] void fail_existing(const fs::path& path) {
  fail_file(Code::invalid_state, path, "exists already; choose another path");
}

[[noreturn]] void fail_to_name(const fs::path& path) {
  if (errno == EEXIST) fail_existing(path);
  if (errno == EBUSY) {
    fail_file(Code::invalid_state, path, "is a mount point; mount its directory instead");
  }
  fail_io(path, "cannot be written");
}

// wait_for_lock says whether it got the lock: not every file system has any.
bool wait_for_lock(const Descriptor& directory, const fs::path& path) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    if (::flock(directory.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
    std::this_thread::sleep_for(kLockPause);
  }
  fail_file(Code::invalid_state, path, "is locked by another program; try again when it has ended");
}

bool is_still(const Descriptor& directory, const fs::path& path) {
  struct stat held{};
  struct stat named{};
  return ::fstat(directory.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace

constinit const FileKind kCertificateFile{"certificate", has_only_certificates, Access::everyone};
constinit const FileKind kKeyFile{"private key", has_only_keys, Access::owner};

void require_absent(const fs::path& path) {
  if (status_of(path)) fail_existing(path);
}

void require_replaceable(const fs::path& path, const FileKind& kind) {
  (void)find_target(path, kind);
}

Transaction::~Transaction() {
  if (committed_) return;
  for (; !staged_.empty(); staged_.pop_back()) (void)withdraw(staged_.back());
  for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());
}

void Transaction::lock(const fs::path& path) {
  do {
    locked_.emplace(open_parent(path));
    is_alone_ = wait_for_lock(*locked_, path.parent_path());
    // Whoever had the lock may have removed the directory that it had made.
  } while (!is_still(*locked_, path.parent_path()));
}

void Transaction::create(const fs::path& path, Access access, bcpki::View content) {
  require_absent(path);
  stage(path, static_cast<mode_t>(access), content, {}, std::nullopt);
}

void Transaction::replace(const fs::path& path, const FileKind& kind, bcpki::View content) {
  const auto [target, former] = find_target(path, kind);
  const mode_t mode = former ? former->st_mode & kPermissions : static_cast<mode_t>(kind.access);
  stage(target, mode, content, {.kind = &kind}, former);
}

void Transaction::rewrite(const fs::path& path, const File& former, bcpki::View content) {
  auto [target, status] = follow_links(path);
  // A second link may be what a killed one left.
  if (status && status->st_nlink > 1) {
    remove_leftovers(target);
    status = status_of(target);
  }
  if (!status) fail_changed(path);
  if (status->st_nlink > 1) {
    fail_file(Code::invalid_state, path,
              "has several hard links, which would then differ; write elsewhere with --out");
  }
  stage(target, status->st_mode & kPermissions, content, {.read = &former}, status);
  require_unchanged(staged_.back().directory, target.filename(), former, target);
}

Descriptor Transaction::open_parent(const fs::path& path) {
  if (!path.has_filename()) fail_file(Code::invalid_state, path, "is the name of a directory");
  (void)status_of(path);
  make_directories(path.parent_path());
  return open_directory(path.parent_path());
}

void Transaction::stage(const fs::path& path, mode_t mode, bcpki::View content,
                        const Expected& expected, const std::optional<struct stat>& former) {
  Descriptor directory = open_parent(path);
  remove_leftovers(path);
  New made = make_temporary(directory, path);
  // From here on the destructor removes it.
  staged_.push_back({.path = path,
                     .directory = std::move(directory),
                     .temporary = std::move(made.name),
                     .expected = expected,
                     .replaces = former.has_value()});
  set_access(made.file, path, mode, former);
  if (const int error = write_all(made.file.get(), content); error != 0) {
    fail_io(path, "cannot be written", error);
  }
  if (::fsync(made.file.get()) != 0) fail_io(path, "cannot be written");
}

// Who has the lock knows that whoever left such a name was killed.
void Transaction::remove_leftovers(const fs::path& path) const {
  if (!is_alone_ || !is_still(*locked_, path.parent_path())) return;
  const std::string start = temporary_start(path);
  std::error_code error;
  fs::directory_iterator entry(path.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    const bool is_ours = std::ranges::find(staged_, name, &Staged::temporary) != staged_.end();
    if (name.starts_with(start) && !is_ours) (void)remove_name(locked_->get(), name.c_str());
  }
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

// take_free_name never takes a name that is in use; where it returns false, errno says why.
bool Transaction::take_free_name(Staged& staged) {
  const int directory = staged.directory.get();
  const char* from = staged.temporary.c_str();
  const std::string name = staged.path.filename().native();
  if (::renameat2(directory, from, directory, name.c_str(), RENAME_NOREPLACE) == 0) {
    staged.state = Staged::State::created;
    return true;
  }
  if (!has_no_such_rename(errno) || ::linkat(directory, from, directory, name.c_str(), 0) != 0) {
    return false;
  }
  staged.state = Staged::State::linked;
  return true;
}

void Transaction::publish(Staged& staged) {
  const int directory = staged.directory.get();
  const char* from = staged.temporary.c_str();
  const std::string name = staged.path.filename().native();
  if (!staged.replaces) {
    if (take_free_name(staged)) return;
    const FileKind* kind = staged.expected.kind;
    if (errno != EEXIST || kind == nullptr) fail_to_name(staged.path);
    // Who keeps to no lock was faster: what is there now is judged like what was there before.
    if (find_target(staged.path, *kind).path != staged.path) fail_existing(staged.path);
  }
  const File* former = staged.expected.read;
  if (former != nullptr) require_unchanged(staged.directory, name, *former, staged.path);
  if (::renameat2(directory, from, directory, name.c_str(), RENAME_EXCHANGE) == 0) {
    staged.state = Staged::State::exchanged;
    // Nobody can have come between this look and the exchange: it is at what was exchanged.
    if (former != nullptr)
      require_unchanged(staged.directory, staged.temporary, *former, staged.path);
    return;
  }
  if (former != nullptr && errno == ENOENT) fail_changed(staged.path);
  // Not every file system can exchange two names; the former file is then gone for good.
  if (!has_no_such_rename(errno) || ::renameat(directory, from, directory, name.c_str()) != 0) {
    fail_to_name(staged.path);
  }
  staged.state = Staged::State::replaced;
}

// withdraw says whether everything is as it was; if not, `state` is how far it came.
bool Transaction::withdraw(Staged& staged) noexcept {
  using State = Staged::State;
  const int directory = staged.directory.get();
  const std::string held = staged.path.filename().native();
  const char* name = held.c_str();
  const char* temporary = staged.temporary.c_str();
  switch (staged.state) {
    case State::replaced:
      return false;
    case State::created:
      return remove_name(directory, name);
    case State::linked:
      if (!remove_name(directory, name)) return false;
      break;
    case State::exchanged:
      if (::renameat2(directory, temporary, directory, name, RENAME_EXCHANGE) != 0) return false;
      break;
    case State::prepared:
      break;
  }
  staged.state = State::prepared;
  return remove_name(directory, temporary);
}

void Transaction::publish_all() {
  for (Staged& staged : staged_) publish(staged);
  for (const Staged& staged : staged_) sync_directory(staged.directory.get(), staged.path);
  for (const fs::path& made : made_) {
    sync_directory(open_directory(made.parent_path()).get(), made);
  }
}

void Transaction::commit() {
  try {
    publish_all();
  } catch (const Error& error) {
    const std::string left = take_back();
    if (left.empty()) throw;
    throw Error(error.code(), error.what() + left, error.details());
  }
  committed_ = true;
  remove_former_files();
}

// take_back says what could not be taken back.
std::string Transaction::take_back() {
  std::string left;
  for (; !staged_.empty(); staged_.pop_back()) {
    if (!withdraw(staged_.back())) left += whereabouts(staged_.back());
  }
  return left;
}

void Transaction::remove_former_files() const {
  std::string left;
  int error = 0;
  for (const Staged& staged : staged_) {
    if (staged.state != Staged::State::exchanged && staged.state != Staged::State::linked) continue;
    if (remove_name(staged.directory.get(), staged.temporary.c_str())) continue;
    error = errno;
    left += whereabouts(staged);
  }
  if (left.empty()) return;
  throw Error(Code::io_error, fmt::format("a temporary file cannot be removed: {}{}",
                                          std::generic_category().message(error), left));
}

std::string Transaction::whereabouts(const Staged& staged) {
  const std::string temporary = (staged.path.parent_path() / staged.temporary).native();
  switch (staged.state) {
    case Staged::State::prepared:
      return fmt::format("; {} is left behind", temporary);
    case Staged::State::linked:
      return fmt::format("; {} holds the new content, and so does {}", staged.path.native(),
                         temporary);
    case Staged::State::exchanged:
      return fmt::format("; {} holds the new content, {} the former one", staged.path.native(),
                         temporary);
    default:
      return fmt::format("; {} holds the new content", staged.path.native());
  }
}

}  // namespace cli
