// A bundle on its way to its next generation.
#pragma once

#include <memory>
#include <string>

#include "bcpki/bundle.h"

#include "format/json.h"
#include "pki/member.h"

namespace bcpki {

// Edit changes a copy of a bundle. What comes out has passed every check again.
class Edit {
 public:
  // Throws MISSING_ENV where the private keys did not open, INVALID_STATE where the bundle is
  // unvouched, unless that is accepted, or of the last generation that there can be.
  explicit Edit(const Bundle& bundle, bool accept_unvouched = false);

  // put sets a member and its private key; a Previous has none.
  void put(Slot slot, json::Value value, const std::shared_ptr<const PrivateKey>& key = nullptr);

  void remove(Slot slot);

  // raise_trust_version is for a change of the command-signing roots. Throws INVALID_STATE where
  // there is no higher one.
  void raise_trust_version();

  Bundle finish() &&;

 private:
  void raise(std::string_view field);

  json::Object public_half_;
  json::Object private_keys_;
};

}  // namespace bcpki
