// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/tokens.h"

#include "absl/strings/match.h"
#include "cpp/bvh/number.h"
#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view WithoutTrailingSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

constexpr bool IsMark(char c) { return c == '{' || c == '}' || c == ':'; }

}  // namespace

bool Token::Is(std::string_view keyword) const {
  return absl::EqualsIgnoreCase(text, ToAbsl(keyword));
}

std::string Token::Found() const {
  return text.empty() ? std::string(kEndOfFile) : Quoted(text);
}

Tokens::Tokens(Source* source, std::size_t limit) : source_(source), limit_(limit) {
  while (source_->window().size() < kByteOrderMark.size() && source_->Fill()) {
  }
  if (source_->window().starts_with(kByteOrderMark)) {
    pos_ = line_start_ = kByteOrderMark.size();
  }
}

bool Tokens::AtEnd() {
  if (pos_ >= limit_) return true;
  while (pos_ >= source_->window().size()) {
    if (!source_->Fill()) return true;
  }
  return false;
}

void Tokens::Advance() {
  if (Peek() == '\n') {
    ++line_;
    line_start_ = pos_ + 1;
  }
  ++pos_;
}

void Tokens::SkipSpace() {
  while (!AtEnd() && IsSpace(Peek())) Advance();
}

Position Tokens::position() const {
  return {line_, static_cast<std::int64_t>(pos_ - line_start_) + 1};
}

Token Tokens::Next() {
  SkipSpace();
  Token token{{}, position(), pos_};
  if (AtEnd()) return token;
  do {
    token.text += Peek();
    ++pos_;
  } while (!IsMark(token.text.front()) && !AtEnd() && !IsSpace(Peek()) && !IsMark(Peek()));
  return token;
}

Token Tokens::RestOfLine() {
  while (!AtEnd() && IsSpace(Peek()) && Peek() != '\n') ++pos_;
  Token token{{}, position(), pos_};
  while (!AtEnd() && Peek() != '\n') {
    token.text += Peek();
    ++pos_;
  }
  std::string_view text = WithoutTrailingSpace(token.text);
  if (text.ends_with('{')) {
    text.remove_suffix(1);
    pos_ = token.offset + text.size();  // the brace is a word of its own
    text = WithoutTrailingSpace(text);
  }
  token.text.resize(text.size());
  return token;
}

bool Tokens::FinishLine() {
  const std::int64_t line = line_;
  SkipSpace();
  if (AtEnd()) return true;
  if (line_ == line) return false;
  pos_ = line_start_;  // the indent belongs to the row
  return true;
}

}  // namespace ikstream::bvh
