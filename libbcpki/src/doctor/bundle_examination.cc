#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bcpki/certificate.h"
#include "bcpki/doctor.h"
#include "bcpki/rotation.h"

#include "doctor/finding.h"
#include "pki/certificate_facts.h"
#include "pki/state.h"

namespace bcpki {
namespace {

// A CA is short when fewer lives of what it issues are left; but nobody is warned for half a year.
constexpr int kEnoughLives = 6;
constexpr std::chrono::seconds kLongestShort = 60 * kDay;

// Upkeep is how a member's certificate is replaced: by renew-ca, as one of `rotate`'s keys, or
// both.
struct Upkeep {
  std::string_view member;
  std::string_view ca;                // of renew-ca
  std::string_view key;               // of rotate
  std::chrono::seconds leaf_life{0};  // the longest of what it issues
};

constexpr std::array kUpkeep{
    Upkeep{"nodeCa", "node", "node-ca", kDay},
    Upkeep{"servingCa", "serving", "", kMaxGatewayLifetime},
    Upkeep{"internalCa", "internal", "internal-ca", kMaxInternalLifetime},
    Upkeep{"commandSigning", "", "command-root", {}},
    Upkeep{"auditSigning", "", "audit", {}},
};

const Upkeep& upkeep_of(const Entry& entry) {
  static constexpr Upkeep kNone{};
  const auto row = std::ranges::find(kUpkeep, entry.slot.spec->name, &Upkeep::member);
  return row == kUpkeep.end() ? kNone : *row;
}

std::string_view stage_name(Stage stage) {
  static constexpr std::array<std::string_view, 3> kNames{"current", "next", "previous"};
  return kNames.at(static_cast<std::size_t>(stage));
}

std::string rotate_command(std::string_view key, std::string_view stage) {
  return fmt::format("bc-pki rotate --key {} --stage {}", key, stage);
}

// root_key_flag is what a command needs besides, where the root's key is not in the bundle, or may
// not be.
std::string_view root_key_flag(const Bundle& bundle) {
  if (!bundle.has_keys()) return " [--root-key PATH]";
  return bundle.has_root_key() ? "" : " --root-key PATH";
}

// A former key signs nothing new; the audit key's is kept for ever.
Severity eased(const Entry& entry, Severity usual) {
  if (entry.slot.stage != Stage::previous) return usual;
  return entry.slot.spec->job == Job::audit_signing ? Severity::info : Severity::warning;
}

std::string named(const Entry& entry, std::string_view what) {
  return fmt::format("\"{}\" {}", common_name(*entry.certificate()), what);
}

// Patient is a bundle that is looked at, and what is found.
class Patient {
 public:
  Patient(const Bundle& bundle, const DeployedFile& file, const DoctorOptions& options,
          UnixTime now)
      : bundle_(bundle),
        document_(bundle.state().document),
        file_(file),
        options_(options),
        now_(now) {}

  void examine(Examination& out) {
    judge_access();
    judge_trust();
    for (const auto& entry : document_.entries) {
      if (entry.slot.spec->form != Form::chain) continue;
      out.members.push_back(status(entry));
      judge_dates(entry);
    }
    if (!bundle_.unvouched())
      for (const auto& [name, key] : rotating_key_names()) judge_rotation(name, key);
    judge_members();
    std::ranges::move(findings_, std::back_inserter(out.findings));
  }

 private:
  template <class... Args>
  void find(Args&&... args) {
    findings_.push_back(finding(std::forward<Args>(args)...));
  }

  void judge_access();
  void judge_trust();
  void judge_dates(const Entry& entry);
  void judge_shortness(const Entry& entry, std::chrono::milliseconds left);
  void judge_rotation(std::string_view name, RotatingKey key);
  void judge_members();

  static MemberCertificate status(const Entry& entry);
  bool ends_with_root(const Entry& entry) const;
  bool is_rotating() const;
  std::string replacement(const Entry& entry) const;

  const Bundle& bundle_;
  const Document& document_;
  const DeployedFile& file_;
  const DoctorOptions& options_;
  UnixTime now_;
  std::vector<Finding> findings_;
};

MemberCertificate Patient::status(const Entry& entry) {
  return {.member = entry.slot.spec->name,
          .stage = stage_name(entry.slot.stage),
          .name = entry.name,
          .not_before = entry.certificate()->not_before,
          .not_after = entry.certificate()->not_after};
}

void Patient::judge_access() {
  const bool sealed = bundle_.sealed();
  if (!sealed)
    find("pki.plaintext", FindingText{file_.path, "the private keys in it are in clear",
                                      "set a secret, then run `bc-pki reseal`"});
  if (file_.open_to_others)
    find("pki.open-to-others", sealed ? Severity::warning : Severity::error,
         FindingText{file_.path, "other users may read or change it",
                     fmt::format("chmod 600 {}", file_.shell_path)});
}

bool Patient::is_rotating() const {
  return std::ranges::any_of(document_.entries,
                             [](const Entry& entry) { return entry.slot.stage != Stage::current; });
}

void Patient::judge_trust() {
  if (bundle_.unvouched() && bundle_.sealed())
    find(
        "pki.former-format",
        FindingText{file_.path,
                    "it is sealed in the former format, which does not cover "
                    "its public half: every reader refuses it",
                    is_rotating() ? "restore the copy from before the rotation" : "bc-pki reseal"});
  if (bundle_.unvouched() && !bundle_.sealed())
    find("pki.unsealed-with-secret",
         FindingText{file_.path,
                     "it is not sealed although a secret is set, so it may stand in a sealed one's "
                     "place: every reader refuses it",
                     "restore it from a backup, or run `bc-pki reseal`"});
  if (bundle_.sealed() && bundle_.has_keys() && bundle_.opened_with() > 0)
    find("pki.previous-secret",
         FindingText{file_.path, "it is still sealed under the previous secret",
                     "roll out the bundle under the secret in use, or run `bc-pki reseal`"});
}

bool Patient::ends_with_root(const Entry& entry) const {
  const auto& root = bundle_.state().certificate("rootCa");
  return !entry.self_signed() && entry.certificate()->not_after >= root.not_after;
}

std::string Patient::replacement(const Entry& entry) const {
  const auto& upkeep = upkeep_of(entry);
  const auto has = [&](Stage stage) { return document_.entry(upkeep.member, stage) != nullptr; };
  if (ends_with_root(entry)) return "it ends with the root: plan a new deployment";
  if (entry.slot.stage == Stage::current && !upkeep.ca.empty())
    return fmt::format("bc-pki renew-ca --ca {}{}", upkeep.ca, root_key_flag(bundle_));
  if (upkeep.key.empty()) return "nothing renews it: plan a new deployment";
  if (has(Stage::next)) return rotate_command(upkeep.key, "switch");
  if (has(Stage::previous)) return rotate_command(upkeep.key, "drop");
  return rotate_command(upkeep.key, "add");
}

void Patient::judge_dates(const Entry& entry) {
  const auto& certificate = *entry.certificate();
  const auto left = certificate.not_after - now_;
  const auto text = [&](std::string_view what) {
    return FindingText{entry.name, named(entry, what), replacement(entry)};
  };
  if (has_ended(certificate.not_after, now_)) {
    find("pki.ca-expired", eased(entry, Severity::error),
         text(end_text(certificate.not_after, now_)));
  } else if (now_.floor_seconds() < certificate.not_before) {
    find("pki.ca-not-yet-valid",
         FindingText{entry.name,
                     named(entry, fmt::format("is valid from {}; it is {} now",
                                              format_time(certificate.not_before),
                                              format_time(now_.floor_seconds()))),
                     "set this machine's clock"});
  } else if (left <= options_.warn) {
    find("pki.ca-expiring", eased(entry, Severity::warning),
         text(end_text(certificate.not_after, now_)));
  } else {
    judge_shortness(entry, left);
  }
}

void Patient::judge_shortness(const Entry& entry, std::chrono::milliseconds left) {
  const auto life = upkeep_of(entry).leaf_life;
  if (entry.slot.stage != Stage::current || left >= std::min(kEnoughLives * life, kLongestShort))
    return;
  const auto days = std::chrono::duration_cast<std::chrono::days>(life).count();
  find("pki.ca-short",
       FindingText{entry.name,
                   named(entry, fmt::format("{}: what it issues for {} {} will soon end with it",
                                            end_text(entry.certificate()->not_after, now_), days,
                                            days == 1 ? "day" : "days")),
                   replacement(entry)});
}

// rotation_if_there is nullopt where the bundle has no such key.
std::optional<Rotation> rotation_if_there(const Bundle& bundle, RotatingKey key) try {
  return rotation_of(bundle, key);
} catch (const Error& error) {
  if (error.code() != Code::not_found) throw;
  return std::nullopt;
}

void Patient::judge_rotation(std::string_view name, RotatingKey key) {
  const auto rotation = rotation_if_there(bundle_, key);
  if (!rotation || rotation->stage == Rotation::Stage::settled) return;
  const std::string subject(name);
  if (rotation->stage == Rotation::Stage::added) {
    find("pki.rotation",
         FindingText{subject,
                     "the next key is published and not used yet: switch to it when every "
                     "process and machine has this bundle",
                     rotate_command(name, "switch") +
                         (key == RotatingKey::command_root ? " --force" : "")});
  } else if (!rotation->drop_at) {
    find("pki.rotation",
         FindingText{subject, "the former key stays: what it signed counts for ever",
                     "leave it listed"});
  } else if (now_ < *rotation->drop_at) {
    find("pki.rotation",
         FindingText{subject,
                     fmt::format("the former key is still trusted: drop it, not before {}",
                                 format_time(*rotation->drop_at)),
                     rotate_command(name, "drop")});
  } else {
    find("pki.rotation", Severity::warning,
         FindingText{subject,
                     fmt::format("the former key is still trusted although all that it signed had "
                                 "ended at {}",
                                 format_time(*rotation->drop_at)),
                     rotate_command(name, "drop")});
  }
}

void Patient::judge_members() {
  for (const auto& spec : member_specs()) {
    if (document_.entry(spec.name)) continue;
    const std::string subject(spec.name);
    if (spec.name == "sandboxSshCa")
      find("pki.no-sandbox-ca",
           FindingText{subject, "the bundle is from before sandboxes", "bc-pki add-sandbox-ca"});
    else
      find("pki.no-member", FindingText{subject,
                                        "the bundle is from before this key; what needs "
                                        "it cannot be done",
                                        "make a new deployment where it is needed"});
  }
  if (bundle_.has_root_key())
    find("pki.root-in-bundle",
         FindingText{file_.path, "it holds the root key: whoever opens it can make any CA",
                     "make the next deployment with `bc-pki init --offline-root PATH`"});
}

void forget_expectations(OpenOptions& open) {
  open.min_trust_version = 0;
  open.min_generation = 0;
  open.expect_trust_domain.reset();
  open.expect_digest.reset();
  open.expect_pins.reset();
}

// open_anyway opens a bundle although it does not open as it should. What stood in the way is
// found.
std::optional<Bundle> open_anyway(const DeployedFile& file, OpenOptions& open,
                                  std::vector<Finding>& findings) {
  for (;;) {
    try {
      return open_bundle(as_text(file.content), open);
    } catch (const Error& error) {
      if (error.code() != Code::invalid_config) throw;
      findings.push_back(failed_examination(Examined::bundle, file.path, error));
      if (!error.detail("reason").empty()) {
        forget_expectations(open);
      } else if (error.detail("check") == "seal-open") {
        open.secrets.clear();
      } else {
        return std::nullopt;
      }
    }
  }
}

bool was_found(const std::vector<Finding>& findings, std::string_view id) {
  return std::ranges::find(findings, id, &Finding::id) != findings.end();
}

}  // namespace

Examination examine_bundle(const DeployedFile& file, OpenOptions open, const DoctorOptions& options,
                           UnixTime now) {
  Examination out;
  open.allow_unauthenticated = true;
  out.bundle = open_anyway(file, open, out.findings);
  if (!out.bundle) return out;
  if (!out.bundle->has_keys() && !was_found(out.findings, "pki.unseal"))
    out.findings.push_back(finding(
        "pki.unauthenticated", {.subject = file.path,
                                .message = "no secret was given: whoever can write it chooses what "
                                           "is in it",
                                .fix = "set BETTER_COMPUTE_SECRET or BETTER_COMPUTE_SECRET_FILE"}));
  Patient(*out.bundle, file, options, now).examine(out);
  return out;
}

}  // namespace bcpki
