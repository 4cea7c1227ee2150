// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/parse_header.h"

#include <charconv>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cpp/bvh/number.h"
#include "cpp/bvh/text.h"
#include "cpp/bvh/tokens.h"

namespace ikstream::bvh {
namespace {

constexpr std::size_t kLongestName = 1024;
constexpr double kShortestFrameTime = 1e-6;
constexpr double kLongestFrameTime = 1e4;

class HeaderParser {
 public:
  HeaderParser(const ReadOptions& options, Source* source, Reporter* reporter)
      : options_(options),
        source_(source),
        reporter_(reporter),
        tokens_(source, options.max_header_bytes) {}

  absl::StatusOr<ParsedHeader> Parse();

 private:
  absl::Status Hierarchy();
  absl::Status Motion();
  absl::Status JointItem(const Token& token);
  absl::Status OpenJoint();
  absl::Status CloseJoint(const Token& brace);
  absl::Status Offset(const Token& token);
  absl::Status Channels(const Token& token);
  absl::Status OneChannel(Joint* joint);
  absl::Status EndSite(const Token& token);
  absl::Status EndSiteItems(std::array<double, 3>* offset);
  absl::Status Frames();
  absl::Status FrameTime();

  absl::Status Expect(std::string_view keyword);
  absl::Status Integer(std::string_view what, std::int64_t most, std::int64_t* value,
                       Token* token);
  absl::Status Number(std::string_view what, double* value, Token* token);
  absl::Status Vector(std::string_view what, std::array<double, 3>* value);
  absl::Status Error(const Token& token, std::string_view expected) const;

  Joint& current() { return header_.joints[static_cast<std::size_t>(open_.back().index)]; }
  std::string In() { return Cat(" in joint ", Quoted(current().name)); }

  struct OpenJointState {
    int index;
    bool has_offset = false;
    bool has_channels = false;
  };

  const ReadOptions& options_;
  Source* source_;
  Reporter* reporter_;
  Tokens tokens_;
  Header header_;
  std::vector<OpenJointState> open_;  // the joints whose brace is not closed yet
  std::unordered_set<std::string> names_;
};

// An end that is not the file's is told as what it is: unreadable, or beyond the limit.
absl::Status HeaderParser::Error(const Token& token, std::string_view expected) const {
  if (!source_->status().ok()) return source_->status();
  if (token.text.empty() && tokens_.hit_limit()) {
    return reporter_->Error(
        token.at, Cat("a header of at most ", options_.max_header_bytes, " bytes"), "more");
  }
  return reporter_->Error(token.at, expected, token.Found());
}

absl::Status HeaderParser::Expect(std::string_view keyword) {
  const Token token = tokens_.Next();
  return token.Is(keyword) ? absl::OkStatus() : Error(token, keyword);
}

absl::Status HeaderParser::Integer(std::string_view what, std::int64_t most,
                                   std::int64_t* value, Token* token) {
  *token = tokens_.Next();
  const char* const end = token->text.data() + token->text.size();
  const auto got = std::from_chars(token->text.data(), end, *value);
  const bool good = got.ec == std::errc() && got.ptr == end && *value >= 0 && *value <= most;
  if (good) return absl::OkStatus();
  return Error(*token, Cat(what, " (0 to ", most, ")"));
}

absl::Status HeaderParser::Number(std::string_view what, double* value, Token* token) {
  *token = tokens_.Next();
  const ParsedNumber number =
      ParseNumber(token->text.data(), token->text.data() + token->text.size());
  if (number.status != NumberStatus::kOk) {
    return Error(*token, Cat(what, ": ", DescribeExpected(number.status)));
  }
  *value = number.value;
  return absl::OkStatus();
}

absl::Status HeaderParser::Vector(std::string_view what, std::array<double, 3>* value) {
  Token token;
  for (double& component : *value) {
    if (absl::Status status = Number(what, &component, &token); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status HeaderParser::OpenJoint() {
  Token name = tokens_.RestOfLine();
  if (name.text.empty() || name.text.size() > kLongestName) {
    const std::string found = name.text.empty() ? "none" : Quoted(name.text);
    return reporter_->Error(name.at, Cat("a joint name of at most ", kLongestName, " bytes"),
                            found);
  }
  const auto index = static_cast<int>(header_.joints.size());
  if (index >= options_.max_joints) {
    return reporter_->Error(name.at, Cat("at most ", options_.max_joints, " joints"), "more");
  }
  if (!names_.insert(name.text).second) {
    reporter_->Warn(name.at, Cat("another joint is named ", Quoted(name.text), " too"));
  }
  Joint joint;
  joint.name = std::move(name.text);
  joint.parent = open_.empty() ? -1 : open_.back().index;
  joint.depth = static_cast<int>(open_.size());
  joint.first_channel = header_.channel_count;
  header_.joints.push_back(std::move(joint));
  open_.push_back({index});
  return Expect("{");
}

absl::Status HeaderParser::CloseJoint(const Token& brace) {
  if (!open_.back().has_offset) return Error(brace, Cat("OFFSET", In()));
  if (!open_.back().has_channels) {
    absl::Status status = reporter_->Deviation(brace.at, Cat("CHANNELS", In()), brace.Found(),
                                               "it has no channels");
    if (!status.ok()) return status;
  }
  open_.pop_back();
  return absl::OkStatus();
}

absl::Status HeaderParser::Offset(const Token& token) {
  if (std::exchange(open_.back().has_offset, true)) {
    return Error(token, Cat("one OFFSET", In()));
  }
  return Vector(Cat("OFFSET", In()), &current().offset);
}

// Columns are given out in the order of the CHANNELS lines, which is that of the joints:
// a joint whose line came after a child's would shift the child's columns.
absl::Status HeaderParser::Channels(const Token& token) {
  const bool last = open_.back().index + 1 == static_cast<int>(header_.joints.size());
  if (std::exchange(open_.back().has_channels, true) || !last) {
    return Error(token, Cat("one CHANNELS before any child", In()));
  }
  std::int64_t count = 0;
  Token number;
  if (absl::Status status = Integer("a channel count", 6, &count, &number); !status.ok()) {
    return status;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (absl::Status status = OneChannel(&current()); !status.ok()) return status;
  }
  header_.channel_count += static_cast<int>(count);
  return absl::OkStatus();
}

absl::Status HeaderParser::OneChannel(Joint* joint) {
  const Token token = tokens_.Next();
  for (int i = 0; i < 6; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (!token.Is(ChannelName(channel))) continue;
    for (Channel before : joint->channels) {
      if (before == channel) return Error(token, Cat("each channel once", In()));
    }
    joint->channels.push_back(channel);
    return absl::OkStatus();
  }
  return Error(token, Cat("a channel (Xposition to Zrotation)", In()));
}

absl::Status HeaderParser::EndSite(const Token& token) {
  tokens_.RestOfLine();  // "Site", or whatever an exporter calls it
  if (absl::Status status = Expect("{"); !status.ok()) return status;
  std::array<double, 3> offset;
  if (absl::Status status = EndSiteItems(&offset); !status.ok()) return status;
  if (current().end_site) {
    return reporter_->Deviation(token.at, Cat("one End Site", In()), "another",
                                "the first is kept");
  }
  current().end_site = offset;
  return absl::OkStatus();
}

absl::Status HeaderParser::EndSiteItems(std::array<double, 3>* offset) {
  const std::string where = Cat(" of the End Site", In());
  if (absl::Status status = Expect("OFFSET"); !status.ok()) return status;
  if (absl::Status status = Vector("OFFSET" + where, offset); !status.ok()) return status;
  Token token = tokens_.Next();
  if (token.Is("CHANNELS")) {  // some exporters write "CHANNELS 0" here
    std::int64_t count = 0;
    Token number;
    absl::Status status = Integer("no channels" + where, 0, &count, &number);
    if (!status.ok()) return status;
    token = tokens_.Next();
  }
  return token.Is("}") ? absl::OkStatus() : Error(token, "}" + where);
}

absl::Status HeaderParser::JointItem(const Token& token) {
  if (token.Is("OFFSET")) return Offset(token);
  if (token.Is("CHANNELS")) return Channels(token);
  if (token.Is("JOINT")) return OpenJoint();
  if (token.Is("End")) return EndSite(token);
  if (token.Is("}")) return CloseJoint(token);
  return Error(token, Cat("OFFSET, CHANNELS, JOINT, End Site or }", In()));
}

absl::Status HeaderParser::Hierarchy() {
  if (absl::Status status = Expect("HIERARCHY"); !status.ok()) return status;
  if (absl::Status status = Expect("ROOT"); !status.ok()) return status;
  absl::Status status = OpenJoint();
  while (status.ok() && !open_.empty()) status = JointItem(tokens_.Next());
  if (!status.ok()) return status;

  const Token token = tokens_.Next();
  if (token.Is("ROOT")) {
    return reporter_->Error(token.at, "MOTION",
                            "another ROOT (a file with several skeletons must be split into "
                            "one file for each)");
  }
  if (!token.Is("MOTION")) return Error(token, "MOTION");
  if (header_.channel_count == 0) {
    return reporter_->Error(token.at, "at least one channel in the hierarchy", "none");
  }
  return absl::OkStatus();
}

absl::Status HeaderParser::Frames() {
  if (absl::Status status = Expect("Frames"); !status.ok()) return status;
  if (absl::Status status = Expect(":"); !status.ok()) return status;
  Token token;
  constexpr std::int64_t kMostFrames = 1'000'000'000'000;
  absl::Status status =
      Integer("a number of frames", kMostFrames, &header_.declared_frames, &token);
  header_.frames_pos = token.offset;
  header_.frames_size = token.text.size();
  return status;
}

absl::Status HeaderParser::FrameTime() {
  for (std::string_view keyword : {"Frame", "Time", ":"}) {
    if (absl::Status status = Expect(keyword); !status.ok()) return status;
  }
  Token token;
  absl::Status status = Number("Frame Time", &header_.frame_time, &token);
  if (!status.ok()) return status;
  header_.frame_time_text = token.text;
  if (options_.fps) header_.frame_time = 1.0 / *options_.fps;
  const double time = header_.frame_time;
  if (time >= kShortestFrameTime && time <= kLongestFrameTime) return absl::OkStatus();
  return Error(token, Cat("a Frame Time from ", kShortestFrameTime, " to ", kLongestFrameTime,
                          " seconds (or set the fps)"));
}

absl::Status HeaderParser::Motion() {
  if (absl::Status status = Frames(); !status.ok()) return status;
  if (absl::Status status = FrameTime(); !status.ok()) return status;
  if (!tokens_.FinishLine()) return Error(tokens_.Next(), "the end of the line");
  return absl::OkStatus();
}

absl::StatusOr<ParsedHeader> HeaderParser::Parse() {
  if (absl::Status status = Hierarchy(); !status.ok()) return status;
  if (absl::Status status = Motion(); !status.ok()) return status;
  header_.text = source_->window().substr(0, tokens_.offset());
  source_->Consume(tokens_.offset());
  return ParsedHeader{std::move(header_), tokens_.line()};
}

}  // namespace

absl::StatusOr<ParsedHeader> ParseHeader(const ReadOptions& options, Source* source,
                                         Reporter* reporter) {
  if (options.fps && !(*options.fps > 0 && std::isfinite(*options.fps))) {
    return absl::InvalidArgumentError(
        Cat("fps: expected a finite number above 0, found ", *options.fps));
  }
  return HeaderParser(options, source, reporter).Parse();
}

}  // namespace ikstream::bvh
