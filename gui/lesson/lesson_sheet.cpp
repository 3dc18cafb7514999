#include "gui/lesson/lesson_sheet.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "gui/text/text.h"
#include "instrumentation/base/exact_number.h"

namespace runahead::gui {

namespace {

using samples::Choice;
using samples::Prediction;
using samples::ResultUnit;

// The text has records, each ended by kRecordEnd. The first field of a record says what it is.
constexpr char kFieldEnd = '\x1f', kRecordEnd = '\x1e';
constexpr std::string_view kFirstRecord = "runahead-lesson";
constexpr int kUnits = static_cast<int>(ResultUnit::kYesOrNo) + 1;

class SheetWriter {
 public:
  void field(std::string_view text) {
    if (begun_) out_ += kFieldEnd;
    begun_ = true;
    // A field cannot contain the characters that end it.
    std::ranges::copy_if(text, std::back_inserter(out_),
                         [](char c) { return c != kFieldEnd && c != kRecordEnd; });
  }
  void number(double value) { field(exact_text(value)); }
  void number(const std::optional<double>& value) { field(value ? exact_text(*value) : ""); }
  void unit(ResultUnit unit) { number(static_cast<double>(unit)); }
  void end() {
    out_ += kRecordEnd;
    begun_ = false;
  }
  void record(std::string_view name, std::string_view text) {
    field(name);
    field(text);
    end();
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  bool begun_ = false;
};

void write_question(const SheetQuestion& question, SheetWriter& out) {
  out.field("ask");
  out.unit(question.asked.unit);
  out.number(question.asked.close);
  out.number(question.measured);
  out.number(question.machine);
  out.field(question.asked.question);
  for (const Choice& choice : question.asked.choices) {
    out.field(choice.words);
    out.number(choice.from);
    out.number(choice.below);
  }
  out.end();
}

std::vector<std::string> parts_of(std::string_view text, char end) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(end);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<ResultUnit> unit_from(const std::string& text) {
  const std::optional<double> number = number_from(text);
  if (!number || *number < 0 || *number >= kUnits) return std::nullopt;
  return static_cast<ResultUnit>(static_cast<std::uint8_t>(*number));
}

bool read_question(const std::vector<std::string>& fields, LessonSheet& sheet) {
  constexpr std::size_t kBefore = 6, kPerChoice = 3;
  if (fields.size() < kBefore || (fields.size() - kBefore) % kPerChoice != 0) return false;
  const std::optional<ResultUnit> unit = unit_from(fields[1]);
  const std::optional<double> close = number_from(fields[2]);
  if (!unit || !close) return false;
  SheetQuestion question{.asked = {.question = fields[5], .formula = {}, .unit = *unit, .close = *close},
                         .measured = number_from(fields[3]),
                         .machine = number_from(fields[4])};
  for (std::size_t i = kBefore; i < fields.size(); i += kPerChoice) {
    const std::optional<double> from = number_from(fields[i + 1]), below = number_from(fields[i + 2]);
    if (!from || !below) return false;
    question.asked.choices.push_back({.words = fields[i], .from = *from, .below = *below});
  }
  sheet.questions.push_back(std::move(question));
  return true;
}

bool read_figure(const std::vector<std::string>& fields, LessonSheet& sheet) {
  if (fields.size() != 4) return false;
  const std::optional<ResultUnit> unit = unit_from(fields[2]);
  if (!unit) return false;
  sheet.figures.push_back({fields[1], *unit, number_from(fields[3])});
  return true;
}

bool read_record(const std::vector<std::string>& fields, LessonSheet& sheet) {
  const std::string& what = fields[0];
  if (what == "ask") return read_question(fields, sheet);
  if (what == "figure") return read_figure(fields, sheet);
  if (fields.size() != 2) return false;
  const std::string& text = fields[1];
  if (what == "number") sheet.number = static_cast<int>(std::clamp(number_from(text).value_or(0), 0.0, 1e6));
  if (what == "title") sheet.title = text;
  if (what == "question") sheet.question = text;
  if (what == "look_for") sheet.look_for = text;
  if (what == "device") sheet.device = text;
  if (what == "settled") sheet.settled = text == "1";
  if (what == "why") sheet.explanation.push_back(text);
  return true;
}

}  // namespace

std::vector<Prediction> predictions_of(const LessonSheet& sheet) {
  std::vector<Prediction> asked;
  for (const SheetQuestion& question : sheet.questions) asked.push_back(question.asked);
  return asked;
}

std::string explained(const LessonSheet& sheet, std::string_view paragraph) {
  return samples::filled_with_figures(translated(paragraph), [&](std::string_view name) -> std::string {
    const auto figure = std::ranges::find(sheet.figures, name, &SheetFigure::name);
    const bool known = figure != sheet.figures.end() && figure->value;
    return known ? samples::lesson_text(*figure->value, figure->unit) : "-";
  });
}

std::string sheet_text(const LessonSheet& sheet) {
  SheetWriter out;
  out.record(kFirstRecord, "1");
  out.record("number", std::to_string(sheet.number));
  out.record("title", sheet.title);
  out.record("question", sheet.question);
  out.record("look_for", sheet.look_for);
  out.record("device", sheet.device);
  out.record("settled", sheet.settled ? "1" : "0");
  for (const SheetQuestion& question : sheet.questions) write_question(question, out);
  for (const SheetFigure& figure : sheet.figures) {
    out.field("figure");
    out.field(figure.name);
    out.unit(figure.unit);
    out.number(figure.value);
    out.end();
  }
  for (const std::string& paragraph : sheet.explanation) out.record("why", paragraph);
  return out.take();
}

std::optional<LessonSheet> parse_sheet(std::string_view text) {
  LessonSheet sheet;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find(kRecordEnd);
    if (end == std::string_view::npos) return std::nullopt;
    const std::vector<std::string> fields = parts_of(text.substr(0, end), kFieldEnd);
    text.remove_prefix(end + 1);
    if (first && fields != std::vector<std::string>{std::string(kFirstRecord), "1"}) return std::nullopt;
    if (!first && !read_record(fields, sheet)) return std::nullopt;
    first = false;
  }
  if (first || sheet.number < 1) return std::nullopt;
  return sheet;
}

}  // namespace runahead::gui
