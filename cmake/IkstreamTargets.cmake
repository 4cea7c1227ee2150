# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
#
# Compiler settings and the helpers that declare our own targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Static debug information would triple link time; tests print what they need.
if(IKSTREAM_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O3")
endif()

find_program(IKSTREAM_CCACHE ccache)
if(IKSTREAM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${IKSTREAM_CCACHE})
endif()

if(IKSTREAM_SANITIZE)
  add_compile_options(-fsanitize=${IKSTREAM_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${IKSTREAM_SANITIZE})
endif()

if(IKSTREAM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "IKSTREAM_FUZZ needs clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The same bits everywhere need the compiler to keep our operations as written:
# no fused multiply-add that we did not ask for.
add_compile_options(-ffp-contract=off)

# ikstream_library(NAME SOURCES ... [PUBLIC lib ...] [PRIVATE lib ...])
# A static library of our own code: includes start at server/ or client/.
function(ikstream_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/server
                                            ${PROJECT_SOURCE_DIR}/client)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  ikstream_warnings(${name})
endfunction()

# ikstream_test(NAME SOURCES ... [LIBS lib ...] [LABELS l ...])
# One GoogleTest binary per folder; ctest sees every test of it by name.
function(ikstream_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    IKSTREAM_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  # Templates of GoogleTest compile three times as fast so; what is tested is optimised.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  ikstream_warnings(${name})
  gtest_discover_tests(${name} PROPERTIES LABELS "${ARG_LABELS}" DISCOVERY_TIMEOUT 60)
endfunction()

function(ikstream_warnings name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
    -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Werror)
  # GCC takes what its sanitizers' code does to std::function for a use before a value is set.
  if(IKSTREAM_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()
