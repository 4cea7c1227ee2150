// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Splits the head of a BVH file into words and names. Internal to the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cpp/bvh/position.h"
#include "cpp/bvh/source.h"

namespace ikstream::bvh {

struct Token {
  std::string text;  // empty at the end of the file
  Position at;
  std::size_t offset = 0;  // of its first byte in the file

  bool Is(std::string_view keyword) const;  // without regard to case
  // For "found ..." in a message.
  std::string Found() const;
};

// Reads forward from the start of the source, which keeps everything read in its window.
class Tokens {
 public:
  // Bytes beyond limit are not looked at: they read as the end of the file.
  Tokens(Source* source, std::size_t limit);

  // The next word. '{', '}' and ':' are words of their own.
  Token Next();

  // What is left of the line up to a '{' at its end, without white space around it.
  Token RestOfLine();

  // Moves to the first line that is not blank. False where the current line holds more.
  bool FinishLine();

  Position position() const;
  std::size_t offset() const { return pos_; }
  std::int64_t line() const { return line_; }
  bool hit_limit() const { return pos_ >= limit_; }

 private:
  bool AtEnd();  // fetches more text where there is some
  char Peek() const { return source_->window()[pos_]; }
  void Advance();
  void SkipSpace();

  Source* source_;
  std::size_t limit_;
  std::size_t pos_ = 0;
  std::int64_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace ikstream::bvh
