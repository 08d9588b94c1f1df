#include "common/secrets.h"

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "common/args.h"
#include "common/io.h"

namespace cli {
namespace {

constexpr std::size_t kMaxSecretBytes = std::size_t{64} << 10;

bcpki::SecretBytes read_secret_bytes(const std::filesystem::path& path, Env& env) {
  File file = read_file(path, kMaxSecretBytes);
  if (file.open_to_others()) env.warn(mode_advice(absolute_path(path), file.mode));
  return std::move(file.content);
}

// read_named reads the file that a variable names. Whoever sets it to the secret itself does not
// find that in an error.
bcpki::SecretBytes read_named(std::string_view path, Env& env) {
  try {
    return read_secret_bytes(path, env);
  } catch (const bcpki::Error& error) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) throw;
    throw bcpki::Error(error.code(), "it names no file that is there");
  }
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
    bcpki::SecretBytes given = value ? bcpki::SecretBytes(*value) : read_named(*file, env);
    return GivenSecret{bcpki::deployment_secret(std::move(given)), file.has_value()};
  });
}

GivenSecret read_secret(const std::filesystem::path& path, Env& env) {
  return naming(path.native(), [&] {
    return GivenSecret{bcpki::deployment_secret(read_secret_bytes(path, env)), true};
  });
}

Secrets find_secrets(Env& env) {
  return {.current = find_secret(kSecretVariable, env),
          .previous = find_secret(kPreviousSecretVariable, env)};
}

void add_secrets(bcpki::OpenOptions& options, const Secrets& secrets) {
  for (const std::optional<GivenSecret>* given : {&secrets.current, &secrets.previous}) {
    options.secrets.push_back(*given ? (*given)->secret.clone() : bcpki::SecretBytes());
  }
}

}  // namespace cli
