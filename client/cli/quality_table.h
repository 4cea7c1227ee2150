// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The before/after table of a clean-up, for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ikstream/v1/cleanup.pb.h"

namespace ikstream::cli {

// One block per foot and one for the clip: figure, before, after, unit.
std::string QualityTable(const v1::QualityReport& report);

// One line for lists of many clips: slide, penetration and knee, before and after.
std::string QualityLine(const v1::QualityReport& report);

// How near a clean clip is to what it may have in slide, penetration and the knee's speed: the
// worst of them as a share of its limit.
double Badness(const v1::QualityReport& report);

// What is kept of a clip of a run.
struct ClipFigures {
  std::string input;
  double badness = 0;
  std::string line;  // QualityLine
};

// The clips, the worst first; after `most` of them only how many more there are.
std::string WorstClips(std::vector<ClipFigures> clips, std::size_t most);

}  // namespace ikstream::cli
