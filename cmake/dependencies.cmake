# Every dependency, each with its reason in docs/dependencies.md.

find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)

find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium>=1.0.18)

# Only the headers: libbcpki/src/base/fmt.cc compiles what they need, as version 9 has it.
find_package(fmt 9.1...<10 REQUIRED)

if(BCPKI_BUILD_TOOLS)
  find_package(CLI11 2.1 REQUIRED)
endif()
if(BCPKI_BUILD_TOOLS OR BCPKI_BUILD_TESTS OR BCPKI_BUILD_FUZZERS)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
if(BCPKI_BUILD_TESTS)
  find_package(Catch2 2.13 REQUIRED)
endif()
if(BCPKI_BUILD_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
