// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <cstddef>
#include <vector>

namespace ikstream {

// At least `size` elements. Workspaces only grow, so that later batches allocate nothing.
template <class T>
void Grow(std::vector<T>& v, size_t size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace ikstream
