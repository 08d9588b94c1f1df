// Questions to a person at a terminal.
#pragma once

#include <optional>
#include <string_view>

#include "bcpki/secret.h"

namespace cli {

// ask_secret asks on stderr and reads one line from stdin without showing it, or returns nullopt
// where either is no terminal, or the line is empty. A signal that ends the process, as Ctrl-C
// sends one, ends it when the terminal shows again what is typed. Throws IO_ERROR where the
// terminal fails, and INVALID_INPUT for a line of more than 1,024 bytes.
std::optional<bcpki::SecretBytes> ask_secret(std::string_view question);

}  // namespace cli
