# Components: dev (archive, headers, CMake and pkg-config files, pages 3 and 5), tools (bc-pki, its
# page and completions, systemd units and Prometheus rules), golden (the vectors and their runner, with the tests).
include(CMakePackageConfigHelpers)

set(bcpki_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bcpki)

install(
  TARGETS bcpki
  EXPORT bcpki-targets
  ARCHIVE COMPONENT dev
  FILE_SET HEADERS COMPONENT dev)
install(
  EXPORT bcpki-targets
  NAMESPACE bcpki::
  DESTINATION ${bcpki_cmake_dir}
  COMPONENT dev)

configure_package_config_file(
  cmake/bcpki-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/bcpki-config.cmake
  INSTALL_DESTINATION ${bcpki_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/bcpki-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/bcpki-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/bcpki-config-version.cmake
  DESTINATION ${bcpki_cmake_dir}
  COMPONENT dev)

# The prefix is found from where the file lies, so the tree may be installed or moved anywhere.
file(RELATIVE_PATH bcpki_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" bcpki_pc_to_prefix ${bcpki_pc_to_prefix})
configure_file(cmake/bcpki.pc.in ${CMAKE_CURRENT_BINARY_DIR}/bcpki.pc @ONLY)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/bcpki.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT dev)

install(
  FILES man/bcpki.3
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man3
  COMPONENT dev)
install(
  FILES man/bcpki-formats.5
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man5
  COMPONENT dev)

if(BCPKI_BUILD_TOOLS)
  install(TARGETS bc-pki RUNTIME COMPONENT tools)
  install(
    FILES man/bc-pki.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT tools)
  install(
    FILES ${BCPKI_COMPLETIONS_DIR}/bc-pki
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT tools)
  install(
    FILES ${BCPKI_COMPLETIONS_DIR}/_bc-pki
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT tools)
  install(
    FILES ${BCPKI_COMPLETIONS_DIR}/bc-pki.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT tools)
  install(
    DIRECTORY dist/systemd/
    DESTINATION lib/systemd/system
    COMPONENT tools)
  install(
    DIRECTORY dist/prometheus/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bcpki/prometheus
    COMPONENT tools)
endif()

if(BCPKI_BUILD_TESTS)
  install(TARGETS bcpki-golden RUNTIME COMPONENT golden)
  install(
    DIRECTORY golden/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bcpki/golden
    COMPONENT golden)
endif()
