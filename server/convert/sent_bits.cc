// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/sent_bits.h"

#include <cstring>

namespace ikstream {

void SentBits::Remember(const CheckedMotion& motion, int joints, std::int64_t first_frame) {
  for (std::int64_t at : motion.normalised()) {
    if (at >= static_cast<std::int64_t>(joints) * motion.view().frames) break;
    Entry& entry = entries_.emplace_back();
    entry.frame = first_frame + at / joints;
    entry.joint = static_cast<int>(at % joints);
    std::memcpy(entry.sent.data(), motion.sent_rotations() + 4 * at, sizeof entry.sent);
    std::memcpy(entry.used.data(), motion.view().local_rotations + 4 * at, sizeof entry.used);
  }
}

void SentBits::Restore(float* rotations, int joints, std::int64_t first_frame,
                       std::int64_t frames) {
  while (!entries_.empty() && entries_.front().frame < first_frame + frames) {
    const Entry& entry = entries_.front();
    if (entry.frame >= first_frame) {
      float* answer = rotations + 4 * ((entry.frame - first_frame) * joints + entry.joint);
      if (std::memcmp(answer, entry.used.data(), sizeof entry.used) == 0)
        std::memcpy(answer, entry.sent.data(), sizeof entry.sent);
    }
    entries_.pop_front();
  }
}

}  // namespace ikstream
