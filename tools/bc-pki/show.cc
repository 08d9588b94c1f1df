#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bc-pki/commands.h"
#include "common/bundle_file.h"

namespace cli {
namespace {

std::string days(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "day" : "days");
}

Report expiries(const bcpki::Expiries& expires, bcpki::UnixTime now) {
  Report report;
  const auto add = [&](std::string_view name, std::string_view label, bcpki::UnixTime end) {
    report.add(name, label, bcpki::format_time(end), with_days_left(end, now));
  };
  add("root", "root CA", expires.root);
  add("node", "node CA", expires.node);
  add("serving", "serving CA", expires.serving);
  add("internal", "internal CA", expires.internal);
  if (expires.command_signing) {
    add("commandSigning", "command-signing root", *expires.command_signing);
  }
  return report;
}

Report jwk(const bcpki::Jwk& key) {
  Report report;
  report.add("kty", "kty", key.kty).add("crv", "crv", key.crv);
  report.add("x", "x", key.x).add("y", "y", key.y).add("kid", "kid", key.kid);
  report.add("use", "use", key.use).add("alg", "alg", key.alg);
  return report;
}

Report show(const Args& args, Env& env) {
  const LoadedBundle loaded = load_bundle(args, env);
  Report report = report_on(loaded);
  add_pins(report, loaded.bundle.pins(), env.now);
  return report;
}

constexpr std::array kFlags = kBundleFlags;

}  // namespace

std::string with_days_left(bcpki::UnixTime end, bcpki::UnixTime now) {
  const std::string date = bcpki::format_time(end).substr(0, std::string_view("2027-11-30").size());
  const auto left = std::chrono::floor<std::chrono::days>(end - now).count();
  if (end < now) return fmt::format("{} (expired {} ago)", date, days(-left - 1));
  if (left == 0) return fmt::format("{} (less than a day left)", date);
  return fmt::format("{} ({} left)", date, days(left));
}

void add_pins(Report& report, const bcpki::Pins& pins, bcpki::UnixTime now) {
  report.add("authenticated", "authenticated", pins.authenticated);
  report.add("servingCaSpkiPin", "serving CA pin", pins.serving_ca_spki_pin);
  report.add("joinSigningKeyPin", "join signing key pin", pins.join_signing_key_pin);
  report.add("joinEncryptionKeyPin", "join encryption key pin", pins.join_encryption_key_pin);
  report.add("joinEncryptionJwk", "join encryption key", jwk(pins.join_encryption_jwk));
  report.add_if("auditSigningKeyPin", "audit signing key pin", pins.audit_signing_key_pin);
  report.add_if("execTicketKeyId", "exec ticket key id", pins.exec_ticket_key_id);
  report.add_if("sshCaPublicKey", "SSH CA", pins.ssh_ca_public_key);
  report.add_if("sandboxSshCaPublicKey", "sandbox SSH CA", pins.sandbox_ssh_ca_public_key);
  report.add_if("commandSigningRootSha256", "command-signing root",
                pins.command_signing_root_sha256);
  report.add_if("commandSigningNextRootSha256", "next command root",
                pins.command_signing_next_root_sha256);
  report.add_if("commandSigningPreviousRootSha256", "previous command root",
                pins.command_signing_previous_root_sha256);
  report.add("trustVersion", "trust version", pins.trust_version);
  report.add_if("generation", "generation", pins.generation);
  report.add("publicSha256", "public SHA-256", pins.public_sha256);
  report.add("expires", "expires", expiries(pins.expires, now));
  report.add("certificates", "certificates", pins.certificates);
}

constinit const Command kShow{
    .name = "show",
    .summary = "print the pins, key names and expiry dates of a bundle",
    .description =
        "Reads the public half. With the secret it first checks that half against the seal and\n"
        "says `authenticated`; without it, whoever can write the file chooses what is printed.\n"
        "`public SHA-256` is one value to compare on all servers.",
    .example = "bc-pki show --pki /etc/better-compute/pki.json",
    .flags = kFlags,
    .run = show};

}  // namespace cli
