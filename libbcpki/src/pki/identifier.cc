#include "bcpki/identifier.h"

#include <algorithm>
#include <array>
#include <vector>

namespace bcpki {
namespace {

using std::string_view;

// What one character may be.
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c);
}
bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_lower_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool is_slug(char c) {
  return is_lower_alphanumeric(c) || c == '-';
}
bool is_printable(char c) {
  return c >= 0x20 && c <= 0x7e;
}
bool is_visible(char c) {
  return is_printable(c) && c != ' ';
}
bool is_trust_domain_character(char c) {
  return is_slug(c) || c == '_';
}
bool is_id_character(char c) {
  return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

using Class = bool (*)(char);

// consists_of says whether `text` is `min` to `max` characters, each of `of`.
bool consists_of(string_view text, std::size_t min, std::size_t max, Class of) {
  return text.size() >= min && text.size() <= max && std::ranges::all_of(text, of);
}

// is_name is the same with another class for the first character.
bool is_name(string_view text, std::size_t max, Class first, Class rest) {
  return consists_of(text, 1, max, rest) && first(text.front());
}

std::vector<string_view> split(string_view text, char separator) {
  std::vector<string_view> parts;
  for (std::size_t end = 0; (end = text.find(separator)) != string_view::npos;
       text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

// behind returns what follows `prefix`, or nullopt where `text` does not start with it.
std::optional<string_view> behind(string_view prefix, string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

constexpr std::size_t kMaxTrustDomain = 255, kMaxId = 128, kMaxOrganization = 64;
constexpr std::size_t kMaxStatement = 512, kMaxRole = 32, kMaxKind = 64, kMaxSubject = 512;
constexpr std::size_t kMaxDnsName = 253, kMaxLabel = 63, kMaxSpiffeId = 2048;

constexpr string_view kWildcard = "*.";

bool is_dns_label(string_view label) {
  return consists_of(label, 1, kMaxLabel, is_slug) && label.front() != '-' && label.back() != '-';
}

// A statement's two parts; both views lie in it.
struct Statement {
  string_view name, value;
};

std::optional<Statement> parse_statement(string_view uri) {
  const auto rest = behind("urn:bc:", uri);
  if (!rest || uri.size() > kMaxStatement) return std::nullopt;
  const auto colon = rest->find(':');
  if (colon == string_view::npos) return std::nullopt;
  const Statement statement{rest->substr(0, colon), rest->substr(colon + 1)};
  if (!is_name(statement.name, kMaxStatement, is_lower, is_slug) ||
      !consists_of(statement.value, 1, kMaxStatement, is_visible))
    return std::nullopt;
  return statement;
}

// A TPM_ALG_ID in hex and the size of its digests (TCG Algorithm Registry).
struct TpmDigest {
  string_view algorithm;
  std::size_t bytes;
};
constexpr std::array<TpmDigest, 8> kTpmDigests = {{{"0004", 20},
                                                   {"000b", 32},
                                                   {"000c", 48},
                                                   {"000d", 64},
                                                   {"0012", 32},
                                                   {"0027", 32},
                                                   {"0028", 48},
                                                   {"0029", 64}}};

bool is_tpm_name(string_view text) {
  return std::ranges::any_of(kTpmDigests, [text](const TpmDigest& known) {
    const auto digest = behind(std::string(known.algorithm) + ':', text);
    return digest && consists_of(*digest, 2 * known.bytes, 2 * known.bytes, is_lower_hex);
  });
}

std::string fold(string_view text) {
  std::string folded(text);
  for (char& c : folded)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return folded;
}

}  // namespace

bool is_trust_domain(string_view text) {
  return text.size() <= kMaxTrustDomain &&
         std::ranges::all_of(split(text, '.'), [](string_view label) {
           return consists_of(label, 1, kMaxLabel, is_trust_domain_character);
         });
}

bool is_id(string_view text) {
  return is_name(text, kMaxId, is_alphanumeric, is_id_character);
}

bool is_organization(string_view text) {
  return consists_of(text, 1, kMaxOrganization, is_printable);
}

bool is_statement(string_view uri) {
  return parse_statement(uri).has_value();
}

string_view statement_name(string_view statement) {
  const auto parsed = parse_statement(statement);
  return parsed ? parsed->name : string_view();
}

bool is_tpm_ak_statement(string_view uri) {
  const auto statement = parse_statement(uri);
  return statement && statement->name == "tpm-ak" && is_tpm_name(statement->value);
}

bool is_role_unit(string_view organizational_unit) {
  const auto role = behind("bc-role:", organizational_unit);
  return role && is_name(*role, kMaxRole, is_lower, is_slug);
}

bool is_kind(string_view text) {
  if (text.size() > kMaxKind) return false;
  const auto words = split(text, '.');
  return words.size() >= 2 && std::ranges::all_of(words, [](string_view word) {
           return is_name(word, kMaxKind, is_lower, is_alphanumeric);
         });
}

bool is_subject(string_view text) {
  return consists_of(text, 1, kMaxSubject, is_visible);
}

std::optional<std::string> normalize_dns_name(string_view text) {
  if (text.size() > kMaxDnsName) return std::nullopt;
  std::string name = fold(text);
  const auto labels = split(behind(kWildcard, name).value_or(name), '.');
  if (!std::ranges::all_of(labels, is_dns_label)) return std::nullopt;
  if (std::ranges::all_of(labels.back(), is_digit)) return std::nullopt;
  return name;
}

bool covers_dns_name(string_view pattern, string_view name) {
  const auto wildcard = normalize_dns_name(pattern);
  const auto covered = normalize_dns_name(name);
  if (!wildcard || !covered || covered->starts_with(kWildcard)) return false;
  const auto parent = behind(kWildcard, *wildcard);
  const auto dot = covered->find('.');
  return parent && dot != std::string::npos && covered->substr(dot + 1) == *parent;
}

std::optional<SpiffeId> SpiffeId::parse(string_view uri) {
  if (uri.size() > kMaxSpiffeId) return std::nullopt;
  const auto parts = split(uri, '/');  // "spiffe:", "", trust domain, "site", site, "node", node
  if (parts.size() != 7) return std::nullopt;
  SpiffeId id{std::string(parts[2]), std::string(parts[4]), std::string(parts[6])};
  if (id.uri() != uri) return std::nullopt;
  return id;
}

// Parts that are valid cannot make it too long.
static_assert(sizeof("spiffe:///site//node/") + kMaxTrustDomain + 2 * kMaxId <= kMaxSpiffeId);

std::optional<std::string> SpiffeId::uri() const {
  if (!is_trust_domain(trust_domain) || !is_id(site) || !is_id(node)) return std::nullopt;
  return "spiffe://" + trust_domain + "/site/" + site + "/node/" + node;
}

}  // namespace bcpki
