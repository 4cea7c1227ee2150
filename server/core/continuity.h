// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The blend by weight, and the signs that must not jump from frame to frame: a pass after the
// lanes, in the order of the frames.
//
// With d = solved * conj(input), the answer is slerp(1, d, w) * input. d keeps the side of the
// d before; at first, after a joint-frame that was not solved, and at d.w < -0.99, d.w >= 0.
// The answer's sign then follows the answer before; at weight 1 it is that of `solved` where
// the two are at right angles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math.h"

namespace ikstream {

// Rotations apart by rounding alone: a turn of less than 6e-7 rad. The lanes work on normalised
// copies, so a joint that they left alone may come back with other last bits than were sent.
inline constexpr float kUnchangedBelow = 1e-13f;  // the squared sine of half the angle
inline bool Unchanged(Quatf solved, Quatf input) {
  const Quatf d = solved * Conjugate(input);
  return Dot(Vec3f{d.x, d.y, d.z}, Vec3f{d.x, d.y, d.z}) < kUnchangedBelow;
}
// No rotations are unchanged whose dot product is nearer to 0, by more than unit quaternions
// may be off.
inline constexpr float kMaybeUnchanged = 0.9999f;
// A turn whose |w| is greater is small: its side is that of w, whatever was before.
inline constexpr float kOwnSide = 0.99f;

// The joints of a frame, 4 floats each. All rows can be read, and those that are written can be
// written, up to a multiple of kPad floats.
struct ContinuityRows {
  static constexpr size_t kPad = 16;

  const float* solved;
  const float* input;
  float* whole;           // out: the answers; the input's own bits where a joint is unchanged
  float* turns;           // d of the frame before, then of this one
  float* answers;         // the answers of the frame before, then of this one
  std::uint32_t* active;  // all bits of a joint's four where the frame before had an answer
  size_t floats;
};

// Frames in a row, all at weight 1: joint k of frame f at solved + 4 (joints f + k), its input,
// which the answer replaces, at pose + stride f + offsets[k]. The rest as in ContinuityRows, of
// the frame before the first, then of the last.
struct ContinuityRun {
  const float* solved;
  float* pose;
  std::ptrdiff_t stride;
  const std::ptrdiff_t* offsets;
  int frames;
  size_t joints;
  float* turns;
  float* answers;
  std::uint32_t* active;
};

// Rows of single joints in place of whole frames: the answer of the joint at float `at`, which
// was solved, blended by `weight`.
Quatf BlendJoint(const ContinuityRows& rows, size_t at, float weight);

// The joints of one chain or group over the frames of a stream. Joint k stands at offsets[k] of
// a pose; without offsets, BlendRun is not for it.
class Continuity {
 public:
  explicit Continuity(size_t joints, const std::ptrdiff_t* offsets = nullptr);

  size_t size() const { return joints_; }
  void Reset();
  // The answer of a joint-frame that was solved.
  Quatf Blend(size_t joint, Quatf input, Quatf solved, float weight);
  // A joint-frame that was not.
  void Skip(size_t joint);
  // All joints of some frames at weight 1: their answers replace the input in `pose`, whose
  // frames are `stride` floats apart. `solved` holds 4 floats per joint and frame and can be
  // read as in ContinuityRows.
  void BlendRun(const float* solved, float* pose, std::ptrdiff_t stride, int frames);

 private:
  void BlendWhole(const float* solved, float* pose);
  ContinuityRows Rows(const float* solved);
  void Load(const float* pose);
  void Store(float* pose) const;

  size_t joints_;
  const std::ptrdiff_t* offsets_;
  bool side_by_side_ = true;  // one copy moves all joints
  std::vector<float> turns_, answers_, input_, whole_;
  std::vector<std::uint32_t> active_;
};

}  // namespace ikstream
