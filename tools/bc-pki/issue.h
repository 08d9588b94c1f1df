// What the three issue commands share: keys, requests, renewal in time, files and the report.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/certificate.h"
#include "bcpki/key.h"

#include "common/args.h"
#include "common/bundle_file.h"
#include "common/env.h"
#include "common/report.h"

namespace cli {

inline constexpr Flag kSanFlag{.name = "san",
                               .value_name = "NAMES",
                               .help = "DNS names, comma-separated; the first names the subject",
                               .kind = Kind::list,
                               .required = true};

// kTwoDigits is a number from 0 to 99 in digits.
template <std::uint64_t kNumber>
  requires(kNumber < 100)
inline constexpr std::array<char, 2> kTwoDigits{'0' + kNumber / 10, '0' + kNumber % 10};

// days_flag is `--days`, up to the longest life that there is, which is its default.
template <const std::chrono::seconds& kLongest>
constexpr Flag days_flag() {
  constexpr std::uint64_t kDays = std::chrono::floor<std::chrono::days>(kLongest).count();
  constexpr std::string_view kDigits(kTwoDigits<kDays>.data(), kTwoDigits<kDays>.size());
  return {.name = "days",
          .value_name = "N",
          .help = "Lifetime in days",
          .kind = Kind::number,
          .min = 1,
          .max = kDays,
          .fallback = kDigits.substr(kDays < 10 ? 1 : 0)};
}

inline constexpr Flag kOutFlag{.name = "out",
                               .value_name = "DIR",
                               .help = "Directory for the key and certificate",
                               .kind = Kind::path};

inline constexpr Flag kCsrFlag{.name = "csr",
                               .value_name = "FILE",
                               .help = "A certificate request: its key stays where it is",
                               .kind = Kind::path};

constexpr Flag required(Flag flag) {
  flag.required = true;
  return flag;
}

constexpr Flag with_default(Flag flag, std::string_view fallback) {
  flag.fallback = fallback;
  return flag;
}

inline constexpr Flag kIfExpiringFlag{
    .name = "if-expiring",
    .value_name = "DURATION",
    .help = "Do nothing unless the certificate there ends within it, or does not fit",
    .kind = Kind::duration};

// OutputFiles is where an issued certificate goes; `key` only where a key is made for it.
struct OutputFiles {
  std::filesystem::path certificate;
  std::optional<std::filesystem::path> key;
};

// output_files is `--out`/STEM.crt and, without `--csr`, STEM.key. Throws USAGE for a stem that is
// not an id of at most 64 characters.
OutputFiles output_files(const Args& args, const std::string& stem);

using CertificateDraft = bcpki::Draft<bcpki::Certificate>;

// Order is a certificate to be issued.
struct Order {
  const LoadedBundle& loaded;
  const bcpki::CertificateAuthority& ca;
  OutputFiles files;
  std::vector<std::string> names;  // what the certificate is for
  std::function<CertificateDraft(const bcpki::PublicKey& key)> draft;
  std::function<void(Report& report)> describe;  // the subject, as the report shows it
};

// issue makes the key, or reads the request, and writes what was ordered; or, with `--if-expiring`,
// finds that nothing is due and changes nothing.
Report issue(const Order& order, const Args& args, Env& env);

// Service is a process of the control plane that is to be issued a certificate.
struct Service {
  std::string stem;  // of its files
  const bcpki::CertificateAuthority& (bcpki::Bundle::*ca)() const noexcept;
  std::function<CertificateDraft(const bcpki::CertificateAuthority& ca,
                                 const std::vector<std::string>& names,
                                 std::chrono::seconds lifetime, const bcpki::PublicKey& key)>
      draft;
  std::optional<std::string> role{};  // where the report shows it
};

// issue_service issues for the names and days that the flags give.
Report issue_service(const Service& service, const Args& args, Env& env);

}  // namespace cli
