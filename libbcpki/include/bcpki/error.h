// How the library says no.
//
// Could not do it: it throws `Error`, one final class with a `Code`. Did it and the answer is no:
// it returns a `Verdict`, which holds either a value that only its verifier makes or the `Reason`.
// Bytes that came over a wire never throw. bcpki(3) lists the codes and slugs, which
// programs may rely on; messages are for people and may change.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bcpki {

enum class Code {
  internal,          // a bug
  usage,             // flags or arguments
  missing_env,       // a secret or passphrase that is needed is not given
  invalid_config,    // a bundle or configuration that must not be used
  invalid_state,     // right command, wrong moment
  invalid_input,     // a value or file that is not what it must be
  not_found,         // what was asked for is not there
  access_denied,     // verification refused; detail "reason" says which check
  conflict,          // someone else changed it, or an idempotency key reused
  scope_mismatch,    // the leaves are not what the root says
  scope_changed,     // not the root that was reviewed
  scope_unexpected,  // not exactly what was expected
  unbound_scope,     // leaves that admit any payload
  opaque_scope,      // payloads this build cannot decode
  invalid_response,  // a peer's answer that makes no sense
  unsupported,       // something that cannot be done here
  unavailable,       // a server, database, TPM or token that does not answer
  io_error,          // a file cannot be read or written
  audit_tampered,    // the audit log is not what was written
};

// CodeInfo is one row of the table of codes: `name` as printed (`INVALID_CONFIG`), the tools' exit
// status (1 to 19) and one sentence.
struct CodeInfo {
  Code code;
  std::string_view name;
  int exit_status;
  std::string_view sentence;
};

// code_table returns every code, by exit status.
std::span<const CodeInfo> code_table() noexcept;

// code_info returns the row of `code`, or INTERNAL's for a value that is none.
const CodeInfo& code_info(Code code) noexcept;

// Error is thrown for misuse and for the environment. `what()` is one printable line without a
// secret, "what is wrong; what to do". Details are ordered name and value pairs, for machines.
class Error final : public std::exception {
 public:
  using Details = std::vector<std::pair<std::string, std::string>>;

  Error(Code code, std::string_view message, Details details = {});

  Code code() const noexcept { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }
  const Details& details() const noexcept { return details_; }

  // detail returns the value of the detail called `name`, or "" where there is none.
  std::string_view detail(std::string_view name) const noexcept;

 private:
  Code code_;
  std::string message_;
  Details details_;
};

// Reason says why a verifier refused: a stable slug and a printable sentence.
struct Reason {
  std::string_view slug;
  std::string detail{};
};

// Verdict is a verified `T` or the reason why there is none.
template <class T>
class [[nodiscard]] Verdict {
 public:
  Verdict(T value) : held_(std::move(value)) {}
  Verdict(Reason reason) : held_(std::move(reason)) {}

  explicit operator bool() const noexcept { return std::holds_alternative<T>(held_); }

  // The value; calling these on a refusal is misuse and throws std::bad_variant_access.
  const T& operator*() const& { return std::get<T>(held_); }
  T&& operator*() && { return std::get<T>(std::move(held_)); }
  const T* operator->() const { return &std::get<T>(held_); }

  // reason is why there is no value; calling it on a value throws std::bad_variant_access.
  const Reason& reason() const { return std::get<Reason>(held_); }

  // value_or_throw returns the value, or throws `code` with the reason's detail as the message and
  // its slug as detail "reason".
  T value_or_throw(Code code) && {
    if (*this) return std::get<T>(std::move(held_));
    throw Error(code, reason().detail, {{"reason", std::string(reason().slug)}});
  }

 private:
  std::variant<T, Reason> held_;
};

}  // namespace bcpki
