// The bundle that a command works with: found, read, opened and warned about in one way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bcpki/bundle.h"

#include "common/args.h"
#include "common/env.h"
#include "common/io.h"
#include "common/report.h"
#include "common/secrets.h"

namespace cli {

inline constexpr std::string_view kTrustDomainVariable = "BETTER_COMPUTE_TRUST_DOMAIN";
inline constexpr std::string_view kUnauthenticatedVariable =
    "BETTER_COMPUTE_PKI_ALLOW_UNAUTHENTICATED";

inline constexpr Flag kPkiFlag{.name = "pki",
                               .value_name = "PATH",
                               .help = "The bundle",
                               .kind = Kind::path,
                               .variable = "BETTER_COMPUTE_PKI",
                               .fallback = ".better-compute/pki.json"};

inline constexpr std::uint64_t kMaxVersion = (std::uint64_t{1} << 53) - 1;

// What every command that opens a bundle takes.
inline constexpr std::array kBundleFlags = {
    kPkiFlag,
    Flag{.name = "min-generation",
         .value_name = "N",
         .help = "Refuse a bundle of an earlier generation",
         .kind = Kind::number,
         .max = kMaxVersion},
    Flag{.name = "min-trust-version",
         .value_name = "N",
         .help = "Refuse a bundle of an earlier trust version",
         .kind = Kind::number,
         .max = kMaxVersion},
    Flag{.name = "expect-digest",
         .value_name = "HEX",
         .help = "Refuse a bundle whose public half has another SHA-256"},
    Flag{.name = "expect-pins",
         .value_name = "FILE",
         .help = "Refuse a bundle with other pins than `show --json` printed into FILE",
         .kind = Kind::path},
};

// with_bundle_flags puts them behind a command's own.
template <std::size_t N>
constexpr std::array<Flag, N + kBundleFlags.size()> with_bundle_flags(
    const std::array<Flag, N>& own) {
  std::array<Flag, N + kBundleFlags.size()> all{};
  std::ranges::copy(own, all.begin());
  std::ranges::copy(kBundleFlags, all.begin() + N);
  return all;
}

inline constexpr Flag kUnauthenticatedFlag{.name = "unauthenticated",
                                           .help = "Print it although no seal vouches for it",
                                           .kind = Kind::toggle};

// LoadedBundle is an opened bundle and where it came from.
struct LoadedBundle {
  bcpki::Bundle bundle;
  std::filesystem::path path{};  // absolute
  Secrets secrets{};
  File file{};
};

// load_bundle opens the bundle at `path` with the secrets of the environment, for the trust domain
// `expected` or, where it is empty, that of the environment. Throws what open_bundle throws, naming
// the path; NOT_FOUND and IO_ERROR where there is no file to read; INVALID_STATE where private keys
// lie in clear and open to others.
LoadedBundle load_bundle(const std::filesystem::path& path, Env& env,
                         std::string_view expected = {});

// load_bundle of the one that `--pki` names, which must be what the other kBundleFlags say.
LoadedBundle load_bundle(const Args& args, Env& env);

// load_unvouched loads it although nothing vouches for it.
LoadedBundle load_unvouched(const Args& args, Env& env);

// For who opens a bundle itself, to look at it whatever is wrong with it: open_options are what the
// flags and the environment say of it, read_bundle reads its file. The latter throws as read_start.
bcpki::OpenOptions open_options(const Args& args, Env& env);
File read_bundle(const std::filesystem::path& path);

// opened_with_previous says whether only the previous secret opened the seal.
bool opened_with_previous(const LoadedBundle& loaded);

// require_authenticated refuses a bundle that nothing vouches for, unless `--unauthenticated` was
// given: MISSING_ENV where the secret is what is missing, else INVALID_STATE.
void require_authenticated(const LoadedBundle& loaded, const Args& args);

// report_on starts a report with the path and the trust domain.
Report report_on(const LoadedBundle& loaded);

}  // namespace cli
