// The root's key from the file that an operator names: a root key file or a PEM key.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "bcpki/root_authority.h"

#include "common/args.h"
#include "common/env.h"
#include "common/io.h"

namespace cli {

inline constexpr std::string_view kPassphraseVariable = "BETTER_COMPUTE_ROOT_KEY_PASSPHRASE";

inline constexpr Flag kRootKeyFlag{.name = "root-key",
                                   .value_name = "PATH",
                                   .help = "The root key file, or the root's key in PEM",
                                   .kind = Kind::path};
inline constexpr Flag kRootSecretFlag{
    .name = "root-secret-file",
    .value_name = "FILE",
    .help = "The secret of the root key file, where it has its own",
    .kind = Kind::path};

// RootKeyFile is the file that `--root-key` names and what opens it. People are asked for the
// passphrase of an encrypted PEM key here, before anything is locked.
class RootKeyFile {
 public:
  // Throws as read_file and find_secret; MISSING_ENV where a passphrase is missing.
  RootKeyFile(const Args& args, Env& env);

  // open returns the key. `options` say whose it must be. Throws what open_root_key throws, naming
  // the file; INVALID_STATE where the key lies in clear and open to others.
  bcpki::RootKey open(bcpki::RootKeyOptions options, Env& env) const;

  const std::filesystem::path& path() const { return path_; }
  const File& file() const { return file_; }
  const std::vector<bcpki::SecretBytes>& secrets() const { return secrets_; }

  // find is the one that was named, or nullopt. Throws USAGE for `--root-secret-file` without it.
  static std::optional<RootKeyFile> find(const Args& args, Env& env);

 private:
  std::filesystem::path path_;
  std::vector<bcpki::SecretBytes> secrets_;
  File file_;
  std::optional<bcpki::SecretBytes> passphrase_;
};

// root_of returns the key in the file, which must be the bundle's root's, or else the one in the
// bundle itself.
bcpki::RootAuthority root_of(const bcpki::Bundle& bundle, const std::optional<RootKeyFile>& file,
                             Env& env);

}  // namespace cli
