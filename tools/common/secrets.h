// The secrets that an operator gives, from the environment or from files.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "bcpki/bundle.h"
#include "bcpki/error.h"
#include "bcpki/secret.h"

#include "common/env.h"

namespace cli {

inline constexpr std::string_view kSecretVariable = "BETTER_COMPUTE_SECRET";
inline constexpr std::string_view kPreviousSecretVariable = "BETTER_COMPUTE_SECRET_PREVIOUS";
// GivenSecret is a deployment secret and whether it came from a file, so that it is kept somewhere.
struct GivenSecret {
  bcpki::SecretBytes secret;
  bool from_file;
};

// find_secret returns the secret of `variable` or of the file that `<variable>_FILE` names. Throws
// USAGE where both are set, MISSING_ENV where it is too short.
std::optional<GivenSecret> find_secret(std::string_view variable, Env& env);

// read_secret returns the secret in a file that a flag names. Throws as find_secret.
GivenSecret read_secret(const std::filesystem::path& path, Env& env);

// The secret in use and the one before it, which every reader tries second.
struct Secrets {
  std::optional<GivenSecret> current{};
  std::optional<GivenSecret> previous{};

  bool any() const { return current || previous; }
};

Secrets find_secrets(Env& env);

// add_secrets has `options` try them in their order. One that was not given keeps its place, so
// that the second is always the previous one.
void add_secrets(bcpki::OpenOptions& options, const Secrets& secrets);

// naming runs `step`, and says in what it throws which file or variable it is about.
template <class Step>
auto naming(std::string_view what, Step step) {
  try {
    return step();
  } catch (const bcpki::Error& error) {
    throw bcpki::Error(error.code(), fmt::format("{}: {}", what, error.what()), error.details());
  }
}

}  // namespace cli
