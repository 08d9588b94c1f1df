// Our PEM readers against OpenSSL's: what `parse_exact` takes, OpenSSL reads as the same octets;
// what `parse_blocks` finds is written as text that both read back.
#include "format/pem.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "bcpki/bytes.h"

namespace {

using bcpki::View;
namespace pem = bcpki::pem;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(void* memory) const { OPENSSL_free(memory); }
};

// OpenSSL must find one block of `label` that holds `der`, and nothing behind it.
void require_openssl_reads(std::string_view text, std::string_view label, View der) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  require(PEM_read_bio(bio.get(), &name, &header, &data, &size) == 1);
  const std::unique_ptr<char, Free> owned_name(name);
  const std::unique_ptr<char, Free> owned_header(header);
  const std::unique_ptr<unsigned char, Free> owned_data(data);
  require(name == label && std::string_view(header).empty());
  require(bcpki::equal(std::as_bytes(std::span(data, static_cast<std::size_t>(size))), der));
  require(BIO_pending(bio.get()) == 0);
}

void check_exact(std::string_view label, std::string_view text) {
  const auto der = pem::parse_exact(label, text);
  if (der) require_openssl_reads(text, label, der->reveal());
}

void check_written(const pem::Block& block) {
  const std::string text = pem::encode(block.label, block.der.reveal());
  const auto der = pem::parse_exact(block.label, text);
  require(der && der->equals(block.der));
  require_openssl_reads(text, block.label, block.der.reveal());
  require(!pem::parse_exact(block.label, text + "\n"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = bcpki::as_text(std::as_bytes(std::span(data, size)));
  const auto blocks = pem::parse_blocks(text);
  if (!blocks) {
    require(!pem::parse_exact("CERTIFICATE", text));
  } else {
    for (const pem::Block& block : *blocks) {
      check_exact(block.label, text);
      check_written(block);
    }
  }
  ERR_clear_error();
  return 0;
}
