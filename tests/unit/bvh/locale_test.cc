// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Numbers under locales that write a decimal comma.
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"
#include "cpp/bvh/read.h"
#include "cpp/bvh/write.h"
#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

class CommaDecimals : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

void ExpectPoints() {
  Random random(2);
  const Header header = RandomHeader(random, 12);
  for (int decimals : {-1, 6, 15}) {
    const std::string text =
        *Format(header, RandomRows(random, header, 4), {.decimals = decimals});
    EXPECT_EQ(text.find(','), std::string::npos);
    Document document = MustRead(text);
    const ClipLayout layout = *MakeLayout(document.header, document.rows);
    std::vector<float> roots = ToClip(document.header, layout, document.rows).root_positions;
    for (float& x : roots) x += 1234.5f;
    ASSERT_TRUE(Apply(layout, {.frame_count = 4, .root_positions = roots}, &document).ok());
    EXPECT_EQ(document.rows.text.find(','), std::string::npos);
    EXPECT_NEAR(LocalPosition(document.header, layout, 0, document.rows.row(0))[0], roots[0],
                1e-3);
  }
  const Document numbers = MustRead(
      "HIERARCHY ROOT a\n{ OFFSET 0.5 0 0 CHANNELS 1 Xrotation }"
      "\nMOTION Frames: 1 Frame Time: 0.25\n1.25e-2\n");
  EXPECT_EQ(numbers.rows.values[0], 0.0125);
  EXPECT_EQ(numbers.header.frame_time, 0.25);
}

TEST(Locale, AGlobalCppLocaleWithCommas) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaDecimals));
  ExpectPoints();
  std::locale::global(before);
}

TEST(Locale, ACLocaleWithCommas) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"}) {
    if (found == nullptr) found = std::setlocale(LC_ALL, name);
  }
  if (found == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  ExpectPoints();
  EXPECT_NE(std::setlocale(LC_ALL, before.c_str()), nullptr);
}

}  // namespace
}  // namespace ikstream::bvh
