// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

SampleTrack Track(const FootArrays& arrays, const std::vector<float>& positions) {
  return {positions,
          {arrays.hits.get(), arrays.platforms.size()},
          arrays.normals,
          arrays.velocities,
          arrays.platforms};
}

}  // namespace

Placed Place(const Body& body, const Clip& clip, const PlaceSetup& setup) {
  auto placer = Placer::Create(body.spec);
  EXPECT_TRUE(placer.ok()) << placer.status();
  const int legs = body.shape().legs, frames = clip.frames;
  Placed out{&body, clip.roots, clip.rotations, std::vector<float>(frames), {}, {}, {}};
  out.weights.assign(legs, std::vector<float>(frames, -1));
  out.residuals = out.weights;
  out.contacts.assign(legs, std::vector<int>(frames));
  for (int begin = 0; begin < frames; begin += setup.batch) {
    const int end = std::min(frames, begin + std::min(setup.batch, frames));
    const auto contacts = std::make_unique<bool[]>(legs * (end - begin));
    std::vector<FootArrays> arrays;
    std::vector<PlaceFootInput> feet;
    std::vector<PlaceFootOutput> results;
    for (int leg = 0; leg < legs; ++leg) {
      if (setup.ground) arrays.push_back(Sample(clip, setup, leg, begin, end));
      results.push_back({&out.weights[leg][begin], &contacts[leg * (end - begin)],
                         &out.residuals[leg][begin]});
    }
    for (const FootArrays& a : arrays)
      feet.push_back({Track(a, a.heel), a.toe.empty() ? SampleTrack{} : Track(a, a.toe), {}});
    std::vector<std::vector<float>> places, turns;
    for (size_t p = 0; p < (setup.platforms.empty() ? 0 : setup.platforms[0].size()); ++p) {
      places.emplace_back();
      turns.emplace_back();
      for (int f = begin; f < end; ++f) {
        const RigidPose& pose = setup.platforms[f][p];
        for (double x : {pose.position.x, pose.position.y, pose.position.z})
          places[p].push_back(static_cast<float>(x));
        for (double x : {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w})
          turns[p].push_back(static_cast<float>(x));
      }
    }
    std::vector<PlatformTrack> platforms;
    for (size_t p = 0; p < places.size(); ++p)
      platforms.push_back({{places[p].data(), 3}, {turns[p].data(), 4}});
    const size_t at = 4 * static_cast<size_t>(begin) * body.joints();
    (*placer)->Place(
        {{end - begin, &clip.roots[3 * begin], &clip.rotations[at], nullptr}, platforms, feet},
        {&out.roots[3 * begin], nullptr, &out.rotations[at], &out.pelvis[begin], results});
    for (int leg = 0; leg < legs; ++leg)
      for (int f = begin; f < end; ++f)
        out.contacts[leg][f] = contacts[leg * (end - begin) + f - begin];
  }
  return out;
}

}  // namespace ikstream::testing
