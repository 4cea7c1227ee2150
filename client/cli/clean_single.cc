// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clean_run.h"
#include "cli/clip_ground.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/quality_table.h"

namespace ikstream::cli {
namespace {

namespace fs = std::filesystem;

std::string Head(const CleanReport& report) {
  std::string head =
      absl::StrFormat("%s -> %s\n  %d frames at %.6g fps, %d joints, %.6g units per metre\n",
                      report.input(), report.output(), report.frames(),
                      report.frames_per_second(), report.joints(), report.units_per_metre());
  absl::StrAppend(&head, "  up ", report.up() == v1::UP_AXIS_Z ? "+Z" : "+Y", " (",
                  report.up_why(), ")\n  positions ", report.positions(), " (",
                  report.positions_why(), ")\n");
  if (!report.plan().empty()) absl::StrAppend(&head, "  plan ", report.plan(), "\n");
  for (const std::string& note : report.notes()) absl::StrAppend(&head, "  ", note, "\n");
  return head;
}

// A folder of temporary files for a clip that goes to stdout.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    // mkdtemp puts its own letters in place of six X.
    std::string name =
        (fs::temp_directory_path(error) / "ikstream-").string() + std::string(6, 'X');
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::int64_t CountFrames(const std::string& path, const ClipRequest& request) {
  bvh::ReadOptions read = request.read;
  const auto reader = bvh::FrameReader::Open(path, read);
  return reader.ok() ? (*reader)->header().declared_frames : 0;
}

}  // namespace

ExitCode RunSingle(const Context& context, client::Engine& engine, const ClipRequest& request,
                   CleanJob job, const std::string& version, const CleanRunOptions& options) {
  const auto own = WithGroundBeside(request, job.input);
  if (!own.ok()) return Fail(job.input, own.status());
  const bool to_stdout = job.output == "-";
  std::optional<TemporaryFolder> temporary;
  if (to_stdout) {
    temporary.emplace();
    if (temporary->path().empty()) return Fail("", FileError("no temporary folder"));
    job.output = (fs::path(temporary->path()) / "out.bvh").string();
  }
  absl::StatusOr<CleanReport> report = absl::UnknownError("");
  {
    Progress progress(!options.quiet);
    progress.SetText(job.input);
    progress.AddTotal(kPasses * CountFrames(job.input, request));
    report = CleanClip(Pass(context, engine, job.input, options, progress), *own, job, version);
  }
  if (!report.ok()) return Fail(job.input, report.status());
  if (!options.quiet) NoteReport(*report);
  if (to_stdout) report->set_output("-");
  std::string text;
  if (options.json) {
    text = ToJson(*report, JsonStyle::kPretty, /*zeros=*/true);
  } else if (!options.quiet) {
    text = absl::StrCat(Head(*report), QualityTable(report->quality()));
  }
  if (to_stdout && !text.empty()) Note(text.substr(0, text.size() - 1));
  const absl::Status printed = to_stdout ? CopyToStdout(job.output) : Print(text);
  return printed.ok() ? kOk : Fail("", printed);
}

}  // namespace ikstream::cli
