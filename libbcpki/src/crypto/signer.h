// The signer over a key in memory that others hold too.
#pragma once

#include <memory>

#include "bcpki/key.h"
#include "bcpki/signer.h"

namespace bcpki {

// make_signer signs with `key`, which is not null and lives as long as the signer.
std::unique_ptr<Signer> make_signer(std::shared_ptr<const PrivateKey> key);

}  // namespace bcpki
