// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/legs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "motion/leg_names.h"

namespace ikstream {
namespace {

ModelPose RestPose(const Skeleton& skeleton) {
  std::vector<float> rotations(4 * static_cast<size_t>(skeleton.size()));
  for (int i = 0; i < skeleton.size(); ++i) Store(skeleton.joint(i).rest, &rotations[4 * i]);
  const Vec3f origin;
  ModelPose pose;
  ForwardKinematics(skeleton, {&origin.x, rotations.data(), nullptr}, {}, pose);
  return pose;
}

Vec3d UpVector(UpAxis up) { return up == UpAxis::kY ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}; }

// Joints above `joint`, from its parent up.
std::vector<int> Ancestors(const Skeleton& skeleton, int joint) {
  std::vector<int> out;
  for (int i = skeleton.joint(joint).parent; i >= 0; i = skeleton.joint(i).parent)
    out.push_back(i);
  return out;
}

// The hip: the topmost ancestor that is named as a thigh; else the one above the knee.
int FindHip(const Skeleton& skeleton, int ankle, const std::vector<NameMeaning>& names) {
  const std::vector<int> above = Ancestors(skeleton, ankle);
  int thigh = -1;
  for (int i : above) {
    if (names[i].part == LegPart::kThigh) thigh = i;
    if (names[i].part != LegPart::kThigh && thigh >= 0) break;
  }
  if (thigh >= 0 && thigh != skeleton.joint(ankle).parent) return thigh;
  return above.size() >= 3 ? above[1] : -1;  // the root itself is no hip
}

int FindKnee(const Skeleton& skeleton, int hip, int ankle,
             const std::vector<NameMeaning>& names) {
  const std::vector<int> path = skeleton.Path(hip, ankle);
  for (size_t k = 1; k + 1 < path.size(); ++k)
    if (names[path[k]].part == LegPart::kShin) return path[k];
  return path[path.size() / 2];
}

// A child named as a toe, else as a foot under an ankle; of several the one whose bone is
// longest, the first of equals.
std::optional<int> FindToe(const Skeleton& skeleton, int ankle,
                           const std::vector<NameMeaning>& names) {
  std::optional<int> best;
  float best_length = -1;
  for (int child : skeleton.children(ankle)) {
    const LegPart part = names[child].part;
    if (part != LegPart::kToe && part != LegPart::kAnkle) continue;
    const float length = Length(skeleton.joint(child).offset);
    if (length > best_length) best = child, best_length = length;
  }
  return best;
}

std::string FootName(const NameMeaning& name, const std::string& joint) {
  if (name.side == Side::kNone) return joint;
  return absl::StrCat(name.fore   ? "front "
                      : name.hind ? "hind "
                                  : "",
                      name.side == Side::kLeft ? "left" : "right");
}

std::vector<Foot> FindByName(const Skeleton& skeleton, const std::vector<NameMeaning>& names) {
  std::vector<Foot> feet;
  for (int i : skeleton.order()) {
    if (names[i].part != LegPart::kAnkle) continue;
    const std::vector<int> above = Ancestors(skeleton, i);
    if (std::any_of(above.begin(), above.end(),
                    [&](int a) { return names[a].part == LegPart::kAnkle; }))
      continue;
    const int hip = FindHip(skeleton, i, names);
    if (hip < 0) continue;
    Foot foot;
    foot.name = FootName(names[i], skeleton.joint(i).name);
    foot.hip_joint = hip;
    foot.knee_joint = FindKnee(skeleton, hip, i, names);
    foot.ankle_joint = i;
    foot.toe_joint = FindToe(skeleton, i, names);
    feet.push_back(std::move(foot));
  }
  return feet;
}

// A branch from below a fork down to a leaf.
struct Branch {
  std::vector<int> joints;
  double height = 0;  // of its end in the rest pose
};

std::vector<Branch> Branches(const Skeleton& skeleton, Vec3d up) {
  const ModelPose pose = RestPose(skeleton);
  std::vector<Branch> out;
  for (int i : skeleton.order()) {
    if (!skeleton.children(i).empty()) continue;
    Branch branch;
    for (int j = i; j >= 0 && (j == i || skeleton.children(j).size() == 1);
         j = skeleton.joint(j).parent)
      branch.joints.insert(branch.joints.begin(), j);
    Vec3d end = pose.positions[i];
    if (const auto& tip = skeleton.joint(i).tip)
      end += Rotate(pose.rotations[i], Cast<double>(*tip));
    branch.height = Dot(end, up);
    out.push_back(std::move(branch));
  }
  return out;
}

// Without names: the two lowest branches, if they end level, are equally long, hang below
// everything else and have hip, knee and ankle.
std::vector<Foot> FindByShape(const Skeleton& skeleton, UpAxis up) {
  std::vector<Branch> branches = Branches(skeleton, UpVector(up));
  std::stable_sort(branches.begin(), branches.end(),
                   [](const Branch& a, const Branch& b) { return a.height < b.height; });
  if (branches.size() < 3) return {};
  const Branch &a = branches[0], &b = branches[1];
  const double span = branches.back().height - a.height;
  if (a.joints.size() != b.joints.size() || a.joints.size() < 3 || a.joints.size() > 6 ||
      b.height - a.height > 0.05 * span || branches[2].height - b.height < 0.2 * span)
    return {};
  std::vector<Foot> feet;
  for (const Branch* branch : {&a, &b}) {
    const std::vector<int>& joints = branch->joints;
    const size_t hip = joints.size() > 4 ? 1 : 0;
    Foot foot;
    foot.hip_joint = joints[hip];
    foot.knee_joint = joints[hip + 1];
    foot.ankle_joint = joints[hip + 2];
    if (hip + 3 < joints.size()) foot.toe_joint = joints[hip + 3];
    foot.name = skeleton.joint(foot.ankle_joint).name;
    feet.push_back(std::move(foot));
  }
  return feet;
}

void MakeNamesUnique(const Skeleton& skeleton, std::vector<Foot>& feet) {
  for (size_t i = 0; i < feet.size(); ++i)
    for (size_t j = i + 1; j < feet.size(); ++j)
      if (feet[i].name == feet[j].name) {
        feet[i].name = skeleton.joint(feet[i].ankle_joint).name;
        feet[j].name = skeleton.joint(feet[j].ankle_joint).name;
      }
}

std::string Describe(const Skeleton& skeleton, const Foot& foot, absl::string_view how) {
  return absl::StrCat(
      foot.name, ": hip ", skeleton.joint(foot.hip_joint).name, ", knee ",
      skeleton.joint(*foot.knee_joint).name, ", ankle ", skeleton.joint(foot.ankle_joint).name,
      foot.toe_joint ? absl::StrCat(", toe ", skeleton.joint(*foot.toe_joint).name)
                     : std::string(", no toe"),
      " (", how, ")");
}

bool TwoBonesFit(const Skeleton& skeleton, const Foot& foot) {
  return skeleton.Path(foot.hip_joint, foot.ankle_joint).size() == 3;
}

std::string Path(size_t i, absl::string_view field) {
  return absl::StrCat("feet[", i, "].", field);
}

absl::Status CheckJoints(const Skeleton& skeleton, const Foot& foot, size_t i) {
  const auto in_range = [&](int joint) { return joint >= 0 && joint < skeleton.size(); };
  const std::string range = absl::StrCat(" is out of range [0, ", skeleton.size(), ")");
  if (!in_range(foot.hip_joint))
    return FieldError(Path(i, "hip_joint"), absl::StrCat(foot.hip_joint, range));
  if (!in_range(foot.ankle_joint))
    return FieldError(Path(i, "ankle_joint"), absl::StrCat(foot.ankle_joint, range));
  const std::vector<int> path = skeleton.Path(foot.hip_joint, foot.ankle_joint);
  if (path.size() < 3)
    return FieldError(Path(i, "hip_joint"),
                      "must be an ancestor of ankle_joint with a knee between them");
  if (foot.knee_joint &&
      std::find(path.begin() + 1, path.end() - 1, *foot.knee_joint) == path.end() - 1)
    return FieldError(Path(i, "knee_joint"), "is not between hip_joint and ankle_joint");
  if (foot.toe_joint && (!in_range(*foot.toe_joint) ||
                         skeleton.Path(foot.ankle_joint, *foot.toe_joint).size() < 2))
    return FieldError(Path(i, "toe_joint"), "is not below ankle_joint");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Foot>> CompleteFeet(const Skeleton& skeleton, UpAxis up,
                                               std::vector<Foot> feet) {
  const ModelPose rest = RestPose(skeleton);
  for (size_t i = 0; i < feet.size(); ++i) {
    Foot& foot = feet[i];
    if (absl::Status status = CheckJoints(skeleton, foot, i); !status.ok()) return status;
    if (!(LegLength(skeleton, foot) > 0))
      return FieldError(Path(i, "hip_joint"), "the bones from hip to ankle have no length");
    if (foot.sole_normal) {
      const float length = Length(*foot.sole_normal);
      if (!(std::isfinite(length) && length > 1e-6f))
        return FieldError(Path(i, "sole_normal"), "is not finite or has no length");
      foot.sole_normal = *foot.sole_normal / length;
    } else {
      const Quatd ankle = rest.rotations[foot.ankle_joint];
      foot.sole_normal = Cast<float>(Rotate(Conjugate(ankle), UpVector(up)));
    }
    if (!(foot.sole_radius_m >= 0 && foot.sole_radius_m <= 10))
      return FieldError(Path(i, "sole_radius_m"), "is not in [0, 10]");
    const std::vector<int> path = skeleton.Path(foot.hip_joint, foot.ankle_joint);
    if (!foot.knee_joint) foot.knee_joint = path[path.size() / 2];
    if (foot.name.empty()) foot.name = skeleton.joint(foot.ankle_joint).name;
    if (foot.solver.empty()) foot.solver = TwoBonesFit(skeleton, foot) ? "two_bone" : "auto";
  }
  return feet;
}

FoundFeet FindFeet(const Skeleton& skeleton, UpAxis up) {
  std::vector<NameMeaning> names;
  for (const Joint& joint : skeleton.joints()) names.push_back(ReadName(joint.name));
  std::vector<Foot> feet = FindByName(skeleton, names);
  absl::string_view how = "by name";
  if (feet.empty()) {
    feet = FindByShape(skeleton, up);
    how = "by shape";
  }
  MakeNamesUnique(skeleton, feet);
  FoundFeet out;
  for (Foot& foot : feet) {
    auto complete = CompleteFeet(skeleton, up, {foot});
    if (!complete.ok()) {
      out.text.push_back(absl::StrCat(foot.name, ": left out, ", complete.status().message()));
      continue;
    }
    out.text.push_back(Describe(skeleton, complete->front(), how));
    out.feet.push_back(std::move(complete->front()));
  }
  if (out.feet.empty())
    out.text.push_back(
        "no legs were found by names or shape: name them in rig.feet (hip_joint, ankle_joint)");
  return out;
}

std::vector<Foot> JoinFeet(std::vector<Foot> given, const std::vector<Foot>& found) {
  const size_t count = given.size();
  for (const Foot& foot : found) {
    const bool known =
        std::any_of(given.begin(), given.begin() + static_cast<long>(count),
                    [&](const Foot& g) { return g.ankle_joint == foot.ankle_joint; });
    if (!known) given.push_back(foot);
  }
  return given;
}

double LegLength(const Skeleton& skeleton, const Foot& foot) {
  double length = 0;
  for (int i : skeleton.Path(foot.hip_joint, foot.ankle_joint))
    if (i != foot.hip_joint) length += Length(Cast<double>(skeleton.joint(i).offset));
  return length;
}

std::optional<Vec3f> BoneEnd(const Skeleton& skeleton, int joint) {
  std::optional<Vec3f> end = skeleton.joint(joint).tip;
  for (int child : skeleton.children(joint)) {
    const Vec3f offset = skeleton.joint(child).offset;
    if (!end || Length(offset) > Length(*end)) end = offset;
  }
  return end;
}

absl::Status CheckUnits(double units_per_metre) {
  if (units_per_metre >= 1e-9 && units_per_metre <= 1e9) return absl::OkStatus();
  return FieldError("units_per_metre",
                    absl::StrCat(units_per_metre, " is not between 1e-9 and 1e9"));
}

absl::StatusOr<double> UnitsPerMetre(const Skeleton& skeleton, const std::vector<Foot>& feet,
                                     std::optional<double> given) {
  if (!given && feet.empty())
    return FieldError("units_per_metre",
                      "is unset and there are no legs to work it out from: set it, or name "
                      "rig.feet");
  double sum = 0;
  for (const Foot& foot : feet) sum += LegLength(skeleton, foot);
  const double units = given ? *given : sum / static_cast<double>(feet.size()) / kLegMetres;
  if (auto s = CheckUnits(units); !s.ok()) return s;
  return units;
}

}  // namespace ikstream
