// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/leg_names.h"

#include <cctype>
#include <initializer_list>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace ikstream {
namespace {

bool Upper(char c) { return absl::ascii_isupper(static_cast<unsigned char>(c)); }
bool Lower(char c) { return absl::ascii_islower(static_cast<unsigned char>(c)); }
bool Letter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// Words of a name, in lower case: cut at everything but letters, before an upper-case letter
// that follows a lower-case one (LeftFoot), and before the last of several (LHip).
std::vector<std::string> Words(absl::string_view name) {
  std::vector<std::string> words;
  bool open = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!Letter(c)) {
      open = false;
      continue;
    }
    const bool hump = Upper(c) && i > 0 && Lower(name[i - 1]);
    const bool last_cap =
        Upper(c) && i > 0 && Upper(name[i - 1]) && i + 1 < name.size() && Lower(name[i + 1]);
    if (!open || hump || last_cap) words.emplace_back();
    words.back() += absl::ascii_tolower(static_cast<unsigned char>(c));
    open = true;
  }
  return words;
}

bool OneOf(absl::string_view word, std::initializer_list<absl::string_view> list) {
  for (absl::string_view entry : list)
    if (word == entry) return true;
  return false;
}

bool HasAny(absl::string_view text, std::initializer_list<absl::string_view> list) {
  for (absl::string_view entry : list)
    if (absl::StrContains(text, entry)) return true;
  return false;
}

Side SideOf(absl::string_view word) {
  if (OneOf(word, {"l", "left", "lft"})) return Side::kLeft;
  if (OneOf(word, {"r", "right", "rgt"})) return Side::kRight;
  return Side::kNone;
}

// `lThigh` and `leftfoot`: the side without a cut, in front of a part that is known.
Side TakeGluedSide(std::string& text) {
  for (const auto& [prefix, side] :
       {std::pair<absl::string_view, Side>{"left", Side::kLeft}, {"right", Side::kRight}}) {
    if (!absl::StartsWith(text, prefix)) continue;
    text.erase(0, prefix.size());
    return side;
  }
  return Side::kNone;
}

LegPart PartOf(absl::string_view text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (OneOf(word, {"ik", "pole", "target", "ctrl", "control", "roll", "heel", "end", "nub",
                     "site", "tip", "twist", "helper", "hand", "arm"}))
      return LegPart::kNone;
  if (HasAny(text, {"forearm", "upperarm"})) return LegPart::kNone;
  if (HasAny(text, {"toe", "ball", "metatars"})) return LegPart::kToe;
  if (HasAny(text, {"foot", "ankle", "paw", "hoof"})) return LegPart::kAnkle;
  if (HasAny(text, {"upleg", "upperleg", "thigh", "femur"})) return LegPart::kThigh;
  if (HasAny(text, {"shin", "calf", "knee", "tibia", "leg"})) return LegPart::kShin;
  return LegPart::kNone;
}

}  // namespace

NameMeaning ReadName(absl::string_view name) {
  const size_t space = name.rfind(':');
  if (space != absl::string_view::npos) name.remove_prefix(space + 1);
  NameMeaning out;
  std::vector<std::string> words;
  for (std::string& word : Words(name)) {
    if (const Side side = SideOf(word); side != Side::kNone && out.side == Side::kNone) {
      out.side = side;
      continue;
    }
    out.fore |= OneOf(word, {"front", "fore"});
    out.hind |= OneOf(word, {"hind", "rear", "back"});
    words.push_back(std::move(word));
  }
  std::string text = absl::StrJoin(words, "");
  if (out.side == Side::kNone) out.side = TakeGluedSide(text);
  out.part = PartOf(text, words);
  return out;
}

}  // namespace ikstream
