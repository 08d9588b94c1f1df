#include "bc-pki/ca.h"

#include <cstddef>
#include <string>

#include "common/io.h"
#include "common/secrets.h"

namespace cli {
namespace {

constexpr std::size_t kMaxCertificateBytes = std::size_t{1} << 20;

}  // namespace

std::chrono::seconds ca_lifetime(const Args& args) {
  return std::chrono::days(args.number(kCaDaysFlag.name));
}

bcpki::Certificate read_certificate_file(const std::filesystem::path& path) {
  const File file = read_file(path, kMaxCertificateBytes);
  return naming(path.native(), [&] {
    return bcpki::read_certificate(file.content.reveal())
        .value_or_throw(bcpki::Code::invalid_input);
  });
}

void add_ca(Report& report, std::string_view name, const bcpki::Certificate& certificate) {
  report.add("ca", "CA", std::string(name));
  report.add("notAfter", "ends", bcpki::format_time(certificate.not_after));
  report.add("serial", "serial", certificate.serial_hex);
}

}  // namespace cli
