#include "bcpki/rng.h"

#include <sodium.h>

#include "bcpki/error.h"

namespace bcpki {
namespace {

class SystemRng final : public Rng {
 public:
  SystemRng() {
    if (sodium_init() < 0) {
      throw Error(Code::internal, "the system's random number generator cannot be used");
    }
  }

  void fill(std::span<std::byte> out) override {
    if (!out.empty()) randombytes_buf(out.data(), out.size());
  }
};

}  // namespace

Rng& system_rng() {
  static SystemRng rng;
  return rng;
}

}  // namespace bcpki
