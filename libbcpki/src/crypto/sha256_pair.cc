#include "crypto/sha256_pair.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bcpki {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;

// K of FIPS 180-4, section 4.2.2.
alignas(16) constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Blocks is a message with its padding (FIPS 180-4, section 5.1.1). Whole blocks are read where
// they stand.
class Blocks {
 public:
  explicit Blocks(View message) : message_(message), whole_(message.size() / kBlockBytes) {
    const View rest = message.subspan(whole_ * kBlockBytes);
    std::ranges::copy(rest, tail_.begin());
    tail_[rest.size()] = std::byte{0x80};
    tail_bytes_ = rest.size() + 1 + kLengthBytes <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
    const std::uint64_t bits = std::uint64_t{message.size()} * 8;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
      tail_[tail_bytes_ - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  }

  std::size_t count() const { return whole_ + (tail_bytes_ / kBlockBytes); }

  const std::byte* block(std::size_t i) const {
    return i < whole_ ? message_.data() + (i * kBlockBytes)
                      : tail_.data() + ((i - whole_) * kBlockBytes);
  }

 private:
  View message_;
  std::size_t whole_;
  std::size_t tail_bytes_ = 0;
  std::array<std::byte, 2 * kBlockBytes> tail_{};
};

// Lane is one message's state in the order that the instructions want, and the last 16 words of its
// message schedule.
struct Lane {
  __m128i abef = _mm_set_epi64x(0x6a09e667bb67ae85, 0x510e527f9b05688c);
  __m128i cdgh = _mm_set_epi64x(0x3c6ef372a54ff53a, 0x1f83d9ab5be0cd19);
  __m128i words[4] = {};
};

// schedule makes the four words that the rounds from 4 * `group` on take.
template <std::size_t group>
[[gnu::target("sha,sse4.1"), gnu::always_inline]] inline void schedule(Lane& lane,
                                                                       const std::byte* block) {
  auto& words = lane.words;
  __m128i& next = words[group % 4];
  if constexpr (group < 4) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const auto* in = reinterpret_cast<const __m128i*>(block) + group;
    next = _mm_shuffle_epi8(_mm_loadu_si128(in), swap);
  } else {
    const __m128i last = words[(group + 3) % 4];
    next = _mm_sha256msg1_epu32(next, words[(group + 1) % 4]);
    next = _mm_add_epi32(next, _mm_alignr_epi8(last, words[(group + 2) % 4], 4));
    next = _mm_sha256msg2_epu32(next, last);
  }
}

template <std::size_t group>
[[gnu::target("sha,sse4.1"), gnu::always_inline]] inline void four_rounds(Lane& lane,
                                                                          const std::byte* block) {
  schedule<group>(lane, block);
  const auto* constants = reinterpret_cast<const __m128i*>(kRound.data()) + group;
  __m128i added = _mm_add_epi32(lane.words[group % 4], _mm_load_si128(constants));
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, added);
  added = _mm_shuffle_epi32(added, 0x0e);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, added);
}

template <std::size_t... group>
[[gnu::target("sha,sse4.1"), gnu::always_inline]] inline void all_rounds(
    Lane& lane, const std::byte* block, std::index_sequence<group...>) {
  (four_rounds<group>(lane, block), ...);
}

// The rounds of two lanes alternate here, so that the CPU need not look far to find both.
template <std::size_t... group>
[[gnu::target("sha,sse4.1"), gnu::always_inline]] inline void all_rounds(
    Lane& first, const std::byte* first_block, Lane& second, const std::byte* second_block,
    std::index_sequence<group...>) {
  ((four_rounds<group>(first, first_block), four_rounds<group>(second, second_block)), ...);
}

[[gnu::target("sha,sse4.1"), gnu::always_inline]] inline void add_state(Lane& lane,
                                                                        const Lane& before) {
  lane.abef = _mm_add_epi32(lane.abef, before.abef);
  lane.cdgh = _mm_add_epi32(lane.cdgh, before.cdgh);
}

using Groups = std::make_index_sequence<16>;

[[gnu::target("sha,sse4.1")]] void compress(Lane& lane, const Blocks& blocks, std::size_t from) {
  for (std::size_t i = from; i < blocks.count(); ++i) {
    const Lane before = lane;
    all_rounds(lane, blocks.block(i), Groups());
    add_state(lane, before);
  }
}

// compress_both runs over the blocks that both messages have.
[[gnu::target("sha,sse4.1")]] void compress_both(Lane& first, const Blocks& first_blocks,
                                                 Lane& second, const Blocks& second_blocks,
                                                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Lane first_before = first;
    const Lane second_before = second;
    all_rounds(first, first_blocks.block(i), second, second_blocks.block(i), Groups());
    add_state(first, first_before);
    add_state(second, second_before);
  }
}

[[gnu::target("sha,sse4.1")]] void write(const Lane& lane, Digest32& digest) {
  const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
  const __m128i abcd = _mm_unpackhi_epi64(lane.cdgh, lane.abef);
  const __m128i efgh = _mm_unpacklo_epi64(lane.cdgh, lane.abef);
  auto* out = reinterpret_cast<__m128i*>(digest.data());
  _mm_storeu_si128(out, _mm_shuffle_epi8(abcd, swap));
  _mm_storeu_si128(out + 1, _mm_shuffle_epi8(efgh, swap));
}

}  // namespace

bool has_sha256_pair() noexcept {
  return __builtin_cpu_supports("sha") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

void sha256_pair(View first, View second, Digest32* digests) noexcept {
  const Blocks first_blocks(first);
  const Blocks second_blocks(second);
  const std::size_t common = std::min(first_blocks.count(), second_blocks.count());
  Lane first_lane;
  Lane second_lane;
  compress_both(first_lane, first_blocks, second_lane, second_blocks, common);
  compress(first_lane, first_blocks, common);
  compress(second_lane, second_blocks, common);
  write(first_lane, digests[0]);
  write(second_lane, digests[1]);
}

}  // namespace bcpki

#else

namespace bcpki {

bool has_sha256_pair() noexcept {
  return false;
}

void sha256_pair(View, View, Digest32*) noexcept {}

}  // namespace bcpki

#endif
