// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/write.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cpp/bvh/number.h"
#include "cpp/bvh/position.h"
#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

// Prints a header and rows, line by line.
class Formatter {
 public:
  explicit Formatter(const FormatOptions& options) : options_(options) {}

  std::string Print(const Header& header, const Rows& rows) {
    Line(0, {"HIERARCHY"});
    for (std::size_t i = 0; i < header.joints.size(); ++i) {
      const Joint& joint = header.joints[i];
      CloseDownTo(joint.depth);
      Open(joint);
    }
    CloseDownTo(0);
    Line(0, {"MOTION"});
    Line(0, {"Frames: ", Cat(rows.count())});
    Line(0, {"Frame Time: ", FrameTime(header)});
    for (std::int64_t i = 0; i < rows.count(); ++i) Row(rows.row(i));
    return std::move(out_);
  }

 private:
  void Line(int indent, std::initializer_list<std::string_view> parts) {
    out_.append(static_cast<std::size_t>(indent), '\t');
    for (std::string_view part : parts) out_.append(part);
    out_.append(options_.newline);
  }

  void Number(double value) {
    if (options_.decimals < 0) {
      AppendShortest(value, &out_);
    } else {
      AppendNumber(value, options_.decimals, &out_);
    }
  }

  void Offset(int indent, const std::array<double, 3>& offset) {
    out_.append(static_cast<std::size_t>(indent), '\t');
    out_.append("OFFSET");
    for (double component : offset) {
      out_ += ' ';
      Number(component);
    }
    out_.append(options_.newline);
  }

  void Open(const Joint& joint) {
    const int indent = joint.depth;
    Line(indent, {joint.parent < 0 ? "ROOT " : "JOINT ", joint.name});
    Line(indent, {"{"});
    Offset(indent + 1, joint.offset);
    std::string channels = Cat("CHANNELS ", joint.channels.size());
    for (Channel channel : joint.channels) channels += Cat(" ", ChannelName(channel));
    Line(indent + 1, {channels});
    if (joint.end_site) {
      Line(indent + 1, {"End Site"});
      Line(indent + 1, {"{"});
      Offset(indent + 2, *joint.end_site);
      Line(indent + 1, {"}"});
    }
    depth_ = joint.depth + 1;
  }

  void CloseDownTo(int depth) {
    for (; depth_ > depth; --depth_) Line(depth_ - 1, {"}"});
  }

  static std::string FrameTime(const Header& header) {
    std::string text = header.frame_time_text;
    if (text.empty()) AppendShortest(header.frame_time, &text);
    return text;
  }

  void Row(std::span<const double> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out_ += ' ';
      Number(row[i]);
    }
    out_.append(options_.newline);
  }

  const FormatOptions& options_;
  std::string out_;
  int depth_ = 0;  // open braces
};

bool Writable(double value) { return std::abs(value) <= kLargestNumber; }

bool NameReadsBack(std::string_view name) {
  return !name.empty() && name.size() <= 1024 && !IsSpace(name.front()) &&
         !IsSpace(name.back()) && name.back() != '{' &&
         name.find('\n') == std::string_view::npos;
}

absl::Status CheckWritable(const Header& header, const Rows& rows) {
  if (absl::Status status = Validate(header); !status.ok()) return status;
  for (const Joint& joint : header.joints) {
    if (NameReadsBack(joint.name)) continue;
    return absl::InvalidArgumentError(
        Cat("joint name ", Quoted(joint.name), " could not be read back"));
  }
  const auto columns = static_cast<std::size_t>(header.channel_count);
  if (rows.channel_count != header.channel_count ||
      rows.values.size() != rows.starts.size() * columns) {
    return absl::InvalidArgumentError("rows: not as many numbers as the header has channels");
  }
  if (!std::all_of(rows.values.begin(), rows.values.end(), Writable)) {
    return absl::InvalidArgumentError("rows: a number is not finite or beyond 1e9");
  }
  return absl::OkStatus();
}

}  // namespace

Writer::Writer(std::unique_ptr<AtomicFile> file, const Header& header, const ClipLayout& layout,
               int decimals)
    : file_(std::move(file)),
      header_(header),
      layout_(layout),
      editor_(header_, layout_, decimals) {
  editor_.LeaveOutValues();
}

absl::StatusOr<std::unique_ptr<Writer>> Writer::Create(const std::string& path,
                                                       const Header& header,
                                                       const ClipLayout& layout,
                                                       const Rows& sample,
                                                       const WriteOptions& options) {
  absl::StatusOr<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  const std::string text =
      options.frames ? HeaderTextWithFrames(header, *options.frames) : header.text;
  if (absl::Status status = (*file)->Append(text); !status.ok()) return status;
  return std::unique_ptr<Writer>(
      new Writer(*std::move(file), header, layout, WrittenDecimals(sample)));
}

absl::Status Writer::Write(const Rows& source, const Edits& edits) {
  edited_.Clear(source.first_frame, source.channel_count);
  if (absl::Status status = editor_.Edit(source, edits, &edited_); !status.ok()) return status;
  return file_->Append(edited_.text);
}

absl::Status Writer::Commit() { return file_->Commit(); }

absl::Status WriteFile(const std::string& path, const Document& document) {
  absl::StatusOr<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  absl::Status status = (*file)->Append(document.header.text);
  if (status.ok()) status = (*file)->Append(document.rows.text);
  if (status.ok()) status = (*file)->Commit();
  return status;
}

absl::StatusOr<std::string> Format(const Header& header, const Rows& rows,
                                   const FormatOptions& options) {
  if (absl::Status status = CheckWritable(header, rows); !status.ok()) return status;
  if (options.decimals < -1 || options.decimals > 15) {
    return absl::InvalidArgumentError(
        Cat("decimals: expected -1 to 15, found ", options.decimals));
  }
  return Formatter(options).Print(header, rows);
}

}  // namespace ikstream::bvh
