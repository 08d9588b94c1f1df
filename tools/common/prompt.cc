#include "common/prompt.h"

#include <cerrno>
#include <cstddef>

#include <termios.h>
#include <unistd.h>

#include "bcpki/bytes.h"
#include "bcpki/error.h"

#include "common/io.h"

namespace cli {
namespace {

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kMaxLine = 1024;

constexpr cc_t kInterrupt = 0x03;  // Ctrl-C

// Silence keeps a terminal from showing what is typed. Ctrl-C ends the line instead of the process,
// which would leave the terminal silent.
class Silence {
 public:
  Silence() {
    if (::tcgetattr(STDIN_FILENO, &former_) != 0) fail();
    termios silent = former_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    silent.c_cc[VEOL] = kInterrupt;
    if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) != 0) fail();
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &former_); }

 private:
  [[noreturn]] static void fail() { throw Error(Code::io_error, "the terminal does not obey"); }

  termios former_{};
};

// read_byte returns false at the end of the input.
bool read_byte(std::byte& out) {
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, &out, 1);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw Error(Code::io_error, "the terminal cannot be read");
  return count == 1;
}

bcpki::SecretBytes read_line() {
  bcpki::SecretBytes line(kMaxLine);
  std::size_t size = 0;
  for (std::byte next{}; read_byte(next) && next != std::byte{'\n'}; ++size) {
    if (next == std::byte{kInterrupt}) return {};
    if (size == kMaxLine) throw Error(Code::invalid_input, "the line is too long");
    line.reveal()[size] = next;
  }
  line.truncate(size);
  return line;
}

}  // namespace

std::optional<bcpki::SecretBytes> ask_secret(std::string_view question) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return std::nullopt;
  write_stream(STDERR_FILENO, "standard error", question);
  const Silence silence;
  bcpki::SecretBytes line = read_line();
  write_stream(STDERR_FILENO, "standard error", "\n");
  if (line.empty()) return std::nullopt;
  return line;
}

}  // namespace cli
