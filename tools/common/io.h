// Files that a command reads: opened once and judged by their descriptor.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "bcpki/bytes.h"
#include "bcpki/secret.h"

namespace cli {

// absolute_path is the path that reports name: from the root. `..` stays, since the directory
// before it may be a link.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Descriptor owns an open file.
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

}  // namespace cli
