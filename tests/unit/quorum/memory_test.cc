// What a scope needs beside its entries and its file: every allocation of this program is counted.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/scope_file.h"

#include "quorum/scope_tree.h"

namespace {

std::atomic<std::size_t> held = 0, most_held = 0;

void* counted(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = held += malloc_usable_size(memory);
  most_held = std::max(most_held.load(), now);
  return memory;
}

void release(void* memory) noexcept {
  held -= malloc_usable_size(memory);
  std::free(memory);
}

// peak_of is the most that `work` held at once beyond what was held before.
template <class Work>
std::size_t peak_of(Work work) {
  const std::size_t before = held;
  most_held = before;
  work();
  return most_held - before;
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t& /*nothrow*/) noexcept try {
  return counted(size);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}

TEST_CASE("a tree with its proofs takes 125 bytes a leaf above its entries") {
  for (const std::size_t leaves : {50'000, 300'000}) {
    std::vector<bcpki::BatchEntry> entries;
    for (std::size_t i = 0; i < leaves; ++i)
      entries.push_back({"node_" + std::to_string(i), "disk.wipe"});
    const auto peak = peak_of([&] {
      const auto scope = bcpki::make_scope_tree("batch_1", entries, bcpki::best_sha256_path());
      std::size_t siblings = 0;
      scope.tree.each_path(
          [&](std::uint32_t, std::span<const bcpki::Digest32> path) { siblings += path.size(); });
      CHECK(siblings > leaves);
    });
    CHECK(peak <= 125 * leaves);
  }
}

TEST_CASE("a scope file of 50,000 leaves is read in 60 MiB above its text") {
  std::string text = "[";
  for (int i = 0; i < 50'000; ++i)
    text += R"({"subject":"node_01jd8x3m5q9v7w2z4c)" + std::to_string(10'000'000 + i) +
            R"(","kind":"firmware.update","payloadSha256":")" + std::string(64, '0') + "\"},";
  text.back() = ']';
  const auto peak = peak_of([&] {
    const auto file = bcpki::read_scope_file(
        text, {"batch_1", "compute.example.com", bcpki::UnixTime::seconds(1796040000), {}});
    CHECK(file.scope.size() == 50'000);
  });
  CHECK(peak <= 60 * kMiB);
}
