#include "support/test_data.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace bcpki::test {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_ours(const nlohmann::json& number) {
  return number.is_number_unsigned() && number.get<std::uint64_t>() <= json::kMaxInteger;
}

json::Value value_of(const nlohmann::json& from) {
  if (from.is_null()) return {};
  if (from.is_boolean()) return from.get<bool>();
  if (from.is_string()) return from.get<std::string>();
  if (is_ours(from)) return from.get<std::uint64_t>();
  if (from.is_number()) return from.dump();
  if (from.is_array()) {
    json::Array to;
    for (const auto& element : from) to.push_back(value_of(element));
    return to;
  }
  json::Object to;
  for (const auto& [name, value] : from.items()) to.emplace_back(name, value_of(value));
  return to;
}

}  // namespace

std::string golden_text(const std::filesystem::path& place) {
  return read(std::filesystem::path(BCPKI_GOLDEN_DIR) / place);
}

std::string data_text(const std::filesystem::path& place) {
  return read(std::filesystem::path(BCPKI_TEST_DATA_DIR) / place);
}

json::Value foreign_json(const std::string& text) {
  return value_of(nlohmann::json::parse(text));
}

}  // namespace bcpki::test
