// Chance is an argument: what needs randomness takes a source.
#pragma once

#include <cstddef>
#include <span>

namespace bcpki {

// Rng is a source of randomness.
class Rng {
 public:
  virtual ~Rng() = default;

  // fill writes unpredictable bytes to all of `out`, or throws Error (INTERNAL).
  virtual void fill(std::span<std::byte> out) = 0;
};

// system_rng is the operating system's generator. Thread-safe; lives for the whole process. Throws
// INTERNAL where the system has none.
Rng& system_rng();

}  // namespace bcpki
