// The tree of a batch against one SHA-256 stream over as many blocks.
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <openssl/evp.h>

#include "bcpki/batch_scope.h"
#include "bcpki/draft.h"

#include "quorum/scope_tree.h"
#include "ratio.h"

namespace {

constexpr std::size_t kBlockBytes = 64;

void check(bool done) {
  if (!done) throw std::runtime_error("OpenSSL failed");
}

std::string numbered(std::string_view prefix, std::size_t number) {
  std::string text(prefix);
  text += std::to_string(10'000'000 + number);
  return text;
}

std::vector<bcpki::BatchEntry> entries(std::size_t count) {
  std::vector<bcpki::BatchEntry> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = {numbered("node_01jd8x3m5q9v7w2z4c", i), "firmware.update",
              bcpki::sha256(bcpki::as_bytes(numbered("payload", i)))};
  return out;
}

constexpr std::string_view kBatch = "batch_01jd8x3m5q9v7w2z4c6e8g0h1k";

// Stream is OpenSSL's, over blocks that stay in the nearest cache.
class Stream {
 public:
  void hash(std::size_t blocks) {
    check(EVP_DigestInit_ex2(context_, md_, nullptr) == 1);
    for (std::size_t left = blocks * kBlockBytes; left > 0;) {
      const std::size_t size = std::min(left, buffer_.size());
      check(EVP_DigestUpdate(context_, buffer_.data(), size) == 1);
      left -= size;
    }
    std::array<unsigned char, 32> digest{};
    check(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
    buffer_[0] = static_cast<char>(digest[0]);
  }

 private:
  EVP_MD* md_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context_ = EVP_MD_CTX_new();
  std::string buffer_ = std::string(16384, 'b');
};

constexpr std::size_t kLeafBlocks = 3, kInnerBlocks = 2;

void root_and_proofs(const std::vector<bcpki::BatchEntry>& list, bcpki::Sha256Path path) {
  const auto scope = bcpki::make_scope_tree(kBatch, list, path);
  scope.tree.each_path([](std::uint32_t, std::span<const bcpki::Digest32> siblings) {
    benchmark::DoNotOptimize(siblings.data());
    benchmark::ClobberMemory();
  });
}

void tree(benchmark::State& state, std::size_t leaves, double goal, bcpki::Sha256Path path) {
  const auto list = entries(leaves);
  static Stream stream;
  bench::paired(
      state, goal, bench::Clock::thread, [] {},
      [&] { stream.hash((kLeafBlocks * leaves) + (kInnerBlocks * (leaves - 1))); },
      [&] { root_and_proofs(list, path); });
}

void tree_50k(benchmark::State& state) {
  tree(state, 50'000, 0.95, bcpki::best_sha256_path());
}
void tree_50k_portable(benchmark::State& state) {
  tree(state, 50'000, 2.2, bcpki::Sha256Path::portable);
}
void tree_50k_paired(benchmark::State& state) {
  tree(state, 50'000, 9, bcpki::Sha256Path::paired);
}
void tree_1m(benchmark::State& state) {
  tree(state, 1'000'000, 1.35, bcpki::best_sha256_path());
}
void tree_1m_portable(benchmark::State& state) {
  tree(state, 1'000'000, 2.5, bcpki::Sha256Path::portable);
}

BENCHMARK(tree_50k)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree_50k_portable)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree_50k_paired)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree_1m)->Repetitions(3)->Iterations(3)->UseManualTime();
BENCHMARK(tree_1m_portable)->Repetitions(3)->Iterations(3)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv);
}
