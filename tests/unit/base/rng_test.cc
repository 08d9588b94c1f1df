#include "bcpki/rng.h"

#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using Draw = std::array<std::byte, 32>;

Draw draw() {
  Draw bytes{};
  bcpki::system_rng().fill(bytes);
  return bytes;
}

TEST_CASE("no two draws are the same, in any thread") {
  std::array<Draw, 8> drawn;
  std::vector<std::thread> threads;
  for (Draw& one : drawn) threads.emplace_back([&one] { one = draw(); });
  for (std::thread& thread : threads) thread.join();
  CHECK(std::set<Draw>(drawn.begin(), drawn.end()).size() == drawn.size());
}

TEST_CASE("all of the span is filled and nothing behind it") {
  std::array<std::byte, 1000> bytes{};
  bcpki::system_rng().fill(std::span(bytes).first(900));
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  CHECK(std::all_of(bytes.begin() + 900, bytes.end(), is_zero));
  for (std::size_t i = 0; i < 900; i += 50) {
    const auto part = std::span(bytes).subspan(i, 50);
    CHECK_FALSE(std::ranges::all_of(part, is_zero));
  }
}

TEST_CASE("nothing can be filled with nothing") {
  CHECK_NOTHROW(bcpki::system_rng().fill({}));
}

}  // namespace
