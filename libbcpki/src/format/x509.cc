#include "format/x509.h"

#include <algorithm>
#include <span>

#include "format/der.h"

namespace bcpki::x509 {

using der::kOctets;

namespace oid {

constinit const View ec_public_key(
    kOctets<0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01>);  // 1.2.840.10045.2.1
constinit const View prime256v1(
    kOctets<0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07>);  // 1.2.840.10045.3.1.7

constinit const View organization_name(kOctets<0x55, 0x04, 0x0a>);         // 2.5.4.10
constinit const View organizational_unit_name(kOctets<0x55, 0x04, 0x0b>);  // 2.5.4.11
constinit const View common_name(kOctets<0x55, 0x04, 0x03>);               // 2.5.4.3

constinit const View basic_constraints(kOctets<0x55, 0x1d, 0x13>);         // 2.5.29.19
constinit const View key_usage(kOctets<0x55, 0x1d, 0x0f>);                 // 2.5.29.15
constinit const View extended_key_usage(kOctets<0x55, 0x1d, 0x25>);        // 2.5.29.37
constinit const View subject_alt_name(kOctets<0x55, 0x1d, 0x11>);          // 2.5.29.17
constinit const View name_constraints(kOctets<0x55, 0x1d, 0x1e>);          // 2.5.29.30
constinit const View subject_key_identifier(kOctets<0x55, 0x1d, 0x0e>);    // 2.5.29.14
constinit const View authority_key_identifier(kOctets<0x55, 0x1d, 0x23>);  // 2.5.29.35

constinit const View server_auth(
    kOctets<0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01>);  // 1.3.6.1.5.5.7.3.1
constinit const View client_auth(
    kOctets<0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02>);  // 1.3.6.1.5.5.7.3.2

}  // namespace oid

constinit const View ecdsa_with_sha256(
    kOctets<0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02>);

namespace {

constexpr std::size_t kCoordinate = 32;

// r or s: an INTEGER that is not negative into a fixed size.
bool take_scalar(der::Reader& in, std::span<std::byte, kCoordinate> out) {
  const auto octets = in.integer();
  if (!octets || octets->front() >= std::byte{0x80}) return false;
  const bool has_sign_octet = octets->front() == std::byte{0};
  const View magnitude = octets->subspan(has_sign_octet ? 1 : 0);
  if (magnitude.size() > out.size()) return false;
  std::ranges::copy_backward(magnitude, out.end());
  return true;
}

}  // namespace

std::optional<Sig64> p1363_from_der(View der) {
  der::Reader in = der::open(der);
  Sig64 signature{};
  const std::span halves(signature);
  if (!take_scalar(in, halves.first<kCoordinate>()) ||
      !take_scalar(in, halves.last<kCoordinate>()) || !in.at_end())
    return std::nullopt;
  return signature;
}

Bytes der_from_p1363(const Sig64& signature) {
  const View halves(signature);
  der::Writer out;
  out.nested(der::kSequence, [&](der::Writer& scalars) {
    scalars.integer(halves.first(kCoordinate));
    scalars.integer(halves.last(kCoordinate));
  });
  return std::move(out).take();
}

}  // namespace bcpki::x509
