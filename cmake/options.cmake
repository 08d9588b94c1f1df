# bcpki_options is how everything of ours is compiled. Targets link it inside BUILD_INTERFACE, so
# that none of it reaches who installs or embeds the library.
add_library(bcpki_options INTERFACE)
target_compile_features(bcpki_options INTERFACE cxx_std_20)
# clang counts -Wsign-conversion among -Wconversion, g++ does not.
target_compile_options(bcpki_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion)

# fmt lives inside the archive under a namespace of its own: libfmt.so would bring the shared C++
# runtime into the tools, and a consumer may have a fmt of any version.
target_include_directories(
  bcpki_options SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(
  bcpki_options
  INTERFACE "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace bcpki_v9 {"
            "FMT_END_NAMESPACE=}}"
            OPENSSL_NO_DEPRECATED
            OPENSSL_API_COMPAT=30000
            JSON_USE_IMPLICIT_CONVERSIONS=0)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
