// The text format of Prometheus: `# HELP`, `# TYPE`, then `name{label="value"} number`, a family at
// a time.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bcpki/doctor.h"
#include "bcpki/encoding.h"

namespace bcpki {
namespace {

// A label value is UTF-8 with these three escaped.
std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : printable(value)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

class Page {
 public:
  void family(std::string_view name, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
  }

  void sample(Labels labels, std::int64_t value) {
    std::string list;
    for (const auto& [name, label] : labels)
      list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", name, escaped(label));
    if (!list.empty()) list = fmt::format("{{{}}}", list);
    fmt::format_to(std::back_inserter(text_), "{}{} {}\n", name_, list, value);
  }

  std::string take() && { return std::move(text_); }

 private:
  std::string_view name_;
  std::string text_;
};

void write_bundle(Page& page, const std::optional<Bundle>& bundle) {
  page.family("bc_pki_bundle_authenticated", "Whether the seal vouched for the bundle.");
  page.sample({}, bundle && bundle->authenticated());
  if (!bundle) return;
  page.family("bc_pki_bundle_generation", "The bundle's generation.");
  page.sample({}, static_cast<std::int64_t>(bundle->generation()));
  page.family("bc_pki_bundle_trust_version", "The bundle's trust version.");
  page.sample({}, static_cast<std::int64_t>(bundle->trust_version()));
}

void write_members(Page& page, const Examination& examination) {
  if (examination.members.empty()) return;
  page.family("bc_pki_certificate_not_after_seconds",
              "When a certificate of the bundle ends, in seconds since 1970.");
  for (const auto& found : examination.members)
    page.sample({{"member", found.member}, {"stage", found.stage}}, found.not_after.to_seconds());
}

void write_files(Page& page, const Examination& examination) {
  if (examination.files.empty()) return;
  page.family("bc_pki_file_certificate_not_after_seconds",
              "When a certificate in a file ends, in seconds since 1970.");
  for (const auto& found : examination.files)
    page.sample({{"path", found.path}, {"position", std::to_string(found.position)}},
                found.not_after.to_seconds());
  page.family("bc_pki_file_certificate_renew_by_seconds",
              "When a leaf certificate in a file should be replaced, in seconds since 1970.");
  for (const auto& found : examination.files)
    if (found.renew_by)
      page.sample({{"path", found.path}, {"position", std::to_string(found.position)}},
                  found.renew_by->to_seconds());
}

void write_findings(Page& page, const Examination& examination) {
  std::map<std::pair<Severity, std::string_view>, std::int64_t> counts;
  for (const auto& found : examination.findings) ++counts[{found.severity, found.id}];
  page.family("bc_pki_findings", "How often the doctor found something of this id.");
  for (const auto& [found, count] : counts)
    page.sample({{"severity", severity_name(found.first)}, {"id", found.second}}, count);
}

}  // namespace

std::string prometheus_metrics(const Examination& examination, UnixTime now) {
  Page page;
  page.family("bc_pki_doctor_last_run_seconds",
              "When the doctor looked at all this, in seconds since 1970.");
  page.sample({}, now.to_seconds());
  write_bundle(page, examination.bundle);
  write_members(page, examination);
  write_files(page, examination);
  write_findings(page, examination);
  return std::move(page).take();
}

}  // namespace bcpki
