#include "format/ssh.h"

#include <algorithm>
#include <array>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

#include "base/table.h"
#include "base/wire.h"

namespace bcpki::ssh {
namespace {

constexpr std::string_view kCurve = "nistp256";
constexpr std::byte kUncompressed{0x04};

struct Form {
  KeyType type;
  std::string_view name;
  std::size_t raw_size;
};

constexpr std::array kForms = {
    Form{.type = KeyType::ed25519, .name = "ssh-ed25519", .raw_size = 32},
    Form{.type = KeyType::ecdsa_p256, .name = "ecdsa-sha2-nistp256", .raw_size = 65},
};

const Form& form_of(KeyType type) {
  return row_of(kForms, type, &Form::type);
}

const Form* find_form(std::string_view name) {
  const auto* form = std::ranges::find(kForms, name, &Form::name);
  return form == kForms.end() ? nullptr : form;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// split_word takes what stands before the next space, and the space.
std::string_view split_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

// Both blobs are the name, for ECDSA the curve, and the raw key.
Bytes blob_before_key(const Form& form) {
  Bytes blob;
  wire::put_lp(blob, as_bytes(form.name));
  if (form.type == KeyType::ecdsa_p256) wire::put_lp(blob, as_bytes(kCurve));
  wire::put_u32(blob, static_cast<std::uint32_t>(form.raw_size));
  return blob;
}

}  // namespace

std::optional<PublicKeyLine> parse_line(std::string_view line) {
  if (!is_printable(line)) return std::nullopt;
  const Form* form = find_form(split_word(line));
  if (form == nullptr) return std::nullopt;
  const auto blob = parse_base64(split_word(line));
  if (!blob) return std::nullopt;

  const Bytes before_key = blob_before_key(*form);
  if (blob->size() != before_key.size() + form->raw_size) return std::nullopt;
  const View raw = View(*blob).subspan(before_key.size());
  if (!equal(View(*blob).first(before_key.size()), before_key)) return std::nullopt;
  if (form->type == KeyType::ecdsa_p256 && raw.front() != kUncompressed) return std::nullopt;
  return PublicKeyLine{.type = form->type, .raw = to_bytes(raw), .comment = std::string(line)};
}

std::string format_line(KeyType type, View raw, std::string_view comment) {
  const Form& form = form_of(type);
  if (raw.size() != form.raw_size) throw Error(Code::internal, "a public key of a wrong size");
  if (!is_printable(comment))
    throw Error(Code::invalid_input, "the comment of an SSH key is not printable ASCII");
  Bytes blob = blob_before_key(form);
  wire::put(blob, raw);
  std::string line = std::string(form.name) + ' ' + base64(blob);
  if (!comment.empty()) line.append(1, ' ').append(comment);
  return line;
}

}  // namespace bcpki::ssh
