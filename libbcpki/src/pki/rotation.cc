#include "bcpki/rotation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "base/table.h"
#include "pki/edit.h"
#include "pki/new_member.h"
#include "pki/root_authority_impl.h"
#include "pki/state.h"

namespace bcpki {
namespace {

// Row is what rotating a key takes. `outlives` is the longest life of what the key signs; none
// where that counts for ever.
struct Row {
  RotatingKey key;
  std::string_view member;
  std::optional<std::chrono::seconds> outlives;
};

constexpr std::array<Row, 7> kRows{{
    {RotatingKey::command_root, "commandSigning", kDay},
    {RotatingKey::node_ca, "nodeCa", kDay},
    {RotatingKey::internal_ca, "internalCa", 7 * kDay},
    {RotatingKey::exec_ticket, "execTicket", std::chrono::seconds(60)},
    {RotatingKey::ssh_ca, "sshCa", 30 * kDay},
    {RotatingKey::sandbox_ssh_ca, "sandboxSshCa", 30 * kDay},
    {RotatingKey::audit, "auditSigning", std::nullopt},
}};

constexpr std::array<std::pair<std::string_view, RotatingKey>, 7> kNames{{
    {"command-root", RotatingKey::command_root},
    {"node-ca", RotatingKey::node_ca},
    {"internal-ca", RotatingKey::internal_ca},
    {"exec-ticket", RotatingKey::exec_ticket},
    {"ssh-ca", RotatingKey::ssh_ca},
    {"sandbox-ssh-ca", RotatingKey::sandbox_ssh_ca},
    {"audit", RotatingKey::audit},
}};

std::string_view name_of(RotatingKey key) {
  return row_of(kNames, key, &decltype(kNames)::value_type::second).first;
}

// Keys are the entries of one rotating key.
struct Keys {
  const MemberSpec* spec;
  const Entry* current;
  const Entry* next;
  const Entry* previous;
};

Keys keys_of(const Bundle& bundle, RotatingKey key) {
  const auto member = row_of(kRows, key, &Row::key).member;
  const auto& document = bundle.state().document;
  const Keys keys{find_slot(member)->spec, document.entry(member),
                  document.entry(member, Stage::next), document.entry(member, Stage::previous)};
  if (!keys.current) throw Error(Code::not_found, fmt::format("the bundle has no {}", member));
  return keys;
}

[[noreturn]] void out_of_order(const std::string& message) {
  throw Error(Code::invalid_state, message);
}

// shown_name is how `show` calls a key.
std::string shown_name(const Entry& entry) {
  if (entry.slot.spec->form == Form::ssh_line) return *entry.value->find("publicKey")->string();
  if (entry.slot.spec->form == Form::jwk) return entry.key->thumbprint();
  if (entry.slot.spec->job == Job::command_signing) return hex(sha256(entry.chain[0].der));
  return entry.key->pin();
}

std::optional<std::string> shown_name(const Entry* entry) {
  return entry ? std::optional(shown_name(*entry)) : std::nullopt;
}

json::Value with_switched_at(const json::Value& value, UnixTime now) {
  auto copy = value.clone();
  std::get<json::Object>(copy.held).emplace_back("switchedAt", format_time(now.floor_seconds()));
  return copy;
}

std::string when(UnixTime drop_at, UnixTime now) {
  return fmt::format("its last credential ends at {} (it is {} now)", format_time(drop_at),
                     format_time(now.floor_seconds()));
}

void require_dropable(const Rotation& rotation, RotatingKey key, UnixTime now) {
  if (!rotation.drop_at)
    out_of_order(
        fmt::format("what the former {} key signed counts for ever: it is kept, unless "
                    "forced",
                    name_of(key)));
  if (now < *rotation.drop_at)
    out_of_order(fmt::format("too early to drop the former {}: {}", name_of(key),
                             when(*rotation.drop_at, now)));
}

void require_root(const Bundle& bundle, const RootAuthority& root, UnixTime now) {
  if (!equal(root.certificate().der, bundle.state().document.entry("rootCa")->chain[0].der))
    throw Error(Code::invalid_input, "the root is not the bundle's");
  root.impl().require_valid(now);
}

}  // namespace

std::span<const std::pair<std::string_view, RotatingKey>> rotating_key_names() noexcept {
  return kNames;
}

bool needs_root(RotatingKey key) {
  const auto& spec = *find_slot(row_of(kRows, key, &Row::key).member)->spec;
  return spec.form == Form::chain && !profile_of(spec.job).self_signed;
}

Rotation rotation_of(const Bundle& bundle, RotatingKey key) {
  const auto keys = keys_of(bundle, key);
  Rotation out{.current = shown_name(*keys.current),
               .next = shown_name(keys.next),
               .previous = shown_name(keys.previous)};
  if (keys.next) out.stage = Rotation::Stage::added;
  if (!keys.previous) return out;
  out.stage = Rotation::Stage::switched;
  out.switched_at = keys.previous->switched_at;
  if (const auto outlives = row_of(kRows, key, &Row::key).outlives)
    out.drop_at = *out.switched_at + *outlives;
  return out;
}

Bundle add_next_key(const Bundle& bundle, RotatingKey key, const RootAuthority* root, UnixTime now,
                    Rng& rng) {
  const auto keys = keys_of(bundle, key);
  if (keys.next)
    out_of_order(fmt::format("the next {} is there already: switch to it", name_of(key)));
  if (keys.previous)
    out_of_order(fmt::format("the former {} is still trusted: drop it first", name_of(key)));
  if (needs_root(key) && !root)
    out_of_order(fmt::format("the root must sign the next {}: give its key", name_of(key)));
  if (needs_root(key)) require_root(bundle, *root, now);

  Edit edit(bundle);
  auto made =
      new_member(*keys.spec, {bundle.trust_domain(), bundle.organization()}, root, now, rng);
  edit.put({keys.spec, Stage::next}, std::move(made.value), made.key);
  if (key == RotatingKey::command_root) edit.raise_trust_version();
  return std::move(edit).finish();
}

Bundle switch_keys(const Bundle& bundle, RotatingKey key, bool acknowledged, UnixTime now) {
  const auto keys = keys_of(bundle, key);
  if (!keys.next) out_of_order(fmt::format("there is no next {}: add one first", name_of(key)));
  if (key == RotatingKey::command_root && !acknowledged)
    out_of_order(
        "nothing says that every connected machine knows the next command root; check it, then "
        "force the switch");

  Edit edit(bundle);
  edit.put({keys.spec, Stage::previous}, with_switched_at(*keys.current->value, now));
  edit.put({keys.spec}, keys.next->value->clone(), keys.next->private_key);
  edit.remove({keys.spec, Stage::next});
  return std::move(edit).finish();
}

Bundle drop_previous_key(const Bundle& bundle, RotatingKey key, bool force, UnixTime now) {
  const auto keys = keys_of(bundle, key);
  if (!keys.previous) out_of_order(fmt::format("there is no former {} to drop", name_of(key)));
  if (!force) require_dropable(rotation_of(bundle, key), key, now);

  Edit edit(bundle);
  edit.remove({keys.spec, Stage::previous});
  if (key == RotatingKey::command_root) edit.raise_trust_version();
  return std::move(edit).finish();
}

}  // namespace bcpki
