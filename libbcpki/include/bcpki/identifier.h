// Names of things: formats.md sections 1, 4 and 7. A name is taken as it stands or not at all; DNS
// names alone may be given in upper case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bcpki {

// is_trust_domain: 1 to 255 of `a-z0-9.-_`, dot-separated labels of 1 to 63.
bool is_trust_domain(std::string_view text);

// is_id: 1 to 128 of `A-Za-z0-9._-`, starting with a letter or digit.
bool is_id(std::string_view text);

// is_organization: 1 to 64 printable ASCII characters (0x20 to 0x7e).
bool is_organization(std::string_view text);

// is_statement: `urn:bc:<name>:<value>`, at most 512 bytes; the name of `a-z0-9-` starting with a
// letter, the value 1 or more of printable ASCII without space.
bool is_statement(std::string_view uri);

// statement_name is the `<name>` of a statement, or "" where `statement` is none: one certificate
// holds at most one of each name.
std::string_view statement_name(std::string_view statement);

// is_tpm_ak_statement: `urn:bc:tpm-ak:<alg>:<digest>` with a known algorithm and its digest's size.
bool is_tpm_ak_statement(std::string_view uri);

// is_role_unit: an OU `bc-role:` and 1 to 32 of `a-z0-9-` starting with a letter.
bool is_role_unit(std::string_view organizational_unit);

// is_kind and is_subject: what a command is and what it acts on (section 4). A kind is two or more
// words of `A-Za-z0-9` starting with `a-z`, joined by dots, at most 64 bytes; a subject is 1 to 512
// of printable ASCII without space.
bool is_kind(std::string_view text);
bool is_subject(std::string_view text);

// normalize_dns_name folds upper case and returns the name, or nullopt where it is not one that a
// certificate of ours may carry: 1 to 253 bytes in labels of 1 to 63, no IP address, no trailing
// dot, no underscore, a wildcard only as the whole first label and never alone.
std::optional<std::string> normalize_dns_name(std::string_view text);

// covers_dns_name says whether the wildcard name `pattern` (`*.example.com`) covers `name`, which
// is no wildcard and has exactly one label more than what follows the `*.`.
bool covers_dns_name(std::string_view pattern, std::string_view name);

// SpiffeId is `spiffe://<trust domain>/site/<site>/node/<node>`.
struct SpiffeId {
  std::string trust_domain;
  std::string site;
  std::string node;

  // parse takes exactly what `uri` writes; anything else is nullopt.
  static std::optional<SpiffeId> parse(std::string_view uri);

  // uri returns the text, or nullopt where a part is not valid. Valid parts never pass the 2,048
  // bytes that a SPIFFE ID may have.
  std::optional<std::string> uri() const;
};

}  // namespace bcpki
