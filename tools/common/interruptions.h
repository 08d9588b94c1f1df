// Signals that end a program, while it must not end.
#pragma once

#include <initializer_list>

#include <signal.h>

namespace cli {

// HeldInterruptions has SIGINT, SIGTERM, SIGHUP and SIGQUIT wait until it ends.
class HeldInterruptions {
 public:
  HeldInterruptions() { (void)::sigprocmask(SIG_BLOCK, &signals_, &former_); }
  HeldInterruptions(const HeldInterruptions&) = delete;
  HeldInterruptions& operator=(const HeldInterruptions&) = delete;
  ~HeldInterruptions() { (void)::sigprocmask(SIG_SETMASK, &former_, nullptr); }

  const sigset_t& signals() const { return signals_; }

 private:
  static sigset_t all() {
    sigset_t set;
    (void)::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) (void)::sigaddset(&set, signal);
    return set;
  }

  sigset_t signals_ = all();
  sigset_t former_{};
};

}  // namespace cli
