// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Numbers of a text file, read and written without regard to the locale.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ikstream::bvh {

// Beyond this an angle or a length has lost its meaning as a float; it is a broken file.
inline constexpr double kLargestNumber = 1e9;

enum class NumberStatus : std::uint8_t {
  kOk,
  kNotANumber,  // also nan, inf and a number with letters behind it
  kComma,       // a decimal comma
  kTooLarge,    // magnitude above kLargestNumber
};

struct ParsedNumber {
  NumberStatus status = NumberStatus::kNotANumber;
  const char* end = nullptr;  // one past the number where status is kOk
  double value = 0;
};

// Reads the number that begins at p, to the nearest double: optional sign, digits with an
// optional point on either side, optional exponent of any length, then white space or end.
// Numbers too small for a double are 0.
ParsedNumber ParseNumber(const char* p, const char* end);

// What a message expects in the place of a number with this status: "a number", and why not.
std::string_view DescribeExpected(NumberStatus status);

constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The longest prefix of text that holds no white space.
std::string_view FirstWord(std::string_view text);

// The characters of one number, without memory of its own.
class NumberText {
 public:
  // With this many decimals (0..17) and a '.', never as "-0.000". Returns what ParseNumber
  // reads there. REQUIRES: |value| <= 1e15.
  double Set(double value, int decimals);
  void Clear() { begin_ = kEnd; }

  bool empty() const { return begin_ == kEnd; }
  std::string_view view() const { return {text_.data() + begin_, std::size_t{kEnd} - begin_}; }
  // Behind the last of them kPadding bytes may be read, too.
  static constexpr std::size_t kPadding = 16;

 private:
  static constexpr std::uint8_t kEnd = 48;
  std::array<char, kEnd + kPadding> text_ = {};
  std::uint8_t begin_ = kEnd;
};

// Appends value with this many decimals (0..17) and a '.', never as "-0.000". Returns what
// ParseNumber reads there. REQUIRES: |value| <= 1e15.
double AppendNumber(double value, int decimals, std::string* out);

// Appends the fewest characters that read back as the same double.
void AppendShortest(double value, std::string* out);

// The most decimals that a number without an exponent has in this text.
int MostDecimals(std::string_view text);

}  // namespace ikstream::bvh
