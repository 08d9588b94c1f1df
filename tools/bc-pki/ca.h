// What the commands about CA certificates share.
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "bcpki/certificate.h"
#include "bcpki/root_authority.h"

#include "common/args.h"
#include "common/report.h"

namespace cli {

inline constexpr Flag kCaDaysFlag{.name = "days",
                                  .value_name = "N",
                                  .help = "Lifetime in days; it never ends after the root",
                                  .kind = Kind::number,
                                  .min = bcpki::kMinCaLifetime / std::chrono::days(1),
                                  .max = bcpki::kMaxCaLifetime / std::chrono::days(1),
                                  .fallback = "365"};

std::chrono::seconds ca_lifetime(const Args& args);

// read_certificate_file reads the one certificate in a file. Throws as read_file, and INVALID_INPUT
// naming the file where it holds anything else.
bcpki::Certificate read_certificate_file(const std::filesystem::path& path);

// add_ca adds a CA's name, the end and the serial number of its certificate.
void add_ca(Report& report, std::string_view name, const bcpki::Certificate& certificate);

}  // namespace cli
