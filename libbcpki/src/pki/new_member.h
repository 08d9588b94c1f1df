// A new key of a bundle and its public part, as a new deployment and a rotation make them.
#pragma once

#include <memory>
#include <string_view>

#include "bcpki/key.h"
#include "bcpki/rng.h"
#include "bcpki/root_authority.h"
#include "bcpki/time.h"

#include "format/json.h"
#include "pki/member.h"

namespace bcpki {

// Deployment is what every certificate of a bundle names.
struct Deployment {
  std::string_view trust_domain, organization;
};

struct NewMember {
  json::Value value;  // as it stands in the document
  std::shared_ptr<const PrivateKey> key;
};

// new_member makes a key for `spec` and its certificate, JWK or line. `root` signs a subordinate
// CA; no other member takes it.
NewMember new_member(const MemberSpec& spec, const Deployment& deployment,
                     const RootAuthority* root, UnixTime now, Rng& rng);

}  // namespace bcpki
