// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_job.h"

#include <algorithm>
#include <new>

#include "core/grow.h"

namespace ikstream {

float* LaneSpace::Floats(size_t which, size_t count) {
  if (areas_.size() <= which) areas_.resize(which + 1);
  Area& area = areas_[which];
  if (area.size < count) {
    void* fresh = ::operator new[](count * sizeof(float), std::align_val_t{kAlignment});
    area.data.reset(static_cast<float*>(fresh));
    area.size = count;
    std::fill_n(area.data.get(), count, 0.0f);
  }
  return area.data.get();
}

std::int32_t* LaneSpace::Ints(size_t which, size_t count) {
  if (ints_.size() <= which) ints_.resize(which + 1);
  Grow(ints_[which], count);
  return ints_[which].data();
}

}  // namespace ikstream
