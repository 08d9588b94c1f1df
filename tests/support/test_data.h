// Files that tests read: golden vectors and the test data of others.
#pragma once

#include <filesystem>
#include <string>

#include "format/json.h"

namespace bcpki::test {

// golden_text and data_text read a file below golden/ and tests/data/; throw std::runtime_error
// where they cannot.
std::string golden_text(const std::filesystem::path& place);
std::string data_text(const std::filesystem::path& place);

// foreign_json reads JSON with numbers that our reader does not take: such a number becomes a
// string.
json::Value foreign_json(const std::string& text);

}  // namespace bcpki::test
