// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Puts packed rotations and positions back into rows, and touches nothing else.
//
// A joint-frame whose rotation has the values that ToClip gave for the source (or all four
// negated, the same rotation) keeps the source's own characters, and so does every position
// component that is equal; separators, line ends and blank lines always stay. A row without
// a change is the source's bytes.
//
// A changed rotation is written on the branch nearest to source + (written - source of the
// frame before), gimbal lock included; the second term is 0 where the frame before was not
// changed. Where a window of changes ends the source's characters win, whatever the step;
// steps of more than 180 degrees that the source does not have are counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cpp/bvh/bvh.h"
#include "cpp/bvh/clip.h"
#include "cpp/bvh/number.h"

namespace ikstream::bvh {

// What comes back from a solver for frames [first_frame, first_frame + frame_count), packed
// as in Clip. An empty span leaves what it would hold unchanged.
struct Edits {
  std::int64_t first_frame = 0;
  std::int64_t frame_count = 0;
  std::span<const float> root_positions = {};      // 3 F
  std::span<const int> joints = {};                // those in local_rotations; empty: all
  std::span<const float> local_rotations = {};     // 4 F joints, normalised here
  std::span<const float> local_translations = {};  // 3 F layout.translated_joints
};

struct EditReport {
  std::int64_t changed_joint_frames = 0;  // rotations written anew
  std::int64_t changed_positions = 0;     // position components written anew
  std::int64_t euler_steps = 0;           // joint-frames with a step > 180 degrees, see above
  // Rotations that a joint with fewer than three rotation channels cannot take, beyond
  // kRotationLoss: the nearest one was written.
  std::int64_t lossy_joint_frames = 0;
  std::vector<int> lossy_joints;  // ascending
  double max_rotation_loss_rad = 0;
  // Position components that differ from the source and have no channel: not written.
  std::int64_t lost_positions = 0;
  double max_position_loss = 0;  // file units
};

inline constexpr double kRotationLoss = 1e-3;  // radians

// Decimals for numbers that are written anew: the most that a number in the first
// kSampleRows rows has, at least 6, at most 15.
int WrittenDecimals(const Rows& sample);

// Edits the rows of one file from its first to its last, in batches of any size; keeps one
// row. Not thread safe. header and layout must outlive it.
class RowEditor {
 public:
  RowEditor(const Header& header, const ClipLayout& layout, int decimals);

  // Appends the source rows to *out, edited. source must follow the rows before, edits lie
  // within source. INVALID_ARGUMENT naming the field, frame and joint where a size does not
  // fit, a number is not finite or a quaternion has no length: *out and the editor are then
  // undefined.
  absl::Status Edit(const Rows& source, const Edits& edits, Rows* out);

  // From now on only the text of *out is filled: for who writes it.
  void LeaveOutValues() { values_ = false; }

  const EditReport& report() const { return report_; }

 private:
  absl::Status CheckShapes(const Rows& source, const Edits& edits) const;
  void StartRow(std::span<const double> row);
  void FinishRow(const Rows& source, std::int64_t i, Rows* out);
  void CopyRows(const Rows& source, std::int64_t begin, std::int64_t end, Rows* out);
  absl::Status EditRow(std::span<const double> row, const Edits& edits, std::int64_t index);
  absl::Status EditRotations(std::span<const double> row, const Edits& edits,
                             std::int64_t index);
  absl::Status FindChanged(std::span<const float> edited, std::span<const int> joints);
  void WriteRotation(std::span<const double> row, std::size_t changed);
  absl::Status EditPosition(std::span<const double> row, int joint, std::int64_t frame,
                            std::span<const float> edited);
  void NoteRotationLoss(int joint, double loss);
  void Write(int column, double value);
  void CountSteps(std::span<const double> row);
  void AppendRow(const Rows& source, std::int64_t i, Rows* out);
  void AppendText(std::string_view text, std::string* out) const;

  const Header& header_;
  const ClipLayout& layout_;
  int decimals_;
  bool values_ = true;
  EditReport report_;

  std::int64_t next_frame_ = 0;
  bool row_changed_ = false;
  std::vector<double> source_before_;  // the source's row before
  std::vector<double> shift_before_;   // written - source there
  std::vector<double> shift_;          // of this row
  std::vector<double> written_;        // this row
  std::vector<NumberText> numbers_;    // characters of changed columns, empty: the source's

  // A rotation of this row that is written anew.
  struct Changed {
    int joint;
    Quaternion wanted;
    EulerParts parts;
  };
  RowRotations source_rotations_;
  std::vector<Changed> changed_;
  std::vector<double> ys_, xs_, angles_;  // three of each changed rotation
};

// Edits a document in memory.
absl::StatusOr<EditReport> Apply(const ClipLayout& layout, const Edits& edits,
                                 Document* document);

}  // namespace ikstream::bvh
