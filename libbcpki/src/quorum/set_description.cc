// What people are told about a set of approvers before they sign it.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bcpki/approver_set.h"

namespace bcpki {
namespace {

using Lines = std::vector<ChangeLine>;

std::string threshold_text(const ApproverSet& set) {
  if (set.is_removal()) return "nobody must sign";
  return fmt::format("{} of {} approvers must sign", set.threshold(), set.approvers().size());
}

std::string tier_text(const Tier& tier) {
  return fmt::format("batches of up to {} need {}", tier.max_scope_size, tier.threshold);
}

std::string unbatched_text(const ApproverSet& set) {
  if (set.is_removal()) return "destructive commands run without a batch";
  return fmt::format("{} destructive commands an hour run on each machine without a batch",
                     set.unbatched_per_hour());
}

// put adds a fact that is as it was, or goes and comes.
void put_fact(Lines& lines, const std::string& before, const std::string& after) {
  if (before == after) {
    lines.push_back({' ', after});
  } else {
    lines.push_back({'-', before});
    lines.push_back({'+', after});
  }
}

void put_approvers(Lines& lines, const ApproverSet& current, const ApproverSet& next) {
  for (std::size_t i = 0; i < current.kids().size(); ++i)
    if (!next.find(current.kids()[i]))
      lines.push_back({'-', shown_approver(current.approvers()[i])});
  for (std::size_t i = 0; i < next.kids().size(); ++i) {
    const Approver& approver = next.approvers()[i];
    const Approver* before = current.find(next.kids()[i]);
    lines.push_back({before ? ' ' : '+', shown_approver(approver)});
    if (before && before->name != approver.name)
      lines.push_back({'!', fmt::format("its name was {}: a key is its kid, names are not signed",
                                        shown_approver(*before))});
  }
}

void put_tiers(Lines& lines, const ApproverSet& current, const ApproverSet& next) {
  const auto has = [](const ApproverSet& set, const Tier& tier) {
    return std::ranges::find(set.tiers(), tier) != set.tiers().end();
  };
  for (const Tier& tier : current.tiers())
    if (!has(next, tier)) lines.push_back({'-', tier_text(tier)});
  for (const Tier& tier : next.tiers())
    lines.push_back({has(current, tier) ? ' ' : '+', tier_text(tier)});
}

// put_names warns of one name beside two keys: people may take them for one person's.
void put_names(Lines& lines, const ApproverSet& set) {
  std::set<std::string> seen;
  for (const Approver& approver : set.approvers())
    if (!approver.name.empty() && !seen.insert(approver.name).second)
      lines.push_back(
          {'!',
           fmt::format("the name {} stands beside two keys: whoever holds both counts twice",
                       approver.name),
           true});
}

// steps_of are the sizes from which on a batch may need more than a smaller one.
std::set<std::uint32_t> steps_of(const ApproverSet& current, const ApproverSet& next) {
  std::set<std::uint32_t> steps{1};
  for (const ApproverSet* set : {&current, &next})
    for (const Tier& tier : set->tiers())
      if (tier.max_scope_size < UINT32_MAX) steps.insert(tier.max_scope_size + 1);
  return steps;
}

void put_lower_bar(Lines& lines, const ApproverSet& current, const ApproverSet& next) {
  for (const std::uint32_t size : steps_of(current, next)) {
    const auto before = current.required_approvals(size);
    const auto after = next.required_approvals(size);
    if (after >= before) continue;
    lines.push_back(
        {'!',
         fmt::format("a batch of {} needs {} approvals, not {} as before", size, after, before),
         true});
    return;
  }
}

void put_warnings(Lines& lines, const ApproverSet& set) {
  const bool is_fragile = set.threshold() == set.approvers().size();
  lines.push_back({is_fragile ? '!' : ' ', tolerance(set), is_fragile});
  put_names(lines, set);
}

}  // namespace

std::string tolerance(const ApproverSet& set) {
  if (set.is_removal()) return "there are no keys to lose";
  const auto keys = set.approvers().size();
  const auto spare = keys - std::min<std::size_t>(set.threshold(), keys);
  if (spare == 0)
    return fmt::format("no key may be lost: one lost key of {} ends every approval and change",
                       keys);
  return fmt::format("any {} of {} keys may be lost", spare, keys);
}

std::vector<ChangeLine> describe_set(const ApproverSet& set) {
  if (set.is_removal())
    return {{'!', "REMOVAL: no approvers; destructive batches need no approval", true}};
  Lines lines;
  for (const Approver& approver : set.approvers()) lines.push_back({' ', shown_approver(approver)});
  lines.push_back({' ', threshold_text(set)});
  for (const Tier& tier : set.tiers()) lines.push_back({' ', tier_text(tier)});
  lines.push_back({' ', unbatched_text(set)});
  put_warnings(lines, set);
  return lines;
}

std::vector<ChangeLine> describe_change(const ApproverSet& current, const ApproverSet& next) {
  Lines lines;
  put_approvers(lines, current, next);
  put_fact(lines, threshold_text(current), threshold_text(next));
  put_tiers(lines, current, next);
  put_fact(lines, unbatched_text(current), unbatched_text(next));
  if (next.is_removal()) {
    lines.push_back(
        {'!', "REMOVAL: no approvers are left; destructive batches need no approval", true});
    return lines;
  }
  put_lower_bar(lines, current, next);
  if (next.unbatched_per_hour() > current.unbatched_per_hour())
    lines.push_back({'!', "more destructive commands run without any approval", true});
  put_warnings(lines, next);
  return lines;
}

}  // namespace bcpki
