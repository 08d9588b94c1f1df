// The one count of signatures by distinct approvers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bcpki/approver_set.h"

namespace bcpki {

// Statement is what signatures are over; `trust_domain` is the verifier's own.
struct Statement {
  std::string_view purpose;
  std::span<const View> parts;
  std::string_view trust_domain;
};

// tally counts `signatures` by keys of `set` over `statement`.
Tally tally(const ApproverSet& set, const Statement& statement,
            std::span<const ClaimedSignature> signatures, std::uint32_t needed);

}  // namespace bcpki
