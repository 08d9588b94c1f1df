// The gate of the checks as only a test may have it.
#pragma once

#include <string>

namespace bcpki::test {

// ClosedGate switches one check off for as long as it lives.
class ClosedGate {
 public:
  explicit ClosedGate(std::string slug);
  ~ClosedGate();
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;
};

}  // namespace bcpki::test
