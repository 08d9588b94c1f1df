// What the three issue commands share: keys, requests, renewal in time, files and the report.
#pragma once

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

inline constexpr Flag kCsrFlag{.name = "csr",
                               .value_name = "FILE",
                               .help = "A certificate request: its key stays where it is",
                               .kind = Kind::path};

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

}  // namespace cli
