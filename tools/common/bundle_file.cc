#include "common/bundle_file.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "bcpki/error.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kMaxSecretBytes = std::size_t{64} << 10;

// Every message says which file or variable it is about.
template <class Step>
auto naming(std::string_view what, Step step) {
  try {
    return step();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", what, error.what()), error.details());
  }
}

bcpki::SecretBytes read_secret(const fs::path& path, Env& env) {
  File file = read_file(path, kMaxSecretBytes);
  if (file.open_to_others()) env.warn(mode_advice(path, file.mode));
  return std::move(file.content);
}

File read_bundle(const fs::path& path) {
  try {
    // One byte more than a bundle may have, so that opening it says so.
    return read_start(path, bcpki::kMaxBundleBytes + 1);
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

// Secrets are tried in this order; the previous one is for the time while the secret changes.
struct Secrets {
  std::optional<GivenSecret> current;
  std::optional<GivenSecret> previous;
};

bcpki::OpenOptions open_options(Secrets secrets, std::string_view expected, const Env& env) {
  bcpki::OpenOptions options{.allow_unauthenticated = allows_unauthenticated(env)};
  for (std::optional<GivenSecret>* given : {&secrets.current, &secrets.previous}) {
    if (*given) options.secrets.push_back(std::move((*given)->secret));
  }
  if (expected.empty()) expected = env.variable(kTrustDomainVariable).value_or("");
  if (!expected.empty()) options.expect_trust_domain = expected;
  return options;
}

void judge_mode(const bcpki::Bundle& bundle, const File& file, const fs::path& path, Env& env) {
  if (!file.open_to_others()) return;
  const std::string advice = mode_advice(path, file.mode);
  if (!bundle.sealed()) throw Error(Code::invalid_state, "private keys in clear: " + advice);
  env.warn(advice);
}

std::string_view why_unauthenticated(const LoadedBundle& loaded) {
  if (!loaded.bundle.sealed()) return "it is not sealed";
  if (!loaded.secret_given) return "no secret was given";
  return "its seal is of the former format";
}

void warn_about_trust(const LoadedBundle& loaded, Env& env) {
  if (loaded.bundle.authenticated()) return;
  env.warn(fmt::format("{} is not authenticated, since {}: whoever can write it chooses its pins",
                       loaded.path.native(), why_unauthenticated(loaded)));
}

}  // namespace

std::optional<GivenSecret> find_secret(std::string_view variable, Env& env) {
  const std::string file_variable = fmt::format("{}_FILE", variable);
  const auto value = env.variable(variable);
  const auto file = env.variable(file_variable);
  if (value && file) {
    fail_usage(fmt::format("{} and {} are both set; unset one", variable, file_variable));
  }
  if (!value && !file) return std::nullopt;
  return naming(value ? variable : file_variable, [&]() -> std::optional<GivenSecret> {
    bcpki::SecretBytes given = value ? bcpki::SecretBytes(*value) : read_secret(*file, env);
    return GivenSecret{bcpki::deployment_secret(std::move(given)), file.has_value()};
  });
}

LoadedBundle load_bundle(const fs::path& given_path, Env& env, std::string_view expected) {
  const fs::path path = absolute_path(given_path);
  Secrets secrets{.current = find_secret(kSecretVariable, env),
                  .previous = find_secret(kPreviousSecretVariable, env)};
  const bool secret_given = secrets.current || secrets.previous;
  const std::size_t previous_index = secrets.current ? 1 : 0;
  const bool previous_given = secrets.previous.has_value();
  const bcpki::OpenOptions options = open_options(std::move(secrets), expected, env);
  const File file = read_bundle(path);
  LoadedBundle loaded = naming(path.native(), [&] {
    return LoadedBundle{
        .bundle = bcpki::open_bundle(bcpki::as_text(file.content.reveal()), options),
        .path = path,
        .secret_given = secret_given};
  });
  judge_mode(loaded.bundle, file, path, env);
  warn_about_trust(loaded, env);
  if (previous_given && loaded.bundle.sealed() && loaded.bundle.has_keys() &&
      loaded.bundle.opened_with() == previous_index) {
    env.warn(fmt::format("{} is still sealed under the previous secret", path.native()));
  }
  return loaded;
}

LoadedBundle load_bundle(const Args& args, Env& env) {
  return load_bundle(args.text(kPkiFlag.name), env);
}

void require_authenticated(const LoadedBundle& loaded, const Args& args) {
  if (loaded.bundle.authenticated() || args.on(kUnauthenticatedFlag.name)) return;
  if (loaded.bundle.sealed() && !loaded.secret_given) {
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
