// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream info`: what the engine is and what it takes.
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

std::string Limits(const v1::ServerLimits& limits) {
  std::string text;
  const google::protobuf::Descriptor& type = *limits.GetDescriptor();
  const google::protobuf::Reflection& values = *limits.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const auto* field = type.field(i);
    const bool wide = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT64;
    const std::int64_t value =
        wide ? values.GetInt64(limits, field) : values.GetInt32(limits, field);
    if (value > 0) absl::StrAppend(&text, "  ", field->name(), " ", value, "\n");
  }
  return text;
}

std::string Text(const v1::GetServerInfoResponse& info, const std::string& engine) {
  std::string text = absl::StrCat("ikstream ", info.version(), ", ", engine, "\n");
  absl::StrAppend(&text, "CPU target ", info.cpu_target(), ", workers ", info.workers(),
                  ", profile ", info.default_profile(), "\nmodes");
  for (const int mode : info.modes()) {
    absl::StrAppend(&text, " ", v1::Mode_Name(static_cast<v1::Mode>(mode)));
  }
  absl::StrAppend(&text, "\nsolvers\n");
  for (const v1::SolverInfo& solver : info.solvers()) {
    absl::StrAppend(&text, "  ", solver.name(), ": ", solver.text(), "\n");
  }
  absl::StrAppend(&text, "limits\n", Limits(info.limits()));
  return text;
}

ExitCode Run(const Context& context, bool json) {
  auto engine = context.make_engine();
  if (!engine.ok()) return Fail("", engine.status());
  const auto info = (*engine)->Info();
  if (!info.ok()) return Fail("", info.status());
  const absl::Status printed =
      Print(json ? ToJson(*info, JsonStyle::kPretty) : Text(*info, (*engine)->name()));
  return printed.ok() ? kOk : Fail("", printed);
}

}  // namespace

Command AddInfo(CLI::App& parent) {
  auto format = std::make_shared<std::string>("text");
  CLI::App* app = parent.add_subcommand("info", "Show version, solvers, limits and defaults");
  app->add_option("--format", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return {app, [format](const Context& context) { return Run(context, *format == "json"); }};
}

}  // namespace ikstream::cli
