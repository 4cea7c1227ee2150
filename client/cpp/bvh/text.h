// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Joins pieces of text for messages. Abseil may be built with a string_view that is not the
// standard one, and then takes std::string_view only through this.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ikstream::bvh {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

template <typename T>
decltype(auto) CatPiece(const T& piece) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return ToAbsl(piece);
  } else {
    return (piece);
  }
}

// absl::StrCat for text of any kind and numbers.
template <typename... T>
std::string Cat(const T&... pieces) {
  return absl::StrCat(CatPiece(pieces)...);
}

}  // namespace ikstream::bvh
