#include "common/write_back.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

using bcpki::Code;
using bcpki::Error;

void require_vouching(const Env& env) {
  if (env.variable(kUnauthenticatedVariable).value_or("0") == "0") return;
  throw Error(
      Code::invalid_state,
      fmt::format("{} is set, and this writes the bundle back: only `{} reseal` vouches for "
                  "one that is not authenticated; unset it",
                  kUnauthenticatedVariable, kTool.name));
}

const bcpki::SecretBytes* current_secret(const LoadedBundle& loaded) {
  return loaded.secrets.current ? &loaded.secrets.current->secret : nullptr;
}

void require_current_secret(const LoadedBundle& loaded) {
  if (!loaded.secrets.previous || loaded.secrets.current) return;
  throw Error(Code::missing_env,
              fmt::format("only the previous secret is given, and a bundle is written back under "
                          "the one in use: set {0} or {0}_FILE",
                          kSecretVariable));
}

// What is written is what opens: read back before it is anywhere.
bcpki::Bundle read_back(const bcpki::SecretBytes& text, const bcpki::SecretBytes* secret) {
  bcpki::OpenOptions options;
  if (secret != nullptr) options.secrets.push_back(secret->clone());
  return bcpki::open_bundle(bcpki::as_text(text.reveal()), options);
}

LoadedBundle load(const Args& args, Env& env, WriteBack::Unvouched unvouched) {
  if (unvouched == WriteBack::Unvouched::loaded) return load_unvouched(args, env);
  require_vouching(env);
  return load_bundle(args, env);
}

}  // namespace

Rewriting::Rewriting(const fs::path& file, const Args& args) : file_(absolute_path(file)) {
  if (args.given(kBundleOutFlag.name)) {
    out_ = absolute_path(args.text(kBundleOutFlag.name));
    require_absent(*out_);
    return;
  }
  // The lock is the directory's in which the file itself lies, whatever link leads to it.
  std::error_code error;
  const fs::path resolved = fs::canonical(file_, error);
  if (!error) transaction_.lock(resolved);
}

void Rewriting::write(const File& former, bcpki::View content) {
  if (out_) {
    transaction_.create(*out_, Access::owner, content);
  } else {
    transaction_.rewrite(file_, former, content);
  }
  transaction_.commit();
}

WriteBack::WriteBack(const Args& args, Env& env, Unvouched unvouched)
    : env_(env), rewriting_(args.text(kPkiFlag.name), args), loaded_(load(args, env, unvouched)) {
  require_current_secret(loaded_);
}

bcpki::Bundle WriteBack::finish(const bcpki::Bundle& next) {
  bcpki::Bundle written = finish(next, current_secret(loaded_));
  if (opened_with_previous(loaded_)) {
    env_.warn(fmt::format("{} is sealed under the secret in use now", target().native()));
  }
  return written;
}

bcpki::Bundle WriteBack::finish(const bcpki::Bundle& next, const bcpki::SecretBytes* secret) {
  const bcpki::SecretBytes text = bcpki::export_bundle(next, {.secret = secret}, env_.rng());
  bcpki::Bundle written = read_back(text, secret);
  rewriting_.write(loaded_.file, text.reveal());
  return written;
}

Report WriteBack::report(const bcpki::Bundle& written) const {
  Report report;
  report.add("pki", "bundle", target().native());
  report.add("trustDomain", "trust domain", written.trust_domain());
  report.add("changed", "changed", true);
  report.add("generation", "generation", written.generation());
  report.add("publicSha256", "public SHA-256", bcpki::hex(written.public_digest()));
  return report;
}

}  // namespace cli
