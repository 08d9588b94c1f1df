#include "pki/check_gate.h"

namespace bcpki {

bool check_enabled(std::string_view) noexcept {
  return true;
}

}  // namespace bcpki
