// A bundle from a stranger: refused with the slug of a check, or opened. What opens without a
// secret and holds its keys in clear is written again and must open as the same bundle.
#include "bcpki/bundle.h"

#include <cstdint>
#include <cstdlib>

#include "bcpki/error.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

bcpki::OpenOptions options(std::string_view secret) {
  bcpki::OpenOptions out;
  out.secrets.emplace_back(secret);
  out.allow_unauthenticated = true;
  return out;
}

std::optional<bcpki::Bundle> open(std::string_view text, const bcpki::OpenOptions& how) try {
  return bcpki::open_bundle(text, how);
} catch (const bcpki::Error& error) {
  expect(error.code() == bcpki::Code::invalid_config && !error.detail("check").empty());
  return std::nullopt;
}

void expect_same_after_writing(const bcpki::Bundle& bundle) {
  const auto text = bcpki::export_bundle(bundle, {}, bcpki::system_rng());
  const auto again = bcpki::open_bundle(bcpki::as_text(text.reveal()));
  expect(again.public_digest() == bundle.public_digest());
  expect(again.pins().certificates == bundle.pins().certificates);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bundle = open(text, {}); bundle && bundle->has_keys())
    expect_same_after_writing(*bundle);
  // The secret of the golden bundles: it lets the seeds through to what lies behind the seal.
  open(text, options("qrlzoBsmFKhWHnSj4q5jaQQ5icRqAxRhyUAQPrWtXNx0IgTAMFJfD8bbs802RB2q"));
  return 0;
}
