#include "common/root_key.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bcpki/error.h"

#include "common/prompt.h"
#include "common/secrets.h"

namespace cli {
namespace {

using bcpki::Code;
using bcpki::Error;
using bcpki::SecretBytes;

constexpr std::size_t kMaxRootKeyBytes = std::size_t{1} << 20;

std::vector<SecretBytes> secrets_of(const Args& args, Env& env) {
  bcpki::OpenOptions options;
  if (args.given(kRootSecretFlag.name)) {
    options.secrets.push_back(read_secret(args.text(kRootSecretFlag.name), env).secret);
  } else {
    add_secrets(options, find_secrets(env));
  }
  return std::move(options.secrets);
}

bool is_encrypted_pem(const File& file) {
  return bcpki::as_text(file.content.reveal()).find("-----BEGIN ENCRYPTED PRIVATE KEY-----") !=
         std::string_view::npos;
}

SecretBytes passphrase(const Env& env) {
  if (const auto value = env.variable(kPassphraseVariable)) return SecretBytes(*value);
  if (auto typed = ask_secret("Passphrase of the root key: ")) return *std::move(typed);
  throw Error(Code::missing_env,
              fmt::format("the root key is encrypted; set {}", kPassphraseVariable));
}

}  // namespace

RootKeyFile::RootKeyFile(const Args& args, Env& env)
    : path_(absolute_path(args.text(kRootKeyFlag.name))),
      secrets_(secrets_of(args, env)),
      file_(read_file(path_, kMaxRootKeyBytes)) {
  if (is_encrypted_pem(file_)) passphrase_ = passphrase(env);
}

bcpki::RootKey RootKeyFile::open(bcpki::RootKeyOptions options, Env& env) const {
  for (const SecretBytes& secret : secrets_) options.open.secrets.push_back(secret.clone());
  if (passphrase_) options.passphrase = [this] { return passphrase_->clone(); };
  bcpki::RootKey key =
      naming(path_.native(), [&] { return bcpki::open_root_key(file_.content.reveal(), options); });
  if (file_.open_to_others()) {
    const std::string advice = mode_advice(path_, file_.mode);
    if (key.in_clear) throw Error(Code::invalid_state, "a private key in clear: " + advice);
    env.warn(advice);
  }
  return key;
}

std::optional<RootKeyFile> RootKeyFile::find(const Args& args, Env& env) {
  if (args.given(kRootKeyFlag.name)) return RootKeyFile(args, env);
  if (args.given(kRootSecretFlag.name)) fail_usage("--root-secret-file belongs to --root-key");
  return std::nullopt;
}

bcpki::RootAuthority root_of(const bcpki::Bundle& bundle, const std::optional<RootKeyFile>& file,
                             Env& env) {
  if (file) return file->open({.bundle = &bundle}, env).authority;
  return bcpki::RootAuthority::of(bundle);
}

}  // namespace cli
