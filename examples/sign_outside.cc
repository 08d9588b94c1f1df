// Issues a gateway's certificate with a CA key that lives elsewhere: in a token, a KMS, behind an
// air gap. This program has the CA's certificate (`bc-pki export serving-ca`) and no key at all. It
// prints the digest that is to be signed, waits for the signature and judges it.
//
//   sign_outside TRUST_DOMAIN SERVING_CA CSR DNS_NAME > gateway.crt
#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include "bcpki/certificate.h"
#include "bcpki/encoding.h"

namespace {

// ask_outside takes a signature as PKCS#11 and JOSE have it: r and s, 32 bytes each.
bcpki::Sig64 ask_outside(const bcpki::Digest32& digest) {
  std::cerr << "sign this SHA-256 digest: " << bcpki::hex(digest) << "\nsignature, in hex: ";
  std::string line;
  std::getline(std::cin, line);
  const auto bytes = bcpki::parse_hex(line);
  bcpki::Sig64 signature{};
  if (!bytes || bytes->size() != signature.size())
    throw bcpki::Error(bcpki::Code::invalid_response, "a signature is 64 bytes in hex");
  std::copy(bytes->begin(), bytes->end(), signature.begin());
  return signature;
}

bcpki::Certificate read_certificate(const char* path) {
  const auto file = bcpki::SecretBytes::read(path);
  return bcpki::read_certificate(file.reveal()).value_or_throw(bcpki::Code::invalid_input);
}

bcpki::PublicKey read_request_key(const char* path) {
  const auto file = bcpki::SecretBytes::read(path);
  return bcpki::CertificateRequest::read(file.reveal())
      .value_or_throw(bcpki::Code::invalid_input)
      .public_key();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: sign_outside TRUST_DOMAIN SERVING_CA CSR DNS_NAME\n";
    return 2;
  }
  try {
    const auto ca_certificate = read_certificate(argv[2]);
    const std::array chain{ca_certificate.der};
    const bcpki::CertificateAuthority ca(argv[1], chain);
    const auto now = bcpki::UnixTime::of(std::chrono::system_clock::now());

    // Everything is checked here, before anybody is asked to sign.
    auto draft =
        ca.gateway({.names = {argv[4]}}, read_request_key(argv[3]), now, bcpki::system_rng());
    if (draft.shortened()) std::cerr << "warning: " << *draft.shortened() << '\n';

    const auto signature = ask_outside(draft.digest());
    const auto certificate = std::move(draft).finish(signature);
    std::cout << certificate.pem() << ca_certificate.pem() << std::flush;
    return std::cout ? 0 : 1;
  } catch (const bcpki::Error& error) {
    std::cerr << bcpki::code_info(error.code()).name << ": " << error.what() << '\n';
    return bcpki::code_info(error.code()).exit_status;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
