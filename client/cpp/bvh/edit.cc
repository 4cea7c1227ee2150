// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/edit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpp/bvh/euler.h"
#include "cpp/bvh/number.h"
#include "cpp/bvh/position.h"
#include "cpp/bvh/text.h"
#include "cpp/bvh/trig_lanes.h"

namespace ikstream::bvh {
namespace {

std::size_t Index(std::int64_t i) { return static_cast<std::size_t>(i); }

bool SameRotation(const std::array<float, 4>& source, std::span<const float> edited) {
  bool same = true;
  bool negated = true;
  for (std::size_t i = 0; i < 4; ++i) {
    same = same && source[i] == edited[i];
    negated = negated && source[i] == -edited[i];
  }
  return same || negated;
}

// False where q is not finite or has no length to speak of.
bool Normalise(std::span<const float> q, Quaternion* unit) {
  double square = 0;
  for (float component : q) square += static_cast<double>(component) * component;
  const double length = std::sqrt(square);
  if (!std::isfinite(length) || length < 1e-6) return false;
  for (std::size_t i = 0; i < 4; ++i) (*unit)[i] = q[i] / length;
  return true;
}

absl::Status CheckSize(std::string_view field, std::size_t size, std::size_t expected) {
  if (size == 0 || size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Cat(field, ": expected ", expected, " floats or none, found ", size));
}

absl::Status CheckJoints(std::span<const int> joints, std::size_t joint_count) {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool ordered = i == 0 || joints[i] > joints[i - 1];
    if (joints[i] >= 0 && Index(joints[i]) < joint_count && ordered) continue;
    return absl::InvalidArgumentError(Cat("joints[", i, "]: expected ascending indices below ",
                                          joint_count, ", found ", joints[i]));
  }
  return absl::OkStatus();
}

absl::Status Unusable(std::string_view field, std::int64_t frame, const Joint& joint,
                      std::string_view what) {
  return absl::InvalidArgumentError(
      Cat(field, ", frame ", frame, ", joint ", Quoted(joint.name), ": ", what));
}

// One past the word that begins at p; eight characters at a time.
const char* EndOfWord(const char* p, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  for (; end - p >= 8; p += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, p, 8);
    // A byte below 0x21 borrows from its own highest bit.
    if (((eight - kOnes * 0x21) & ~eight & (kOnes * 0x80)) != 0) break;
  }
  while (p != end && !IsSpace(*p)) ++p;
  return p;
}

// The same angle by whole turns, where the nearest branch is beyond what a file may hold.
double WithinRange(double degrees) {
  const double over = std::abs(degrees) - kLargestNumber;
  return over > 0 ? std::copysign(std::abs(degrees) - 360 * std::ceil(over / 360), degrees)
                  : degrees;
}

}  // namespace

int WrittenDecimals(const Rows& sample) {
  int most = 6;
  for (std::int64_t i = 0; i < std::min(sample.count(), kSampleRows); ++i) {
    most = std::max(most, MostDecimals(sample.row_text(i)));
  }
  return std::min(most, 15);
}

RowEditor::RowEditor(const Header& header, const ClipLayout& layout, int decimals)
    : header_(header), layout_(layout), decimals_(decimals) {
  const std::size_t columns = Index(header.channel_count);
  shift_before_.assign(columns, 0);
  shift_.assign(columns, 0);
  numbers_.resize(columns);
}

absl::Status RowEditor::CheckShapes(const Rows& source, const Edits& edits) const {
  if (source.first_frame != next_frame_ || source.channel_count != header_.channel_count) {
    return absl::InvalidArgumentError(Cat("rows: expected those from frame ", next_frame_,
                                          " of the same file, found frame ",
                                          source.first_frame));
  }
  const bool within =
      edits.frame_count >= 0 && edits.frame_count <= source.count() &&
      edits.first_frame >= source.first_frame &&
      edits.first_frame - source.first_frame <= source.count() - edits.frame_count;
  if (edits.frame_count != 0 && !within) {
    return absl::InvalidArgumentError(Cat("edits: expected frames within ", source.first_frame,
                                          " to ", source.end_frame(), ", found ",
                                          edits.frame_count, " from ", edits.first_frame));
  }
  const std::size_t frames = Index(edits.frame_count);
  const std::size_t joints = edits.joints.empty() ? layout_.joints.size() : edits.joints.size();
  absl::Status status = CheckJoints(edits.joints, layout_.joints.size());
  if (status.ok())
    status = CheckSize("root_positions", edits.root_positions.size(), 3 * frames);
  if (status.ok()) {
    status = CheckSize("local_rotations", edits.local_rotations.size(), 4 * frames * joints);
  }
  if (status.ok()) {
    status = CheckSize("local_translations", edits.local_translations.size(),
                       3 * frames * layout_.translated_joints.size());
  }
  return status;
}

absl::Status RowEditor::Edit(const Rows& source, const Edits& edits, Rows* out) {
  if (absl::Status status = CheckShapes(source, edits); !status.ok()) return status;
  if (out->starts.empty()) out->Clear(source.first_frame, source.channel_count);
  const std::int64_t begin =
      edits.frame_count == 0 ? source.count() : edits.first_frame - source.first_frame;
  const std::int64_t end = begin + edits.frame_count;
  CopyRows(source, 0, begin, out);
  for (std::int64_t i = begin; i < end; ++i) {
    StartRow(source.row(i));
    if (absl::Status status = EditRow(source.row(i), edits, i - begin); !status.ok()) {
      return status;
    }
    FinishRow(source, i, out);
  }
  CopyRows(source, end, source.count(), out);
  return absl::OkStatus();
}

void RowEditor::StartRow(std::span<const double> row) {
  written_.assign(row.begin(), row.end());
  row_changed_ = false;
  std::fill(shift_.begin(), shift_.end(), 0);
}

void RowEditor::FinishRow(const Rows& source, std::int64_t i, Rows* out) {
  CountSteps(source.row(i));
  AppendRow(source, i, out);
  source_before_.assign(source.row(i).begin(), source.row(i).end());
  shift_.swap(shift_before_);
  ++next_frame_;
}

void RowEditor::CopyRows(const Rows& source, std::int64_t begin, std::int64_t end, Rows* out) {
  if (begin == end) return;
  StartRow(source.row(begin));  // the first may end a window
  FinishRow(source, begin++, out);
  if (begin == end) return;
  const std::size_t text_begin = source.starts[Index(begin)];
  const std::size_t text_end =
      end == source.count() ? source.text.size() : source.starts[Index(end)];
  const std::size_t moved = out->text.size() - text_begin;
  for (std::int64_t i = begin; i < end; ++i) {
    out->starts.push_back(source.starts[Index(i)] + moved);
  }
  out->text.append(source.text, text_begin, text_end - text_begin);
  const auto values = source.values.begin();
  if (values_)
    out->values.insert(out->values.end(), values + begin * source.channel_count,
                       values + end * source.channel_count);
  source_before_.assign(source.row(end - 1).begin(), source.row(end - 1).end());
  std::fill(shift_before_.begin(), shift_before_.end(), 0);
  next_frame_ += end - begin;
}

absl::Status RowEditor::EditRow(std::span<const double> row, const Edits& edits,
                                std::int64_t index) {
  absl::Status status;
  if (!edits.root_positions.empty()) {
    status =
        EditPosition(row, 0, next_frame_, edits.root_positions.subspan(3 * Index(index), 3));
  }
  if (!edits.local_rotations.empty() && status.ok()) status = EditRotations(row, edits, index);
  const std::size_t translated = layout_.translated_joints.size();
  for (std::size_t i = 0; !edits.local_translations.empty() && i < translated && status.ok();
       ++i) {
    status =
        EditPosition(row, layout_.translated_joints[i], next_frame_,
                     edits.local_translations.subspan(3 * (Index(index) * translated + i), 3));
  }
  return status;
}

// All joints of a row at once: sines and arc tangents cost most, and come cheaper by the dozen.
absl::Status RowEditor::EditRotations(std::span<const double> row, const Edits& edits,
                                      std::int64_t index) {
  const std::size_t joints = edits.joints.empty() ? layout_.joints.size() : edits.joints.size();
  source_rotations_.Read(row);
  const auto edited = edits.local_rotations.subspan(4 * Index(index) * joints, 4 * joints);
  if (absl::Status status = FindChanged(edited, edits.joints); !status.ok()) return status;
  const std::size_t size = (3 * changed_.size() + kTrigBlock - 1) / kTrigBlock * kTrigBlock;
  ys_.assign(size, 0);
  xs_.assign(size, 1);
  angles_.resize(size);
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    std::copy_n(changed_[i].parts.y.begin(), 3,
                ys_.begin() + static_cast<std::ptrdiff_t>(3 * i));
    std::copy_n(changed_[i].parts.x.begin(), 3,
                xs_.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  AnglesOf(ys_, xs_, angles_);
  for (std::size_t i = 0; i < changed_.size(); ++i) WriteRotation(row, i);
  return absl::OkStatus();
}

// `joints`: those in `edited`; empty: all.
absl::Status RowEditor::FindChanged(std::span<const float> edited,
                                    std::span<const int> joints) {
  changed_.clear();
  for (std::size_t i = 0; 4 * i < edited.size(); ++i) {
    const int joint = joints.empty() ? static_cast<int>(i) : joints[i];
    const JointColumns& columns = layout_.joints[Index(joint)];
    const std::span<const float> q = edited.subspan(4 * i, 4);
    if (SameRotation(source_rotations_.LocalRotation(columns, 0), q)) continue;
    Changed& changed = changed_.emplace_back();
    changed.joint = joint;
    if (!Normalise(q, &changed.wanted)) {
      return Unusable("local_rotations", next_frame_, header_.joints[Index(joint)],
                      "expected a finite quaternion that is not 0");
    }
    changed.parts = PartsOf(columns.rotation, changed.wanted);
  }
  return absl::OkStatus();
}

void RowEditor::WriteRotation(std::span<const double> row, std::size_t changed) {
  const auto& [joint, wanted, parts] = changed_[changed];
  const JointColumns& columns = layout_.joints[Index(joint)];
  Angles reference = RotationAngles(columns, row);
  for (int i = 0; i < columns.rotation.count; ++i) {
    reference[Index(i)] += shift_before_[Index(columns.rotation_columns[Index(i)])];
  }
  const double* const found = &angles_[3 * changed];
  const Angles angles =
      FromParts(columns.rotation, parts, {found[0], found[1], found[2]}, reference);
  for (int i = 0; i < columns.rotation.count; ++i) {
    const int column = columns.rotation_columns[Index(i)];
    Write(column, WithinRange(angles[Index(i)]));
    shift_[Index(column)] = written_[Index(column)] - row[Index(column)];
  }
  if (columns.rotation.count > 0) ++report_.changed_joint_frames;
  if (columns.rotation.count < 3) {
    NoteRotationLoss(joint, AngleBetween(FromEuler(columns.rotation, angles), wanted));
  }
}

void RowEditor::NoteRotationLoss(int joint, double loss) {
  report_.max_rotation_loss_rad = std::max(report_.max_rotation_loss_rad, loss);
  if (loss <= kRotationLoss) return;
  ++report_.lossy_joint_frames;
  std::vector<int>& joints = report_.lossy_joints;
  const auto place = std::lower_bound(joints.begin(), joints.end(), joint);
  if (place == joints.end() || *place != joint) joints.insert(place, joint);
}

absl::Status RowEditor::EditPosition(std::span<const double> row, int joint, std::int64_t frame,
                                     std::span<const float> edited) {
  const std::array<double, 3> source = LocalPosition(header_, layout_, joint, row);
  for (int axis = 0; axis < 3; ++axis) {
    const float wanted = edited[Index(axis)];
    if (wanted == static_cast<float>(source[Index(axis)])) continue;
    if (!(std::abs(wanted) <= kLargestNumber)) {
      return Unusable(joint == 0 ? "root_positions" : "local_translations", frame,
                      header_.joints[Index(joint)], "expected a finite number of at most 1e9");
    }
    const int column = layout_.joints[Index(joint)].position_columns[Index(axis)];
    if (column < 0) {
      ++report_.lost_positions;
      const double loss = std::abs(wanted - source[Index(axis)]);
      report_.max_position_loss = std::max(report_.max_position_loss, loss);
      continue;
    }
    ++report_.changed_positions;
    Write(column, wanted - layout_.Base(header_, joint, axis));
  }
  return absl::OkStatus();
}

void RowEditor::Write(int column, double value) {
  // What a reader of the file will see, so that later frames and callers see the same.
  written_[Index(column)] = numbers_[Index(column)].Set(value, decimals_);
  row_changed_ = true;
}

void RowEditor::CountSteps(std::span<const double> row) {
  if (source_before_.empty()) return;
  for (const JointColumns& columns : layout_.joints) {
    bool step = false;
    for (int i = 0; i < columns.rotation.count; ++i) {
      const std::size_t column = Index(columns.rotation_columns[Index(i)]);
      const double source_step = row[column] - source_before_[column];
      const double written_step = source_step + shift_[column] - shift_before_[column];
      step = step || (std::abs(written_step) > 180 && std::abs(source_step) <= 180);
    }
    if (step) ++report_.euler_steps;
  }
}

void RowEditor::AppendRow(const Rows& source, std::int64_t i, Rows* out) {
  out->starts.push_back(out->text.size());
  if (values_) out->values.insert(out->values.end(), written_.begin(), written_.end());
  if (row_changed_) {
    AppendText(source.row_text(i), &out->text);
    for (NumberText& number : numbers_) number.Clear();
  } else {
    out->text.append(source.row_text(i));
  }
}

void RowEditor::AppendText(std::string_view text, std::string* out) const {
  std::size_t most = text.size() + NumberText::kPadding;
  for (const NumberText& number : numbers_) most += number.view().size();
  const std::size_t base = out->size();
  out->resize(base + most);
  char* to = out->data() + base;
  const char* p = text.data();
  const char* const text_end = p + text.size();
  for (const NumberText& number : numbers_) {
    while (p != text_end && IsSpace(*p)) *to++ = *p++;
    const char* const begin = p;
    p = EndOfWord(p, text_end);
    const std::string_view put =
        number.empty() ? std::string_view(begin, Index(p - begin)) : number.view();
    // A fixed size is a single move; what lies behind is overwritten.
    if (!number.empty() && put.size() <= NumberText::kPadding)
      std::memcpy(to, put.data(), NumberText::kPadding);
    else
      std::memcpy(to, put.data(), put.size());
    to += put.size();
  }
  std::memcpy(to, p, Index(text_end - p));
  to += text_end - p;
  out->resize(Index(to - out->data()));
}

absl::StatusOr<EditReport> Apply(const ClipLayout& layout, const Edits& edits,
                                 Document* document) {
  RowEditor editor(document->header, layout, WrittenDecimals(document->rows));
  Rows edited;
  absl::Status status = editor.Edit(document->rows, edits, &edited);
  if (!status.ok()) return status;
  document->rows = std::move(edited);
  return editor.report();
}

}  // namespace ikstream::bvh
