// What a program of somebody else's does first: opens a bundle and reads a pin.
#include <fstream>
#include <iostream>
#include <iterator>

#include "bcpki/bundle.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: consumer BUNDLE SECRET\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(file), {}};

  bcpki::OpenOptions options;
  options.secrets.emplace_back(std::string_view(argv[2]));
  try {
    const bcpki::Bundle bundle = bcpki::open_bundle(json, options);
    std::cout << "joinSigningKeyPin: " << bundle.pins().join_signing_key_pin << std::endl;
  } catch (const bcpki::Error& error) {
    std::cerr << bcpki::code_info(error.code()).name << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
