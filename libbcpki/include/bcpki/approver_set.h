// Who approves destructive batches, and how one set of approvers takes another's place. formats.md
// section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/bytes.h"
#include "bcpki/error.h"
#include "bcpki/key.h"
#include "bcpki/signer.h"

namespace bcpki {

inline constexpr std::size_t kMaxApprovers = 64;
inline constexpr std::uint64_t kMaxEpoch = (std::uint64_t{1} << 53) - 1;

// ClaimedSignature is a signature as it came: anyone may have written any `kid` beside any bytes.
struct ClaimedSignature {
  std::string kid{};
  Bytes sig{};

  friend bool operator==(const ClaimedSignature&, const ClaimedSignature&) = default;
};

// claim is a signature of ours on its way to a verifier.
ClaimedSignature claim(const Signature& signature);

// Tally is what signatures are worth: the one count that everything here goes by. A signature
// counts where its kid is in the set and it is that key's; each key counts once, and what does not
// count spoils nothing.
struct Tally {
  // Ignored is a signature that does not count. `slug`: `unknown-key`, `bad-signature`, or
  // `repeated` where its key counts already.
  struct Ignored {
    std::string kid{};
    std::string_view slug{};
  };

  std::vector<std::string> counted{};  // kids, ascending
  std::vector<std::string> missing{};  // the set's other kids, ascending
  std::vector<Ignored> ignored{};      // in the order of the signatures
  std::uint32_t needed = 0;

  bool is_enough() const noexcept { return counted.size() >= needed; }
};

// is_approver_name: 1 to 64 of printable ASCII (0x20 to 0x7e).
bool is_approver_name(std::string_view text);

// Approver is a P-256 key and, where there is one, a name for people, which nobody signs.
struct Approver {
  PublicKey key;
  std::string name{};
};

// short_kid is a kid as people compare it at a glance: `tm71…A9I`. It proves nothing.
std::string short_kid(std::string_view kid);

// shown_approver is `alice (tm71…A9I)`, or the short kid alone where there is no name.
std::string shown_approver(const Approver& approver);

// Tier asks for fewer approvals of small batches: of at most `max_scope_size` leaves.
struct Tier {
  std::uint32_t max_scope_size = 0;
  std::uint32_t threshold = 0;

  friend bool operator==(const Tier&, const Tier&) = default;
};

// Quorum is what makes a set. `unbatched_per_hour` is how many destructive commands a machine runs
// in an hour without a batch.
struct Quorum {
  std::vector<Approver> approvers{};
  std::uint32_t threshold = 0;
  std::vector<Tier> tiers{};
  std::uint32_t unbatched_per_hour = 0;
};

// ClaimedQuorum is a quorum as it came over a wire.
struct ClaimedQuorum {
  struct Key {
    std::string kid{};
    Bytes spki{};
    std::string name{};  // "" where there is none
  };

  std::vector<Key> keys{};
  std::uint32_t threshold = 0;
  std::vector<Tier> tiers{};
  std::uint32_t unbatched_per_hour = 0;
};

// ApproverSet is a valid set, or the removal of the quorum, which has no keys. Valid: 1 to
// kMaxApprovers different P-256 keys; 1 <= threshold <= keys; tiers strictly ascending by size from
// 1, with thresholds from 1 that never fall and are never above `threshold`. Immutable; copies
// share.
class ApproverSet {
 public:
  // make throws INVALID_INPUT with detail "reason" `malformed-set` where the quorum is not valid.
  // Without approvers it must be the removal: threshold 0, no tiers, nothing unbatched.
  static ApproverSet make(Quorum quorum);

  // removal is the set that ends the quorum.
  static ApproverSet removal();

  // check reads what came over a wire; a kid must be its key's own. Refused: `malformed-set`.
  static Verdict<ApproverSet> check(const ClaimedQuorum& claimed);

  // check_held is for the set that a machine holds already: a threshold of 0 beside keys, which no
  // one may make, is taken. It admits no change. Refused: `malformed-set`.
  static Verdict<ApproverSet> check_held(const ClaimedQuorum& claimed);

  // approvers are in the order that they were given, and kids are their keys'.
  const std::vector<Approver>& approvers() const noexcept;
  const std::vector<std::string>& kids() const noexcept;
  std::uint32_t threshold() const noexcept;
  const std::vector<Tier>& tiers() const noexcept;
  std::uint32_t unbatched_per_hour() const noexcept;

  bool is_removal() const noexcept { return approvers().empty(); }

  // find returns the approver whose key is called `kid`, or null.
  const Approver* find(std::string_view kid) const noexcept;

  // required_approvals is how many approvals a batch of `scope_size` leaves needs: the threshold of
  // the first tier that covers it, else `threshold()`, and never fewer than one.
  std::uint32_t required_approvals(std::uint32_t scope_size) const noexcept;

  // input is what stands for the set: keys by kid, then threshold, tiers and what may run
  // unbatched. Names are not in it.
  Bytes input() const;

  // digest is SHA-256 of `input()`: the pin of a first set. Its hex is `setSha256`.
  Digest32 digest() const;

  struct Impl;
  explicit ApproverSet(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// SignedEpoch is one approver's word for a set.
struct SignedEpoch {
  std::uint64_t epoch = 0;
  std::string trust_domain{};
  ClaimedSignature signature{};
};

// ApproverSetFile is a set, and in a file of `sign-approvers` who signed it for which epoch.
struct ApproverSetFile {
  ApproverSet set;
  std::optional<SignedEpoch> signed_epoch{};
};

// read_approver_set takes both forms. Nothing is verified but that the set is valid and the file's
// digest its own. Throws INVALID_INPUT.
ApproverSetFile read_approver_set(std::string_view text);

// write_approver_set lays the file out for people.
std::string write_approver_set(const ApproverSetFile& file);

// sign_approver_set signs a set, or the removal, for an epoch of one deployment. Throws
// INVALID_INPUT for an epoch that is not 1 to kMaxEpoch and as sign_purpose.
Signature sign_approver_set(Signer& signer, const ApproverSet& set, std::uint64_t epoch,
                            std::string_view trust_domain);

// HeldApprovers is what a machine holds: no set yet, a set, or after a removal only its epoch.
struct HeldApprovers {
  std::optional<ApproverSet> set{};
  std::uint64_t epoch = 0;        // of the last set that it held; 0 where it never held one
  std::optional<Digest32> pin{};  // the digest that its first set must have
};

// NextApprovers is what is offered to it.
struct NextApprovers {
  ApproverSet set;
  std::uint64_t epoch = 0;
  std::vector<ClaimedSignature> signatures{};
};

// verify_approver_set_change says whether a holder may take the next set, and who allowed it:
// nothing is needed where it holds that set for that epoch, or no keys. `trust_domain` is the
// holder's own. Refused: `malformed-set` (an epoch that is 0 beside keys or above kMaxEpoch);
// without keys held `stale-epoch`, then `pin-mismatch`; with keys `stale-epoch`, `no-trust-domain`,
// `no-threshold`, `approver-set-unsigned`, in this order.
Verdict<Tally> verify_approver_set_change(const HeldApprovers& held, const NextApprovers& next,
                                          std::string_view trust_domain);

// tally_approver_set counts the signatures over a set for an epoch that `current` needs to change.
Tally tally_approver_set(const ApproverSet& current, const NextApprovers& next,
                         std::string_view trust_domain);

// ChangeLine is one thing to know before signing. `mark`: `+` comes, `-` goes, `!` look here, and a
// space for what stays so. What is dangerous may end in machines that nobody can approve for, or
// that need less approval than before.
struct ChangeLine {
  char mark = ' ';
  std::string text{};
  bool is_dangerous = false;
};

// describe_set says who approves, how many are needed and what losing keys would mean.
std::vector<ChangeLine> describe_set(const ApproverSet& set);

// describe_change says what `next` changes: every member of the set, and every name. A key that
// takes another's place under its name is a line that goes and one that comes.
std::vector<ChangeLine> describe_change(const ApproverSet& current, const ApproverSet& next);

// tolerance is what losing keys means: "any 1 of 3 keys may be lost".
std::string tolerance(const ApproverSet& set);

}  // namespace bcpki
