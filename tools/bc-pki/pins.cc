#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bc-pki/commands.h"
#include "common/bundle_file.h"

namespace cli {
namespace {

// A Format names the three pins and says what stands around a name and its pin.
struct Format {
  std::string_view name;
  std::string_view serving_ca, join_signing, join_encryption;
  std::string_view before, between, after;
  std::string_view separator;
};

constexpr std::string_view kJsonFormat = "json";

constexpr std::array kFormats = {
    Format{"toml", "serving_ca_pin", "join_signing_pin", "join_encryption_pin", "", " = \"", "\"",
           "\n"},
    Format{"env", "BETTER_COMPUTE_SERVING_CA_PIN", "BETTER_COMPUTE_JOIN_SIGNING_PIN",
           "BETTER_COMPUTE_JOIN_ENCRYPTION_PIN", "", "=", "", "\n"},
    Format{"flags", "serving-ca-pin", "join-signing-pin", "join-encryption-pin", "--", " ", "",
           " "},
    Format{kJsonFormat, "servingCaPin", "joinSigningPin", "joinEncryptionPin", {}, {}, {}, {}},
};

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names(kFormats.size());
  std::ranges::transform(kFormats, names.begin(), &Format::name);
  return names;
}

const Format& chosen_format(const Args& args) {
  const std::string_view name = args.text("format");
  if (args.json() && args.given("format") && name != kJsonFormat) {
    fail_usage(fmt::format("--json and --format {} contradict each other", name));
  }
  return *std::ranges::find(kFormats, args.json() ? kJsonFormat : name, &Format::name);
}

std::string write(const Format& format, const bcpki::BootstrapPins& pins) {
  const auto entry = [&](std::string_view name, std::string_view pin) {
    return fmt::format("{}{}{}{}{}", format.before, name, format.between, pin, format.after);
  };
  return fmt::format("{1}{0}{2}{0}{3}\n", format.separator,
                     entry(format.serving_ca, pins.serving_ca),
                     entry(format.join_signing, pins.join_signing),
                     entry(format.join_encryption, pins.join_encryption));
}

Report pins(const Args& args, Env& env) {
  const Format& format = chosen_format(args);
  const LoadedBundle loaded = load_bundle(args, env);
  require_authenticated(loaded, args);
  const bcpki::BootstrapPins found = loaded.bundle.bootstrap_pins();
  Report report = report_on(loaded);
  if (format.name != kJsonFormat) return report.add_raw("", write(format, found));
  Report document = report;
  document.add(format.serving_ca, "", found.serving_ca);
  document.add(format.join_signing, "", found.join_signing);
  document.add(format.join_encryption, "", found.join_encryption);
  return args.json() ? document : report.add_raw("", render_json(document));
}

constexpr std::array kFlags =
    with_bundle_flags(std::array{Flag{.name = "format",
                                      .value_name = "FORMAT",
                                      .help = "How to write them; --json is the same as json",
                                      .kind = Kind::choice,
                                      .choices = format_names,
                                      .fallback = "toml"},
                                 kUnauthenticatedFlag});

}  // namespace

constinit const Command kPins{
    .name = "pins",
    .summary = "print the three pins that a new machine starts from",
    .description =
        "Prints the pins of the serving CA and of the two JoinService keys, ready for a\n"
        "configuration file, an environment file or a command line. The bundle must be\n"
        "authenticated by its seal.",
    .example = "bc-pki pins --format env >> /etc/bcd/environment",
    .flags = kFlags,
    .run = pins};

}  // namespace cli
