// A bundle that a command changes and writes back: excluded from others, never over what it has not
// read, and only where something vouches for what it read.
#pragma once

#include <filesystem>

#include "bcpki/bundle.h"

#include "common/args.h"
#include "common/bundle_file.h"
#include "common/env.h"
#include "common/report.h"
#include "common/transaction.h"

namespace cli {

inline constexpr Flag kBundleOutFlag{
    .name = "out",
    .value_name = "FILE",
    .help = "Write the bundle to this new file and leave the one that was read as it is",
    .kind = Kind::path};

// with_write_back_flags puts what every command that writes a bundle back takes behind its own.
template <std::size_t N>
constexpr auto with_write_back_flags(const std::array<Flag, N>& own) {
  std::array<Flag, N + 1> all{};
  std::ranges::copy(own, all.begin());
  all.back() = kBundleOutFlag;
  return with_bundle_flags(all);
}

// Rewriting is the file that a command changes, or the new one that `--out` names.
class Rewriting {
 public:
  // `file` is what will be changed; it is locked until this ends. Throws as Transaction::lock, and
  // INVALID_STATE where the file of `--out` exists.
  Rewriting(const std::filesystem::path& file, const Args& args);

  // write puts `content` in the place of what was read as `former`. Throws as Transaction does.
  void write(const File& former, bcpki::View content);

  // target is the file that is written, absolute.
  const std::filesystem::path& target() const { return out_ ? *out_ : file_; }

 private:
  std::filesystem::path file_;
  std::optional<std::filesystem::path> out_;
  Transaction transaction_;
};

// WriteBack is a bundle that a command changes.
class WriteBack {
 public:
  enum class Unvouched { refused, loaded };

  // Throws as load_bundle; INVALID_STATE where unauthenticated bundles are allowed by the
  // environment, unless `unvouched` says that the command is there for them; MISSING_ENV where only
  // the previous secret is given.
  WriteBack(const Args& args, Env& env, Unvouched unvouched = Unvouched::refused);

  const bcpki::Bundle& bundle() const { return loaded_.bundle; }
  const LoadedBundle& loaded() const { return loaded_; }

  // finish writes `next`, sealed under the secret in use or, without one, with the keys in clear,
  // and returns it as it was read back before it was written. Throws as Transaction does.
  bcpki::Bundle finish(const bcpki::Bundle& next);
  bcpki::Bundle finish(const bcpki::Bundle& next, const bcpki::SecretBytes* secret);

  const std::filesystem::path& target() const { return rewriting_.target(); }

  // report starts the report on what was written.
  Report report(const bcpki::Bundle& written) const;

 private:
  Env& env_;
  Rewriting rewriting_;
  LoadedBundle loaded_;
};

}  // namespace cli
