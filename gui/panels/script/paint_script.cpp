#include <algorithm>
#include <string>
#include <vector>

#include "gui/model/model.h"
#include "gui/panels/script/script_panel.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

// Widths at scale 1. A narrow panel leaves out columns, so that the text of the script has room.
constexpr float kLinePx = 40, kFigurePx = 76, kCountPx = 60, kRoomForCountPx = 470, kRoomForEnqueuePx = 370;
constexpr std::uint8_t kBarAlpha = 120, kWorstAlpha = 60;

std::vector<ScriptColumn> columns_in(const PanelUi& ui, float room_px) {
  std::vector<ScriptColumn> columns{ScriptColumn::kLine, ScriptColumn::kText, ScriptColumn::kWaiting};
  if (room_px >= ui.px(kRoomForEnqueuePx)) columns.push_back(ScriptColumn::kEnqueueing);
  if (room_px >= ui.px(kRoomForCountPx)) columns.push_back(ScriptColumn::kCount);
  return columns;
}

void set_up_column(const PanelUi& ui, ScriptColumn column) {
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  constexpr ImGuiTableColumnFlags kMostFirst = kFixed | ImGuiTableColumnFlags_PreferSortDescending;
  switch (column) {
    case ScriptColumn::kLine:
      return ImGui::TableSetupColumn(text(Text::kScriptLine), kFixed | ImGuiTableColumnFlags_DefaultSort,
                                     ui.px(kLinePx));
    case ScriptColumn::kText:
      return ImGui::TableSetupColumn(text(Text::kScriptText),
                                     ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoSort);
    case ScriptColumn::kWaiting:
      return ImGui::TableSetupColumn(text(Text::kScriptWaiting), kMostFirst, ui.px(kFigurePx));
    case ScriptColumn::kEnqueueing:
      return ImGui::TableSetupColumn(text(Text::kScriptEnqueueing), kMostFirst, ui.px(kFigurePx));
    case ScriptColumn::kCount:
      return ImGui::TableSetupColumn(text(Text::kScriptEnqueues), kMostFirst, ui.px(kCountPx));
  }
}

// Draws a time with a bar behind it. The bar of `most` is as wide as the cell.
void time_cell(Duration time, Duration most, Colour colour) {
  ImGui::TableNextColumn();
  if (time > Duration{0} && most > Duration{0}) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const auto share =
        static_cast<float>(static_cast<double>(time.count()) / static_cast<double>(most.count()));
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + std::max(width * share, 1.0f), at.y + ImGui::GetTextLineHeight()},
        rgba(with_alpha(colour, kBarAlpha)));
  }
  const std::string words = time > Duration{0} ? format_duration(time) : std::string();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  text_line(words);
}

struct Most {  // of all lines of the file
  Duration waiting{0}, enqueueing{0};
};

// The text of the line, which a narrow column cuts off, and its figures. Empty: there is nothing to say.
std::string tooltip_words(const ScriptAnswer& answer, const ScriptRow& row) {
  std::string_view words = text_of(answer, row.line);
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  const std::string figures = row.figures != nullptr ? line_words(*row.figures) : std::string();
  return std::string(words) + (words.empty() || figures.empty() ? "" : "\n") + figures;
}

void draw_row(const PanelModel& model, const PanelUi& ui, const ScriptAnswer& answer, const ScriptRow& row,
              const std::vector<ScriptColumn>& columns, const Most& most, Commands& out) {
  const LineFigures* const of = row.figures;
  const bool chosen = of != nullptr && of->longest && model.timeline.selected == of->longest;
  const bool clicked = row_button(ui, "script:line:", row.line, chosen);
  const std::string words = ImGui::IsItemHovered() ? tooltip_words(answer, row) : std::string();
  if (!words.empty()) {  // left of the mouse: the figures are at the right
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ImGui::SetNextWindowPos({mouse.x - ui.px(12), mouse.y + ui.px(16)}, ImGuiCond_Always, {1, 0});
    tooltip(ui, words);
  }
  if (clicked && of != nullptr && of->longest) out.push_back(TimelineCommand{ShowSlice{*of->longest}});
  if (answer.worst && answer.lines[*answer.worst].line == row.line) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, rgba(with_alpha(ui.theme.warning, kWorstAlpha)));
  }
  if (of != nullptr) {
    text_line(std::to_string(row.line));
  } else {
    dim_line(ui, std::to_string(row.line));
  }
  for (const ScriptColumn column : columns) {
    if (column == ScriptColumn::kText) {
      ImGui::TableNextColumn();
      // The text is cut off at the edge: an ellipsis in every line would be hard to read.
      if (const std::string_view line = text_of(answer, row.line); !line.empty()) text_line(line);
    } else if (of == nullptr) {
      continue;
    } else if (column == ScriptColumn::kWaiting) {
      time_cell(of->waiting, most.waiting, ui.theme.of(trace::SliceKind::kWait));
    } else if (column == ScriptColumn::kEnqueueing) {
      time_cell(of->enqueueing, most.enqueueing, ui.theme.of(trace::SliceKind::kEnqueue));
    } else if (column == ScriptColumn::kCount) {
      number_cell(of->enqueues > 0 ? format_count(static_cast<double>(of->enqueues)) : "");
    }
  }
}

void put_rows_in_order(ScriptView& view, const ScriptAnswer& answer,
                       const std::vector<ScriptColumn>& columns) {
  ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
  const bool asked = sort != nullptr && sort->SpecsCount > 0;
  if (view.ordered == answer.number && !(asked && sort->SpecsDirty)) return;
  view.ordered = answer.number;
  const ScriptColumn by =
      asked ? columns[static_cast<std::size_t>(sort->Specs[0].ColumnIndex)] : ScriptColumn::kLine;
  view.rows = script_rows(answer, by, asked && sort->Specs[0].SortDirection == ImGuiSortDirection_Descending);
  if (asked) sort->SpecsDirty = false;
}

void scroll_to_worst(ScriptView& view, const ScriptAnswer& answer) {
  view.to_worst = false;
  if (!answer.worst) return;
  const auto row = std::ranges::find(view.rows, answer.lines[*answer.worst].line, &ScriptRow::line);
  if (row == view.rows.end()) return;
  const float row_px = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const auto above = static_cast<float>(row - view.rows.begin());
  ImGui::SetScrollY(std::max(above * row_px - ImGui::GetWindowHeight() * 0.4f, 0.0f));
}

void lines_table(const PanelModel& model, const PanelUi& ui, ScriptView& view, const ScriptAnswer& answer,
                 Commands& out) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::vector<ScriptColumn> columns = columns_in(ui, room.x);
  const auto count = static_cast<int>(columns.size());
  if (!ImGui::BeginTable(("##lines" + std::to_string(count)).c_str(), count, kListTable, room)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const ScriptColumn column : columns) set_up_column(ui, column);
  table_headers(ui, 2);
  put_rows_in_order(view, answer, columns);
  if (view.scrolled != answer.file && answer.worst) {
    view.scrolled = answer.file;
    view.to_worst = true;
  }
  if (view.to_worst) scroll_to_worst(view, answer);
  Most most;
  for (const LineFigures& line : answer.lines) {
    most.waiting = std::max(most.waiting, line.waiting);
    most.enqueueing = std::max(most.enqueueing, line.enqueueing);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(model, ui, answer, view.rows[static_cast<std::size_t>(i)], columns, most, out);
  }
  ImGui::EndTable();
}

// The name of the file. If the trace names several files, the user can choose one.
void file_choice(const PanelUi& ui, ScriptView& view, const ScriptAnswer& answer, float room_px) {
  if (answer.files.size() < 2) {
    ImGui::AlignTextToFramePadding();
    ellipsis_line(ui, answer.file, room_px);
    return;
  }
  ImGui::SetNextItemWidth(room_px);
  if (ImGui::BeginCombo("##file", answer.file.c_str())) {
    for (const std::string& file : answer.files) {
      if (ImGui::Selectable(file.c_str(), file == answer.file)) view.wanted.file = file;
      mark_widget(ui, "script:file:" + file);
    }
    ImGui::EndCombo();
  }
  mark_widget(ui, "script:files");
}

void header(ScriptPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  const ScriptAnswer* const answer = panel.answer();
  ImGui::AlignTextToFramePadding();
  bold_line(ui, text(Text::kPanelScript));
  mark_widget(ui, "script");
  ImGui::SameLine(0, ui.px(10));
  range_checkbox(model, ui, "script", panel.view.wanted.in_range);
  const float room = ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(12);
  if (answer != nullptr && room > ui.px(40)) {
    file_choice(ui, panel.view, *answer, room);
  } else {
    ImGui::Dummy(ImVec2(0, 0));
  }
  const bool any = answer != nullptr && !answer->lines.empty();
  const MakeRows cells = [&] {  // the rows of an older answer have no figures any more
    const bool ordered = panel.view.ordered == answer->number;
    return script_cells(*answer,
                        ordered ? panel.view.rows : script_rows(*answer, ScriptColumn::kLine, false));
  };
  list_end(ui, panel, "script", Text::kScriptCloseHint, any ? cells : nullptr, out);
}

// Says which line is the worst. A click scrolls to it.
void worst_words(const PanelUi& ui, ScriptView& view, const ScriptAnswer& answer) {
  if (!answer.worst) return;
  const LineFigures& worst = answer.lines[*answer.worst];
  const bool waits = worst.waiting > Duration{0};
  const std::string words =
      filled(waits ? Text::kScriptWorstWait : Text::kScriptWorstEnqueue,
             {std::to_string(worst.line), format_duration(waits ? worst.waiting : worst.enqueueing),
              format_duration(waits ? answer.waiting : answer.enqueueing)});
  ellipsis_line(ui, words, ImGui::GetContentRegionAvail().x);
  mark_widget(ui, "script:worst");
  if (ImGui::IsItemClicked()) view.to_worst = true;
}

}  // namespace

void paint_panel(ScriptPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  header(panel, model, ui, out);
  const ScriptAnswer* const answer = panel.answer();
  if (answer == nullptr) {
    dim_line(ui, text(Text::kFindLooking));
    return;
  }
  if (answer->lines.empty()) {
    wrapped_text(ui, text(Text::kScriptNone), true);
    return;
  }
  worst_words(ui, panel.view, *answer);
  if (!answer->source) wrapped_text(ui, text(Text::kScriptNotHere), true);
  lines_table(model, ui, panel.view, *answer, out);
}

}  // namespace runahead::gui
