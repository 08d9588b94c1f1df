// One case of bundle.json: what it opens, and what came of it.
#pragma once

#include <optional>
#include <string>

#include "bcpki/bundle.h"

#include "golden/vectors.h"

namespace bcpki::golden {

struct BundleCase {
  std::string id;
  std::string file;
  std::optional<std::string> secret;
  bool allow_unauthenticated = false;
  std::optional<std::string> root_key_of;  // the bundle that a root key file belongs to

  // What must come of it: pins, an error with its check, or, without any of these, a root key that
  // opens.
  std::optional<std::string> pins;  // canonical JSON
  std::string error;
  std::string check;
};

// read_bundle_case reads every member of a case.
BundleCase read_bundle_case(Members& members);

// Outcome is what opening gave: `check` is empty where the file opened.
struct Outcome {
  std::string pins;  // canonical JSON; empty for a root key file
  std::string error;
  std::string check;
};

// open_case opens the case's file in `folder`/bundle.
Outcome open_case(const BundleCase& bundle_case, Folder& folder);

}  // namespace bcpki::golden
