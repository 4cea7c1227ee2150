// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "cpp/bvh/number.h"
#include "cpp/bvh/parse_header.h"
#include "cpp/bvh/position.h"
#include "cpp/bvh/read.h"
#include "cpp/bvh/source.h"
#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

const char* SkipSpace(const char* p, const char* end) {
  while (p != end && IsSpace(*p)) ++p;
  return p;
}

bool IsBlank(std::string_view line) {
  return SkipSpace(line.data(), line.data() + line.size()) == line.data() + line.size();
}

// Columns are found only for messages, so that reading need not count them.
Position ColumnOf(std::int64_t line_number, std::string_view line, const char* p) {
  return {line_number, p - line.data() + 1};
}

}  // namespace

class FrameReader::Impl {
 public:
  Impl(std::string_view text, const ReadOptions& options)
      : options_(options), reporter_(options.file_name, options.strict), source_(text) {}
  Impl(int fd, const ReadOptions& options)
      : options_(options),
        reporter_(options.file_name, options.strict),
        source_(fd, options.file_name) {}

  absl::Status Start();
  absl::Status Next(std::int64_t max_rows, Rows* rows);
  const Header& header() const { return header_; }
  const std::vector<std::string>& warnings() const { return reporter_.warnings(); }

 private:
  absl::Status ReadRow(std::string_view line, Rows* rows);
  absl::Status ReadNumbers(std::string_view line, std::vector<double>* values);
  absl::Status NumberError(std::string_view line, const char* p, NumberStatus status) const;
  absl::Status TooFewNumbers(std::string_view line, const char* p, int count) const;
  absl::Status TakeBlankLines(Rows* rows);
  absl::Status CheckExtraRow();
  absl::Status Finish();
  absl::Status TooLong() const;
  void TakeLine(std::string_view line, Rows* rows);

  ReadOptions options_;
  Reporter reporter_;
  Source source_;
  Header header_;
  std::int64_t frame_ = 0;   // rows read
  std::int64_t line_ = 1;    // number of the next line
  std::int64_t column_ = 1;  // where the text read so far ends on that line
  bool finished_ = false;
  absl::Status status_;
};

absl::Status FrameReader::Impl::Start() {
  absl::StatusOr<ParsedHeader> parsed = ParseHeader(options_, &source_, &reporter_);
  if (!parsed.ok()) return parsed.status();
  header_ = std::move(parsed->header);
  line_ = parsed->next_line;
  return absl::OkStatus();
}

absl::Status FrameReader::Impl::Next(std::int64_t max_rows, Rows* rows) {
  rows->Clear(frame_, header_.channel_count);
  while (status_.ok() && !finished_ && rows->count() < max_rows) {
    const std::string_view line = source_.PeekLine(options_.max_row_bytes);
    status_ = line.empty() ? Finish() : ReadRow(line, rows);
  }
  return status_;
}

absl::Status FrameReader::Impl::ReadRow(std::string_view line, Rows* rows) {
  if (line.size() > options_.max_row_bytes) return TooLong();
  if (frame_ == header_.declared_frames) {
    if (absl::Status status = CheckExtraRow(); !status.ok()) return status;
  }
  if (absl::Status status = ReadNumbers(line, &rows->values); !status.ok()) return status;
  rows->starts.push_back(rows->text.size());
  TakeLine(line, rows);
  ++frame_;
  return TakeBlankLines(rows);
}

absl::Status FrameReader::Impl::ReadNumbers(std::string_view line,
                                            std::vector<double>* values) {
  const char* p = line.data();
  const char* const end = p + line.size();
  const std::size_t base = values->size();
  values->resize(base + static_cast<std::size_t>(header_.channel_count));
  double* out = values->data() + base;
  for (int i = 0; i < header_.channel_count; ++i) {
    p = SkipSpace(p, end);
    if (p == end) return TooFewNumbers(line, p, i);
    const ParsedNumber number = ParseNumber(p, end);
    if (number.status != NumberStatus::kOk) return NumberError(line, p, number.status);
    out[i] = number.value;
    p = number.end;
  }
  p = SkipSpace(p, end);
  if (p == end) return absl::OkStatus();
  const std::string_view rest(p, static_cast<std::size_t>(end - p));
  return reporter_.Error(ColumnOf(line_, line, p),
                         Cat("the end of the row after ", header_.channel_count, " numbers"),
                         Quoted(FirstWord(rest)));
}

absl::Status FrameReader::Impl::NumberError(std::string_view line, const char* p,
                                            NumberStatus status) const {
  const std::string_view rest(p, static_cast<std::size_t>(line.data() + line.size() - p));
  return reporter_.Error(ColumnOf(line_, line, p), DescribeExpected(status),
                         Quoted(FirstWord(rest)));
}

absl::Status FrameReader::Impl::TooFewNumbers(std::string_view line, const char* p,
                                              int count) const {
  while (p != line.data() && IsSpace(p[-1])) --p;
  return reporter_.Error(ColumnOf(line_, line, p),
                         Cat(header_.channel_count, " numbers in the row of frame ", frame_),
                         Cat(count));
}

void FrameReader::Impl::TakeLine(std::string_view line, Rows* rows) {
  rows->text.append(line);
  if (line.back() == '\n') {
    ++line_;
    column_ = 1;
  } else {
    column_ += static_cast<std::int64_t>(line.size());
  }
  source_.Consume(line.size());
}

absl::Status FrameReader::Impl::TakeBlankLines(Rows* rows) {
  const std::size_t start = rows->starts.back();
  while (true) {
    const std::string_view line = source_.PeekLine(options_.max_row_bytes);
    if (line.empty() || !IsBlank(line)) return source_.status();
    if (rows->text.size() - start + line.size() > options_.max_row_bytes) return TooLong();
    TakeLine(line, rows);
  }
}

absl::Status FrameReader::Impl::TooLong() const {
  return reporter_.Error({line_, 1}, Cat("rows of at most ", options_.max_row_bytes, " bytes"),
                         "a longer one");
}

absl::Status FrameReader::Impl::CheckExtraRow() {
  return reporter_.Deviation({line_, 1},
                             Cat("the end of the file after Frames: ", header_.declared_frames),
                             "another row", "the rows are taken, not the count");
}

absl::Status FrameReader::Impl::Finish() {
  finished_ = true;
  if (!source_.status().ok()) return source_.status();
  const Position end = {line_, column_};
  if (frame_ == 0) {
    return reporter_.Error(end, Cat("a row of ", header_.channel_count, " numbers"),
                           kEndOfFile);
  }
  if (frame_ >= header_.declared_frames) return absl::OkStatus();
  return reporter_.Deviation(end, Cat(header_.declared_frames, " rows by the Frames count"),
                             Cat(frame_), "the rows are taken, not the count");
}

FrameReader::FrameReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FrameReader::~FrameReader() = default;

const Header& FrameReader::header() const { return impl_->header(); }
const std::vector<std::string>& FrameReader::warnings() const { return impl_->warnings(); }

absl::Status FrameReader::Next(std::int64_t max_rows, Rows* rows) {
  return impl_->Next(max_rows, rows);
}

absl::StatusOr<std::unique_ptr<FrameReader>> FrameReader::Start(std::unique_ptr<Impl> impl) {
  if (absl::Status status = impl->Start(); !status.ok()) return status;
  return std::unique_ptr<FrameReader>(new FrameReader(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<FrameReader>> FrameReader::FromText(std::string_view text,
                                                                   const ReadOptions& options) {
  return Start(std::make_unique<Impl>(text, options));
}

absl::StatusOr<std::unique_ptr<FrameReader>> FrameReader::Open(const std::string& path,
                                                               ReadOptions options) {
  options.file_name = path;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, Cat("cannot open ", path));
  return Start(std::make_unique<Impl>(fd, options));
}

}  // namespace ikstream::bvh
