// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is decided from a whole clip before any frame of it is changed: the shapes and names of
// ikstream.v1.Plan. Plain data. Frames are counted without the lead-in; intervals are half-open
// and may reach into lead-in and lead-out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/math.h"
#include "motion/foot.h"
#include "motion/settings.h"

namespace ikstream {

struct Anchor {
  enum class Point { kUnspecified, kHeel, kToe };
  std::int64_t begin = 0;
  Point point = Point::kUnspecified;
  // Rig units, in the platform's frame where the interval names one. Unset: the median of the
  // interval's middle is taken.
  std::optional<Vec3f> position;
};

struct ContactInterval {
  enum class Origin { kUnspecified, kFound, kGiven };
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<Anchor> anchors;
  Origin origin = Origin::kUnspecified;
  std::string why;
  bool locked = false;
  bool ignored = false;
  bool allow_slide = false;
  std::string platform;
};

// Contacts of one foot, given by the caller.
struct FootContacts {
  int foot = 0;
  std::vector<ContactInterval> intervals;
};

struct FootPlan {
  Foot foot;
  float heel_offset = 0;  // rig units, along the ground's normal
  float toe_offset = 0;
  float tip_offset = 0;
  std::vector<ContactInterval> intervals;
  ContactSettings::Mode mode = ContactSettings::Mode::kUnspecified;
  float knee_speed_p99 = 0;  // rad/s
  float knee_speed_max = 0;  // rad/s
  float reach_max = 0;       // share of the leg's length
  float leg_length = 0;      // rig units
  float enter_height_m = 0;
  std::string why;

  float offset(FootPoint point) const {
    return point == FootPoint::kHeel  ? heel_offset
           : point == FootPoint::kToe ? toe_offset
                                      : tip_offset;
  }
};

struct Floor {
  enum class Kind { kUnspecified, kPlane, kRolling, kTerrain, kSamples };
  Kind kind = Kind::kUnspecified;
  Vec3f point;
  Vec3f normal;
  std::vector<float> knots;
  std::string why;
};

struct Plan {
  std::string profile;
  std::string source_sha256;
  std::vector<std::string> joint_names;
  std::int64_t frame_count = 0;
  double frames_per_second = 0;
  double units_per_metre = 0;
  UpAxis up = UpAxis::kY;
  bool reference_pose = false;
  Floor floor;
  std::vector<FootPlan> feet;
  CleanupSettings settings;
  std::vector<std::string> notes;
};

// Whether `plan` fits the clip and can be applied: joint names, frame count and rate; feet that
// are those of the clip; intervals in order, without overlap, inside the frames that are sent;
// anchors inside their interval and in order; finite numbers, a floor that is complete. Errors
// name `feet[1].intervals[3].end` and so on.
absl::Status ValidatePlan(const Plan& plan, const ClipSpec& clip);

// The same for contacts that the caller gives, with `contacts[0].intervals[3].end`.
absl::Status ValidateContacts(const std::vector<FootContacts>& contacts, const ClipSpec& clip);

}  // namespace ikstream
