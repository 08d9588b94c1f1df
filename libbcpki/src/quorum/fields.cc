#include "quorum/fields.h"

#include <algorithm>
#include <limits>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

#include "quorum/excerpt.h"

namespace bcpki {

void refuse_file(std::string_view name, std::string_view what) {
  throw Error(Code::invalid_input, fmt::format("the {} cannot be used: {}", name, what));
}

void refuse_version(std::string_view name, std::uint64_t version) {
  if (version > kFormatVersion)
    refuse_file(name, fmt::format("it was made by a newer version: update this tool to read "
                                  "version {}",
                                  version));
  refuse_file(name, fmt::format("its version is not {}", kFormatVersion));
}

json::Value parse_file(std::string_view name, std::string_view text) try {
  if (text.size() > kMaxFileBytes)
    refuse_file(name, fmt::format("it is larger than {} bytes", kMaxFileBytes));
  auto value = json::parse(text);
  if (!value.object()) refuse_file(name, "its top is not an object");
  return value;
} catch (const json::SyntaxError& error) {
  refuse_file(name, error.what());
}

const FileFormat& require_format(const json::Value& top, std::span<const FileFormat> formats) {
  const auto format = top.text("format");
  const auto found = std::ranges::find_if(
      formats, [&](const FileFormat& known) { return format == known.format; });
  if (found == formats.end())
    refuse_file(formats.front().name,
                fmt::format("its format is \"{}\", not \"{}\"", excerpt(format.value_or("")),
                            formats.front().format));
  const auto* member = top.find("version");
  const auto* version = member ? member->integer() : nullptr;
  if (!version || *version != kFormatVersion) refuse_version(found->name, version ? *version : 0);
  return *found;
}

Fields::Fields(const json::Value& value, std::string_view file, std::string place)
    : members_(value.object()), value_(&value), file_(file), place_(std::move(place)) {
  if (!members_)
    refuse_file(file_, fmt::format("{} is not an object", place_.empty() ? "its top" : place_));
}

const json::Value* Fields::optional(std::string_view name) {
  read_.emplace(name);
  return value_->find(name);
}

const json::Value& Fields::member(std::string_view name) {
  const auto* value = optional(name);
  if (!value) refuse_file(file_, fmt::format("{} is missing", pointer(name)));
  return *value;
}

const std::string& Fields::text(std::string_view name) {
  const auto* value = member(name).string();
  if (!value) refuse(name, "a string");
  return *value;
}

const json::Array& Fields::list(std::string_view name) {
  const auto* value = member(name).array();
  if (!value) refuse(name, "a list");
  return *value;
}

std::uint64_t Fields::integer(std::string_view name) {
  const auto* value = member(name).integer();
  if (!value) refuse(name, "a whole number");
  return *value;
}

std::uint32_t Fields::u32(std::string_view name) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t value = integer(name);
  if (value > kMax) refuse(name, "a number of 32 bits");
  return static_cast<std::uint32_t>(value);
}

Digest32 Fields::digest(std::string_view name) {
  const auto value = parse_digest(text(name));
  if (!value) refuse(name, "32 bytes of hex");
  return *value;
}

Bytes Fields::base64(std::string_view name) {
  auto value = parse_base64(text(name));
  if (!value) refuse(name, "base64");
  return *std::move(value);
}

Bytes Fields::base64url(std::string_view name) {
  auto value = parse_base64url(text(name));
  if (!value) refuse(name, "base64url without padding");
  return *std::move(value);
}

UnixTime Fields::whole_seconds(std::string_view name) {
  const auto value = parse_whole_seconds(text(name));
  if (!value) refuse(name, "a time in whole seconds such as 2026-11-30T12:00:00Z");
  return *value;
}

Fields Fields::inner(std::string_view name) {
  return Fields(member(name), file_, pointer(name));
}

Fields Fields::element(std::string_view name, std::size_t index) {
  return Fields(list(name)[index], file_, fmt::format("{}/{}", pointer(name), index));
}

void Fields::refuse(std::string_view name, std::string_view what) const {
  refuse_file(file_, fmt::format("{} is not {}", pointer(name), what));
}

void Fields::finish() const {
  for (const auto& [name, value] : *members_)
    if (!read_.contains(name))
      refuse_file(file_, fmt::format("{} is no member that we know", pointer(excerpt(name))));
}

std::optional<UnixTime> parse_whole_seconds(std::string_view text) {
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  return parse_time(text);
}

std::string laid_out(const json::Value& value) {
  const SecretBytes text = json::write(value);
  return std::string(as_text(text.reveal()));
}

}  // namespace bcpki
