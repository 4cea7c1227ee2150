// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace ikstream::bvh {
namespace {

// All powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The parts of a number as they stand in the text.
struct Scan {
  const char* begin = nullptr;  // first digit or point, behind the sign
  const char* end = nullptr;
  std::uint64_t digits = 0;  // all digits as one integer, wrapped when there are many
  int digit_count = 0;
  int decimals = 0;
  bool negative = false;
  bool has_exponent = false;
};

const char* ScanDigits(const char* p, const char* end, Scan* scan) {
  const char* const begin = p;
  std::uint64_t digits = scan->digits;
  for (; p != end && IsDigit(*p); ++p) digits = digits * 10 + static_cast<unsigned>(*p - '0');
  scan->digits = digits;
  scan->digit_count += static_cast<int>(p - begin);
  return p;
}

// Moves behind "e-005"; nullptr when the exponent has no digits.
const char* SkipExponent(const char* p, const char* end) {
  ++p;
  if (p != end && (*p == '+' || *p == '-')) ++p;
  if (p == end || !IsDigit(*p)) return nullptr;
  while (p != end && IsDigit(*p)) ++p;
  return p;
}

bool ScanNumber(const char* p, const char* end, Scan* scan) {
  if (p != end && (*p == '-' || *p == '+')) scan->negative = *p++ == '-';
  scan->begin = p;
  p = ScanDigits(p, end, scan);
  if (p != end && *p == '.') {
    const int before = scan->digit_count;
    p = ScanDigits(p + 1, end, scan);
    scan->decimals = scan->digit_count - before;
  }
  scan->end = p;
  if (scan->digit_count == 0) return false;
  if (p != end && (*p == 'e' || *p == 'E')) {
    scan->has_exponent = true;
    scan->end = SkipExponent(p, end);
  }
  return scan->end != nullptr;
}

// Whether a number out of a double's range is so because it is small.
bool IsTiny(const Scan& scan) {
  const std::string_view text(scan.begin, static_cast<std::size_t>(scan.end - scan.begin));
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  long exponent = 0;
  if (scan.has_exponent) {
    std::string_view tail = text.substr(mantissa.size() + 1);
    if (tail.front() == '+') tail.remove_prefix(1);
    const auto got = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (got.ec != std::errc()) return tail.front() == '-';
  }
  return static_cast<long>(point) - static_cast<long>(first) + exponent < 0;
}

// False when the number is too large for a double.
bool SlowValue(const Scan& scan, double* value) {
  const auto got = std::from_chars(scan.begin, scan.end, *value);
  if (got.ec == std::errc::result_out_of_range) {
    *value = 0;
    return IsTiny(scan);
  }
  return true;
}

// All pairs of digits, "00" to "99".
constexpr std::array<char, 200> MakePairs() {
  std::array<char, 200> pairs = {};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kPairs = MakePairs();

// Puts the last two digits of rest in front of p and takes them off.
char* PutPair(std::uint64_t& rest, char* p) {
  const char* const pair = &kPairs[2 * (rest % 100)];
  rest /= 100;
  *--p = pair[1];
  *--p = pair[0];
  return p;
}

char* PutDecimals(std::uint64_t& rest, int decimals, char* p) {
  if (decimals % 2 != 0) {
    *--p = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  for (int i = 0; i < decimals / 2; ++i) p = PutPair(rest, p);
  return p;
}

// Six decimals, which most files have, without a chain of divisions.
char* PutSixDecimals(std::uint64_t& rest, char* p) {
  const std::uint64_t whole = rest / 1000000;
  const auto six = static_cast<std::uint32_t>(rest - whole * 1000000);
  const std::uint32_t four = six / 100, two = four / 100;
  std::memcpy(p - 6, &kPairs[2 * two], 2);
  std::memcpy(p - 4, &kPairs[2 * (four - 100 * two)], 2);
  std::memcpy(p - 2, &kPairs[2 * (six - 100 * four)], 2);
  rest = whole;
  return p - 6;
}

char* PutWhole(std::uint64_t rest, char* p) {
  while (rest >= 100) p = PutPair(rest, p);
  if (rest >= 10) return PutPair(rest, p);
  *--p = static_cast<char>('0' + rest);
  return p;
}

bool IsDecimalComma(const char* p, const char* end) {
  return end - p >= 2 && p[0] == ',' && IsDigit(p[1]);
}

}  // namespace

ParsedNumber ParseNumber(const char* p, const char* end) {
  Scan scan;
  if (!ScanNumber(p, end, &scan)) return {};
  if (scan.end != end && !IsSpace(*scan.end)) {
    return {IsDecimalComma(scan.end, end) ? NumberStatus::kComma : NumberStatus::kNotANumber};
  }
  double value = 0;
  // Up to 19 digits do not wrap, and the quotient of two exact doubles is correctly rounded.
  if (!scan.has_exponent && scan.digit_count <= 19 && scan.digits <= kExactIntegers) {
    value = static_cast<double>(scan.digits) / kPowers[static_cast<std::size_t>(scan.decimals)];
  } else if (!SlowValue(scan, &value)) {
    return {NumberStatus::kTooLarge};
  }
  if (value > kLargestNumber) return {NumberStatus::kTooLarge};
  return {NumberStatus::kOk, scan.end, scan.negative ? -value : value};
}

std::string_view DescribeExpected(NumberStatus status) {
  switch (status) {
    case NumberStatus::kComma:
      return "a number with a decimal point, not a comma";
    case NumberStatus::kTooLarge:
      return "a number from -1e9 to 1e9";
    default:
      return "a number";
  }
}

std::string_view FirstWord(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), IsSpace);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

double NumberText::Set(double value, int decimals) {
  char* const end = text_.data() + kEnd;
  const double power = kPowers[static_cast<std::size_t>(decimals)];
  const double scaled = std::abs(value) * power + 0.5;
  if (scaled >= static_cast<double>(kExactIntegers)) {
    std::array<char, kEnd> buffer;
    const auto got = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::fixed, decimals);
    begin_ = static_cast<std::uint8_t>(kEnd - (got.ptr - buffer.data()));
    std::copy(buffer.data(), got.ptr, text_.data() + begin_);
    return ParseNumber(text_.data() + begin_, end).value;
  }
  const auto digits = static_cast<std::uint64_t>(scaled);
  const bool negative = value < 0 && digits != 0;
  std::uint64_t rest = digits;
  char* p = end;
  if (decimals > 0) {
    p = decimals == 6 ? PutSixDecimals(rest, p) : PutDecimals(rest, decimals, p);
    *--p = '.';
  }
  p = PutWhole(rest, p);
  if (negative) *--p = '-';
  begin_ = static_cast<std::uint8_t>(p - text_.data());
  const double read = static_cast<double>(digits) / power;
  return negative ? -read : read;
}

double AppendNumber(double value, int decimals, std::string* out) {
  NumberText text;
  const double read = text.Set(value, decimals);
  out->append(text.view());
  return read;
}

void AppendShortest(double value, std::string* out) {
  std::array<char, 32> buffer;
  const auto got = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out->append(buffer.data(), got.ptr);
}

int MostDecimals(std::string_view text) {
  int most = 0;
  while (true) {
    const auto begin = std::find_if_not(text.begin(), text.end(), IsSpace);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    if (text.empty()) return most;
    const std::string_view word = FirstWord(text);
    const std::size_t point = word.find('.');
    if (point != std::string_view::npos && word.find_first_of("eE") == std::string_view::npos) {
      most = std::max(most, static_cast<int>(word.size() - point - 1));
    }
    text.remove_prefix(word.size());
  }
}

}  // namespace ikstream::bvh
