// Errors as tests ask for them.
#pragma once

#include <stdexcept>

#include "bcpki/error.h"

namespace bcpki::test {

// code_of is the code of the Error that `call` throws; throws std::logic_error where it throws
// none.
template <class Call>
Code code_of(Call call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.code();
  }
  throw std::logic_error("nothing was refused");
}

}  // namespace bcpki::test
