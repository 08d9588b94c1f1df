#include "format/pem.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "bcpki/encoding.h"

namespace bcpki::pem {
namespace {

constexpr std::size_t kOctetsOfLine = 48;  // 64 columns
constexpr std::size_t kMaxLabel = 64;
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";

// Lines gives one line after the other, without its end and the white space before that.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
  }

 private:
  std::string_view rest_;
};

bool is_label_character(char c) {
  return c >= 0x20 && c < 0x7f;
}

bool is_edge(char c) {
  return c != '-' && c != ' ';
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel &&
         std::ranges::all_of(text, is_label_character) && is_edge(text.front()) &&
         is_edge(text.back());
}

// label_behind returns the label of a BEGIN or END line, or nullopt where the line is none.
std::optional<std::string_view> label_behind(std::string_view mark, std::string_view line) {
  if (!line.starts_with(mark) || !line.ends_with(kDashes)) return std::nullopt;
  line.remove_prefix(mark.size());
  line.remove_suffix(std::min(line.size(), kDashes.size()));
  if (!is_label(line)) return std::nullopt;
  return line;
}

void append(SecretBytes& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) text.append(as_bytes(part));
}

std::optional<SecretBytes> decode(const SecretBytes& base64_text) {
  auto octets = parse_base64(as_text(base64_text.reveal()));
  if (!octets || octets->empty()) return std::nullopt;
  SecretBytes der{View(*octets)};
  wipe(*octets);
  return der;
}

// RFC 1421 section 4.4: `Name: value` lines, some of them folded, up to a blank line.
void skip_headers(Lines& lines) {
  for (auto line = lines.next(); line && !line->empty();) line = lines.next();
}

// read_block reads from behind the BEGIN line up to the END line.
std::optional<Block> read_block(std::string_view label, Lines& lines) {
  Block block;
  block.label = label;
  SecretBytes body;
  bool is_first = true;
  for (auto line = lines.next(); line; line = lines.next()) {
    if (label_behind(kEnd, *line) == label) {
      auto der = decode(body);
      if (!der) return std::nullopt;
      block.der = *std::move(der);
      return block;
    }
    if (std::exchange(is_first, false) && line->find(':') != std::string_view::npos) {
      block.has_headers = true;
      skip_headers(lines);
      continue;
    }
    body.append(as_bytes(*line));
  }
  return std::nullopt;
}

}  // namespace

std::string encode(std::string_view label, View der) {
  return std::string(as_text(encode_secret(label, der).reveal()));
}

SecretBytes encode_secret(std::string_view label, View der) {
  SecretBytes text;
  append(text, {kBegin, label, kDashes, "\n"});
  while (!der.empty()) {
    const View octets = der.first(std::min(der.size(), kOctetsOfLine));
    std::string line = base64(octets);
    append(text, {line, "\n"});
    wipe(std::as_writable_bytes(std::span(line)));
    der = der.subspan(octets.size());
  }
  append(text, {kEnd, label, kDashes, "\n"});
  return text;
}

std::optional<SecretBytes> parse_exact(std::string_view label, std::string_view text) {
  auto blocks = parse_blocks(text, 1);
  if (!blocks || blocks->size() != 1) return std::nullopt;
  SecretBytes& der = blocks->front().der;
  const SecretBytes written = encode_secret(label, der.reveal());
  if (as_text(written.reveal()) != text) return std::nullopt;
  return std::move(der);
}

std::optional<std::vector<Block>> parse_blocks(std::string_view text, std::size_t max_blocks) {
  std::vector<Block> blocks;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (!line->starts_with(kBegin) && !line->starts_with(kEnd)) continue;
    const auto label = label_behind(kBegin, *line);
    if (!label || blocks.size() == max_blocks) return std::nullopt;
    auto block = read_block(*label, lines);
    if (!block) return std::nullopt;
    blocks.push_back(*std::move(block));
  }
  return blocks;
}

}  // namespace bcpki::pem
