#include "crypto/sha256_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "crypto/sha256_constants.h"

namespace bcpki::x86 {
namespace {

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
  const auto* constants = reinterpret_cast<const __m128i*>(kSha256Rounds.data()) + group;
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

[[gnu::target("sha,sse4.1")]] void compress(Lane& lane, const std::byte* block) {
  const Lane before = lane;
  all_rounds(lane, block, Groups());
  add_state(lane, before);
}

[[gnu::target("sha,sse4.1")]] void compress_both(Lane& first, const std::byte* first_block,
                                                 Lane& second, const std::byte* second_block) {
  const Lane first_before = first;
  const Lane second_before = second;
  all_rounds(first, first_block, second, second_block, Groups());
  add_state(first, first_before);
  add_state(second, second_before);
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

void sha256_pair(const PaddedMessage* messages, Digest32* digests) noexcept {
  const auto& [first, first_size] = messages[0];
  const auto& [second, second_size] = messages[1];
  const std::size_t first_end = padded_size(first_size);
  const std::size_t second_end = padded_size(second_size);
  Lane first_lane;
  Lane second_lane;
  std::size_t at = 0;
  for (; at < std::min(first_end, second_end); at += kSha256Block)
    compress_both(first_lane, first + at, second_lane, second + at);
  for (std::size_t i = at; i < first_end; i += kSha256Block) compress(first_lane, first + i);
  for (std::size_t i = at; i < second_end; i += kSha256Block) compress(second_lane, second + i);
  write(first_lane, digests[0]);
  write(second_lane, digests[1]);
}

}  // namespace bcpki::x86

#else

namespace bcpki::x86 {

bool has_sha256_pair() noexcept {
  return false;
}

void sha256_pair(const PaddedMessage*, Digest32*) noexcept {}

}  // namespace bcpki::x86

#endif
