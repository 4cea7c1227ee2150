// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cpp/bvh/text.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

ParsedNumber Parse(std::string_view text) {
  return ParseNumber(text.data(), text.data() + text.size());
}

// strtod of the C locale is the reference for the nearest double.
TEST(Number, ReadsTheNearestDouble) {
  Random random(7);
  for (int i = 0; i < 200000; ++i) {
    char text[64];
    const double value = Uniform(random, -1, 1) * std::pow(10, Pick(random, -12, 8));
    const char* const format = Pick(random, 0, 4) == 0 ? "%.*e" : "%.*f";
    ASSERT_GT(std::snprintf(text, sizeof text, format, Pick(random, 0, 20), value), 0);
    const ParsedNumber number = Parse(text);
    ASSERT_EQ(number.status, NumberStatus::kOk) << text;
    ASSERT_EQ(number.value, std::strtod(text, nullptr)) << text;
  }
}

TEST(Number, StopsAtWhiteSpace) {
  const std::string_view text = "-1.5\t7";
  const ParsedNumber number = Parse(text);
  EXPECT_EQ(number.value, -1.5);
  EXPECT_EQ(number.end, text.data() + 4);
}

TEST(Number, ZeroKeepsItsSign) { EXPECT_TRUE(std::signbit(Parse("-0.0").value)); }

TEST(Number, ExponentsBeyondDoubles) {
  EXPECT_EQ(Parse("1e-40").value, 1e-40);
  EXPECT_EQ(Parse("1e-400").value, 0);
  EXPECT_EQ(Parse("0.00001e-320").value, std::strtod("1e-325", nullptr));
  EXPECT_EQ(Parse("0e99999").value, 0);
  EXPECT_EQ(Parse(Cat("1", std::string(400, '0'), "e-395")).value, 1e5);
  EXPECT_EQ(Parse(Cat("1", std::string(400, '0'), "e-800")).value, 0);
  EXPECT_EQ(Parse(Cat("0.", std::string(400, '0'), "1e402")).value, 10);
  EXPECT_EQ(Parse("1e400").status, NumberStatus::kTooLarge);
  EXPECT_EQ(Parse("1e+99999999999999999999").status, NumberStatus::kTooLarge);
  EXPECT_EQ(Parse("1e-99999999999999999999").value, 0);
}

TEST(Number, WhatIsNoNumber) {
  for (const char* text : {"", "-", "+", ".", "-.", "e5", "1e", "1e+", "nan", "inf", "0x10",
                           "1.2.3", "--1", "+-1", "1_000", "1.#IND", "1f"}) {
    EXPECT_EQ(Parse(text).status, NumberStatus::kNotANumber) << text;
  }
  EXPECT_EQ(Parse("1,5").status, NumberStatus::kComma);
  EXPECT_EQ(Parse("1,").status, NumberStatus::kNotANumber);
}

TEST(Number, WritesTheNearestDecimal) {
  Random random(8);
  for (int i = 0; i < 100000; ++i) {
    const double value = Uniform(random, -1, 1) * std::pow(10, Pick(random, -8, 9));
    const int decimals = Pick(random, 0, 15);
    std::string text;
    AppendNumber(value, decimals, &text);
    // A tie may fall to either side: what counts is the distance, and the form.
    const std::size_t point = text.find('.');
    ASSERT_EQ(decimals == 0 ? 0 : text.size() - point - 1, static_cast<std::size_t>(decimals));
    ASSERT_EQ(Parse(text).status, NumberStatus::kOk) << text;
    ASSERT_LE(std::abs(std::strtod(text.c_str(), nullptr) - value),
              0.5000001 * std::pow(10, -decimals) + std::abs(value) * 3e-16)
        << text;
  }
}

TEST(Number, WritesNoNegativeZero) {
  std::string text;
  AppendNumber(-1e-9, 6, &text);
  EXPECT_EQ(text, "0.000000");
}

TEST(Number, WritesWhole) {
  std::string text;
  AppendNumber(-12.0, 0, &text);
  text += ' ';
  AppendNumber(1e15, 15, &text);
  text += ' ';
  AppendNumber(0.0626, 3, &text);
  text += ' ';
  AppendShortest(0.1, &text);
  EXPECT_EQ(text, "-12 1000000000000000.000000000000000 0.063 0.1");
}

TEST(Number, CountsDecimals) {
  EXPECT_EQ(MostDecimals("1 2.5\t-3.125 \r\n"), 3);
  EXPECT_EQ(MostDecimals("9.23872e-007 1."), 0);
  EXPECT_EQ(MostDecimals(""), 0);
}

}  // namespace
}  // namespace ikstream::bvh
