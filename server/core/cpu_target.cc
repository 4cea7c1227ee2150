// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu_target.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <string>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "core/solve.h"

namespace ikstream {
HWY_EXPORT(NameOfTarget);

const char* CpuTarget() { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

absl::Status PinCpuTarget(absl::string_view name) {
  hwy::SetSupportedTargetsForTest(0);
  std::string names;
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return absl::OkStatus();
    }
    absl::StrAppend(&names, names.empty() ? "" : ", ", hwy::TargetName(target));
  }
  return FieldError("cpu_target", absl::StrCat("\"", name, "\" is not among ", names));
}
}  // namespace ikstream
#endif
