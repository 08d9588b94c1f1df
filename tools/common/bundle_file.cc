#include "common/bundle_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kMaxPinsBytes = std::size_t{1} << 20;

File read_named_bundle(const fs::path& path) {
  try {
    return read_bundle(path);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    throw Error(error.code(), fmt::format("{}; run `{} init`, or name a bundle that is there",
                                          error.what(), kTool.name));
  }
}

bool allows_unauthenticated(const Env& env) {
  const std::string_view value = env.variable(kUnauthenticatedVariable).value_or("0");
  if (value != "0" && value != "1") {
    fail_usage(fmt::format("{} must be 1 or 0", kUnauthenticatedVariable));
  }
  return value == "1";
}

bcpki::Digest32 expected_digest(const std::string& text) {
  const auto bytes = bcpki::parse_hex(text);
  bcpki::Digest32 digest{};
  if (!bytes || bytes->size() != digest.size()) {
    fail_usage("--expect-digest must be 64 hexadecimal digits");
  }
  std::ranges::copy(*bytes, digest.begin());
  return digest;
}

void expect_trust_domain(bcpki::OpenOptions& options, std::string_view given, const Env& env) {
  if (given.empty()) given = env.variable(kTrustDomainVariable).value_or("");
  if (!given.empty()) options.expect_trust_domain = given;
}

bcpki::OpenOptions expectations(const Args& args, const Env& env) {
  bcpki::OpenOptions options{.min_trust_version = args.number("min-trust-version"),
                             .min_generation = args.number("min-generation")};
  if (args.given("expect-digest")) {
    options.expect_digest = expected_digest(args.text("expect-digest"));
  }
  if (args.given("expect-pins")) {
    const File file = read_file(args.text("expect-pins"), kMaxPinsBytes);
    options.expect_pins = bcpki::as_text(file.content.reveal());
    if (!bcpki::is_pins_record(*options.expect_pins)) {
      throw Error(Code::invalid_input,
                  fmt::format("{} is not what `show --json` or `pins --json` printed",
                              absolute_path(args.text("expect-pins")).native()));
    }
  }
  expect_trust_domain(options, {}, env);
  return options;
}

void judge_mode(const LoadedBundle& loaded, Env& env) {
  if (!loaded.file.open_to_others()) return;
  const std::string advice = mode_advice(loaded.path, loaded.file.mode);
  if (!loaded.bundle.sealed()) throw Error(Code::invalid_state, "private keys in clear: " + advice);
  env.warn(advice);
}

std::string_view why_unauthenticated(const LoadedBundle& loaded) {
  if (!loaded.bundle.sealed()) return "it is not sealed";
  if (!loaded.secrets.any()) return "no secret was given";
  return "its seal is of the former format";
}

void warn_about_trust(const LoadedBundle& loaded, Env& env) {
  if (loaded.bundle.authenticated()) return;
  env.warn(fmt::format("{} is not authenticated, since {}: whoever can write it chooses its pins",
                       loaded.path.native(), why_unauthenticated(loaded)));
}

LoadedBundle load(const fs::path& given_path, bcpki::OpenOptions options, Env& env) {
  const fs::path path = absolute_path(given_path);
  Secrets secrets = find_secrets(env);
  add_secrets(options, secrets);
  File file = read_named_bundle(path);
  LoadedBundle loaded = naming(path.native(), [&] {
    return LoadedBundle{
        .bundle = bcpki::open_bundle(bcpki::as_text(file.content.reveal()), options),
        .path = path,
        .secrets = std::move(secrets),
        .file = std::move(file)};
  });
  judge_mode(loaded, env);
  warn_about_trust(loaded, env);
  if (opened_with_previous(loaded)) {
    env.warn(fmt::format("{} is still sealed under the previous secret", path.native()));
  }
  return loaded;
}

}  // namespace

File read_bundle(const fs::path& path) {
  // One byte more than a bundle may have, so that opening it says so.
  return read_start(path, bcpki::kMaxBundleBytes + 1);
}

bool opened_with_previous(const LoadedBundle& loaded) {
  return loaded.bundle.opened_with() > 0;
}

LoadedBundle load_bundle(const fs::path& path, Env& env, std::string_view expected) {
  bcpki::OpenOptions options{.allow_unauthenticated = allows_unauthenticated(env)};
  expect_trust_domain(options, expected, env);
  return load(path, std::move(options), env);
}

LoadedBundle load_bundle(const Args& args, Env& env) {
  bcpki::OpenOptions options = expectations(args, env);
  options.allow_unauthenticated = allows_unauthenticated(env);
  return load(args.text(kPkiFlag.name), std::move(options), env);
}

LoadedBundle load_unvouched(const Args& args, Env& env) {
  bcpki::OpenOptions options = expectations(args, env);
  (void)allows_unauthenticated(env);  // judges the variable, which does not matter here
  options.allow_unauthenticated = true;
  return load(args.text(kPkiFlag.name), std::move(options), env);
}

bcpki::OpenOptions open_options(const Args& args, Env& env) {
  bcpki::OpenOptions options = expectations(args, env);
  options.allow_unauthenticated = allows_unauthenticated(env);
  add_secrets(options, find_secrets(env));
  return options;
}

void require_authenticated(const LoadedBundle& loaded, const Args& args) {
  if (loaded.bundle.authenticated() || args.on(kUnauthenticatedFlag.name)) return;
  if (loaded.bundle.sealed() && !loaded.secrets.any()) {
    throw Error(Code::missing_env,
                fmt::format("without {} or {}_FILE nothing vouches for {}; give one, or pass --{}",
                            kSecretVariable, kSecretVariable, loaded.path.native(),
                            kUnauthenticatedFlag.name));
  }
  throw Error(Code::invalid_state,
              fmt::format("no seal vouches for {}; compare its pins with your records, then pass "
                          "--{}",
                          loaded.path.native(), kUnauthenticatedFlag.name));
}

Report report_on(const LoadedBundle& loaded) {
  Report report;
  report.add("pki", "bundle", loaded.path.native());
  report.add("trustDomain", "trust domain", loaded.bundle.trust_domain());
  return report;
}

}  // namespace cli
