#include "crypto/sha256_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "crypto/sha256_constants.h"

namespace bcpki::x86 {
namespace {

constexpr std::size_t kWords = 16;  // of a block
constexpr std::size_t kState = 8;

// Each element holds one word of all messages: message i in the i-th 32 bits.
struct Words {
  __m512i of[kWords];
};
struct State {
  __m512i of[kState];
};

// Blocks is where the block to be hashed stands, for each message.
using Blocks = std::array<const std::byte*, kWide>;

[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline __m128i quarter(
    const std::byte* block, std::size_t i) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
}

// four_blocks puts the i-th quarter of every fourth block from `first` on side by side.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline __m512i four_blocks(
    const Blocks& blocks, std::size_t first, std::size_t i) {
  __m512i out = _mm512_castsi128_si512(quarter(blocks[first], i));
  out = _mm512_inserti32x4(out, quarter(blocks[first + 4], i), 1);
  out = _mm512_inserti32x4(out, quarter(blocks[first + 8], i), 2);
  return _mm512_inserti32x4(out, quarter(blocks[first + 12], i), 3);
}

// load turns 16 blocks of 16 words into 16 words of 16 blocks, big-endian.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void load(const Blocks& blocks,
                                                                         Words& words) {
  const __m512i swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512i a = four_blocks(blocks, 0, i);
    const __m512i b = four_blocks(blocks, 1, i);
    const __m512i c = four_blocks(blocks, 2, i);
    const __m512i d = four_blocks(blocks, 3, i);
    const __m512i ab01 = _mm512_unpacklo_epi32(a, b);
    const __m512i ab23 = _mm512_unpackhi_epi32(a, b);
    const __m512i cd01 = _mm512_unpacklo_epi32(c, d);
    const __m512i cd23 = _mm512_unpackhi_epi32(c, d);
    words.of[4 * i] = _mm512_shuffle_epi8(_mm512_unpacklo_epi64(ab01, cd01), swap);
    words.of[4 * i + 1] = _mm512_shuffle_epi8(_mm512_unpackhi_epi64(ab01, cd01), swap);
    words.of[4 * i + 2] = _mm512_shuffle_epi8(_mm512_unpacklo_epi64(ab23, cd23), swap);
    words.of[4 * i + 3] = _mm512_shuffle_epi8(_mm512_unpackhi_epi64(ab23, cd23), swap);
  }
}

// The functions of FIPS 180-4, section 4.1.2. The last argument of a ternary operation is its truth
// table: 0x96 is a ^ b ^ c, 0xca is (a & b) | (~a & c), 0xe8 the majority.

template <int a, int b, int c>
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline __m512i big_sigma(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, a), _mm512_ror_epi32(x, b),
                                   _mm512_ror_epi32(x, c), 0x96);
}

template <int a, int b, int c>
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline __m512i small_sigma(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, a), _mm512_ror_epi32(x, b),
                                   _mm512_srli_epi32(x, c), 0x96);
}

// expand makes the word of the round 16 later in the place of the i-th.
template <std::size_t i>
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void expand(Words& words) {
  auto& w = words.of;
  const __m512i s0 = small_sigma<7, 18, 3>(w[(i + 1) % kWords]);
  const __m512i s1 = small_sigma<17, 19, 10>(w[(i + 14) % kWords]);
  w[i] = _mm512_add_epi32(_mm512_add_epi32(w[i], s0), _mm512_add_epi32(w[(i + 9) % kWords], s1));
}

// round does the i-th of 16 rounds. The state does not move, its names do.
template <std::size_t i>
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void round(State& state,
                                                                          const Words& words,
                                                                          const std::uint32_t* k) {
  constexpr auto at = [](std::size_t name) { return (name + kWords - i) % kState; };
  auto& s = state.of;
  const __m512i e = s[at(4)];
  const __m512i a = s[at(0)];
  const __m512i chosen = _mm512_ternarylogic_epi32(e, s[at(5)], s[at(6)], 0xca);
  const __m512i word = _mm512_add_epi32(words.of[i], _mm512_set1_epi32(static_cast<int>(k[i])));
  const __m512i t1 = _mm512_add_epi32(_mm512_add_epi32(_mm512_add_epi32(s[at(7)], word), chosen),
                                      big_sigma<6, 11, 25>(e));
  const __m512i majority = _mm512_ternarylogic_epi32(a, s[at(1)], s[at(2)], 0xe8);
  s[at(3)] = _mm512_add_epi32(s[at(3)], t1);
  s[at(7)] = _mm512_add_epi32(t1, _mm512_add_epi32(big_sigma<2, 13, 22>(a), majority));
}

template <std::size_t... i>
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void rounds(
    State& state, Words& words, std::index_sequence<i...>) {
  const std::uint32_t* k = kSha256Rounds.data();
  (round<i>(state, words, k), ...);
  for (std::size_t more = kWords; more < kSha256Rounds.size(); more += kWords)
    ((expand<i>(words), round<i>(state, words, k + more)), ...);
}

// compress changes the state of the messages in `active`; the others have ended.
[[gnu::target("avx512f,avx512bw")]] void compress(State& state, const Blocks& blocks,
                                                  __mmask16 active) {
  Words words;
  load(blocks, words);
  const State before = state;
  rounds(state, words, std::make_index_sequence<kWords>());
  for (std::size_t i = 0; i < kState; ++i)
    state.of[i] = _mm512_mask_add_epi32(before.of[i], active, before.of[i], state.of[i]);
}

[[gnu::target("avx512f,avx512bw")]] void write(const State& state, Digest32* digests) {
  const __m512i swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
  alignas(64) std::array<std::array<std::uint32_t, kWide>, kState> words;
  for (std::size_t i = 0; i < kState; ++i)
    _mm512_store_si512(words[i].data(), _mm512_shuffle_epi8(state.of[i], swap));
  for (std::size_t message = 0; message < kWide; ++message)
    for (std::size_t i = 0; i < kState; ++i)
      std::memcpy(digests[message].data() + (i * sizeof words[i][0]), &words[i][message],
                  sizeof words[i][0]);
}

[[gnu::target("avx512f,avx512bw")]] State start() {
  State state;
  for (std::size_t i = 0; i < kState; ++i)
    state.of[i] = _mm512_set1_epi32(static_cast<int>(kSha256Start[i]));
  return state;
}

}  // namespace

bool has_sha256_wide() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}

[[gnu::target("avx512f,avx512bw")]] void sha256_wide(const PaddedMessage* messages,
                                                     Digest32* digests) noexcept {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < kWide; ++i)
    longest = std::max(longest, padded_size(messages[i].size));
  State state = start();
  for (std::size_t at = 0; at < longest; at += kSha256Block) {
    Blocks blocks;
    unsigned active = 0;
    for (std::size_t i = 0; i < kWide; ++i) {
      const bool is_active = at < padded_size(messages[i].size);
      active |= static_cast<unsigned>(is_active) << i;
      blocks[i] = messages[i].data + (is_active ? at : 0);
    }
    compress(state, blocks, static_cast<__mmask16>(active));
  }
  write(state, digests);
}

}  // namespace bcpki::x86

#else

namespace bcpki::x86 {

bool has_sha256_wide() noexcept {
  return false;
}

void sha256_wide(const PaddedMessage*, Digest32*) noexcept {}

}  // namespace bcpki::x86

#endif
