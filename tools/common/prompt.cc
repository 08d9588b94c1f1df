#include "common/prompt.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "bcpki/bytes.h"
#include "bcpki/error.h"

#include "common/interruptions.h"
#include "common/io.h"

namespace cli {
namespace {

using bcpki::Code;
using bcpki::Error;

constexpr std::size_t kMaxLine = 1024;

// Silence keeps a terminal from showing what is typed. A process that ended or stopped meanwhile
// would leave it silent.
class Silence {
 public:
  Silence() {
    if (::tcgetattr(STDIN_FILENO, &former_) != 0) fail();
    termios silent = former_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    silent.c_cc[VSUSP] = _POSIX_VDISABLE;
    if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) != 0) fail();
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &former_); }

  const sigset_t& signals() const { return held_.signals(); }

 private:
  [[noreturn]] static void fail() { throw Error(Code::io_error, "the terminal does not obey"); }

  HeldInterruptions held_;
  termios former_{};
};

[[noreturn]] void fail_to_read() {
  throw Error(Code::io_error, "the terminal cannot be read");
}

// has_input waits, and returns false where it is a signal that came.
bool has_input(const Descriptor& signals) {
  std::array<pollfd, 2> waited{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                {.fd = signals.get(), .events = POLLIN, .revents = 0}}};
  while (::poll(waited.data(), waited.size(), -1) < 0) {
    if (errno != EINTR) fail_to_read();
  }
  return waited[1].revents == 0;
}

// read_byte returns false at the end of the input.
bool read_byte(std::byte& out) {
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, &out, 1);
  } while (count < 0 && errno == EINTR);
  if (count < 0) fail_to_read();
  return count == 1;
}

// read_line returns nothing where a signal came: it ends the process once it is no longer held.
bcpki::SecretBytes read_line(const sigset_t& held) {
  const Descriptor signals(::signalfd(-1, &held, SFD_CLOEXEC));
  if (signals.get() < 0) fail_to_read();
  bcpki::SecretBytes line(kMaxLine);
  std::size_t size = 0;
  for (std::byte next{};; ++size) {
    if (!has_input(signals)) return {};
    if (!read_byte(next) || next == std::byte{'\n'}) break;
    if (size == kMaxLine) throw Error(Code::invalid_input, "the line is too long");
    line.reveal()[size] = next;
  }
  line.truncate(size);
  return line;
}

}  // namespace

std::optional<bcpki::SecretBytes> ask_secret(std::string_view question) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return std::nullopt;
  const Silence silence;
  write_stream(STDERR_FILENO, "standard error", question);
  bcpki::SecretBytes line = read_line(silence.signals());
  write_stream(STDERR_FILENO, "standard error", "\n");
  if (line.empty()) return std::nullopt;
  return line;
}

}  // namespace cli
