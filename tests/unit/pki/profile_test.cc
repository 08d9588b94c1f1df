#include "pki/profile.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include <catch2/catch.hpp>

#include "bcpki/bundle.h"
#include "bcpki/certificate.h"
#include "bcpki/encoding.h"

#include "support/run.h"

namespace {

namespace x509 = bcpki::x509;

constexpr bcpki::UnixTime kNow = bcpki::UnixTime::seconds(1796040000);  // 2026-11-30T12:00:00Z

// What stands before the serial number in every TBSCertificate of version 3: `[0] { INTEGER 2 }`.
constexpr std::array<std::uint8_t, 5> kVersion3 = {0xa0, 0x03, 0x02, 0x01, 0x02};

// Fixed gives the same octets again and again.
class Fixed final : public bcpki::Rng {
 public:
  Fixed(int first, int second, int rest)
      : start_{static_cast<std::byte>(first), static_cast<std::byte>(second)},
        rest_(static_cast<std::byte>(rest)) {}

  void fill(std::span<std::byte> out) override {
    std::ranges::fill(out, rest_);
    std::copy_n(start_.begin(), std::min(start_.size(), out.size()), out.begin());
  }

 private:
  std::array<std::byte, 2> start_;
  std::byte rest_;
};

const bcpki::Bundle& bundle() {
  static const auto made =
      bcpki::create_bundle({.trust_domain = "compute.example.com"}, kNow, bcpki::system_rng());
  return made;
}

// serial_of finds the serial number's octets by their place alone, without the parser under test.
bcpki::View serial_of(bcpki::View tbs) {
  const auto version = std::as_bytes(std::span(kVersion3));
  const auto found = std::ranges::search(tbs, version);
  REQUIRE_FALSE(found.empty());
  const auto integer = tbs.subspan(static_cast<std::size_t>(found.end() - tbs.begin()));
  REQUIRE(integer[0] == std::byte{0x02});
  REQUIRE(integer[1] < std::byte{0x80});
  return integer.subspan(2, std::to_integer<std::size_t>(integer[1]));
}

// is_serial says whether octets are what RFC 5280 section 4.1.2.2 and X.690 section 8.3 ask of a
// serial number: positive, in the fewest octets, and no more than 20 of them.
bool is_serial(bcpki::View octets) {
  if (octets.empty() || octets.size() > 20 || octets[0] >= std::byte{0x80}) return false;
  if (octets[0] != std::byte{0}) return true;
  return octets.size() > 1 && octets[1] >= std::byte{0x80};
}

bcpki::Bytes tbs_with(bcpki::Rng& rng) {
  static const auto key =
      bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng()).public_key();
  return bundle().serving_ca().gateway({.names = {"gw"}}, key, kNow, rng).to_be_signed();
}

TEST_CASE("10,000 certificates have serial numbers that are positive, minimal and short") {
  std::vector<bcpki::Bytes> serials;
  for (int i = 0; i < 10'000; ++i) {
    const auto tbs = tbs_with(bcpki::system_rng());
    const auto serial = serial_of(tbs);
    REQUIRE(is_serial(serial));
    serials.push_back(bcpki::to_bytes(serial));
  }
  std::ranges::sort(serials);
  CHECK(std::ranges::adjacent_find(serials) == serials.end());
}

TEST_CASE("whatever octets chance gives, the serial number is positive, minimal and not zero") {
  for (int first = 0; first < 256; ++first)
    for (const int second : {0x00, 0x01, 0x7f, 0x80, 0xff})
      for (const int rest : {0x01, 0x80, 0xff}) {
        Fixed rng(first, second, rest);
        REQUIRE(is_serial(serial_of(tbs_with(rng))));
      }
}

TEST_CASE("a serial number is the octets that were drawn, in their order") {
  Fixed rng(0xff, 0x02, 0x03);
  CHECK(bcpki::hex(serial_of(tbs_with(rng))) == "7f020303030303030303030303030303");
  Fixed small(0x80, 0x00, 0x03);
  CHECK(bcpki::hex(serial_of(tbs_with(small))) == "0303030303030303030303030303");
}

TEST_CASE("the bundle's own certificates have such serial numbers, too") {
  for (const auto* ca : {&bundle().node_ca(), &bundle().serving_ca(), &bundle().internal_ca()})
    for (const auto& certificate : ca->chain()) CHECK(is_serial(serial_of(certificate.der)));
}

// ---- Long lives ---------------------------------------------------------------------------------

// No span of seconds passes through a type that is 32 bits wide on some machine.
static_assert(sizeof(std::chrono::seconds::rep) == 8);
static_assert(std::is_same_v<decltype(bcpki::UnixTime().to_seconds()), std::int64_t>);

TEST_CASE("a root of 30, 100 and 1,000 years ends to the second where it should") {
  struct Life {
    std::string_view end, as_openssl_says;
  };
  for (const auto& [end, as_openssl_says] :
       {Life{"2056-11-30T11:59:00Z", "notAfter=2056-11-30 11:59:00Z\n"},
        Life{"2126-11-30T11:59:00Z", "notAfter=2126-11-30 11:59:00Z\n"},
        Life{"3026-11-30T11:59:00Z", "notAfter=3026-11-30 11:59:00Z\n"},
        Life{"9999-12-31T23:59:59Z", "notAfter=9999-12-31 23:59:59Z\n"}}) {
    const auto key = bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng());
    auto parts = bcpki::profile_parts(bcpki::profile_of(bcpki::Job::root_ca), "o", "d",
                                      key.public_key(), nullptr, kNow, bcpki::system_rng());
    parts.not_after = bcpki::parse_time(end).value();
    const auto tbs = x509::encode_tbs(parts);
    const auto root = bcpki::read_certificate(x509::encode_certificate(tbs, key.sign(tbs)))
                          .value_or_throw(bcpki::Code::internal);
    CHECK(bcpki::format_time(root.not_after) == end);
    CHECK(root.not_after > root.not_before);
    const auto openssl = bcpki::test::run(
        {"openssl", "x509", "-noout", "-enddate", "-dateopt", "iso_8601"}, root.pem());
    CHECK(openssl.out == as_openssl_says);
  }
}

}  // namespace
