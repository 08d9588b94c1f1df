#include "crypto/digest.h"

#include <array>
#include <functional>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"

namespace {

struct Hashed {
  std::string message;
  const char* sha1;
  const char* sha256;
};

// NIST's example values for FIPS 180-4.
const std::array kExamples = {
    Hashed{"", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    Hashed{"abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    Hashed{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
           "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    Hashed{std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

TEST_CASE("SHA-256 gives NIST's examples, one after the other") {
  for (const Hashed& example : kExamples)
    CHECK(bcpki::hex(bcpki::sha256(bcpki::as_bytes(example.message))) == example.sha256);
}

TEST_CASE("SHA-1 gives NIST's examples") {
  for (const Hashed& example : kExamples)
    CHECK(bcpki::hex(bcpki::sha1(bcpki::as_bytes(example.message))) == example.sha1);
}

TEST_CASE("threads hash beside each other") {
  std::array<int, 2> wrong = {};
  const auto hash_often = [](int& count) {
    for (int i = 0; i < 2000; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        count +=
            bcpki::hex(bcpki::sha256(bcpki::as_bytes(kExamples[j].message))) != kExamples[j].sha256;
  };
  std::thread first(hash_often, std::ref(wrong[0]));
  std::thread second(hash_often, std::ref(wrong[1]));
  first.join();
  second.join();
  CHECK(wrong[0] + wrong[1] == 0);
}

}  // namespace
