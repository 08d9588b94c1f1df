#include "support/check_gate_switchable.h"

#include "pki/check_gate.h"

namespace bcpki {
namespace {

std::string& closed() {
  static std::string slug;
  return slug;
}

}  // namespace

bool check_enabled(std::string_view slug) noexcept {
  return slug != closed();
}

namespace test {

ClosedGate::ClosedGate(std::string slug) {
  closed() = std::move(slug);
}

ClosedGate::~ClosedGate() {
  closed().clear();
}

}  // namespace test
}  // namespace bcpki
