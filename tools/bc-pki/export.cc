#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bc-pki/commands.h"
#include "common/bundle_file.h"

namespace cli {
namespace {

std::vector<std::string_view> part_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, part] : bcpki::public_part_names()) names.push_back(name);
  return names;
}

bcpki::PublicPart part_called(std::string_view wanted) {
  const auto parts = bcpki::public_part_names();
  return std::ranges::find(parts, wanted, [](const auto& part) { return part.first; })->second;
}

Report export_part(const Args& args, Env& env) {
  const std::string& what = args.text("WHAT");
  const LoadedBundle loaded = load_bundle(args, env);
  require_authenticated(loaded, args);
  std::string text = bcpki::export_public(loaded.bundle, part_called(what), args.on("with-root"));
  Report report = report_on(loaded);
  report.add("what", "", what);
  report.add("authenticated", "authenticated", loaded.bundle.authenticated());
  return report.add_raw("text", std::move(text));
}

constexpr std::array kFlags = with_bundle_flags(
    std::array{Flag{.name = "with-root",
                    .help = "Add the root behind a CA; trusting it means trusting all its CAs",
                    .kind = Kind::toggle},
               kUnauthenticatedFlag});

constexpr std::array kPositionals = {
    Positional{.name = "WHAT", .help = "The part", .choices = part_names}};

}  // namespace

constinit const Command kExport{
    .name = "export",
    .summary = "print a public part of the bundle as other software reads it",
    .description =
        "Certificates and keys are printed as PEM, JWKs as JSON, SSH CAs as lines for\n"
        "TrustedUserCAKeys. A CA is printed alone: who is given the root as well trusts every\n"
        "other CA under it.",
    .example = "bc-pki export node-ca > /etc/gateway/client-ca.pem",
    .flags = kFlags,
    .positionals = kPositionals,
    .run = export_part};

}  // namespace cli
