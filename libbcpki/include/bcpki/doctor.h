// What is wrong with a deployment's PKI, or soon will be, and what mends it: formats.md sections 6
// and 7.
//
// Bytes come in, findings come out: nothing here reads a file or a clock. Whatever the bytes are,
// they make a finding and no error.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/bundle.h"
#include "bcpki/bytes.h"
#include "bcpki/error.h"
#include "bcpki/time.h"

namespace bcpki {

// Severity is an error where something does not work or must not be used, a warning where that is
// about to come or cannot be known, and info where it is good to know.
enum class Severity { error, warning, info };

// severity_name is `error`, `warning` or `info`.
std::string_view severity_name(Severity severity);

// FindingInfo is one row of the table of findings: a stable id and one sentence.
struct FindingInfo {
  std::string_view id;
  std::string_view sentence;
};

// finding_table returns every id that a finding may have.
std::span<const FindingInfo> finding_table() noexcept;

// Finding is one thing that was found. Programs may rely on `id`; message and fix are for people.
struct Finding {
  Severity severity;
  std::string_view id;
  std::string subject;  // a member (`nodeCa`), a path or a pattern
  std::string message;  // one line
  std::string fix{};    // the command that mends it, or what to do; empty where nothing does
};

// DeployedFile is a file as it lies on a machine.
struct DeployedFile {
  std::string path{};           // what findings call it
  std::string shell_path{};     // the same as one word of a shell
  bool open_to_others = false;  // its mode lets others than its owner read or change it
  View content{};
};

inline constexpr std::chrono::seconds kDefaultDoctorWarning = std::chrono::hours(24 * 60);

// DoctorOptions: a CA is warned of when it ends within `warn`.
struct DoctorOptions {
  std::chrono::seconds warn = kDefaultDoctorWarning;
};

// MemberCertificate is the first certificate of a bundle's member.
struct MemberCertificate {
  std::string_view member;  // `nodeCa`
  std::string_view stage;   // `current`, `next` or `previous`
  std::string name;         // of the two: `nodeCaNext`
  UnixTime not_before, not_after;
};

// FileCertificate is one certificate in a file.
struct FileCertificate {
  std::string path;
  std::size_t position;  // in the file, from 1
  std::string serial_hex;
  UnixTime not_before, not_after;
  std::optional<UnixTime> renew_by{};  // none where it is a CA's
};

// Examination is what was looked at, and what was found.
struct Examination {
  std::optional<Bundle> bundle{};  // none where it did not open
  std::vector<MemberCertificate> members{};
  std::vector<FileCertificate> files{};
  std::vector<Finding> findings{};

  // add takes over what another one found; its bundle, only where this has none.
  void add(Examination other);

  // sort orders the findings by severity, id and subject.
  void sort();

  std::size_t count(Severity severity) const;
};

// examine_bundle looks at a bundle's file. What does not open, or is not the bundle that `open`
// expects, is a finding, and the rest is looked at as far as it can be read; so
// `allow_unauthenticated` does not matter. The first of the secrets is the one in use. Throws
// INVALID_INPUT where `expect_pins` is no such JSON.
Examination examine_bundle(const DeployedFile& file, OpenOptions open, const DoctorOptions& options,
                           UnixTime now);

// examine_files looks at certificates, chains, trust files and private keys, in PEM or DER.
// Without a bundle nothing is said of whose they are.
Examination examine_files(const Bundle* bundle, std::span<const DeployedFile> files,
                          const DoctorOptions& options, UnixTime now);

// Examined is what could not be looked at.
enum class Examined { bundle, root_key, file };

// failed_examination is the finding that an error makes which was thrown on the way to `subject`, a
// path or pattern: NOT_FOUND means that there is none.
Finding failed_examination(Examined what, std::string_view subject, const Error& error);

// unchecked_root_key is the finding where there is no bundle to compare a root key with.
Finding unchecked_root_key(std::string_view path);

// prometheus_metrics writes an examination for a Prometheus server: moments in seconds since 1970
// rather than what is left of them, and how often each id was found.
std::string prometheus_metrics(const Examination& examination, UnixTime now);

}  // namespace bcpki
