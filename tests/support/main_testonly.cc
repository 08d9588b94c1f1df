// The tool with a clock and chance of the test's choosing. It is never installed, and nothing in
// the shipped program knows these variables.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bcpki/bytes.h"
#include "bcpki/draft.h"
#include "bcpki/rng.h"
#include "bcpki/time.h"

#include "common/run.h"

namespace {

// SeededRng is SHA-256 of the seed and a counter: the same bytes at every run.
class SeededRng final : public bcpki::Rng {
 public:
  explicit SeededRng(std::string seed) : seed_(std::move(seed)) {}

  void fill(std::span<std::byte> out) override {
    while (!out.empty()) {
      const bcpki::Digest32 block =
          bcpki::sha256(bcpki::as_bytes(seed_ + "/" + std::to_string(counter_++)));
      const std::size_t count = std::min(block.size(), out.size());
      std::copy_n(block.begin(), count, out.begin());
      out = out.subspan(count);
    }
  }

 private:
  std::string seed_;
  std::uint64_t counter_ = 0;
};

bcpki::Rng& test_rng() {
  const char* seed = std::getenv("BCPKI_TEST_SEED");
  if (seed == nullptr) return bcpki::system_rng();
  static SeededRng rng(seed);
  return rng;
}

cli::Env test_env() {
  cli::Env env = cli::system_env();
  env.rng = test_rng;
  if (const char* now = std::getenv("BCPKI_TEST_NOW")) env.now = bcpki::parse_time(now).value();
  return env;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run(cli::kTool, argc, argv, test_env());
}
