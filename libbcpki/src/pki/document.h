// A bundle or root key file on its way from text to something that may be used.
//
// `read_document` does the whole of formats.md section 6: it runs document_checks.h in their order,
// each over the whole document before the next. A check only judges; what later checks need
// is read beforehand and is simply absent where the document does not hold it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bundle.h"
#include "bcpki/bytes.h"
#include "bcpki/key.h"
#include "bcpki/secret.h"
#include "bcpki/time.h"

#include "format/json.h"
#include "format/ssh.h"
#include "format/x509.h"
#include "pki/member.h"
#include "pki/seal.h"

namespace bcpki {

// What both files say of themselves, and what the digest in the seal does not cover.
inline constexpr std::uint64_t kFileVersion = 1;
inline constexpr std::array<std::string_view, 2> kPrivateHalf{"seal", "privateKeys"};

// FileKind is one of the two files that share these rules.
struct FileKind {
  std::string_view format;  // also what the seal is bound to
  std::string_view noun;    // in messages
  bool root_key_file;
};

extern const FileKind kBundleFile;
extern const FileKind kRootKeyFile;

// StoredCertificate is one string of a chain. `fields` is nullopt where it is no certificate; its
// views lie in `der`.
struct StoredCertificate {
  Bytes der;
  std::optional<x509::CertificateFields> fields;
  bool exact = false;  // exactly one PEM block as we write it

  StoredCertificate() = default;
  StoredCertificate(StoredCertificate&&) = default;
  StoredCertificate& operator=(StoredCertificate&&) = default;
};

// Entry is one member with a key, as far as it could be read.
struct Entry {
  std::string name;  // also the name of its private key
  Slot slot;
  const json::Value* value;  // in Document::json; a root key file's chain stands at its top
  std::vector<StoredCertificate> chain{};
  std::optional<ssh::PublicKeyLine> line{};
  std::optional<PublicKey> key{};
  std::optional<UnixTime> switched_at{};
  std::shared_ptr<const PrivateKey> private_key{};

  // self_signed says whether a chain is one certificate that signs itself.
  bool self_signed() const { return profile_of(slot.spec->job).self_signed; }

  const x509::CertificateFields* certificate() const {
    return chain.empty() || !chain[0].fields ? nullptr : &*chain[0].fields;
  }
};

struct Document {
  const FileKind* kind = nullptr;
  json::Value json;
  std::string trust_domain;
  Digest32 public_digest{};
  std::vector<Entry> entries;  // in the document's order
  std::vector<std::pair<std::string, SecretBytes>> private_keys;
  std::optional<Digest32> sealed_digest;  // what the seal says of the public half
  bool unvouched = false;  // opened only because unauthenticated documents are allowed
  bool sealed = false;
  bool unsealed = false;  // a secret opened the seal
  std::size_t opened_with = 0;

  bool authenticated() const { return sealed_digest.has_value(); }
  bool has_keys() const { return unsealed || !sealed; }
  const json::Value* member(std::string_view name) const { return json.find(name); }

  // entry returns the member `name` at `stage`, or null.
  const Entry* entry(std::string_view name, Stage stage = Stage::current) const;

  // text and integer return a member's value, or nullopt where it is missing or another type.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<std::uint64_t> integer(std::string_view name) const;

  // organization is the subjects' O: the bundle's own, or what a root key file's root carries.
  std::string organization() const;
};

// read_document reads and checks `text`. `bundle` is the one that a root key file must belong to.
// Throws INVALID_CONFIG with the slug of the check that refused as detail "check".
Document read_document(const FileKind& kind, std::string_view text, const OpenOptions& options,
                       const Document* bundle = nullptr);

// check_slugs lists the checks in their order, `json` first.
std::vector<std::string_view> check_slugs();

}  // namespace bcpki
