// What reading and writing files share.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "bcpki/bytes.h"
#include "bcpki/error.h"

#include "common/io.h"

namespace cli {

inline constexpr mode_t kPermissions = 07777;

// fail_file throws `code`: the path, then `what`.
[[noreturn]] void fail_file(bcpki::Code code, const std::filesystem::path& path,
                            std::string_view what);

// fail_io throws IO_ERROR: the path, `what` and what the system says.
[[noreturn]] void fail_io(const std::filesystem::path& path, std::string_view what,
                          int error = errno);

// kind_name says what a file is that is no regular one.
std::string_view kind_name(mode_t mode);

// write_all returns 0, or the errno of what went wrong.
int write_all(int descriptor, bcpki::View bytes);

// read_opened reads at most `size` bytes of an opened file; `path` is for messages. Throws
// INVALID_INPUT where it is no regular file, IO_ERROR where it cannot be read.
File read_opened(const Descriptor& file, const std::filesystem::path& path, std::size_t size);

}  // namespace cli
