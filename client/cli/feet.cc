// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/feet.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"

namespace ikstream::cli {
namespace {

// An index, or the one joint of that name.
absl::StatusOr<int> FindJoint(const std::string& text, const v1::Skeleton& skeleton) {
  int found = -1;
  for (int i = 0; i < skeleton.joints_size(); ++i) {
    if (skeleton.joints(i).name() != text) continue;
    if (found >= 0) {
      return UsageError(absl::StrCat("--feet: several joints are named `", text,
                                     "`; give its index, one of them is ", found));
    }
    found = i;
  }
  if (found >= 0) return found;
  if (absl::SimpleAtoi(text, &found) && found >= 0 && found < skeleton.joints_size()) {
    return found;
  }
  return UsageError(absl::StrCat("--feet: the clip has no joint `", text, "`"));
}

absl::StatusOr<v1::ContactInterval> ParseInterval(const std::string& text) {
  auto frames = ParseFrames(text);
  if (!frames.ok() || frames->end <= frames->begin) {
    return UsageError(absl::StrCat("--contacts: `", text, "` is not A:B with A < B"));
  }
  v1::ContactInterval interval;
  interval.set_begin(frames->begin);
  interval.set_end(frames->end);
  interval.set_origin(v1::ContactInterval::ORIGIN_GIVEN);
  return interval;
}

}  // namespace

absl::StatusOr<FootOption> ParseFoot(const std::string& text) {
  FootOption foot;
  std::string joints = text;
  if (const std::size_t equals = text.find('='); equals != std::string::npos) {
    foot.name = text.substr(0, equals);
    joints = text.substr(equals + 1);
  }
  foot.joints = absl::StrSplit(joints, ',');
  if (foot.joints.size() < 3 || foot.joints.size() > 4) {
    return UsageError(absl::StrCat("--feet ", text, ": expected [NAME=]HIP,KNEE,ANKLE[,TOE]"));
  }
  return foot;
}

absl::StatusOr<v1::Foot> ResolveFoot(const FootOption& foot, const v1::Skeleton& skeleton) {
  std::vector<int> joints;
  for (const std::string& name : foot.joints) {
    auto joint = FindJoint(name, skeleton);
    if (!joint.ok()) return joint.status();
    joints.push_back(*joint);
  }
  v1::Foot out;
  out.set_name(foot.name);
  out.set_hip_joint(joints[0]);
  out.set_knee_joint(joints[1]);
  out.set_ankle_joint(joints[2]);
  if (joints.size() > 3) out.set_toe_joint(joints[3]);
  return out;
}

absl::StatusOr<ContactOption> ParseContacts(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return UsageError(absl::StrCat("--contacts ", text, ": expected FOOT=A:B,C:D"));
  }
  ContactOption contacts;
  contacts.foot = text.substr(0, equals);
  const std::vector<std::string> intervals = absl::StrSplit(text.substr(equals + 1), ',');
  for (const std::string& interval : intervals) {
    auto parsed = ParseInterval(interval);
    if (!parsed.ok()) return parsed.status();
    contacts.intervals.push_back(*std::move(parsed));
  }
  return contacts;
}

absl::StatusOr<v1::FootContacts> ResolveContacts(
    const ContactOption& contacts, const google::protobuf::RepeatedPtrField<v1::Foot>& feet) {
  int index = -1;
  std::vector<std::string> names;
  for (int i = 0; i < feet.size(); ++i) {
    names.push_back(feet[i].name());
    if (names.back() == contacts.foot) index = i;
  }
  if (index < 0 &&
      (!absl::SimpleAtoi(contacts.foot, &index) || index < 0 || index >= feet.size())) {
    return UsageError(absl::StrCat("--contacts: no foot `", contacts.foot,
                                   "`; the clip has: ", absl::StrJoin(names, ", ")));
  }
  v1::FootContacts out;
  out.set_foot(index);
  for (const v1::ContactInterval& interval : contacts.intervals)
    *out.add_intervals() = interval;
  return out;
}

absl::StatusOr<FrameRange> ParseFrames(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  FrameRange range;
  const bool fits = parts.size() == 2 &&
                    (parts[0].empty() || absl::SimpleAtoi(parts[0], &range.begin)) &&
                    (parts[1].empty() || absl::SimpleAtoi(parts[1], &range.end)) &&
                    range.begin >= 0 && (parts[1].empty() || range.end > range.begin);
  if (fits) return range;
  return UsageError(
      absl::StrCat("frames `", text, "`: expected A:B with 0 <= A < B, B not included"));
}

}  // namespace ikstream::cli
