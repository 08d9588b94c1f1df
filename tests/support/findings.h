// Findings as tests compare them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/doctor.h"

namespace bcpki::test {

using Found = std::vector<std::string>;

// found lists `severity id subject` of each finding, in order.
inline Found found(const Examination& examination) {
  Found out;
  for (const auto& finding : examination.findings)
    out.push_back(std::string(severity_name(finding.severity)) + " " + std::string(finding.id) +
                  " " + finding.subject);
  return out;
}

// the_finding returns the only finding of that id and, where one is given, subject.
inline Finding the_finding(const Examination& examination, std::string_view id,
                           std::string_view subject = {}) {
  std::vector<Finding> all;
  for (const auto& finding : examination.findings)
    if (finding.id == id && (subject.empty() || finding.subject == subject)) all.push_back(finding);
  if (all.size() != 1) throw std::logic_error("not exactly one such finding");
  return all[0];
}

inline bool has(const Found& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace bcpki::test
