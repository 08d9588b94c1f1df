// What an approver set holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bcpki/approver_set.h"

namespace bcpki {

struct ApproverSet::Impl {
  Quorum quorum;
  std::vector<std::string> kids;      // of `quorum.approvers`, in their order
  std::vector<std::size_t> by_kid{};  // the places of the approvers, ascending by kid
};

}  // namespace bcpki
