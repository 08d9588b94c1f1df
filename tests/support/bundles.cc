#include "support/bundles.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "bcpki/rng.h"

namespace bcpki::test {

Bundle created(std::string organization) {
  return create_bundle(
      {.trust_domain = "compute.example.com", .organization = std::move(organization)}, kNow,
      system_rng());
}

std::string golden_text(std::string_view name) {
  std::ifstream in(std::string(BCPKI_GOLDEN_DIR "/bundle/").append(name), std::ios::binary);
  if (!in.good()) throw std::runtime_error("no such vector");
  return {std::istreambuf_iterator<char>(in), {}};
}

OpenOptions with(std::initializer_list<std::string_view> secrets) {
  OpenOptions options;
  for (const auto secret : secrets) options.secrets.emplace_back(secret);
  return options;
}

Bundle golden(std::string_view name, bool allow_unauthenticated) {
  auto options = with({kSecret});
  options.allow_unauthenticated = allow_unauthenticated;
  return open_bundle(golden_text(name), options);
}

}  // namespace bcpki::test
