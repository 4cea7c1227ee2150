// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Real clips, read where IKSTREAM_CLIPS says; none is part of this repository.
#pragma once

#include <optional>
#include <string>

#include "unit/motion/body.h"

namespace ikstream::test {

// Nothing where the variable or the file is absent.
std::optional<Motion> LoadClip(const std::string& file_name);

}  // namespace ikstream::test

// In a test: `clip` becomes a Motion, or the test says that it is skipped.
#define IKSTREAM_CLIP_OR_SKIP(clip, file_name)                                   \
  const auto clip##_loaded = ::ikstream::test::LoadClip(file_name);              \
  if (!clip##_loaded)                                                            \
    GTEST_SKIP() << "set IKSTREAM_CLIPS to a folder that holds " << (file_name); \
  const ::ikstream::test::Motion& clip = *clip##_loaded
