# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
#
# Every outside package, found once. Debian 12 names stand in deploy/packages.

# Also for a project that this one is a folder of, and that links ikstream_client.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(Threads REQUIRED)
set(protobuf_MODULE_COMPATIBLE TRUE)
find_package(Protobuf 3.21 REQUIRED)
find_package(absl REQUIRED)
find_package(gRPC 1.51 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(hwy 1.0 REQUIRED)
find_path(IKSTREAM_CLI11_DIR CLI/CLI.hpp REQUIRED)
find_program(IKSTREAM_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

if(IKSTREAM_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
endif()

# google/api and google/rpc protos, read at build time only. They come from the
# PyPI package googleapis-common-protos; a folder that holds them can be given.
set(IKSTREAM_GOOGLEAPIS_VERSION 1.70.0)
set(IKSTREAM_GOOGLEAPIS_DIR "" CACHE PATH "Folder that holds google/api and google/rpc protos")
if(NOT IKSTREAM_GOOGLEAPIS_DIR)
  set(_dir ${CMAKE_BINARY_DIR}/googleapis-${IKSTREAM_GOOGLEAPIS_VERSION})
  if(NOT EXISTS ${_dir}/google/api/annotations.proto)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip install --quiet --no-deps --no-compile
              --disable-pip-version-check --target ${_dir}
              googleapis-common-protos==${IKSTREAM_GOOGLEAPIS_VERSION}
      RESULT_VARIABLE _failed)
    if(_failed)
      message(FATAL_ERROR "Could not install googleapis-common-protos by pip. Install it "
        "yourself and give its folder: -DIKSTREAM_GOOGLEAPIS_DIR=DIR")
    endif()
  endif()
  set(IKSTREAM_GOOGLEAPIS_DIR ${_dir})
endif()
