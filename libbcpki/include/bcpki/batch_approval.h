// Approvals of a batch: what approvers sign, how it is counted, and its files. formats.md
// section 4.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcpki/approver_set.h"
#include "bcpki/batch_scope.h"
#include "bcpki/bytes.h"
#include "bcpki/error.h"
#include "bcpki/signer.h"
#include "bcpki/time.h"

namespace bcpki {

inline constexpr std::size_t kMaxApprovalSignatures = 256;

// How long an approver lets a batch stay open by default, and at most.
inline constexpr std::chrono::hours kDefaultMaxWindow{72};
inline constexpr std::chrono::hours kLongestMaxWindow{720};

// ApprovalTerms is what an approver signs.
struct ApprovalTerms {
  ScopeRoot scope{};
  UnixTime not_after{};  // whole seconds
  std::string trust_domain{};

  friend bool operator==(const ApprovalTerms&, const ApprovalTerms&) = default;
};

// require_open_window throws INVALID_STATE where a batch that ends at `not_after` has ended, or
// stays open for longer than `longest`, which is 1 h to kLongestMaxWindow, else INVALID_INPUT.
void require_open_window(UnixTime not_after, UnixTime now,
                         std::chrono::hours longest = kDefaultMaxWindow);

// sign_batch_approval throws INVALID_INPUT for a batch id that is none, a size that is not 1 to
// kMaxBatchLeaves, an end with a fraction of a second or before 1970, and as sign_purpose.
Signature sign_batch_approval(Signer& signer, const ApprovalTerms& terms);

// BatchApproval is an approval as it came: anything may be in it.
struct BatchApproval {
  std::string batch_id{};
  Bytes scope_root{};
  std::uint64_t scope_size = 0;
  std::optional<UnixTime> not_after{};  // nullopt where it is missing or no time
  std::vector<ClaimedSignature> signatures{};
};

// ApprovalRules is who must have approved, and the verifier's own trust domain.
struct ApprovalRules {
  const ApproverSet& set;
  std::string_view trust_domain;
};

// ApprovedBatch is a batch that enough approvers allowed: only verify_batch_approval makes one.
class ApprovedBatch {
 public:
  const ScopeRoot& scope() const noexcept { return scope_; }
  UnixTime not_after() const noexcept { return not_after_; }
  const Tally& tally() const noexcept { return tally_; }

  // approved_by is the kids that counted, ascending.
  const std::vector<std::string>& approved_by() const noexcept { return tally_.counted; }

 private:
  friend Verdict<ApprovedBatch> verify_batch_approval(const BatchApproval*, std::string_view,
                                                      const ApprovalRules&, UnixTime);

  ApprovedBatch(ScopeRoot scope, UnixTime not_after, Tally tally)
      : scope_(std::move(scope)), not_after_(not_after), tally_(std::move(tally)) {}

  ScopeRoot scope_;
  UnixTime not_after_;
  Tally tally_;
};

// verify_batch_approval says whether `approval`, which may be null, allows the batch `batch_id` at
// `now`. Refused: `no-approval`, `other-batch`, `malformed-approval` (a root that is not 32 bytes,
// a size of 0 or above kMaxBatchLeaves, no end or one with a fraction of a second or before 1970,
// more than kMaxApprovalSignatures), `expired`, `too-few-approvals`, in this order.
Verdict<ApprovedBatch> verify_batch_approval(const BatchApproval* approval,
                                             std::string_view batch_id, const ApprovalRules& rules,
                                             UnixTime now);

// tally_batch_approval counts the signatures of an approval and judges nothing else: all are
// ignored as `bad-signature` where it is malformed.
Tally tally_batch_approval(const BatchApproval& approval, const ApprovalRules& rules);

// ApprovalFile is collected signatures and what they are over.
struct ApprovalFile {
  ApprovalTerms terms{};
  std::vector<ClaimedSignature> signatures{};

  // approval is what a verifier takes; the trust domain stays behind, since a verifier has its own.
  BatchApproval approval() const;
};

// SignatureFile is one approver's signature and what it is over.
struct SignatureFile {
  ApprovalTerms terms{};
  ClaimedSignature signature{};
};

// ProofFile is the proof of one leaf.
struct ProofFile {
  std::string batch_id{};
  BatchEntry entry{};
  BatchProof proof{};
};

// The readers throw INVALID_INPUT for what is not such a file, and verify nothing; the writers lay
// it out for people. A signature file is also read as an approval with one signature.
ApprovalFile read_approval_file(std::string_view text);
SignatureFile read_signature_file(std::string_view text);
ProofFile read_proof_file(std::string_view text);
std::string write_approval_file(const ApprovalFile& file);
std::string write_signature_file(const SignatureFile& file);
std::string write_proof_file(const ProofFile& file);

// combine_signatures makes one approval of files over the same terms, in their order and without
// repeating a signature. Throws INVALID_INPUT where there is no file, SCOPE_MISMATCH with detail
// "member" where the terms of two differ.
ApprovalFile combine_signatures(const std::vector<ApprovalFile>& files);

}  // namespace bcpki
