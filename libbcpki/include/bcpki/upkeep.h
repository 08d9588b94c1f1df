// What is done to a bundle over its years. Each function returns a bundle of the next generation,
// which has passed every check; nothing is written.
//
// All throw MISSING_ENV where the bundle's private keys did not open, and INVALID_STATE where it is
// unvouched or there is no next generation.
#pragma once

#include <span>

#include "bcpki/bundle.h"
#include "bcpki/certificate.h"
#include "bcpki/rng.h"
#include "bcpki/time.h"

namespace bcpki {

// reseal changes nothing but the generation: exported, the bundle is sealed in the current format.
// `accept_unvouched` takes an unvouched one too, after someone has compared its pins. Throws
// INVALID_STATE for one in the former format that carries rotation fields: nobody can tell who
// added them.
Bundle reseal(const Bundle& bundle, bool accept_unvouched);

// add_sandbox_ca makes the sandbox SSH CA that a bundle of the time before sandboxes lacks. Throws
// INVALID_STATE where there is one.
Bundle add_sandbox_ca(const Bundle& bundle, Rng& rng);

// install_ca_certificates puts renewed certificates in the place of those that the node, serving
// and internal CA have. Throws INVALID_INPUT where one is no CA of the bundle's root with the
// subject and key of the present one, keeps its serial, begins earlier or comes twice;
// INVALID_STATE where one is not valid at `now` or is there already.
Bundle install_ca_certificates(const Bundle& bundle, std::span<const Certificate> renewed,
                               UnixTime now);

}  // namespace bcpki
