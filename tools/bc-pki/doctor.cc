#include "bcpki/doctor.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

#include "bc-pki/commands.h"
#include "common/bundle_file.h"
#include "common/root_key.h"
#include "common/transaction.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;
using bcpki::Examination;
using bcpki::Examined;
using bcpki::Severity;

constexpr std::string_view kText = "text", kJson = "json", kPrometheus = "prometheus";
constexpr std::string_view kFormat = "format", kOut = "out", kFiles = "files", kAt = "at",
                           kWarnDays = "warn-days";
constexpr std::uint64_t kMaxWarnDays = 36500;

std::vector<std::string_view> format_names() {
  return {kText, kJson, kPrometheus};
}

std::string_view chosen_format(const Args& args) {
  const std::string& name = args.text(kFormat);
  if (args.json() && args.given(kFormat) && name != kJson) {
    fail_usage(fmt::format("--json and --format {} contradict each other", name));
  }
  return args.json() ? kJson : std::string_view(name);
}

bcpki::UnixTime chosen_time(const Args& args, const Env& env) {
  if (!args.given(kAt)) return env.now.floor_seconds();
  const auto at = bcpki::parse_time(args.text(kAt));
  if (!at) fail_usage("--at must be a time such as 2027-11-30T12:00:00Z");
  return *at;
}

// What each format begins with, so that a report takes the place of nothing but a report.
bool is_report(std::string_view text) {
  constexpr std::array<std::string_view, 3> kStarts{
      "examined at ", "{\n  \"examinedAt\": ", "# HELP bc_pki_doctor_"};
  return std::ranges::any_of(kStarts, [&](auto start) { return text.starts_with(start); });
}

constexpr FileKind kReportFile{"report of doctor", is_report, Access::everyone};

// looking runs `look` and makes a finding of what it throws, unless the command was called wrongly.
template <class Look>
Examination looking(Examined what, const std::string& subject, Look look) {
  Examination out;
  try {
    look(out);
  } catch (const Error& error) {
    if (error.code() == Code::usage || error.code() == Code::internal) throw;
    out.findings.push_back(bcpki::failed_examination(what, subject, error));
  }
  return out;
}

bcpki::DeployedFile deployed(const fs::path& path, const File& file) {
  return {.path = path.native(),
          .shell_path = shell_quoted(path.native()),
          .open_to_others = file.open_to_others(),
          .content = file.content.reveal()};
}

// Visit is what the doctor is asked.
struct Visit {
  const Args& args;
  Env& env;
  bcpki::DoctorOptions options;
  bcpki::UnixTime now;
};

Examination look_at_bundle(const Visit& visit, const fs::path& path) {
  bcpki::OpenOptions open = open_options(visit.args, visit.env);
  std::optional<File> file;
  Examination out =
      looking(Examined::bundle, path.native(), [&](Examination&) { file = read_bundle(path); });
  if (file) {
    out.add(
        bcpki::examine_bundle(deployed(path, *file), std::move(open), visit.options, visit.now));
  }
  return out;
}

// look_at_root_key says in the report whether the key opens.
Examination look_at_root_key(const Visit& visit, const std::optional<bcpki::Bundle>& bundle,
                             Report& report) {
  if (!visit.args.given(kRootKeyFlag.name)) {
    (void)RootKeyFile::find(visit.args, visit.env);
    return {};
  }
  const std::string path = absolute_path(visit.args.text(kRootKeyFlag.name)).native();
  return looking(Examined::root_key, path, [&](Examination& out) {
    if (bundle) {
      (void)RootKeyFile(visit.args, visit.env).open({.bundle = &*bundle}, visit.env);
      report.add("rootKey", "root key", "opens, and is this bundle's root");
    } else {
      out.findings.push_back(bcpki::unchecked_root_key(path));
    }
  });
}

// What is not there is no match; what cannot be read might be one.
int cannot_be_read(const char*, int error) {
  return error != ENOENT && error != ENOTDIR ? 1 : 0;
}

// paths_of returns the paths that a pattern matches, sorted. Throws NOT_FOUND where there are none,
// IO_ERROR where a directory cannot be read.
std::vector<std::string> paths_of(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), 0, cannot_be_read, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  switch (result) {
    case 0:
      return paths;
    case GLOB_NOMATCH:
      throw Error(Code::not_found, "matches nothing");
    case GLOB_NOSPACE:
      throw std::bad_alloc();
    default:
      throw Error(Code::io_error, "a directory on its way cannot be read");
  }
}

// Opened is a file that is looked at together with the others.
struct Opened {
  fs::path path;
  File file;
};

Examination look_at_files(const Visit& visit, const std::optional<bcpki::Bundle>& bundle) {
  Examination out;
  std::vector<Opened> opened;
  const auto is_opened = [&](const fs::path& path) {
    return std::ranges::find(opened, path, &Opened::path) != opened.end();
  };
  for (const std::string& pattern : visit.args.list(kFiles)) {
    std::vector<std::string> paths;
    out.add(looking(Examined::file, pattern, [&](Examination&) { paths = paths_of(pattern); }));
    for (const std::string& named : paths) {
      const fs::path path = absolute_path(named);
      out.add(looking(Examined::file, path.native(), [&](Examination&) {
        if (!is_opened(path)) opened.push_back({path, read_file(path, kMaxFileBytes)});
      }));
    }
  }
  std::vector<bcpki::DeployedFile> files(opened.size());
  std::ranges::transform(opened, files.begin(),
                         [](const Opened& each) { return deployed(each.path, each.file); });
  out.add(bcpki::examine_files(bundle ? &*bundle : nullptr, files, visit.options, visit.now));
  return out;
}

void add_bundle(Report& report, const bcpki::Bundle& bundle) {
  report.add("trustDomain", "trust domain", bundle.trust_domain());
  report.add("authenticated", "authenticated", bundle.authenticated());
  report.add("trustVersion", "trust version", bundle.trust_version());
  if (bundle.generation() > 0) report.add("generation", "generation", bundle.generation());
}

void add_members(Report& report, const Examination& found, bcpki::UnixTime now) {
  std::vector<Report> members;
  Report shown;
  for (const bcpki::MemberCertificate& each : found.members) {
    Report member;
    member.add("member", "", std::string(each.member)).add("stage", "", std::string(each.stage));
    member.add("notBefore", "", bcpki::format_time(each.not_before));
    member.add("notAfter", "", bcpki::format_time(each.not_after));
    members.push_back(std::move(member));
    shown.add("", each.name, with_days_left(each.not_after, now));
  }
  report.add("certificates", "", std::move(members));
  if (!found.members.empty()) report.add("", "certificates", std::move(shown));
}

void add_files(Report& report, const Examination& found, bcpki::UnixTime now) {
  std::vector<Report> files;
  Report::List shown;
  for (const bcpki::FileCertificate& each : found.files) {
    Report file;
    file.add("path", "", each.path).add("position", "", std::uint64_t{each.position});
    file.add("serial", "", each.serial_hex);
    file.add("notBefore", "", bcpki::format_time(each.not_before));
    file.add("notAfter", "", bcpki::format_time(each.not_after));
    if (each.renew_by) file.add("renewBy", "", bcpki::format_time(*each.renew_by));
    files.push_back(std::move(file));
    shown.push_back(fmt::format("{}, certificate {}: {}", each.path, each.position,
                                with_days_left(each.not_after, now)));
  }
  report.add("files", "", std::move(files));
  if (!shown.empty()) report.add("", "files", std::move(shown));
}

void add_findings(Report& report, const Examination& found) {
  std::vector<Report> findings;
  for (const bcpki::Finding& each : found.findings) {
    const std::string severity(bcpki::severity_name(each.severity));
    Report finding;
    finding.add("severity", "", severity).add("id", "", std::string(each.id));
    finding.add("subject", "", each.subject).add("message", "", each.message);
    Report::List lines{fmt::format("{}: {}: {}", each.id, each.subject, each.message)};
    if (!each.fix.empty()) {
      finding.add("fix", "", each.fix);
      lines.push_back(fmt::format("-> {}", each.fix));
    }
    // `warning` is the longest of the three.
    finding.add("", fmt::format("{:7}", severity), std::move(lines));
    findings.push_back(std::move(finding));
  }
  if (findings.empty()) {
    report.add("findings", "findings", Report::List{});
  } else {
    report.add("findings", "findings", std::move(findings));
  }
}

void add_counts(Report& report, const Examination& found) {
  report.add("errors", "errors", std::uint64_t{found.count(Severity::error)});
  report.add("warnings", "warnings", std::uint64_t{found.count(Severity::warning)});
  report.add("infos", "infos", std::uint64_t{found.count(Severity::info)});
}

// The whole report in the format that was asked for.
std::string rendered(std::string_view format, const Report& report, const Examination& found,
                     bcpki::UnixTime now) {
  if (format == kPrometheus) return bcpki::prometheus_metrics(found, now);
  return render(report, format == kJson).out;
}

void write_report(const fs::path& path, std::string_view text) {
  Transaction files;
  files.lock(path);
  files.replace(path, kReportFile, bcpki::as_bytes(text));
  files.commit();
}

Report start(const fs::path& path, bcpki::UnixTime now) {
  Report report;
  report.add("examinedAt", "examined at", bcpki::format_time(now));
  report.add("pki", "bundle", path.native());
  return report;
}

Report doctor(const Args& args, Env& env) {
  const std::string_view format = chosen_format(args);
  const Visit visit{
      args, env, {.warn = std::chrono::days(args.number(kWarnDays))}, chosen_time(args, env)};
  const fs::path path = absolute_path(args.text(kPkiFlag.name));

  Report whole = start(path, visit.now);
  Examination found = look_at_bundle(visit, path);
  if (found.bundle) add_bundle(whole, *found.bundle);
  found.add(look_at_root_key(visit, found.bundle, whole));
  found.add(look_at_files(visit, found.bundle));
  found.sort();
  add_members(whole, found, visit.now);
  add_files(whole, found, visit.now);
  add_findings(whole, found);
  add_counts(whole, found);

  Report report = whole;
  if (args.given(kOut)) {
    const fs::path out = absolute_path(args.text(kOut));
    write_report(out, rendered(format, whole, found, visit.now));
    report = start(path, visit.now);
    report.add("out", "written to", out.native()).add("changed", "", true);
    add_counts(report, found);
  } else if (format != kText && !args.json()) {
    report.add_raw("", rendered(format, whole, found, visit.now));
  }
  if (const std::size_t errors = found.count(Severity::error); errors > 0) {
    report.fail(
        Error(Code::invalid_state,
              fmt::format("{} found; the report says what mends {}",
                          errors == 1 ? "an error was" : fmt::format("{} errors were", errors),
                          errors == 1 ? "it" : "each")));
  }
  return report;
}

constexpr std::array kFlags = with_bundle_flags(std::array{
    Flag{.name = kWarnDays,
         .value_name = "N",
         .help = "Warn of a CA this many days before it ends",
         .kind = Kind::number,
         .max = kMaxWarnDays,
         .fallback = "60"},
    kRootKeyFlag,
    kRootSecretFlag,
    Flag{.name = kFiles,
         .value_name = "GLOB",
         .help = "Look at these certificates, trust files and keys too",
         .kind = Kind::repeated},
    Flag{.name = kFormat,
         .value_name = "FORMAT",
         .help = "How to print it; --json is the same as json",
         .kind = Kind::choice,
         .choices = format_names,
         .fallback = kText},
    Flag{.name = kOut,
         .value_name = "FILE",
         .help = "Write it into this file instead, each time anew",
         .kind = Kind::path},
    Flag{.name = kAt, .value_name = "TIME", .help = "Look as if it were this time (RFC 3339)"},
});

}  // namespace

constinit const Command kDoctor{
    .name = "doctor",
    .summary = "say what is wrong with a bundle and its deployed files, or soon will be",
    .description =
        "Each finding has a severity, an id and the command that mends it. Without the secret it\n"
        "looks at the public half. Exits with 5 where an error is among the findings. The metrics\n"
        "of --format prometheus hold moments, not days left, so that an alert needs no fresh run.",
    .example = "bc-pki doctor --files '/etc/better-compute/tls/*'",
    .flags = kFlags,
    .run = doctor};

}  // namespace cli
