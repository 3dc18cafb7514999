#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gui/model/model.h"
#include "gui/panels/query/query_panel.h"
#include "gui/widgets/table.h"
#include "imgui_stdlib.h"

namespace runahead::gui {

namespace {

constexpr int kMostColumns = 64;  // a Dear ImGui table has at most 64 columns
constexpr float kFieldLines = 3.4f;

struct Example {
  Text name;
  const char* sql;
};
constexpr Example kExamples[] = {
    {Text::kQueryByName,
     "SELECT s.name, count(*) AS n, round(sum(s.dur) / 1e6, 3) AS ms, round(avg(s.dur) / 1e3, 2) AS mean_us\n"
     "FROM slice s JOIN track t ON t.id = s.track WHERE t.kind IN ('worker', 'stream', 'thread')\n"
     "GROUP BY s.name ORDER BY ms DESC"},
    {Text::kQueryLongest,
     "SELECT s.id, s.name, s.kind, s.track_name, round(s.dur / 1e3, 2) AS us, round(s.ts / 1e6, 3) AS at_ms\n"
     "FROM slice s JOIN track t ON t.id = s.track WHERE t.kind <> 'queue' ORDER BY s.dur DESC LIMIT 50"},
    {Text::kQueryWaits,
     "SELECT name, count(*) AS n, round(sum(dur) / 1e6, 3) AS ms, round(sum(executing) / 1e6, 3) AS ops_ms,\n"
     "round(sum(copying) / 1e6, 3) AS copies_ms, round(sum(queueing) / 1e6, 3) AS queued_ms,\n"
     "round(sum(wake_up) / 1e6, 3) AS own_ms FROM wait GROUP BY name ORDER BY ms DESC"},
    {Text::kQueryQueued,
     "SELECT slice, number, name, round((started - ready) / 1e3, 2) AS queued_us,\n"
     "round((ended - started) / 1e3, 2) AS ran_us FROM op WHERE started IS NOT NULL\n"
     "ORDER BY queued_us DESC LIMIT 50"},
    {Text::kQueryPeaks,
     "SELECT track_name, count(*) AS samples, min(value) AS low, max(value) AS high FROM counter\n"
     "GROUP BY track ORDER BY track_name"},
    {Text::kQuerySteps,
     "SELECT s.id, s.name, round(s.ts / 1e6, 3) AS at_ms, round(s.dur / 1e3, 2) AS us\n"
     "FROM slice s WHERE s.kind = 'step' ORDER BY s.ts"}};

// Draws the list of examples. The chosen example runs at once.
void examples(const PanelUi& ui, QueryPanel& panel) {
  if (tool_button(ui, "query:examples", {.label = text(Text::kQueryExamples)})) ImGui::OpenPopup("examples");
  if (!ImGui::BeginPopup("examples")) return;
  for (const Example& example : kExamples) {
    if (ImGui::Selectable(text(example.name))) {
      panel.view.sql = example.sql;
      if (!panel.running()) panel.ask(panel.view.sql);
    }
    mark_widget(ui, "query:example:" + std::to_string(&example - kExamples));
  }
  ImGui::EndPopup();
}

// Returns "12 rows in 3.4 ms, click a row to see its slice".
std::string summary(const QueryPanel& panel) {
  if (panel.running()) return text(Text::kQueryRunning);
  const QueryAnswer& answer = *panel.answer();
  char cost[32];
  std::snprintf(cost, sizeof cost, "%.1f", answer.cost_ms);
  std::string words = filled(Text::kQueryRows, {std::to_string(answer.rows.size()), cost});
  if (answer.cut) words += std::string(", ") + text(Text::kQueryCut);
  if (answer.links && !answer.rows.empty()) words += std::string(" \u00b7 ") + text(Text::kQueryClick);
  return words;
}

TableRows rows_of(const QueryAnswer& answer) {
  TableRows rows{answer.columns};
  for (const QueryAnswer::Row& row : answer.rows) rows.push_back(row.cells);
  return rows;
}

void header(QueryPanel& panel, const PanelUi& ui, bool asked, Commands& out) {
  const QueryAnswer* const answer = panel.answer();
  const bool running = panel.running();
  const ButtonLook ask{.icon = Icon::kPlay,
                       .label = text(Text::kQueryAsk),
                       .strong = true,
                       .accent = ui.theme.good,
                       .hint = text(Text::kQueryAskHint)};
  if (running) {
    if (tool_button(ui, "query:cancel", {.icon = Icon::kStop, .label = text(Text::kQueryCancel)})) {
      panel.cancel();
    }
  } else if (tool_button(ui, "query:ask", ask) || asked) {
    panel.ask(panel.view.sql);
  }
  ImGui::SameLine();
  examples(ui, panel);
  ImGui::SameLine();
  static_cast<void>(tool_button(ui, "query:tables", {.icon = Icon::kHelp, .hint = text(Text::kQueryTables)}));
  const ButtonLook close{.icon = Icon::kClose, .hint = text(Text::kQueryCloseHint)};
  const bool copies = answer != nullptr && !answer->rows.empty();
  const float right = tool_button_width(ui, close) + (copies ? table_buttons_width(ui) + ui.px(8) : 0);
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x - right - ui.px(16);
  ImGui::AlignTextToFramePadding();
  if (answer != nullptr && !answer->error.empty() && !running) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
    ellipsis_line(ui, translated(answer->error), room);
    ImGui::PopStyleColor();
  } else {
    const bool nothing = answer == nullptr && !running;
    ellipsis_line(ui, nothing ? text(Text::kQueryFirst) : summary(panel), room, true);
  }
  ImGui::SameLine(std::max(ImGui::GetWindowContentRegionMax().x - right, ImGui::GetCursorPosX()));
  if (copies) {
    table_buttons(
        ui, "query", "query", [&] { return rows_of(*answer); }, out);
    ImGui::SameLine();
  }
  if (tool_button(ui, "query:close", close)) out.push_back(TogglePanel{panel.id()});
}

void cell(const std::string& words, bool numeric) {
  if (numeric) {
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
    if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  }
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
}

void row(const PanelModel& model, const PanelUi& ui, const QueryAnswer& answer, std::size_t index,
         int columns, Commands& out) {
  const QueryAnswer::Row& row = answer.rows[index];
  ImGui::TableNextRow();
  for (int i = 0; i < columns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    if (i == 0 && row.slice) {
      const std::string id = "##row" + std::to_string(index);
      constexpr ImGuiSelectableFlags kWhole = ImGuiSelectableFlags_SpanAllColumns;
      if (ImGui::Selectable(id.c_str(), model.timeline.selected == row.slice, kWhole)) {
        out.push_back(TimelineCommand{ShowSlice{*row.slice}});
      }
      mark_widget(ui, "query:row:" + std::to_string(index));
      ImGui::SameLine(0, 0);
    }
    cell(row.cells[static_cast<std::size_t>(i)], answer.numeric[static_cast<std::size_t>(i)]);
  }
}

void table(const PanelModel& model, const PanelUi& ui, const QueryAnswer& answer, Commands& out) {
  const int columns = std::min(static_cast<int>(answer.columns.size()), kMostColumns);
  if (columns == 0) return;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_NoSavedSettings;
  const std::string id = "##answer" + std::to_string(answer.number);
  if (!ImGui::BeginTable(id.c_str(), columns, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (int i = 0; i < columns; ++i)
    ImGui::TableSetupColumn(answer.columns[static_cast<std::size_t>(i)].c_str());
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(answer.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      row(model, ui, answer, static_cast<std::size_t>(i), columns, out);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void paint_panel(QueryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  QueryView& view = panel.view;
  if (!panel.offered()) return wrapped_text(ui, text(Text::kQueryUnavailable), true);
  if (view.sql.empty() && !ImGui::IsAnyItemActive()) view.sql = kExamples[0].sql;
  const ImVec2 size(-1, std::floor(ImGui::GetFontSize() * kFieldLines + ui.px(8)));
  if (std::exchange(view.fresh, false)) ImGui::SetKeyboardFocusHere();
  const bool asked = ImGui::InputTextMultiline("##sql", &view.sql, size,
                                               ImGuiInputTextFlags_EnterReturnsTrue);  // Ctrl+Enter
  mark_widget(ui, "query:sql");
  view.fresh = asked;  // keeps the keyboard focus in the field, since the user usually edits the query next
  header(panel, ui, asked && !panel.running(), out);
  const QueryAnswer* const answer = panel.answer();
  if (answer == nullptr || !answer->error.empty()) return;
  table(model, ui, *answer, out);
}

}  // namespace runahead::gui
