// The small files of a quorum from a stranger: each is refused as INVALID_INPUT with one printable
// line, or is read, written and read again as the same. Sets and approvals that are read are
// judged, which never throws.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "bcpki/approver_set.h"
#include "bcpki/batch_approval.h"
#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace {

constexpr bcpki::UnixTime kNow = bcpki::UnixTime::seconds(1796040000);
constexpr std::string_view kTrustDomain = "compute.example.com";

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Read>
auto read(Read reader, std::string_view text) -> std::optional<decltype(reader(text))> try {
  return reader(text);
} catch (const bcpki::Error& error) {
  require(error.code() == bcpki::Code::invalid_input);
  require(bcpki::printable(error.what()) == error.what());
  return std::nullopt;
}

// again reads a file, writes it, and requires that the text is read and written as itself.
template <class Read, class Write>
auto again(Read reader, Write writer, std::string_view text) {
  auto file = read(reader, text);
  if (file) {
    const std::string written = writer(*file);
    require(writer(reader(written)) == written);
  }
  return file;
}

void judge_set(const bcpki::ApproverSetFile& file) {
  require(bcpki::ApproverSet::make({file.set.approvers(), file.set.threshold(), file.set.tiers(),
                                    file.set.unbatched_per_hour()})
              .digest() == file.set.digest());
  require(!bcpki::describe_set(file.set).empty());
  require(!bcpki::describe_change(file.set, bcpki::ApproverSet::removal()).empty());
  bcpki::NextApprovers next{file.set, 2};
  if (file.signed_epoch) next.signatures.push_back(file.signed_epoch->signature);
  const auto verdict = bcpki::verify_approver_set_change({file.set, 1}, next, kTrustDomain);
  require(file.set.is_removal() || !verdict || verdict->is_enough());
}

void judge_approval(const bcpki::ApprovalFile& file) {
  const auto approval = file.approval();
  const auto nobody = bcpki::ApproverSet::removal();
  const auto verdict =
      bcpki::verify_batch_approval(&approval, approval.batch_id, {nobody, kTrustDomain}, kNow);
  require(!verdict && verdict.reason().slug != "other-batch");
  const auto combined = bcpki::combine_signatures({file, file});
  require(combined.terms == file.terms && combined.signatures.size() <= file.signatures.size());
}

void judge_proof(const bcpki::ProofFile& file) {
  const bcpki::ScopeRoot scope{file.batch_id, {}, 50'000};
  require(!bcpki::verify_batch_proof(scope, file.entry, file.proof));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto file = again(bcpki::read_approver_set, bcpki::write_approver_set, text))
    judge_set(*file);
  if (const auto file = again(bcpki::read_approval_file, bcpki::write_approval_file, text))
    judge_approval(*file);
  if (const auto file = again(bcpki::read_proof_file, bcpki::write_proof_file, text))
    judge_proof(*file);
  again(bcpki::read_signature_file, bcpki::write_signature_file, text);
  return 0;
}
