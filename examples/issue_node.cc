// Issues an agent's certificate for a certificate request, with the node CA of a bundle.
//
//   issue_node BUNDLE SECRET_FILE CSR SITE NODE > node.crt
#include <chrono>
#include <exception>
#include <iostream>
#include <utility>

#include "bcpki/bundle.h"

namespace {

bcpki::Bundle open_sealed(const char* path, const char* secret_file) {
  bcpki::OpenOptions options;
  options.secrets.push_back(bcpki::deployment_secret(bcpki::SecretBytes::read(secret_file)));
  const auto file = bcpki::SecretBytes::read(path);
  return bcpki::open_bundle(bcpki::as_text(file.reveal()), options);
}

// Nothing but the key is taken from the request: who a machine is, is the caller's to say.
bcpki::Certificate issue(const bcpki::CertificateAuthority& ca, const char* csr_file,
                         const bcpki::NodeProfile& profile, bcpki::UnixTime now) {
  const auto csr = bcpki::SecretBytes::read(csr_file);
  const auto request =
      bcpki::CertificateRequest::read(csr.reveal()).value_or_throw(bcpki::Code::invalid_input);
  auto draft = ca.node(profile, request.public_key(), now, bcpki::system_rng());
  if (draft.shortened()) std::cerr << "warning: " << *draft.shortened() << '\n';
  return std::move(draft).sign(ca.signer());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: issue_node BUNDLE SECRET_FILE CSR SITE NODE\n";
    return 2;
  }
  try {
    const auto bundle = open_sealed(argv[1], argv[2]);
    const auto now = bcpki::UnixTime::of(std::chrono::system_clock::now());
    const auto certificate =
        issue(bundle.node_ca(), argv[3],
              {.site = argv[4], .node = argv[5], .role = bcpki::Role::node}, now);
    // A peer that trusts the root needs the CA between: send the leaf, then its issuer.
    std::cout << certificate.pem() << bundle.node_ca().chain()[0].pem() << std::flush;
    std::cerr << "renew by " << bcpki::format_time(bcpki::renew_by(certificate)) << '\n';
    return std::cout ? 0 : 1;
  } catch (const bcpki::Error& error) {
    std::cerr << bcpki::code_info(error.code()).name << ": " << error.what() << '\n';
    return bcpki::code_info(error.code()).exit_status;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
