// The bundle that a command works with: found, read, opened and warned about in one way.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bcpki/bundle.h"
#include "bcpki/secret.h"

#include "common/args.h"
#include "common/env.h"
#include "common/io.h"
#include "common/report.h"

namespace cli {

inline constexpr std::string_view kSecretVariable = "BETTER_COMPUTE_SECRET";
inline constexpr std::string_view kPreviousSecretVariable = "BETTER_COMPUTE_SECRET_PREVIOUS";
inline constexpr std::string_view kTrustDomainVariable = "BETTER_COMPUTE_TRUST_DOMAIN";
inline constexpr std::string_view kUnauthenticatedVariable =
    "BETTER_COMPUTE_PKI_ALLOW_UNAUTHENTICATED";

inline constexpr Flag kPkiFlag{.name = "pki",
                               .value_name = "PATH",
                               .help = "The bundle",
                               .kind = Kind::path,
                               .variable = "BETTER_COMPUTE_PKI",
                               .fallback = ".better-compute/pki.json"};

inline constexpr Flag kUnauthenticatedFlag{.name = "unauthenticated",
                                           .help = "Print it although no seal vouches for it",
                                           .kind = Kind::toggle};

// GivenSecret is a deployment secret and whether it came from a file, so that it is kept somewhere.
struct GivenSecret {
  bcpki::SecretBytes secret;
  bool from_file;
};

// find_secret returns the secret of `variable` or of the file that `<variable>_FILE` names. Throws
// USAGE where both are set, MISSING_ENV where it is too short.
std::optional<GivenSecret> find_secret(std::string_view variable, Env& env);

// LoadedBundle is an opened bundle and where it came from.
struct LoadedBundle {
  bcpki::Bundle bundle;
  std::filesystem::path path;  // absolute
  bool secret_given;
};

// load_bundle opens the bundle at `path` with the secrets of the environment, for the trust domain
// `expected` or, where it is empty, that of the environment. Throws what open_bundle throws, naming
// the path; NOT_FOUND and IO_ERROR where there is no file to read; INVALID_STATE where private keys
// lie in clear and open to others.
LoadedBundle load_bundle(const std::filesystem::path& path, Env& env,
                         std::string_view expected = {});

// load_bundle of the one that `--pki` names.
LoadedBundle load_bundle(const Args& args, Env& env);

// require_authenticated refuses a bundle that nothing vouches for, unless `--unauthenticated` was
// given: MISSING_ENV where the secret is what is missing, else INVALID_STATE.
void require_authenticated(const LoadedBundle& loaded, const Args& args);

// report_on starts a report with the path and the trust domain.
Report report_on(const LoadedBundle& loaded);

}  // namespace cli
