#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bcpki/error.h"
#include "bcpki/root_authority.h"
#include "bcpki/upkeep.h"

#include "bc-pki/commands.h"
#include "common/root_key.h"
#include "common/secrets.h"
#include "common/write_back.h"

namespace cli {
namespace {

using bcpki::Code;
using bcpki::Error;
using bcpki::SecretBytes;

constexpr std::string_view kAccept = "accept-unauthenticated";
constexpr std::string_view kNewSecret = "new-secret-file";

// secret_to_seal_with is the new secret, or the one in use.
SecretBytes secret_to_seal_with(const Args& args, Env& env) {
  std::optional<GivenSecret> current = find_secret(kSecretVariable, env);
  if (!current) {
    throw Error(Code::missing_env,
                fmt::format("no secret to seal with; set {0} or {0}_FILE", kSecretVariable));
  }
  if (!args.given(kNewSecret)) return std::move(current->secret);
  SecretBytes next = read_secret(args.text(kNewSecret), env).secret;
  if (bcpki::same_secret(next, current->secret)) {
    throw Error(Code::invalid_input,
                fmt::format("{} holds the secret in use, not a new one", args.text(kNewSecret)));
  }
  return next;
}

Error not_vouched_for(std::string_view what) {
  return {Code::invalid_state,
          fmt::format("nothing vouches for {}; compare them with your records, then pass --{}",
                      what, kAccept)};
}

Report::List next_steps(const Args& args) {
  if (!args.given(kNewSecret)) return {"roll the bundle out to every process"};
  const std::string file = shell_quoted(absolute_path(args.text(kNewSecret)).native());
  return {fmt::format("give every process the new secret ({}_FILE={}) and the former one as {}",
                      kSecretVariable, file, kPreviousSecretVariable),
          "roll the bundle out to every process, then take the former secret away",
          "where the root key file has the former secret: bc-pki reseal --root-key PATH"};
}

Report reseal_bundle(const Args& args, Env& env) {
  const SecretBytes secret = secret_to_seal_with(args, env);
  WriteBack write_back(args, env, WriteBack::Unvouched::loaded);
  const bcpki::Bundle& bundle = write_back.bundle();
  const bcpki::Bundle next = bcpki::reseal(bundle, true);
  if (bundle.unvouched() && !args.on(kAccept)) {
    Report report = report_on(write_back.loaded());
    add_pins(report, bundle.pins(), env.now);
    return std::move(report.fail(not_vouched_for("the pins above")));
  }
  const bcpki::Bundle written = write_back.finish(next, &secret);
  Report report = report_on({.bundle = written, .path = write_back.target()});
  add_pins(report, written.pins(), env.now);
  report.add("changed", "changed", true);
  return report.add("", "next", next_steps(args));
}

Report report_on_root(const std::filesystem::path& path, const bcpki::RootAuthority& root) {
  Report report;
  report.add("rootKey", "root key file", path.native());
  report.add("trustDomain", "trust domain", root.trust_domain());
  report.add("rootCaSpkiPin", "root CA pin", root.public_key().pin());
  report.add("rootCaSha256", "root certificate", root.certificate().sha256_hex());
  report.add("notAfter", "ends", bcpki::format_time(root.certificate().not_after));
  return report;
}

void judge_root_key_flags(const Args& args) {
  for (const Flag& flag : kBundleFlags) {
    // The bundle's variable may be set all the same.
    if (flag.variable.empty() && args.given(flag.name)) {
      fail_usage(fmt::format("--{} does not go with --{}", flag.name, kRootKeyFlag.name));
    }
  }
}

void require_trust_domain(const bcpki::RootAuthority& root, const Env& env) {
  const std::string_view expected = env.variable(kTrustDomainVariable).value_or("");
  if (expected.empty() || expected == root.trust_domain()) return;
  throw Error(Code::invalid_config, fmt::format("the root key file is of trust domain {}, not {}",
                                                root.trust_domain(), expected));
}

Report reseal_root_key(const Args& args, Env& env) {
  judge_root_key_flags(args);
  const SecretBytes secret = secret_to_seal_with(args, env);
  const RootKeyFile file(args, env);
  Rewriting rewriting(file.path(), args);
  bcpki::OpenOptions options{.allow_unauthenticated = true};
  for (const SecretBytes& tried : file.secrets()) options.secrets.push_back(tried.clone());
  return naming(file.path().native(), [&] {
    const bcpki::View text = file.file().content.reveal();
    const bcpki::RootKey key = file.open({.open = {.allow_unauthenticated = true}}, env);
    require_trust_domain(key.authority, env);
    Report report = report_on_root(rewriting.target(), key.authority);
    if (key.unvouched && !args.on(kAccept)) {
      report.add("authenticated", "authenticated", false);
      return std::move(report.fail(not_vouched_for("the root above")));
    }
    rewriting.write(file.file(),
                    bcpki::reseal_root_key(text, options, true, secret, env.rng()).reveal());
    return std::move(report.add("changed", "changed", true));
  });
}

Report reseal(const Args& args, Env& env) {
  return args.given(kRootKeyFlag.name) ? reseal_root_key(args, env) : reseal_bundle(args, env);
}

constexpr std::array kFlags = with_write_back_flags(std::array{
    Flag{.name = kAccept,
         .help = "Seal what nothing authenticates, after comparing the pins printed without this",
         .kind = Kind::toggle},
    Flag{.name = kNewSecret,
         .value_name = "FILE",
         .help = "Seal under the secret in this file from now on",
         .kind = Kind::path},
    Flag{.name = kRootKeyFlag.name,
         .value_name = "PATH",
         .help = "Seal this root key file anew, instead of the bundle",
         .kind = Kind::path},
    kRootSecretFlag,
});

}  // namespace

constinit const Command kReseal{
    .name = "reseal",
    .summary = "seal a bundle anew, in the current format, or under a new secret",
    .description =
        "Keeps every key and certificate. A bundle that nothing authenticates, sealed in the\n"
        "former format or in clear although a secret is set, is not sealed at first: its pins are\n"
        "printed, to be compared with install scripts, join tokens and pinned CAs. With\n"
        "--expect-pins they are compared here.",
    .example = "bc-pki reseal --new-secret-file /root/pki.secret.2027",
    .flags = kFlags,
    .run = reseal};

}  // namespace cli
