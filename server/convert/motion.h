// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A batch of motion: checked, and seen as packed arrays without a copy.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "convert/limits.h"
#include "convert/warnings.h"
#include "core/solve.h"
#include "ikstream/v1/motion.pb.h"
#include "terrain/platforms.h"

namespace ikstream {

// Points into the message it has read and into itself: both must stay where they are.
class CheckedMotion {
 public:
  CheckedMotion() = default;
  CheckedMotion(const CheckedMotion&) = delete;
  CheckedMotion& operator=(const CheckedMotion&) = delete;

  // Reads a batch whose first frame has the absolute index `first_frame`. An error means that
  // nothing of the batch can be used (sizes, indices). Field paths start at `motion`. Where
  // single frames are bad (not finite, a zero quaternion), the frames before them are good.
  absl::Status Read(const v1::Motion& motion, const Rig& rig, const Limits& limits,
                    std::int64_t first_frame, Warnings& warnings);

  // Reads the tracks of moving platforms, one for each name of `known`, in that order;
  // `numbers` tells for each of motion.platforms which one it is. A platform of `known` that
  // has no track is an error; one that is not known is, too, or is added where `adds`. After
  // Read().
  absl::Status ReadPlatforms(const v1::Motion& motion, bool adds,
                             std::vector<std::string>& known, std::vector<PlatformTrack>& out,
                             std::vector<int>& numbers);

  // Takes an error of one frame, which spoils that frame and what comes after: OK. Any other
  // is returned.
  absl::Status TakeFrameError(const absl::Status& status);

  // The good frames: all that were sent where error() is OK.
  const MotionView& view() const { return view_; }
  // One entry per chain of the rig.
  const std::vector<ChainTargets>& targets() const { return targets_; }
  // What is wrong with frame number view().frames of the batch, OK where nothing is.
  const absl::Status& error() const { return error_; }
  // Frames as sent.
  int sent_frames() const { return sent_; }

  // The rotations as sent, and which joint-frames of them are normalised in view().
  const float* sent_rotations() const { return raw_rotations_; }
  const std::vector<std::int64_t>& normalised() const { return normalised_; }

  // Puts the sent bits back where a normalised copy was solved and came back unchanged.
  // `rotations` holds the answers for frames `begin` to `end` of the batch, 4 J floats each.
  void RestoreSent(float* rotations, int begin, int end) const;

 private:
  // `width` floats per frame; `repeats`: one frame's values stand for the whole batch.
  struct Field {
    const float* data;
    std::int64_t size;
    std::int64_t width;
    bool repeats;
    std::string name;
  };

  absl::Status ReadFrames(const v1::Motion& motion, const Limits& limits);
  absl::Status ReadPlatform(const v1::PlatformTrack& track, const std::string& path,
                            PlatformTrack& out);
  absl::Status ReadTarget(const v1::TargetTrack& track, const std::string& path);
  absl::Status ReadList(const google::protobuf::RepeatedField<float>& list, int width,
                        const std::string& name, Track& out, Field& field);
  void CheckFinite(const Field& field);
  void CheckWeights(const Field& field);
  // Returns what to solve: `field.data`, or a normalised copy.
  const float* CheckRotations(const Field& field, Warnings& warnings, bool remember);
  void Bad(const Field& field, std::int64_t index, const std::string& what);

  MotionView view_;
  std::vector<ChainTargets> targets_;
  absl::Status error_;
  int sent_ = 0;
  std::int64_t first_frame_ = 0;
  const Rig* rig_ = nullptr;
  const float* raw_rotations_ = nullptr;
  std::vector<std::int64_t> normalised_;  // joint-frames of local_rotations, ascending
  std::deque<std::vector<float>> own_;    // normalised copies; a deque keeps their places
};

}  // namespace ikstream
