// `runahead codes`: what a class predicted, from the codes of its pages.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "gui/lesson/class_code.h"
#include "gui/lesson/class_result.h"
#include "gui/session/lesson_figures.h"
#include "gui/session/lesson_pages.h"
#include "instrumentation/import/load_any.h"

namespace runahead::gui {
namespace {

struct CodesCommand {
  std::vector<std::string> codes;
  std::string measured;
  bool json = false;
};

// The codes as given; those of stdin for "-".
std::vector<std::string> all_codes(const CodesCommand& command) {
  std::vector<std::string> codes;
  for (const std::string& word : command.codes) {
    const bool from_stdin = word == "-";
    const std::string text = from_stdin ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : word;
    std::ranges::move(codes_in(text), std::back_inserter(codes));
  }
  return codes;
}

// The lesson of most of the codes; 0: no code can be read.
int lesson_of_most(const std::vector<std::string>& codes) {
  std::map<int, int> counts;
  for (const std::string& code : codes) {
    const auto read = lesson_of_code(code);
    if (const int* const lesson = std::get_if<int>(&read)) ++counts[*lesson];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return most != counts.end() ? most->first : 0;
}

Result<LessonSheet> measured_sheet(const std::string& file, int number) {
  if (file.ends_with(".html")) return lesson_of(file);
  const samples::Lesson* const lesson = samples::find_lesson(number);
  if (lesson == nullptr) return Error{"there is no lesson " + std::to_string(number)};
  const Result<trace::Trace> trace = importers::load_checked(file);
  if (!trace) return trace.error();
  const Result<MeasuredLesson> measured = measured_in(*lesson, *trace);
  if (!measured) return Error{"'" + file + "': " + measured.error().message};
  return sheet_of(*lesson, *measured);
}

std::string bar_of(std::size_t count, std::size_t most) {
  constexpr std::size_t kMostWidth = 40;
  const std::size_t width = most <= kMostWidth ? count : (count * kMostWidth + most - 1) / most;
  return std::string(width, '#');
}

// The columns of a text of one row are as wide as its characters; choices of a lesson are ASCII in English.
std::string class_text(const LessonSheet& sheet, const ClassResult& result) {
  std::string out = "lesson " + std::to_string(sheet.number) + ": " + sheet.title + "\n" +
                    counted(result.codes, "code") + "\n";
  for (const QuestionResult& question : result.questions) {
    out += "\n" + question.question + "\n";
    std::size_t width = 0, most = 0;
    for (const HistogramRow& row : question.rows) {
      width = std::max(width, row.label.size());
      most = std::max(most, row.count);
    }
    for (const HistogramRow& row : question.rows) {
      const std::string count = std::to_string(row.count);
      out += "  " + row.label + std::string(width - row.label.size() + 2, ' ') +
             std::string(count.size() < 4 ? 4 - count.size() : 0, ' ') + count + "  " +
             bar_of(row.count, most) + (row.measured ? "  <- it was" : "") + "\n";
    }
    out += question.measured.empty()
               ? "  what happened is not known: add --measured with the lesson's page or a recording of it\n"
               : "  it was: " + question.measured + "\n";
    if (question.judged)
      out +=
          "  right or close: " + std::to_string(question.good) + " of " + std::to_string(result.codes) + "\n";
  }
  return out;
}

nlohmann::ordered_json class_json(const LessonSheet& sheet, const ClassResult& result) {
  nlohmann::ordered_json questions = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.questions.size(); ++i) {
    const QuestionResult& question = result.questions[i];
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const HistogramRow& row : question.rows)
      rows.push_back({{"label", row.label}, {"count", row.count}, {"measured", row.measured}});
    const std::optional<double>& measured = sheet.questions[i].measured;
    questions.push_back(
        {{"question", question.question},
         {"rows", std::move(rows)},
         {"measured", measured ? nlohmann::ordered_json(*measured) : nlohmann::ordered_json()},
         {"good", question.judged ? nlohmann::ordered_json(question.good) : nlohmann::ordered_json()}});
  }
  return {{"lesson", sheet.number},
          {"codes", result.codes},
          {"refused", result.refused},
          {"questions", questions}};
}

Outcome show_codes(const CodesCommand& command) {
  const std::vector<std::string> codes = all_codes(command);
  if (codes.empty()) return wrong_words("there is no code: give codes, or - to read them from stdin");
  const int number = lesson_of_most(codes);
  LessonSheet sheet;
  if (!command.measured.empty()) {
    Result<LessonSheet> read = measured_sheet(command.measured, number);
    if (!read) return refused(read.error());
    sheet = std::move(*read);
  } else if (const samples::Lesson* const lesson = samples::find_lesson(number)) {
    sheet = sheet_of(*lesson, {});
    for (SheetQuestion& question : sheet.questions) question.measured.reset();
  } else {
    const auto read = lesson_of_code(codes.front());
    const auto* const fault = std::get_if<CodeFault>(&read);
    return wrong_words(fault_words(fault != nullptr ? *fault : CodeFault::kAnswers, codes.front(), number));
  }
  const ClassResult result = class_result(sheet, codes);
  if (result.codes == 0) return wrong_words(result.refused.front());
  for (const std::string& line : result.refused) write_stderr_line(line);
  if (command.json) return write_json(class_json(sheet, result));
  return write_stdout(class_text(sheet, result));
}

}  // namespace

void add_codes_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "codes", "Print what a class predicted, from the codes of its pages (export --lesson)");
  auto codes = std::make_shared<CodesCommand>();
  command->add_option("codes", codes->codes, "The codes; - reads them from stdin")->required();
  command->add_option("--measured", codes->measured,
                      "What happened: the page of the lesson (.html), or a recording of it");
  command->add_flag("--json", codes->json, "One JSON object");
  command->callback([codes, &chosen] { chosen = [codes] { return show_codes(*codes); }; });
}

}  // namespace runahead::gui
