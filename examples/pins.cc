// Prints what a new machine pins before it trusts anything, and whether the bundle's seal vouches
// for it.
//
//   pins BUNDLE [SECRET_FILE]
#include <exception>
#include <iostream>

#include "bcpki/bundle.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: pins BUNDLE [SECRET_FILE]\n";
    return 2;
  }
  try {
    bcpki::OpenOptions options;
    if (argc == 3)
      options.secrets.push_back(bcpki::deployment_secret(bcpki::SecretBytes::read(argv[2])));
    const auto file = bcpki::SecretBytes::read(argv[1]);
    const auto bundle = bcpki::open_bundle(bcpki::as_text(file.reveal()), options);

    if (!bundle.authenticated())
      std::cerr << "warning: nothing vouches for these pins: who can write the file chose them\n";

    const auto pins = bundle.bootstrap_pins();
    std::cout << "trust domain     " << bundle.trust_domain() << '\n'
              << "serving CA       " << pins.serving_ca << '\n'
              << "join signing     " << pins.join_signing << '\n'
              << "join encryption  " << pins.join_encryption << '\n'
              << "serving CA ends  " << bcpki::format_time(bundle.pins().expires.serving)
              << std::endl;
    return std::cout ? 0 : 1;
  } catch (const bcpki::Error& error) {
    std::cerr << bcpki::code_info(error.code()).name << ": " << error.what();
    if (const auto check = error.detail("check"); !check.empty())
      std::cerr << " (check " << check << ')';
    std::cerr << '\n';
    return bcpki::code_info(error.code()).exit_status;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
