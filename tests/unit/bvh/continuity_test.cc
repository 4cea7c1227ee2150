// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Euler branches of changed frames: near the source inside a window, through gimbal lock,
// over many turns, and what is told at a window's end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

class ContinuityTest : public testing::TestWithParam<RotationAxes> {
 protected:
  const RotationAxes axes_ = GetParam();

  // Replaces frames [first, first + wanted.size()) by these angles' rotations.
  EditReport Edit(std::int64_t first, const std::vector<Angles>& wanted, Document* document) {
    std::vector<float> rotations;
    for (const Angles& angles : wanted) AppendRotation(axes_, angles, &rotations);
    const ClipLayout layout = *MakeLayout(document->header, document->rows);
    const auto report = Apply(layout,
                              {.first_frame = first,
                               .frame_count = static_cast<std::int64_t>(wanted.size()),
                               .local_rotations = rotations},
                              document);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(EditReport());
  }

  static void ExpectNear(std::span<const double> row, const Angles& angles, double tolerance,
                         std::int64_t frame) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(row[i], angles[i], tolerance) << "frame " << frame << " angle " << i;
    }
  }
};

// The middle angle sweeps over a quarter turn and exactly onto it: the outer angles neither
// jump nor swap.
TEST_P(ContinuityTest, ThroughGimbalLock) {
  for (double quarter : {90.0, -90.0, 270.0}) {
    std::vector<Angles> source;
    std::vector<Angles> wanted;
    for (int frame = 0; frame <= 80; ++frame) {
      const double t = 0.5 * (frame - 40);
      source.push_back({20 + t, quarter + t, 300 - t});
      const double bump = 6 * std::sin(frame * 3.14159265358979 / 80);
      wanted.push_back({20 + t + bump, quarter + t, 300 - t + 0.5 * bump});
    }
    Document document = OneJoint(axes_, source);
    EXPECT_EQ(Edit(0, wanted, &document).euler_steps, 0);
    for (std::int64_t i = 0; i <= 80; ++i) {
      // At the pole itself only one combination of the outer angles is known.
      const double tolerance = i == 40 ? 1 : 0.01;
      ExpectNear(document.rows.row(i), wanted[static_cast<std::size_t>(i)], tolerance, i);
    }
  }
}

TEST_P(ContinuityTest, StandingAtGimbalLock) {
  const std::vector<Angles> source(20, {170, 90, -40});
  std::vector<Angles> wanted = source;
  for (std::size_t i = 0; i < 20; ++i) wanted[i][0] += 1.0 * static_cast<double>(i);
  Document document = OneJoint(axes_, source);
  EXPECT_EQ(Edit(0, wanted, &document).euler_steps, 0);
  for (std::int64_t i = 1; i < 20; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LT(std::abs(document.rows.row(i)[k] - document.rows.row(i - 1)[k]), 1.001);
    }
  }
}

// The source's own branch and its whole turns are kept, however far from 0.
TEST_P(ContinuityTest, KeepsTheSourcesBranchAndTurns) {
  const std::vector<Angles> source(10, {3 * 360 + 40, 180 - 30, -2 * 360 + 100});
  std::vector<Angles> wanted = source;
  for (std::size_t i = 0; i < 10; ++i) wanted[i][2] += 2.0 * static_cast<double>(i);
  Document document = OneJoint(axes_, source);
  Edit(0, wanted, &document);
  for (std::int64_t i = 0; i < 10; ++i) {
    ExpectNear(document.rows.row(i), wanted[static_cast<std::size_t>(i)], 1e-3, i);
  }
}

// A correction that grows beyond half a turn is followed, and its end is told: the source's
// characters win there.
TEST_P(ContinuityTest, AWindowsEndIsTheSourcesAndItsStepIsCounted) {
  const std::vector<Angles> source(20, {10, 20, 30});
  std::vector<Angles> wanted(12, {10, 20, 30});
  for (std::size_t i = 0; i < 12; ++i) wanted[i][0] += 20.0 * static_cast<double>(i + 1);
  Document document = OneJoint(axes_, source);
  const Document before = document;
  const EditReport report = Edit(4, wanted, &document);
  EXPECT_EQ(report.changed_joint_frames, 12);
  EXPECT_EQ(report.euler_steps, 1);
  for (std::int64_t i = 0; i < 20; ++i) {
    if (i >= 4 && i < 16) {
      ExpectNear(document.rows.row(i), wanted[static_cast<std::size_t>(i - 4)], 1e-3, i);
    } else {
      EXPECT_EQ(document.rows.row_text(i), before.rows.row_text(i));
    }
  }
}

// Steps that the source has itself are not counted.
TEST_P(ContinuityTest, TheSourcesOwnStepsAreNotCounted) {
  std::vector<Angles> source(10, {179, 20, 30});
  for (std::size_t i = 1; i < 10; i += 2) source[i][0] = -179;
  std::vector<Angles> wanted = source;
  for (Angles& angles : wanted) angles[2] += 5;
  Document document = OneJoint(axes_, source);
  EXPECT_EQ(Edit(0, wanted, &document).euler_steps, 0);
  for (std::int64_t i = 0; i < 10; ++i) {
    ExpectNear(document.rows.row(i), wanted[static_cast<std::size_t>(i)], 1e-3, i);
  }
}

// A frame's branch depends on the frame before, not on how frames are grouped.
TEST_P(ContinuityTest, BatchSizeDoesNotMatter) {
  Random random(99);
  std::vector<Angles> source;
  std::vector<float> rotations;
  for (int i = 0; i < 60; ++i) {
    source.push_back({Uniform(random, -300, 300), Uniform(random, -300, 300), 5});
    AppendRotation(axes_, {Uniform(random, -300, 300), 90, 3.0 * i}, &rotations);
  }
  const Document document = OneJoint(axes_, source);
  const ClipLayout layout = *MakeLayout(document.header, document.rows);
  std::string first;
  for (std::int64_t size : {60, 1, 7, 59}) {
    RowEditor editor(document.header, layout, 6);
    Rows rest = document.rows;
    Rows edited;
    while (rest.count() > 0) {
      const Rows batch = rest.TakeFront(size);
      const auto at = static_cast<std::size_t>(4 * batch.first_frame);
      ASSERT_TRUE(editor
                      .Edit(batch,
                            {.first_frame = batch.first_frame,
                             .frame_count = batch.count(),
                             .local_rotations = std::span(rotations).subspan(
                                 at, static_cast<std::size_t>(4 * batch.count()))},
                            &edited)
                      .ok());
    }
    if (first.empty()) first = edited.text;
    EXPECT_EQ(edited.text, first) << size;
    EXPECT_EQ(edited.values, MustRead(document.header.text + edited.text).rows.values);
  }
}

std::vector<RotationAxes> ThreeAxesOnly() {
  std::vector<RotationAxes> axes = AllAxes();
  std::erase_if(axes, [](const RotationAxes& a) { return a.count != 3; });
  return axes;
}

INSTANTIATE_TEST_SUITE_P(AllOrders, ContinuityTest, testing::ValuesIn(ThreeAxesOnly()),
                         [](const auto& instance) { return AxesName(instance.param); });

}  // namespace
}  // namespace ikstream::bvh
