#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"
#include "bcpki/root_authority.h"

#include "bc-pki/commands.h"
#include "common/bundle_file.h"
#include "common/io.h"
#include "common/transaction.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Bundle;
using bcpki::Code;
using bcpki::Error;
using bcpki::SecretBytes;

constexpr std::size_t kMadeSecretBytes = 48;

constexpr std::string_view kOfflineRoot = "offline-root";
constexpr std::string_view kGenerateSecret = "generate-secret";

// Plan is what will be written where, before any key exists.
struct Plan {
  fs::path bundle;
  std::optional<fs::path> root_key;
  std::optional<fs::path> secret_file;

  std::vector<fs::path> targets() const {
    std::vector<fs::path> all{bundle};
    if (root_key) all.push_back(*root_key);
    if (secret_file) all.push_back(*secret_file);
    return all;
  }
};

std::optional<fs::path> path_if_given(const Args& args, std::string_view flag) {
  if (!args.given(flag)) return std::nullopt;
  return absolute_path(args.text(flag));
}

// Two spellings of one place are one place.
fs::path place(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path : resolved;
}

void require_free(const Plan& plan) {
  const std::vector<fs::path> targets = plan.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (place(targets[i]) == place(targets[j])) {
        fail_usage(fmt::format("{} is named for two files", targets[i].native()));
      }
    }
    require_absent(targets[i]);
  }
}

SecretBytes make_secret(bcpki::Rng& rng) {
  SecretBytes raw(kMadeSecretBytes);
  rng.fill(raw.reveal());
  std::string text = bcpki::base64(raw.reveal());
  SecretBytes secret(text);
  bcpki::wipe(std::as_writable_bytes(std::span(text)));
  return secret;
}

// seal_secret is what the bundle is sealed with, or none for one in clear.
std::optional<GivenSecret> seal_secret(const Args& args, Env& env) {
  std::optional<GivenSecret> given = find_secret(kSecretVariable, env);
  if (args.given(kGenerateSecret)) {
    if (given) {
      fail_usage(fmt::format("--generate-secret contradicts {}, which is set", kSecretVariable));
    }
    if (args.on("plaintext")) {
      fail_usage("--generate-secret and --plaintext contradict each other");
    }
    return GivenSecret{.secret = make_secret(env.rng()), .from_file = true};
  }
  if (!given && !args.on("plaintext")) {
    throw Error(Code::missing_env,
                fmt::format("no secret to seal the keys with; set {0} or {0}_FILE, or pass "
                            "--generate-secret FILE (or --plaintext)",
                            kSecretVariable));
  }
  return given;
}

void warn_about_keeping(const std::optional<GivenSecret>& secret, const Args& args, Env& env) {
  if (!secret) {
    env.warn("THE PRIVATE KEYS ARE WRITTEN IN CLEAR: whoever reads the file owns every machine");
  } else if (args.on("plaintext")) {
    env.warn("--plaintext was ignored, since a secret is set: the bundle is sealed with it");
  }
  if (secret && !secret->from_file) {
    env.warn(fmt::format("keep the value of {}: without it this bundle can never be opened",
                         kSecretVariable));
  }
}

// Files is what a new deployment consists of, as it is written.
struct Files {
  SecretBytes bundle;
  std::optional<SecretBytes> root_key;
};

Files export_files(const Bundle& made, const Plan& plan, const SecretBytes* secret,
                   bcpki::Rng& rng) {
  const bool apart = plan.root_key.has_value();
  Files files{.bundle = bcpki::export_bundle(made, {.secret = secret, .omit_root_key = apart}, rng),
              .root_key = std::nullopt};
  if (apart) files.root_key = bcpki::export_root_key(made, secret, rng);
  return files;
}

// What is written is what opens: read back before it is anywhere.
Bundle reopen(const Files& files, const SecretBytes* secret) {
  bcpki::OpenOptions options;
  if (secret != nullptr) options.secrets.push_back(secret->clone());
  Bundle bundle = bcpki::open_bundle(bcpki::as_text(files.bundle.reveal()), options);
  if (files.root_key) {
    (void)bcpki::open_root_key(files.root_key->reveal(),
                               {.open = std::move(options), .bundle = &bundle});
  }
  return bundle;
}

void write(Transaction& transaction, const Plan& plan, const Files& files,
           const SecretBytes* secret) {
  if (plan.secret_file) {
    SecretBytes line = secret->clone();
    line.append(bcpki::as_bytes("\n"));
    transaction.create(*plan.secret_file, Access::owner, line.reveal());
  }
  if (plan.root_key && files.root_key)
    transaction.create(*plan.root_key, Access::owner, files.root_key->reveal());
  transaction.create(plan.bundle, Access::owner, files.bundle.reveal());
  transaction.commit();
}

Report::List next_steps(const Plan& plan) {
  Report::List steps;
  if (plan.secret_file) {
    steps.push_back(fmt::format("export {}_FILE={}", kSecretVariable,
                                shell_quoted(plan.secret_file->native())));
  }
  if (plan.root_key) {
    steps.push_back(fmt::format("move {} off the servers", plan.root_key->native()));
  }
  steps.push_back(
      fmt::format("bc-pki issue-gateway --pki {} --san NAME", shell_quoted(plan.bundle.native())));
  return steps;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

Report show_existing(const fs::path& path, const Args& args, Env& env) {
  const LoadedBundle loaded = load_bundle(path, env, args.text("trust-domain"));
  for (const std::string_view flag : {kOfflineRoot, kGenerateSecret}) {
    if (args.given(flag)) env.warn(fmt::format("--{} was ignored: the bundle is there", flag));
  }
  Report report = report_on(loaded);
  add_pins(report, loaded.bundle.pins(), env.now);
  return report.add("changed", "changed", false);
}

Report init(const Args& args, Env& env) {
  const Plan plan{.bundle = absolute_path(args.text(kPkiFlag.name)),
                  .root_key = path_if_given(args, kOfflineRoot),
                  .secret_file = path_if_given(args, kGenerateSecret)};
  const auto suffices = [&] { return args.on("if-missing") && is_there(plan.bundle); };
  if (suffices()) return show_existing(plan.bundle, args, env);
  const std::optional<GivenSecret> given = seal_secret(args, env);
  const SecretBytes* secret = given ? &given->secret : nullptr;
  Transaction transaction;
  transaction.lock(plan.bundle);
  // Another one may have made it before this one got the lock.
  if (suffices()) return show_existing(plan.bundle, args, env);
  require_free(plan);
  const Bundle made = bcpki::create_bundle(
      {.trust_domain = args.text("trust-domain"), .organization = args.text("organization")},
      env.now, env.rng());
  const Files files = export_files(made, plan, secret, env.rng());
  const LoadedBundle loaded{.bundle = reopen(files, secret), .path = plan.bundle};
  write(transaction, plan, files, secret);
  warn_about_keeping(given, args, env);

  Report report = report_on(loaded);
  add_pins(report, loaded.bundle.pins(), env.now);
  report.add("changed", "changed", true);
  if (plan.root_key) report.add("offlineRoot", "offline root", plan.root_key->native());
  if (plan.secret_file) report.add("secretFile", "secret file", plan.secret_file->native());
  return report.add("", "next", next_steps(plan));
}

constexpr Flag with_help(Flag flag, std::string_view help) {
  flag.help = help;
  return flag;
}

constexpr std::array kFlags = {
    Flag{.name = "trust-domain",
         .value_name = "DOMAIN",
         .help = "The SPIFFE trust domain of agent identities",
         .variable = kTrustDomainVariable,
         .required = true},
    with_help(kPkiFlag, "Where to write the bundle"),
    Flag{.name = kOfflineRoot,
         .value_name = "PATH",
         .help = "Write the root key to a file of its own and leave it out of the bundle",
         .kind = Kind::path},
    Flag{.name = "organization",
         .value_name = "NAME",
         .help = "Subject organization of the CA certificates",
         .fallback = bcpki::kDefaultOrganization},
    Flag{.name = "plaintext",
         .help = "Store the private keys in clear where no secret is set",
         .kind = Kind::toggle},
    Flag{.name = "if-missing",
         .help = "Be content with a bundle that is there already",
         .kind = Kind::toggle},
    Flag{.name = kGenerateSecret,
         .value_name = "FILE",
         .help = "Make the secret too and write it to FILE",
         .kind = Kind::path},
};

}  // namespace

constinit const Command kInit{
    .name = "init",
    .summary = "create every CA and key of a deployment in one sealed bundle",
    .description =
        "Writes one file, mode 0600, never over an existing one, and prints what `show` prints.\n"
        "The private keys are sealed with BETTER_COMPUTE_SECRET, BETTER_COMPUTE_SECRET_FILE or a\n"
        "secret that --generate-secret makes. An --offline-root file belongs on no\n"
        "server: only replacing a CA takes it.",
    .example = "bc-pki init --trust-domain compute.example.com --generate-secret /root/pki.secret",
    .flags = kFlags,
    .run = init};

}  // namespace cli
