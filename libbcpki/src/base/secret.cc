#include "bcpki/secret.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bcpki/error.h"

namespace bcpki {
namespace {

constexpr std::size_t kSmallestCapacity = 64;
constexpr std::size_t kMaxFileSize = std::size_t{1} << 20;
constexpr std::size_t kChunkSize = std::size_t{16} << 10;

// File is an open descriptor and the path that errors name.
class File {
 public:
  // A FIFO must not block, and a terminal must not become ours: what it is, is judged only after.
  explicit File(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {
    if (fd_ < 0) fail_to_read();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }

  void require_regular() const {
    struct stat status{};
    if (::fstat(fd_, &status) != 0) fail_to_read();
    if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  }

  // read_some fills the start of `out` and returns how much; 0 is the end of the file.
  std::size_t read_some(std::span<std::byte> out) const {
    ssize_t count = 0;
    do {
      count = ::read(fd_, out.data(), out.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) fail_to_read();
    return static_cast<std::size_t>(count);
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(Code::invalid_input, fmt::format("{} {}", path_.native(), why));
  }

 private:
  [[noreturn]] void fail_to_read() const {
    const std::string why = std::generic_category().message(errno);
    throw Error(Code::io_error, fmt::format("cannot read {}: {}", path_.native(), why));
  }

  const std::filesystem::path& path_;
  int fd_;
};

}  // namespace

SecretBytes::SecretBytes(std::size_t size)
    : data_(size == 0 ? nullptr : std::make_unique<std::byte[]>(size)),
      size_(size),
      capacity_(size) {}

SecretBytes::SecretBytes(View bytes) : SecretBytes(bytes.size()) {
  std::ranges::copy(bytes, data_.get());
}

SecretBytes::SecretBytes(std::string_view text) : SecretBytes(as_bytes(text)) {}

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : data_(std::move(other.data_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  const SecretBytes former(std::move(*this));
  data_ = std::move(other.data_);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

SecretBytes::~SecretBytes() {
  wipe({data_.get(), capacity_});
}

SecretBytes SecretBytes::read(const std::filesystem::path& path) {
  const File file(path);
  file.require_regular();
  SecretBytes content;
  SecretBytes chunk(kChunkSize);
  while (const std::size_t count = file.read_some(chunk.reveal())) {
    content.append(chunk.reveal().first(count));
    if (content.size() > kMaxFileSize) file.refuse("is larger than 1 MiB");
  }
  return content;
}

bool SecretBytes::equals(const SecretBytes& other) const noexcept {
  return size_ == other.size_ && sodium_memcmp(data_.get(), other.data_.get(), size_) == 0;
}

void SecretBytes::append(View bytes) {
  const std::size_t needed = size_ + bytes.size();
  if (needed > capacity_) {
    SecretBytes grown(std::max({needed, capacity_ * 2, kSmallestCapacity}));
    std::ranges::copy(reveal(), grown.data_.get());
    grown.size_ = size_;
    // `bytes` may be part of this secret: it is copied before the former storage goes.
    std::ranges::copy(bytes, grown.data_.get() + size_);
    *this = std::move(grown);
  } else {
    std::ranges::copy(bytes, data_.get() + size_);
  }
  size_ = needed;
}

void SecretBytes::truncate(std::size_t size) noexcept {
  if (size >= size_) return;
  wipe(reveal().subspan(size));
  size_ = size;
}

void wipe(std::span<std::byte> bytes) noexcept {
  if (!bytes.empty()) sodium_memzero(bytes.data(), bytes.size());
}

}  // namespace bcpki
