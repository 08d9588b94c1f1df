// Runs a fuzz target over a folder of inputs with any compiler: each past crash stays a test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> inputs_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  if (inputs.empty()) throw std::runtime_error(folder.string() + " holds no input");
  std::ranges::sort(inputs);
  return inputs;
}

std::vector<char> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: replay CORPUS...\n";
    return 2;
  }
  std::vector<std::filesystem::path> inputs;
  for (int i = 1; i < argc; ++i) std::ranges::copy(inputs_in(argv[i]), std::back_inserter(inputs));
  for (const auto& path : inputs) {
    // Named first, so that a crash says which input it was.
    std::cout << path.filename().string() << std::endl;
    const auto input = contents(path);
    // A copy of exactly its size: a read past the end is seen.
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::cout << inputs.size() << " passed, 0 failed" << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::cerr << "replay: " << error.what() << '\n';
  return 1;
}
