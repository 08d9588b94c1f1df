#include "common/io.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/file_access.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kChunkSize = std::size_t{16} << 10;

// What no shell gives a meaning, wherever it stands in a word.
constexpr std::string_view kShellPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:@%+,-";

[[noreturn]] void fail_to_open(const fs::path& path) {
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
      fail_file(Code::not_found, path, "does not exist");
    case ENXIO:
      fail_file(Code::invalid_input, path, "is a socket or a device, not a regular file");
    case ELOOP:
      fail_file(Code::invalid_input, path, "is a loop of symbolic links");
    case ENAMETOOLONG:
      fail_file(Code::invalid_input, path, "has too long a name");
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

}  // namespace

void fail_file(Code code, const fs::path& path, std::string_view what) {
  throw Error(code, fmt::format("{} {}", path.native(), what));
}

void fail_io(const fs::path& path, std::string_view what, int error) {
  fail_file(Code::io_error, path,
            fmt::format("{}: {}", what, std::generic_category().message(error)));
}

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a FIFO";
  if (S_ISSOCK(mode)) return "is a socket";
  if (S_ISLNK(mode)) return "is a symbolic link";
  return "is a device";
}

int write_all(int descriptor, bcpki::View bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

File read_opened(const Descriptor& file, const fs::path& path, std::size_t size) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail_io(path, "cannot be examined");
  if (!S_ISREG(status.st_mode)) {
    fail_file(Code::invalid_input, path,
              fmt::format("{}, not a regular file", kind_name(status.st_mode)));
  }
  bcpki::SecretBytes content;
  bcpki::SecretBytes chunk(kChunkSize);
  while (content.size() < size) {
    const std::size_t wanted = std::min(kChunkSize, size - content.size());
    const std::size_t count = read_some(file.get(), chunk.reveal().first(wanted), path);
    if (count == 0) break;
    content.append(chunk.reveal().first(count));
  }
  return {.content = std::move(content),
          .mode = status.st_mode & kPermissions,
          .owner = status.st_uid,
          .links = status.st_nlink};
}

Descriptor::Descriptor(Descriptor&& other) noexcept : held_(std::exchange(other.held_, -1)) {}

Descriptor::~Descriptor() {
  if (held_ >= 0) ::close(held_);
}

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
  return read_opened(Descriptor(opened), path, size);
}

File read_file(const fs::path& path, std::size_t limit) {
  File file = read_start(path, limit + 1);
  if (file.content.size() > limit) {
    fail_file(Code::invalid_input, path, fmt::format("is larger than {} bytes", limit));
  }
  return file;
}

void write_stream(int descriptor, std::string_view name, std::string_view text) {
  if (const int error = write_all(descriptor, bcpki::as_bytes(text)); error != 0) {
    fail_io(name, "cannot be written", error);
  }
}

}  // namespace cli
