// The approvers of golden/approver-keys.json: alice, bob, carol, dave and erin.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bcpki/approver_set.h"
#include "bcpki/signer.h"

namespace bcpki::test {

using Names = std::vector<std::string>;

// Throw std::runtime_error for another name.
std::unique_ptr<Signer> approver_signer(std::string_view name);
std::string approver_kid(std::string_view name);

// kids_of are the kids of `names`, ascending.
std::vector<std::string> kids_of(const Names& names);

// approver_set has `names` as approvers, under those names.
ApproverSet approver_set(const Names& names, std::uint32_t threshold, std::vector<Tier> tiers = {},
                         std::uint32_t unbatched_per_hour = 0);

// claimed is that set as it comes over a wire.
ClaimedQuorum claimed(const ApproverSet& set);

}  // namespace bcpki::test
