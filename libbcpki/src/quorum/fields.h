// A document of ours, read member by member: formats.md sections 1, 4 and 5.
#pragma once

#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bcpki/bytes.h"
#include "bcpki/time.h"

#include "format/json.h"

namespace bcpki {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
inline constexpr std::uint64_t kFormatVersion = 1;

// FileFormat is one kind of file: its `format`, and what people call it.
struct FileFormat {
  std::string_view format;
  std::string_view name;
};

// refuse_file throws INVALID_INPUT about a file of that name.
[[noreturn]] void refuse_file(std::string_view name, std::string_view what);

// refuse_version throws that the file was made by a newer version, where `version` is one, or that
// it is not of the version that we read.
[[noreturn]] void refuse_version(std::string_view name, std::uint64_t version);

// parse_file reads a file of at most kMaxFileBytes with an object on top.
json::Value parse_file(std::string_view name, std::string_view text);

// require_format checks `format` and `version`; it names `formats` where the file is another kind.
const FileFormat& require_format(const json::Value& top, std::span<const FileFormat> formats);

// Fields reads one object whose every member must be read. Throws INVALID_INPUT with the member's
// JSON pointer.
class Fields {
 public:
  // `value` stands at the JSON pointer `place` ("" is the top) of a file called `file`.
  Fields(const json::Value& value, std::string_view file, std::string place = "");

  const json::Value& member(std::string_view name);
  const json::Value* optional(std::string_view name);  // null where there is none

  const std::string& text(std::string_view name);
  const json::Array& list(std::string_view name);
  std::uint64_t integer(std::string_view name);
  std::uint32_t u32(std::string_view name);
  Digest32 digest(std::string_view name);  // hex
  Bytes base64(std::string_view name);
  Bytes base64url(std::string_view name);
  UnixTime whole_seconds(std::string_view name);

  // named reads a text that `is` takes; `what` says what it must be.
  template <std::predicate<std::string_view> Is>
  const std::string& named(std::string_view name, Is is, std::string_view what) {
    const std::string& value = text(name);
    if (!is(value)) refuse(name, what);
    return value;
  }

  // inner reads the object called `name`, element the one at `index` of the list called `name`.
  Fields inner(std::string_view name);
  Fields element(std::string_view name, std::size_t index);

  // refuse throws that the member "is not <what>".
  [[noreturn]] void refuse(std::string_view name, std::string_view what) const;

  // finish refuses a member that was not read.
  void finish() const;

 private:
  std::string pointer(std::string_view name) const { return fmt::format("{}/{}", place_, name); }

  const json::Object* members_;
  const json::Value* value_;
  std::string_view file_;
  std::string place_;
  std::set<std::string, std::less<>> read_;
};

// parse_whole_seconds returns nullopt for what is no time, and for a fraction of a second.
std::optional<UnixTime> parse_whole_seconds(std::string_view text);

// laid_out writes a document for people.
std::string laid_out(const json::Value& value);

}  // namespace bcpki
