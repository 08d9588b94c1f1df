#include "bcpki/error.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "bcpki/encoding.h"

namespace bcpki {
namespace {

constexpr std::array kCodes = {
    CodeInfo{Code::internal, "INTERNAL", 1, "a bug"},
    CodeInfo{Code::usage, "USAGE", 2, "flags or arguments"},
    CodeInfo{Code::missing_env, "MISSING_ENV", 3,
             "a secret or passphrase that is needed is not given"},
    CodeInfo{Code::invalid_config, "INVALID_CONFIG", 4,
             "a bundle or configuration that must not be used"},
    CodeInfo{Code::invalid_state, "INVALID_STATE", 5, "right command, wrong moment"},
    CodeInfo{Code::invalid_input, "INVALID_INPUT", 6,
             "a value or file that is not what it must be"},
    CodeInfo{Code::not_found, "NOT_FOUND", 7, "what was asked for is not there"},
    CodeInfo{Code::access_denied, "ACCESS_DENIED", 8,
             "verification refused; details.reason says which check"},
    CodeInfo{Code::conflict, "CONFLICT", 9,
             "someone else changed it, or an idempotency key reused"},
    CodeInfo{Code::scope_mismatch, "SCOPE_MISMATCH", 10, "the leaves are not what the root says"},
    CodeInfo{Code::scope_changed, "SCOPE_CHANGED", 11, "not the root that was reviewed"},
    CodeInfo{Code::scope_unexpected, "SCOPE_UNEXPECTED", 12, "not exactly what --expect holds"},
    CodeInfo{Code::unbound_scope, "UNBOUND_SCOPE", 13, "leaves that admit any payload"},
    CodeInfo{Code::opaque_scope, "OPAQUE_SCOPE", 14, "payloads this build cannot decode"},
    CodeInfo{Code::invalid_response, "INVALID_RESPONSE", 15, "a peer's answer that makes no sense"},
    CodeInfo{Code::unsupported, "UNSUPPORTED", 16, "something that cannot be done here"},
    CodeInfo{Code::unavailable, "UNAVAILABLE", 17,
             "a server, database, TPM or token that does not answer"},
    CodeInfo{Code::io_error, "IO_ERROR", 18, "a file cannot be read or written"},
    CodeInfo{Code::audit_tampered, "AUDIT_TAMPERED", 19, "the audit log is not what was written"},
};

constexpr bool rows_stand_at_their_code() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (kCodes[i].code != static_cast<Code>(i) || kCodes[i].exit_status != static_cast<int>(i) + 1)
      return false;
  }
  return true;
}
static_assert(rows_stand_at_their_code());

}  // namespace

std::span<const CodeInfo> code_table() noexcept {
  return kCodes;
}

const CodeInfo& code_info(Code code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return kCodes[index < kCodes.size() ? index : static_cast<std::size_t>(Code::internal)];
}

Error::Error(Code code, std::string_view message, Details details)
    : code_(code), message_(printable(message)), details_(std::move(details)) {}

std::string_view Error::detail(std::string_view name) const noexcept {
  const auto found = std::ranges::find(details_, name, &Details::value_type::first);
  return found == details_.end() ? std::string_view() : found->second;
}

}  // namespace bcpki
