#include "pki/edit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pki/state.h"

namespace bcpki {
namespace {

auto find(json::Object& object, std::string_view name) {
  return std::ranges::find(object, name, &json::Member::first);
}

void set(json::Object& object, std::string_view name, json::Value value) {
  if (const auto found = find(object, name); found != object.end())
    found->second = std::move(value);
  else
    object.emplace_back(name, std::move(value));
}

}  // namespace

Edit::Edit(const Bundle& bundle, bool accept_unvouched) {
  if (!bundle.has_keys()) seal::throw_sealed("the private keys");
  if (bundle.unvouched() && !accept_unvouched)
    throw Error(Code::invalid_state,
                "nothing vouches for this bundle; compare its pins with your records and reseal it "
                "first");
  const auto& document = bundle.state().document;
  public_half_ = public_half_of(document);
  private_keys_ = private_keys_of(document);
  raise("generation");
}

void Edit::put(Slot slot, json::Value value, const std::shared_ptr<const PrivateKey>& key) {
  remove(slot);
  const auto name = member_name(slot);
  public_half_.emplace_back(name, std::move(value));
  if (key) private_keys_.emplace_back(name, key->pkcs8_pem());
}

void Edit::remove(Slot slot) {
  for (auto* half : {&public_half_, &private_keys_})
    if (const auto found = find(*half, member_name(slot)); found != half->end()) half->erase(found);
}

void Edit::raise_trust_version() {
  raise("trustVersion");
}

void Edit::raise(std::string_view field) {
  const auto found = find(public_half_, field);
  const std::uint64_t present = found == public_half_.end() ? 0 : *found->second.integer();
  if (present >= json::kMaxInteger)
    throw Error(Code::invalid_state, fmt::format("there is no higher {} than {}", field, present));
  set(public_half_, field, present + 1);
}

Bundle Edit::finish() && {
  public_half_.emplace_back("privateKeys", std::move(private_keys_));
  const auto text = json::write(std::move(public_half_));
  return open_bundle(as_text(text.reveal()));
}

}  // namespace bcpki
