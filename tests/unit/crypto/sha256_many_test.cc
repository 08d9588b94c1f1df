#include "crypto/sha256_many.h"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"

namespace {

using bcpki::Bytes;
using bcpki::Digest32;
using bcpki::PaddedMessage;
using bcpki::Sha256Path;
using bcpki::View;

// Messages owns padded messages, each in memory of exactly its size.
class Messages {
 public:
  void add(View message) {
    Bytes padded(bcpki::padded_size(message.size()), std::byte{0xaa});
    std::copy(message.begin(), message.end(), padded.begin());
    bcpki::pad(padded.data(), message.size());
    buffers_.push_back(std::move(padded));
    messages_.push_back({buffers_.back().data(), message.size()});
  }

  std::vector<Digest32> hash(Sha256Path path) const {
    std::vector<Digest32> digests(messages_.size());
    bcpki::sha256_many(messages_, digests, path);
    return digests;
  }

 private:
  std::vector<Bytes> buffers_;
  std::vector<PaddedMessage> messages_;
};

// Every path that this CPU has.
std::vector<Sha256Path> paths() {
  std::vector<Sha256Path> out;
  for (const auto path : {Sha256Path::portable, Sha256Path::paired, Sha256Path::wide})
    if (bcpki::has_sha256_path(path)) out.push_back(path);
  return out;
}

Bytes message(std::size_t size, std::size_t seed) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>((i * 31) + seed);
  return out;
}

}  // namespace

TEST_CASE("the examples of FIPS 180-4 come out on every path") {
  const std::array<std::pair<std::string, std::string>, 3> examples = {{
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  }};
  Messages messages;
  for (int i = 0; i < 40; ++i) messages.add(bcpki::as_bytes(examples[i % 3].first));
  for (const auto path : paths()) {
    const auto digests = messages.hash(path);
    for (int i = 0; i < 40; ++i) CHECK(bcpki::hex(digests[i]) == examples[i % 3].second);
  }
}

TEST_CASE("every size of padding is hashed as OpenSSL hashes it") {
  for (std::size_t size = 0; size <= 200; ++size) {
    Messages messages;
    std::vector<Digest32> expected;
    for (std::size_t i = 0; i < 16; ++i) {
      messages.add(message(size, i));
      expected.push_back(bcpki::sha256(message(size, i)));
    }
    for (const auto path : paths()) CHECK(messages.hash(path) == expected);
  }
}

TEST_CASE("messages of different sizes stand side by side in any number") {
  for (std::size_t count = 0; count <= 40; ++count) {
    Messages messages;
    std::vector<Digest32> expected;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = (i * 97 + count * 13) % 700;
      messages.add(message(size, i));
      expected.push_back(bcpki::sha256(message(size, i)));
    }
    for (const auto path : paths()) CHECK(messages.hash(path) == expected);
  }
}

TEST_CASE("a padded message is whole blocks and ends with its length in bits") {
  CHECK(bcpki::padded_size(0) == 64);
  CHECK(bcpki::padded_size(55) == 64);
  CHECK(bcpki::padded_size(56) == 128);
  CHECK(bcpki::padded_size(64) == 128);
  CHECK(bcpki::padded_size(119) == 128);
  CHECK(bcpki::padded_size(120) == 192);

  Bytes padded(64, std::byte{0xff});
  bcpki::pad(padded.data(), 55);
  CHECK(bcpki::hex(View(padded).last(9)) == "8000000000000001b8");
}

TEST_CASE("the best path is one that the CPU has") {
  CHECK(bcpki::has_sha256_path(Sha256Path::portable));
  CHECK(bcpki::has_sha256_path(bcpki::best_sha256_path()));
}
