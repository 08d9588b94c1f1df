// A scope file from a stranger: refused with a code of ours and one printable line, or read. What
// is read is written again and must be read as the same scope, whose every proof holds.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "bcpki/draft.h"
#include "bcpki/encoding.h"
#include "bcpki/error.h"
#include "bcpki/scope_file.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_refusal(bcpki::Code code) {
  return code == bcpki::Code::invalid_input || code == bcpki::Code::scope_mismatch;
}

template <class Read>
auto read(Read reader, std::string_view text) -> std::optional<decltype(reader(text))> try {
  return reader(text);
} catch (const bcpki::Error& error) {
  require(is_refusal(error.code()));
  require(bcpki::printable(error.what()) == error.what());
  return std::nullopt;
}

void require_proofs(const bcpki::ScopeFile& file) {
  for (std::uint32_t leaf = 0; leaf < file.scope.size(); ++leaf) {
    const auto& entry = file.contents.leaves.entries[file.scope.entry_of(leaf)];
    require(file.scope.find(entry) == leaf);
    const auto proof = file.scope.proof(leaf);
    require(bcpki::verify_batch_proof(file.scope.root(), entry, proof).operator bool());
    const auto* payload = file.payload_of(leaf);
    require(!payload || entry.payload_sha256 == bcpki::sha256(payload->value));
  }
}

void require_same_after_writing(const bcpki::ScopeFile& file) {
  const std::string text = bcpki::write_scope_file(file);
  const auto again = bcpki::read_scope_file(text);
  require(again.terms() == file.terms());
  require(bcpki::write_scope_file(again) == text);
}

bcpki::ScopeFile read_bare(std::string_view text) {
  return bcpki::read_scope_file(
      text, {"batch_1", "compute.example.com", bcpki::UnixTime::seconds(1796040000), {}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = [](std::string_view json) { return bcpki::read_scope_file(json); };
  for (const auto& file : {read(whole, text), read(read_bare, text)}) {
    if (!file) continue;
    require_proofs(*file);
    require_same_after_writing(*file);
  }
  read(bcpki::read_scope_entries, text);
  return 0;
}
