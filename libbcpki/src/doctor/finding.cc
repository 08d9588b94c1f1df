#include "doctor/finding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/table.h"

namespace bcpki {
namespace {

struct Row {
  FindingInfo info;
  Severity severity;
};

constexpr std::string_view id_of(const Row& row) {
  return row.info.id;
}

constexpr Severity kError = Severity::error, kWarning = Severity::warning, kInfo = Severity::info;

constexpr std::array kRows{
    Row{{"pki.missing", "there is no bundle"}, kError},
    Row{{"pki.unreadable", "the bundle cannot be read, or a check refuses it"}, kError},
    Row{{"pki.unseal", "the bundle does not open with this secret, or is damaged"}, kError},
    Row{{"pki.former-format", "the bundle's seal does not cover its public half"}, kError},
    Row{{"pki.unsealed-with-secret", "the bundle is in clear although there is a secret"}, kError},
    Row{{"pki.rolled-back", "the bundle is not the one that was expected"}, kError},
    Row{{"pki.other-trust-domain", "the bundle is of another trust domain"}, kError},
    Row{{"pki.open-to-others", "other users may read or change the bundle"}, kWarning},
    Row{{"pki.plaintext", "the private keys are in clear"}, kWarning},
    Row{{"pki.unauthenticated", "without the secret nothing vouches for the bundle"}, kWarning},
    Row{{"pki.previous-secret", "the bundle is still sealed under the previous secret"}, kWarning},
    Row{{"pki.ca-expired", "a certificate of the bundle has ended"}, kError},
    Row{{"pki.ca-expiring", "a certificate of the bundle ends soon"}, kWarning},
    Row{{"pki.ca-not-yet-valid", "a certificate of the bundle is not valid yet"}, kError},
    Row{{"pki.ca-short", "what a CA issues will soon be cut short"}, kWarning},
    Row{{"pki.rotation", "a key's rotation is half done"}, kInfo},
    Row{{"pki.no-sandbox-ca", "the bundle is from before sandboxes"}, kInfo},
    Row{{"pki.no-member", "the bundle is from before one of its keys"}, kInfo},
    Row{{"pki.root-in-bundle", "the root key is in the bundle"}, kInfo},
    Row{{"root.unreadable", "the root key file does not open"}, kError},
    Row{{"root.other", "it is the key of another root"}, kError},
    Row{{"root.unchecked", "there is no bundle to compare the root key with"}, kWarning},
    Row{{"file.no-match", "a pattern matches nothing"}, kWarning},
    Row{{"file.unreadable", "a file cannot be read, or is damaged"}, kError},
    Row{{"file.ignored", "a file holds no certificate and no private key"}, kInfo},
    Row{{"file.foreign", "no CA of the bundle signed a certificate"}, kWarning},
    Row{{"file.stale-ca", "a CA's certificate is not the bundle's any more"}, kWarning},
    Row{{"file.expired", "a certificate has ended"}, kError},
    Row{{"file.expiring", "a certificate should be replaced"}, kWarning},
    Row{{"file.not-yet-valid", "a certificate is not valid yet"}, kError},
    Row{{"file.serial", "a serial number is zero or negative"}, kError},
    Row{{"file.key-open", "other users may read or change a private key"}, kError},
    Row{{"file.key-mismatch", "a private key is not its certificate's"}, kError},
};

constexpr auto kInfos = [] {
  std::array<FindingInfo, kRows.size()> infos{};
  std::ranges::transform(kRows, infos.begin(), &Row::info);
  return infos;
}();

constexpr std::array<std::pair<Severity, std::string_view>, 3> kSeverities{{
    {Severity::error, "error"},
    {Severity::warning, "warning"},
    {Severity::info, "info"},
}};

// Failure is a row of what keeps something from being looked at: an error of that code whose check
// or reason is `slug`; any, where there is none here.
struct Failure {
  Examined what;
  std::optional<Code> code;
  std::string_view slug;
  std::string_view id;
  std::string_view fix;
};

constexpr std::string_view kFromBackup = "restore the bundle from a backup";
constexpr std::string_view kNewest =
    "restore the newest bundle; `bc-pki diff` says which of two copies is newer";

// The first row that fits counts.
constexpr std::array kFailures{
    Failure{Examined::bundle, Code::not_found, "", "pki.missing",
            "name the bundle with --pki, or make one with `bc-pki init`"},
    Failure{Examined::bundle, Code::invalid_config, "seal-open", "pki.unseal",
            "set the secret that sealed it, or restore the bundle from a backup"},
    Failure{Examined::bundle, Code::invalid_config, "trust-domain", "pki.other-trust-domain",
            "name the bundle of this trust domain with --pki"},
    Failure{Examined::bundle, Code::invalid_config, "trust-version", "pki.rolled-back", kNewest},
    Failure{Examined::bundle, Code::invalid_config, "generation", "pki.rolled-back", kNewest},
    Failure{Examined::bundle, Code::invalid_config, "digest", "pki.rolled-back", kNewest},
    Failure{Examined::bundle, Code::invalid_config, "pins", "pki.rolled-back", kNewest},
    Failure{Examined::bundle, Code::invalid_config, "", "pki.unreadable", kFromBackup},
    Failure{Examined::bundle, std::nullopt, "", "pki.unreadable",
            "let --pki name a regular file that this user may read"},
    Failure{Examined::root_key, Code::invalid_config, "root-key", "root.other",
            "find the root key that was made with this bundle"},
    Failure{Examined::root_key, Code::invalid_input, "root-key", "root.other",
            "find the root key that was made with this bundle"},
    Failure{Examined::root_key, std::nullopt, "", "root.unreadable",
            "mend what it says, or find the other copy of the root key"},
    Failure{Examined::file, Code::not_found, "", "file.no-match",
            "correct the pattern, or leave it out of --files"},
    Failure{Examined::file, Code::invalid_input, "", "file.ignored", "leave it out of --files"},
    Failure{Examined::file, std::nullopt, "", "file.unreadable",
            "let this user read it, or leave it out of --files"},
};

// slug_of is which check or reason an error names, or "".
std::string_view slug_of(const Error& error) {
  const auto check = error.detail("check");
  return check.empty() ? error.detail("reason") : check;
}

const Failure& failure_of(Examined what, const Error& error) {
  const auto fits = [&](const Failure& row) {
    return row.what == what && row.code.value_or(error.code()) == error.code() &&
           (row.slug.empty() || row.slug == slug_of(error));
  };
  return *std::ranges::find_if(kFailures, fits);
}

// without_subject leaves out the path that a message begins with: the finding names it already.
std::string_view without_subject(std::string_view message, std::string_view subject) {
  if (!message.starts_with(subject)) return message;
  message.remove_prefix(subject.size());
  message.remove_prefix(std::min(message.find_first_not_of(": "), message.size()));
  return message;
}

// 1 day, 364 days
std::string span_text(std::chrono::milliseconds span) {
  const std::int64_t days = std::chrono::floor<std::chrono::days>(span).count();
  if (days == 0) return "less than a day";
  return fmt::format("{} {}", days, days == 1 ? "day" : "days");
}

}  // namespace

std::string_view severity_name(Severity severity) {
  return row_of(kSeverities, severity, &decltype(kSeverities)::value_type::first).second;
}

std::span<const FindingInfo> finding_table() noexcept {
  return kInfos;
}

Finding finding(std::string_view id, FindingText text) {
  return finding(id, row_of(kRows, id, id_of).severity, std::move(text));
}

Finding finding(std::string_view id, Severity severity, FindingText text) {
  return {.severity = severity,
          .id = row_of(kRows, id, id_of).info.id,
          .subject = std::move(text.subject),
          .message = std::move(text.message),
          .fix = std::move(text.fix)};
}

Finding failed_examination(Examined what, std::string_view subject, const Error& error) {
  const auto& row = failure_of(what, error);
  std::string message(without_subject(error.what(), subject));
  const auto check = error.detail("check");
  if (!check.empty()) message += fmt::format(" (check {})", check);
  return finding(row.id, {.subject = std::string(subject),
                          .message = std::move(message),
                          .fix = std::string(row.fix)});
}

Finding unchecked_root_key(std::string_view path) {
  return finding("root.unchecked",
                 {.subject = std::string(path),
                  .message = "the bundle did not open, so nothing says whether this is its root",
                  .fix = "mend the bundle first"});
}

std::string end_text(UnixTime not_after, UnixTime now) {
  if (has_ended(not_after, now))
    return fmt::format("ended at {}, {} ago", format_time(not_after), span_text(now - not_after));
  return fmt::format("ends at {}, in {}", format_time(not_after), span_text(not_after - now));
}

bool has_ended(UnixTime not_after, UnixTime now) {
  return not_after < now.floor_seconds();
}

void Examination::add(Examination other) {
  const auto take = [](auto& all, auto& more) { std::ranges::move(more, std::back_inserter(all)); };
  if (!bundle) bundle = std::move(other.bundle);
  take(members, other.members);
  take(files, other.files);
  take(findings, other.findings);
}

void Examination::sort() {
  // Those with the same key stay as they came.
  std::multimap<std::tuple<Severity, std::string_view, std::string>, Finding> ordered;
  for (auto& found : findings)
    ordered.emplace(std::tuple(found.severity, found.id, found.subject), std::move(found));
  findings.clear();
  for (auto& [key, found] : ordered) findings.push_back(std::move(found));
}

std::size_t Examination::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

}  // namespace bcpki
