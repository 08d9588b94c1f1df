#include <algorithm>

#include <fmt/format.h>

#include "bcpki/bundle.h"
#include "bcpki/encoding.h"

#include "pki/state.h"

namespace bcpki {
namespace {

using Lineage = BundleDiff::Lineage;

// Votes collect which of two bundles each difference shows to be the newer one.
class Votes {
 public:
  template <class T>
  void compare(const T& before, const T& after) {
    newer_ |= before < after;
    older_ |= after < before;
  }

  Lineage lineage() const {
    if (newer_ == older_) return Lineage::diverged;
    return newer_ ? Lineage::newer : Lineage::older;
  }

 private:
  bool newer_ = false;
  bool older_ = false;
};

std::string name_of_key(const Entry& entry) {
  if (entry.slot.spec->form == Form::ssh_line) return *entry.value->find("publicKey")->string();
  return entry.key->pin();
}

std::string digest_of(const Entry& entry) {
  return hex(sha256(entry.chain[0].der));
}

const Entry* find(const Document& document, const Entry& like) {
  return document.entry(like.slot.spec->name, like.slot.stage);
}

class Comparison {
 public:
  Comparison(const Document& before, const Document& after) : before_(before), after_(after) {}

  BundleDiff run() && {
    if (before_.public_digest == after_.public_digest) return {Lineage::same, {}};
    compare_text("organization");
    compare_integer("trustVersion");
    compare_integer("generation");
    for (const auto& entry : before_.entries) compare_entry(entry, find(after_, entry));
    for (const auto& entry : after_.entries)
      if (!find(before_, entry)) add_entry(entry);
    return {lineage(), std::move(changes_)};
  }

 private:
  Lineage lineage() const {
    const bool same_root = *before_.entry("rootCa")->key == *after_.entry("rootCa")->key;
    if (before_.trust_domain != after_.trust_domain || !same_root) return Lineage::unrelated;
    return votes_.lineage();
  }

  void compare_text(std::string_view name) {
    add_value(name, std::string(before_.text(name).value_or("")),
              std::string(after_.text(name).value_or("")));
  }

  void compare_integer(std::string_view name) {
    const auto before = before_.integer(name).value_or(0);
    const auto after = after_.integer(name).value_or(0);
    votes_.compare(before, after);
    add_value(name, fmt::to_string(before), fmt::to_string(after));
  }

  void add_value(std::string_view name, std::string before, std::string after) {
    if (before != after)
      changes_.push_back(
          {std::string(name), BundleChange::Kind::value, std::move(before), std::move(after)});
  }

  void compare_entry(const Entry& before, const Entry* after) {
    if (!after) {
      changes_.push_back({before.name, BundleChange::Kind::removed, name_of_key(before), ""});
      // A rotation ends with a removal; a member itself is never taken away.
      if (before.slot.stage == Stage::current) votes_.compare(1, 0);
      return;
    }
    const bool is_chain = before.slot.spec->form == Form::chain;
    if (name_of_key(before) != name_of_key(*after))
      changes_.push_back(
          {before.name, BundleChange::Kind::key, name_of_key(before), name_of_key(*after)});
    else if (is_chain && !equal(before.chain[0].der, after->chain[0].der))
      changes_.push_back(
          {before.name, BundleChange::Kind::certificate, digest_of(before), digest_of(*after)});
    if (is_chain)
      votes_.compare(before.certificate()->not_before, after->certificate()->not_before);
  }

  void add_entry(const Entry& after) {
    changes_.push_back({after.name, BundleChange::Kind::added, "", name_of_key(after)});
    if (after.slot.stage == Stage::current) votes_.compare(0, 1);
  }

  const Document& before_;
  const Document& after_;
  Votes votes_;
  std::vector<BundleChange> changes_;
};

}  // namespace

BundleDiff diff_bundles(const Bundle& before, const Bundle& after) {
  return Comparison(before.state().document, after.state().document).run();
}

}  // namespace bcpki
