// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/terrain/obj.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ikstream {
namespace {

struct Token {
  absl::string_view text;
  int line = 0, column = 0;  // from 1
};

// Splits a statement into words. A backslash at the end of a line continues the statement.
class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {
    if (absl::StartsWith(text_, "\xEF\xBB\xBF")) line_start_ = at_ = 3;
  }

  // The words of the next line that has any; empty at the end.
  void NextStatement(std::vector<Token>& words) {
    words.clear();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        EndLine();
        if (!words.empty()) return;
      } else if (c == '#') {
        SkipTo('\n');
      } else if (IsContinuation()) {
        SkipTo('\n');
        EndLine();
      } else if (IsSpace(c)) {
        ++at_;
      } else {
        words.push_back(Word());
      }
    }
  }

  int line() const { return line_; }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  bool IsContinuation() const {
    if (text_[at_] != '\\') return false;
    const absl::string_view rest = text_.substr(at_ + 1);
    return rest.empty() || absl::StartsWith(rest, "\n") || absl::StartsWith(rest, "\r\n");
  }
  void SkipTo(char end) {
    while (at_ < text_.size() && text_[at_] != end) ++at_;
  }
  void EndLine() {
    if (at_ < text_.size()) ++at_;
    line_start_ = at_;
    ++line_;
  }
  Token Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '#' &&
           !IsSpace(text_[at_]) && !IsContinuation())
      ++at_;
    return {text_.substr(begin, at_ - begin), line_, static_cast<int>(begin - line_start_) + 1};
  }

  absl::string_view text_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  Parser(absl::string_view text, absl::string_view file, const ObjLimits& limits)
      : lexer_(text), file_(file), limits_(limits) {}

  absl::StatusOr<TriangleMeshSpec> Run() {
    std::vector<Token> words;
    for (lexer_.NextStatement(words); !words.empty(); lexer_.NextStatement(words)) {
      absl::Status status;
      if (words[0].text == "v") status = Vertex(words);
      if (words[0].text == "f") status = Face(words);
      if (!status.ok()) return status;
    }
    if (out_.triangles.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ":", lexer_.line(), ":1: the file has no face (\"f\" lines)"));
    return std::move(out_);
  }

 private:
  absl::Status At(const Token& token, absl::string_view what,
                  absl::StatusCode code = absl::StatusCode::kInvalidArgument) const {
    return absl::Status(code,
                        absl::StrCat(file_, ":", token.line, ":", token.column, ": ", what));
  }
  absl::Status TooMany(const Token& token, absl::string_view what, int limit) const {
    return At(token, absl::StrCat("more than the limit of ", limit, " ", what),
              absl::StatusCode::kResourceExhausted);
  }

  // "v x y z", then perhaps a weight or a colour, which are passed over.
  absl::Status Vertex(const std::vector<Token>& words) {
    if (words.size() < 4)
      return At(words[0], absl::StrCat("a vertex has 3 coordinates, not ", words.size() - 1));
    if (++vertices_ > limits_.max_vertices)
      return TooMany(words[0], "vertices", limits_.max_vertices);
    for (int k = 1; k <= 3; ++k) {
      float value = 0;
      if (!absl::SimpleAtof(words[k].text, &value))
        return At(words[k], absl::StrCat("expected a number, found \"", Shown(words[k]), "\""));
      if (!std::isfinite(value)) return At(words[k], "the number is not finite");
      out_.positions.push_back(value);
    }
    return absl::OkStatus();
  }

  absl::Status Face(const std::vector<Token>& words) {
    if (words.size() < 4)
      return At(words[0],
                absl::StrCat("a face has at least 3 corners, not ", words.size() - 1));
    const auto added = static_cast<std::int64_t>(words.size()) - 3;
    if (static_cast<std::int64_t>(out_.triangles.size() / 3) + added > limits_.max_triangles)
      return TooMany(words[0], "triangles", limits_.max_triangles);
    corners_.clear();
    for (size_t k = 1; k < words.size(); ++k) {
      const auto corner = Corner(words[k]);
      if (!corner.ok()) return corner.status();
      corners_.push_back(*corner);
    }
    for (size_t k = 2; k < corners_.size(); ++k)
      out_.triangles.insert(out_.triangles.end(), {corners_[0], corners_[k - 1], corners_[k]});
    return absl::OkStatus();
  }

  // "v", "v/vt", "v//vn" or "v/vt/vn": counted from 1, or from the last vertex back where
  // negative. Only vertices that stand before the face exist.
  absl::StatusOr<std::int32_t> Corner(const Token& token) const {
    std::int32_t index = 0;
    if (!absl::SimpleAtoi(token.text.substr(0, token.text.find('/')), &index))
      return At(token, absl::StrCat("expected a vertex number, found \"", Shown(token), "\""));
    const std::int64_t from_zero = index > 0 ? index - 1LL : vertices_ + index;
    if (index == 0 || from_zero < 0 || from_zero >= vertices_)
      return At(token, absl::StrCat("vertex ", index, " does not exist: ", vertices_,
                                    " stand before this line, counted from 1"));
    return static_cast<std::int32_t>(from_zero);
  }

  // A word short enough for a message.
  static std::string Shown(const Token& token) {
    return token.text.size() <= 40 ? std::string(token.text)
                                   : absl::StrCat(token.text.substr(0, 40), "...");
  }

  Lexer lexer_;
  absl::string_view file_;
  ObjLimits limits_;
  int vertices_ = 0;
  std::vector<std::int32_t> corners_;
  TriangleMeshSpec out_;
};

absl::Status TooLong(absl::string_view file, std::uint64_t size, std::int64_t limit) {
  return absl::ResourceExhaustedError(
      absl::StrCat(file, ": ", size, " bytes are more than the limit of ", limit));
}

}  // namespace

absl::StatusOr<TriangleMeshSpec> ParseObj(absl::string_view text, absl::string_view file,
                                          const ObjLimits& limits) {
  if (text.size() > static_cast<std::uint64_t>(limits.max_bytes))
    return TooLong(file, text.size(), limits.max_bytes);
  return Parser(text, file, limits).Run();
}

absl::StatusOr<TriangleMeshSpec> ReadObj(const std::string& path, const ObjLimits& limits) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
  if (size > static_cast<std::uint64_t>(limits.max_bytes))
    return TooLong(path, size, limits.max_bytes);
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size)))
    return absl::UnavailableError(absl::StrCat(path, ": could not be read"));
  return ParseObj(text, path, limits);
}

}  // namespace ikstream
