#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/certificate.h"
#include "bcpki/doctor.h"
#include "bcpki/encoding.h"
#include "bcpki/key.h"

#include "doctor/finding.h"
#include "format/pem.h"
#include "format/x509.h"
#include "pki/certificate_facts.h"
#include "pki/state.h"

namespace bcpki {
namespace {

constexpr std::size_t kMaxBlocks = 4096;
constexpr std::byte kSequenceTag{0x30};  // what every DER certificate starts with
constexpr std::string_view kEncryptedKey = "ENCRYPTED PRIVATE KEY";

// Origin is how a member's certificates come to where they are deployed.
struct Origin {
  std::string_view member;
  std::string_view issue;  // makes what it signs
  std::string_view print;  // prints it itself
};

constexpr std::array kOrigins{
    Origin{"rootCa", "", "bc-pki export root"},
    Origin{"nodeCa", "bc-pki issue-node", "bc-pki export node-ca"},
    Origin{"servingCa", "bc-pki issue-gateway", "bc-pki export serving-ca"},
    Origin{"internalCa", "bc-pki issue-internal", "bc-pki export internal-ca"},
};

const Origin& origin_of(const Entry* entry) {
  static constexpr Origin kNone{};
  if (!entry) return kNone;
  const auto row = std::ranges::find(kOrigins, entry->slot.spec->name, &Origin::member);
  return row == kOrigins.end() ? kNone : *row;
}

// Found is a certificate in a file, where it is and whose.
struct Found {
  const DeployedFile& file;
  std::size_t position;
  Bytes der;
  x509::CertificateFields fields;  // views into `der`
  bool is_ca = false;
  bool is_member = false;           // the very certificate is in the bundle
  const Entry* same_key = nullptr;  // the bundle's member of that key
  const Entry* issuer = nullptr;    // the bundle's CA that signed it

  Found(const DeployedFile& in, std::size_t at, Bytes bytes, x509::CertificateFields read)
      : file(in), position(at), der(std::move(bytes)), fields(std::move(read)) {}
};

bool says_it_is_a_ca(const x509::CertificateFields& fields) {
  const auto* extension = fields.find(x509::oid::basic_constraints);
  const auto constraints =
      extension ? x509::parse_basic_constraints(extension->value) : std::nullopt;
  return constraints && constraints->ca;
}

bool signed_by(const x509::CertificateFields& fields, const Entry& entry) {
  if (!equal(fields.issuer, entry.certificate()->subject)) return false;
  const auto signature = x509::p1363_from_der(fields.signature);
  return signature && entry.key->verify(fields.tbs, *signature);
}

void place(Found& found, const Document& document) {
  for (const auto& entry : document.entries) {
    if (entry.slot.spec->form != Form::chain) continue;
    for (const auto& stored : entry.chain) found.is_member |= equal(stored.der, found.der);
    if (equal(entry.key->spki(), found.fields.spki)) found.same_key = &entry;
    const bool signs = profile_of(entry.slot.spec->job).ca;
    if (!found.issuer && signs && signed_by(found.fields, entry)) found.issuer = &entry;
  }
}

bool is_zero_or_negative(View serial) {
  const bool zero = std::ranges::all_of(serial, [](std::byte b) { return b == std::byte{0}; });
  return zero || (serial[0] & std::byte{0x80}) != std::byte{0};
}

// KeyPart is a public key that a file has: its first certificate's, or that of its private key.
struct KeyPart {
  const DeployedFile* file;
  std::string stem;  // what NAME.crt and NAME.key share
  Bytes spki;
};

std::string stem_of(const std::string& path) {
  for (const std::string_view ending : {".crt", ".key"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

// Search looks at one file after the other, and then at what belongs together.
class Search {
 public:
  Search(const Bundle* bundle, const DoctorOptions& options, UnixTime now)
      : document_(bundle ? &bundle->state().document : nullptr), options_(options), now_(now) {}

  void examine(const DeployedFile& file);
  Examination finish() &&;

 private:
  void find(std::string_view id, const DeployedFile& file, std::string message,
            std::string fix = {});
  void find(std::string_view id, const Found& found, std::string_view what, std::string fix = {});
  void read_blocks(const DeployedFile& file, const std::vector<pem::Block>& blocks);
  void read_certificate(const DeployedFile& file, View der);
  void read_key(const DeployedFile& file, const pem::Block& block);
  void judge(const Found& found);
  void judge_origin(const Found& found);
  void judge_dates(const Found& found);

  const Document* document_;
  const DoctorOptions& options_;
  UnixTime now_;
  Examination out_;
  std::size_t position_ = 0;  // of the certificate in its file
  std::vector<KeyPart> certified_, held_;
};

void Search::find(std::string_view id, const DeployedFile& file, std::string message,
                  std::string fix) {
  out_.findings.push_back(
      finding(id, {.subject = file.path, .message = std::move(message), .fix = std::move(fix)}));
}

void Search::find(std::string_view id, const Found& found, std::string_view what, std::string fix) {
  const auto name = common_name(found.fields);
  find(id, found.file,
       fmt::format("certificate {}, {}, {}", found.position,
                   name.empty() ? "without a common name" : fmt::format("\"{}\"", name), what),
       std::move(fix));
}

void Search::examine(const DeployedFile& file) {
  position_ = 0;
  if (file.content.empty()) {
    find("file.unreadable", file, "it is empty", "write it again");
  } else if (file.content[0] == kSequenceTag && x509::parse_certificate(file.content)) {
    read_certificate(file, file.content);
  } else if (const auto blocks = pem::parse_blocks(as_text(file.content), kMaxBlocks)) {
    read_blocks(file, *blocks);
  } else {
    find("file.unreadable", file, "its PEM is damaged", "write it again");
  }
}

void Search::read_blocks(const DeployedFile& file, const std::vector<pem::Block>& blocks) {
  bool ignored = true;
  for (const auto& block : blocks) {
    const bool is_key = block.label.ends_with(pem::kPrivateKey);
    if (is_key) read_key(file, block);
    if (block.label == pem::kCertificate) read_certificate(file, block.der.reveal());
    ignored = ignored && !is_key && block.label != pem::kCertificate;
  }
  if (ignored) find("file.ignored", file, "it holds no certificate and no private key");
}

void Search::read_certificate(const DeployedFile& file, View der) {
  ++position_;
  auto bytes = to_bytes(der);
  auto fields = x509::parse_certificate(bytes);
  if (!fields) {
    find("file.unreadable", file, fmt::format("certificate {} is no DER certificate", position_),
         "write it again");
    return;
  }
  Found found(file, position_, std::move(bytes), *std::move(fields));
  found.is_ca = says_it_is_a_ca(found.fields);
  if (document_) place(found, *document_);
  if (position_ == 1)
    certified_.push_back({&file, stem_of(file.path), to_bytes(found.fields.spki)});
  judge(found);
}

void Search::read_key(const DeployedFile& file, const pem::Block& block) {
  const bool in_clear = block.label != kEncryptedKey && !block.has_headers;
  if (file.open_to_others)
    out_.findings.push_back(
        finding("file.key-open", in_clear ? Severity::error : Severity::warning,
                {.subject = file.path,
                 .message = "other users may read or change the private key in it",
                 .fix = fmt::format("chmod 600 {}", file.shell_path)}));
  if (!in_clear) return;
  const auto pem = pem::encode_secret(block.label, block.der.reveal());
  const auto key = PrivateKey::read_pem(pem.reveal());
  if (key)
    held_.push_back({&file, stem_of(file.path), to_bytes(key->public_key().spki())});
  else if (key.reason().slug != "key-algorithm")
    find("file.unreadable", file, fmt::format("its private key: {}", key.reason().detail),
         "write it again");
}

void Search::judge(const Found& found) {
  const auto facts = certificate_facts(found.der, found.fields);
  out_.files.push_back({.path = found.file.path,
                        .position = found.position,
                        .serial_hex = facts.serial_hex,
                        .not_before = facts.not_before,
                        .not_after = facts.not_after,
                        .renew_by = found.is_ca ? std::nullopt : std::optional(renew_by(facts))});
  if (is_zero_or_negative(found.fields.serial))
    find("file.serial", found,
         fmt::format("has the serial number {}, which is not positive", facts.serial_hex),
         "replace it: strict readers refuse it");
  // What the bundle holds itself was judged there.
  if (found.is_member) return;
  if (document_) judge_origin(found);
  judge_dates(found);
}

void Search::judge_origin(const Found& found) {
  if (found.same_key) {
    const auto print = origin_of(found.same_key).print;
    find("file.stale-ca", found,
         fmt::format("has the key of {} but is not the bundle's certificate", found.same_key->name),
         print.empty() ? ""
                       : fmt::format("{}; or issue the certificate in front of it again", print));
  } else if (found.issuer && found.is_ca) {
    find("file.stale-ca", found, "is a CA under the bundle's root but none of the bundle's",
         "take it away: what it signs is trusted where this file is");
  } else if (!found.issuer) {
    find("file.foreign", found, "was signed by no CA of the bundle",
         "take it away if it is not meant to be there");
  }
}

void Search::judge_dates(const Found& found) {
  const auto& fields = found.fields;
  const auto end = end_text(fields.not_after, now_);
  const auto due = out_.files.back().renew_by;
  const std::string fix(origin_of(found.issuer).issue);
  if (has_ended(fields.not_after, now_)) {
    find("file.expired", found, end, fix);
  } else if (now_.floor_seconds() < fields.not_before) {
    find("file.not-yet-valid", found,
         fmt::format("is valid from {}; it is {} now", format_time(fields.not_before),
                     format_time(now_.floor_seconds())),
         "set this machine's clock");
  } else if (due && *due <= now_) {
    find("file.expiring", found,
         fmt::format("should have been replaced at {}; it {}", format_time(*due), end), fix);
  } else if (!due && fields.not_after - now_ <= options_.warn) {
    find("file.expiring", found, end, fix);
  }
}

Examination Search::finish() && {
  for (const auto& key : held_) {
    const auto pair = std::ranges::find(certified_, key.stem, &KeyPart::stem);
    if (pair != certified_.end() && pair->spki != key.spki)
      find("file.key-mismatch", *key.file,
           fmt::format("it is not the key of the certificate in {}", pair->file->path),
           "issue the certificate again");
  }
  return std::move(out_);
}

}  // namespace

Examination examine_files(const Bundle* bundle, std::span<const DeployedFile> files,
                          const DoctorOptions& options, UnixTime now) {
  Search search(bundle, options, now);
  for (const auto& file : files) search.examine(file);
  return std::move(search).finish();
}

}  // namespace bcpki
