// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/motion/clip_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/facts.h"
#include "cpp/bvh/read.h"
#include "motion/legs.h"

namespace ikstream::test {
namespace {

Vec3f ToVec3f(const std::array<double, 3>& v) { return Cast<float>(Vec3d{v[0], v[1], v[2]}); }

std::shared_ptr<const Skeleton> ToSkeleton(const bvh::Header& header) {
  std::vector<Joint> joints(header.joints.size());
  for (size_t i = 0; i < joints.size(); ++i) {
    const bvh::Joint& from = header.joints[i];
    joints[i].name = from.name;
    joints[i].parent = from.parent;
    joints[i].offset = ToVec3f(from.offset);
    if (from.end_site) joints[i].tip = ToVec3f(*from.end_site);
  }
  auto skeleton = Skeleton::Create(std::move(joints));
  EXPECT_TRUE(skeleton.ok()) << skeleton.status();
  return std::make_shared<const Skeleton>(std::move(*skeleton));
}

}  // namespace

std::optional<Motion> LoadClip(const std::string& file_name) {
  const char* folder = std::getenv("IKSTREAM_CLIPS");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / file_name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto document = bvh::ReadFile(path.string());
  EXPECT_TRUE(document.ok()) << document.status();
  const auto layout = bvh::MakeLayout(document->header, document->rows);
  EXPECT_TRUE(layout.ok()) << layout.status();
  const bvh::Clip rows = bvh::ToClip(document->header, *layout, document->rows);
  const auto facts = bvh::MeasureRig(document->header, *layout, document->rows);
  Motion out;
  out.clip.skeleton = ToSkeleton(document->header);
  out.clip.up = facts.up == bvh::UpAxis::kZ ? UpAxis::kZ : UpAxis::kY;
  out.clip.frames_per_second = document->header.fps();
  out.clip.translated_joints = layout->translated_joints;
  out.clip.feet = FindFeet(*out.clip.skeleton, out.clip.up).feet;
  const auto units = UnitsPerMetre(*out.clip.skeleton, out.clip.feet, {});
  EXPECT_TRUE(units.ok()) << units.status();
  out.clip.units_per_metre = *units;
  out.clip.frame_count = rows.frame_count;
  out.roots = rows.root_positions;
  out.rotations = rows.local_rotations;
  out.translations = rows.local_translations;
  return out;
}

}  // namespace ikstream::test
