#include "gui/panels/script/script_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

// By a figure, all rows have figures (script_rows()).
bool row_comes_before(const ScriptRow& a, const ScriptRow& b, ScriptColumn by) {
  switch (by) {
    case ScriptColumn::kWaiting:
      return a.figures->waiting < b.figures->waiting;
    case ScriptColumn::kEnqueueing:
      return a.figures->enqueueing < b.figures->enqueueing;
    case ScriptColumn::kCount:
      return a.figures->enqueues < b.figures->enqueues;
    default:
      return a.line < b.line;
  }
}

std::vector<ScriptRow> rows_with_figures(const ScriptAnswer& answer) {
  std::vector<ScriptRow> rows;
  for (const LineFigures& figures : answer.lines) rows.push_back({figures.line, &figures});
  return rows;
}

// All lines of the text. Lines with figures may lie behind its end, if the file has changed since the run.
std::vector<ScriptRow> rows_of_text(const ScriptAnswer& answer) {
  std::vector<ScriptRow> rows;
  auto next = answer.lines.begin();
  for (std::uint32_t line = 1; line <= answer.source->size(); ++line) {
    const bool has_figures = next != answer.lines.end() && next->line == line;
    rows.push_back({line, has_figures ? &*next : nullptr});
    if (has_figures) ++next;
  }
  for (; next != answer.lines.end(); ++next) rows.push_back({next->line, &*next});
  return rows;
}

}  // namespace

std::optional<ScriptAnswer> report_script(const ScriptReporter::Question& question,
                                          const std::atomic<bool>& cancelled) {
  std::vector<FileFigures> files = figures_by_line(question.snapshot, question.range, cancelled);
  if (cancelled) return std::nullopt;
  ScriptAnswer answer;
  for (const FileFigures& file : files) answer.files.push_back(file.file);
  if (files.empty()) return answer;
  const auto wanted = std::ranges::find(files, question.asked.file, &FileFigures::file);
  FileFigures& file = wanted != files.end() ? *wanted : files.front();
  answer.file = file.file;
  answer.lines = std::move(file.lines);
  answer.worst = worst_line(answer.lines);
  for (const LineFigures& line : answer.lines) {
    answer.enqueueing += line.enqueueing;
    answer.waiting += line.waiting;
  }
  if (const auto path = path_of(question.snapshot, answer.file)) answer.source = read_lines(*path);
  return answer;
}

std::vector<ScriptRow> script_rows(const ScriptAnswer& answer, ScriptColumn by, bool descending) {
  const bool by_line = by == ScriptColumn::kLine || by == ScriptColumn::kText;
  std::vector<ScriptRow> rows = by_line && answer.source ? rows_of_text(answer) : rows_with_figures(answer);
  std::ranges::stable_sort(rows, [&](const ScriptRow& a, const ScriptRow& b) {
    return descending ? row_comes_before(b, a, by) : row_comes_before(a, b, by);
  });
  return rows;
}

std::string_view text_of(const ScriptAnswer& answer, std::uint32_t line) {
  const bool here = answer.source && line >= 1 && line <= answer.source->size();
  return here ? std::string_view((*answer.source)[line - 1]) : std::string_view();
}

TableRows script_cells(const ScriptAnswer& answer, const std::vector<ScriptRow>& rows) {
  TableRows cells{{text(Text::kScriptLine), text(Text::kScriptText), ns_header(Text::kScriptWaiting),
                   ns_header(Text::kScriptEnqueueing), text(Text::kScriptEnqueues)}};
  for (const ScriptRow& row : rows) {
    const LineFigures* const of = row.figures;
    cells.push_back({std::to_string(row.line), std::string(text_of(answer, row.line)),
                     of != nullptr ? ns_cell(of->waiting) : "", of != nullptr ? ns_cell(of->enqueueing) : "",
                     of != nullptr ? std::to_string(of->enqueues) : ""});
  }
  return cells;
}

std::string line_words(const LineFigures& figures) {
  const auto count = [](std::uint64_t n) { return format_count(static_cast<double>(n)); };
  std::string words = filled(Text::kScriptLineWords, {std::to_string(figures.line), count(figures.enqueues),
                                                      format_duration(figures.enqueueing)});
  if (figures.waits > 0)
    words += "\n" + filled(Text::kScriptLineWaits, {count(figures.waits), format_duration(figures.waiting)});
  std::string names;
  for (const std::string& name : figures.names) names += (names.empty() ? "" : ", ") + name;
  if (figures.names.size() == kMostNamesOfLine) names += ", \u2026";
  return words + "\n" + names;
}

bool ScriptPanel::poll(const PanelContext& context) {
  const auto wanted = shown() ? std::optional(view.wanted) : std::nullopt;
  return reporter_.poll(context.trace, context.serial, wanted, context.range(view.wanted.in_range));
}

void ScriptPanel::trace_replaced() {
  reporter_.forget();
  view = {};
}

void ScriptPanel::add_words(std::vector<std::string_view>& words) const {
  if (!shown() || answer() == nullptr || !answer()->source) return;
  for (const std::string& line : *answer()->source) words.emplace_back(line);
}

void ScriptPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  nlohmann::json& part = json["script"] = nullptr;
  if (!shown()) return;
  part = {{"file", nullptr}, {"lines", nlohmann::json::array()}};
  const ScriptAnswer* const found = answer();
  if (found == nullptr) return;
  part["file"] = found->file;
  part["has_text"] = found->source.has_value();
  part["worst"] = found->worst ? nlohmann::json(found->lines[*found->worst].line) : nlohmann::json();
  for (const LineFigures& line : found->lines) {
    part["lines"].push_back({{"line", line.line},
                             {"enqueues", line.enqueues},
                             {"enqueueing_ns", line.enqueueing.count()},
                             {"waits", line.waits},
                             {"waiting_ns", line.waiting.count()},
                             {"names", line.names}});
  }
}

}  // namespace runahead::gui
