// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Which instruction sets the lane code is compiled for: on x86-64 AVX-512, AVX2, SSE4 and a
// portable fall-back, on Arm NEON. Fewer targets keep compile times small. Include before
// anything of Highway.
#pragma once

#ifdef HWY_DISABLED_TARGETS
#error "core/lanes/targets.h must come before highway.h"
#endif
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
