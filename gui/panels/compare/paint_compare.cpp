#include "gui/panels/compare/paint_compare.h"

#include <algorithm>

#include "gui/model/model.h"
#include "gui/panels/compare/compare_panel.h"
#include "gui/panels/compare/compare_rows.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "imgui_stdlib.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::FigurePair;
using analysis::NamePair;
using Problem = CompareAnswer::Problem;

constexpr ImGuiTableFlags kTable = kListTable & ~ImGuiTableFlags_Sortable;
// Sizes at scale 1.
constexpr float kFiguresPx = 404, kNamePx = 150, kNumberPx = 74, kOnePx = 330, kFilterPx = 170,
                kTablesGapPx = 14, kLeastLossesPx = 60, kPerPx = 124;

// ---- the line above the tables ----------------------------------------------------------------------------

void losses(const PanelUi& ui, CompareSide side, const trace::LossCounts& lost, float room_px) {
  if (!lost.facts_missing()) return;
  std::string all;
  for (const std::string& sentence : loss_sentences(lost)) all += (all.empty() ? "" : "\n") + sentence;
  const std::string line = std::string(side == CompareSide::kA ? "A " : "B ") + text(Text::kCompareLost) +
                           " " + all.substr(0, all.find('\n'));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
  ellipsis_line(ui, line, std::max(room_px, ui.px(kLeastLossesPx)));
  ImGui::PopStyleColor();
  mark_widget(ui, side == CompareSide::kA ? "compare:lost_a" : "compare:lost_b");
  tooltip(ui, all);
  ImGui::SameLine();
}

// A side that holds the backlog of the barrier before it (analysis::AroundChange).
void not_settled(const PanelUi& ui, const CompareAnswer& answer) {
  if (answer.asked.mode != CompareMode::kChange || !answer.change) return;
  const analysis::AroundChange& around = answer.changes[*answer.change];
  for (const CompareSide side : {CompareSide::kA, CompareSide::kB}) {
    const bool is_a = side == CompareSide::kA;
    if (is_a ? around.before_settled : around.after_settled) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
    ImGui::TextUnformatted(((is_a ? "A " : "B ") + std::string(text(Text::kNotSettled))).c_str());
    ImGui::PopStyleColor();
    mark_widget(ui, is_a ? "compare:unsettled_a" : "compare:unsettled_b");
    tooltip(ui, text(Text::kCompareNotSettledHint));
    ImGui::SameLine(0, ui.px(16));
  }
}

std::string working(const CompareFacts& compare) {
  return std::string(text(Text::kCompareWorking)) + "  " + format_percent(compare.done);
}

// Draws the copy and save buttons of both tables, at the right end of the line. If there is no room, draws
// them on a separate line.
void tables_out(const PanelUi& ui, const CompareView& view, const CompareAnswer& answer, float width_px,
                Commands& out) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < width_px) ImGui::NewLine();
  const float right = ImGui::GetWindowContentRegionMax().x - width_px;
  if (room >= width_px) ImGui::SetCursorPosX(std::max(right, ImGui::GetCursorPosX()));
  const analysis::Comparison& both = answer.comparison;
  ImGui::AlignTextToFramePadding();
  dim_line(ui, text(Text::kTableFigures));
  ImGui::SameLine();
  table_buttons(
      ui, "compare:figures", "comparison", [&] { return figure_rows(both.figures); }, out);
  ImGui::SameLine(0, ui.px(kTablesGapPx));
  dim_line(ui, text(Text::kTableNames));
  ImGui::SameLine();
  table_buttons(
      ui, "compare:names", "names", [&] { return name_rows(both.names, view.listed); }, out);
}

float tables_out_width(const PanelUi& ui) {
  const float words =
      ImGui::CalcTextSize(text(Text::kTableFigures)).x + ImGui::CalcTextSize(text(Text::kTableNames)).x;
  return words + 2 * (table_buttons_width(ui) + ImGui::GetStyle().ItemSpacing.x) + ui.px(kTablesGapPx);
}

// Draws the choice of the unit of totals and counts.
void per_choice(const PanelUi& ui, CompareView& view, const analysis::Comparison& comparison) {
  ComparePer shown = view.per;
  static_cast<void>(scale_of(comparison, shown));
  ImGui::SetNextItemWidth(ui.px(kPerPx));
  const bool open = ImGui::BeginCombo("##per", per_words(shown));
  mark_widget(ui, "compare:per");
  tooltip(ui, text(Text::kComparePerHint));
  if (!open) return;
  for (int i = 0; i < kComparePerCount; ++i) {
    const auto per = static_cast<ComparePer>(i);
    if (ImGui::Selectable(per_words(per), per == shown)) view.per = per;
    mark_widget(ui, "compare:per:" + std::to_string(i));
  }
  ImGui::EndCombo();
}

void tools(const PanelModel& model, const PanelUi& ui, CompareView& view, Commands& out) {
  ImGui::SetNextItemWidth(ui.px(kFilterPx));
  ImGui::InputTextWithHint("##filter", text(Text::kCompareFilter), &view.filter);
  mark_widget(ui, "compare:filter");
  ImGui::SameLine();
  per_choice(ui, view, model.compare.answer->comparison);
  ImGui::SameLine();
  if (tool_button(ui, "compare:align",
                  {.label = text(Text::kCompareAlign), .hint = text(Text::kCompareAlignHint)}))
    out.push_back(AlignCompared{});
  ImGui::SameLine();
  bool linked = model.compare.linked;
  if (ImGui::Checkbox(text(Text::kCompareLink), &linked)) out.push_back(LinkCompared{linked});
  mark_widget(ui, "compare:link");
  tooltip(ui, text(Text::kCompareLinkHint));
  ImGui::SameLine(0, ui.px(16));
  ImGui::AlignTextToFramePadding();
  if (model.compare.running && model.compare.done < 1) {
    dim_line(ui, working(model.compare));
    ImGui::SameLine(0, ui.px(16));
  }
  const CompareAnswer& answer = *model.compare.answer;
  not_settled(ui, answer);
  const float tables_px = tables_out_width(ui);
  const float each_px = (ImGui::GetContentRegionAvail().x - tables_px) / 2 - ui.px(16);
  losses(ui, CompareSide::kA, answer.comparison.a_losses, each_px);
  losses(ui, CompareSide::kB, answer.comparison.b_losses, each_px);
  tables_out(ui, view, answer, tables_px, out);
}

// ---- figures ----------------------------------------------------------------------------------------------

void figures_table(const PanelUi& ui, const std::vector<FigurePair>& figures, ImVec2 size) {
  if (!ImGui::BeginTable("##figures", 4, kTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(text(Text::kCompareFigure), ImGuiTableColumnFlags_WidthStretch, 2.1f);
  for (const char* const name : {"A", "B", "B/A"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, 1.0f);
  table_headers(ui, 1);
  for (const FigurePair& figure : figures) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ellipsis_line(ui, figure_name(figure), ImGui::GetContentRegionAvail().x);
    number_cell(figure_words(figure.unit, figure.a));
    number_cell(figure_words(figure.unit, figure.b));
    number_cell(ratio_words(figure.ratio));
  }
  ImGui::EndTable();
}

// ---- names ------------------------------------------------------------------------------------------------

void order_names(CompareView& view, const CompareAnswer& answer, const CompareScale& scale) {
  ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
  bool stale =
      view.listed_answer != answer.number || view.listed_filter != view.filter || view.listed_per != view.per;
  if (sort != nullptr && sort->SpecsDirty && sort->SpecsCount > 0) {
    view.order = static_cast<ComparedColumn>(sort->Specs[0].ColumnUserID);
    view.descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    sort->SpecsDirty = false;
    stale = true;
  }
  if (!stale) return;
  view.listed = listed_names(answer.comparison.names, view.filter, view.order, view.descending, scale);
  view.listed_per = view.per;
  view.listed_answer = answer.number;
  view.listed_filter = view.filter;
}

void name_row(const PanelUi& ui, CompareView& view, const NamePair& pair, std::size_t index, int columns,
              const CompareScale& scale) {
  const std::pair<std::string, trace::SliceKind> name{pair.name, pair.kind};
  const bool chosen = view.name == name;
  if (row_button(ui, "compare:row:", index, chosen)) {
    if (chosen) {
      view.name.reset();
    } else {
      view.name = name;
    }
  }
  ellipsis_line(ui, pair.name + "  " + kind_name(pair.kind), ImGui::GetContentRegionAvail().x,
                pair.only_in_a() || pair.only_in_b());
  for (int i = 1; i < columns; ++i) number_cell(name_cell(pair, static_cast<ComparedColumn>(i), scale));
}

void names_table(const PanelUi& ui, CompareView& view, const CompareAnswer& answer, ImVec2 size) {
  const int fit = 1 + static_cast<int>((size.x - ui.px(kNamePx)) / ui.px(kNumberPx));
  const int columns = std::clamp(fit, 2, kNameColumnCount);
  // ImGui stores column widths by table id. PushID() makes the number of columns a part of the table's id, so
  // ImGui stores separate widths for each number of columns.
  ImGui::PushID(columns);
  if (ImGui::BeginTable("##matched", columns, kListTable, size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (int i = 0; i < columns; ++i) {
      ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthStretch;
      if (i > 0) flags |= ImGuiTableColumnFlags_PreferSortDescending;
      if (i == static_cast<int>(ComparedColumn::kDifference)) flags |= ImGuiTableColumnFlags_DefaultSort;
      ImGui::TableSetupColumn(column_name(static_cast<ComparedColumn>(i)).c_str(), flags,
                              i == 0 ? kNamePx : kNumberPx, static_cast<ImGuiID>(i));
    }
    table_headers(ui, 1);
    ComparePer per = view.per;
    const CompareScale scale = scale_of(answer.comparison, per);
    order_names(view, answer, scale);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(view.listed.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto row = static_cast<std::size_t>(i);
        name_row(ui, view, answer.comparison.names[view.listed[row]], row, columns, scale);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopID();
}

const NamePair* chosen_name(const CompareView& view, const std::vector<NamePair>& names) {
  if (!view.name) return nullptr;
  const auto found = std::ranges::find_if(names, [&](const NamePair& pair) {
    return pair.name == view.name->first && pair.kind == view.name->second;
  });
  return found != names.end() ? &*found : nullptr;
}

// Returns the text to show instead of the tables; nullopt: the tables are shown.
std::optional<std::string> instead(const PanelModel& model) {
  const CompareFacts& compare = model.compare;
  if (model.trace.extent().empty()) return text(Text::kCompareNothingRecorded);
  if (compare.choice.mode == CompareMode::kRecording && compare.b_name.empty())
    return text(Text::kCompareNoRecording);
  if (compare.answer == nullptr) return working(compare);
  switch (compare.answer->problem) {
    case Problem::kNoChange:
      return text(Text::kCompareNoChange);
    case Problem::kNoRanges:
      return text(Text::kCompareNoRanges);
    case Problem::kNothingThere:
      return text(Text::kCompareNothingThere);
    case Problem::kNone:
      break;
  }
  return std::nullopt;
}

void tables(const PanelModel& model, const PanelUi& ui, CompareView& view, Commands& out) {
  const CompareAnswer& answer = *model.compare.answer;
  const NamePair* const one = chosen_name(view, answer.comparison.names);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ui.px(12);
  // If there is too little room for everything, the durations of the selected name replace the figures.
  const bool wide = room.x >= ui.px(kFiguresPx + kNamePx + 4 * kNumberPx + kOnePx);
  const float left = one == nullptr || wide ? std::min(ui.px(kFiguresPx), room.x * 0.45f) : 0;
  const float right = one != nullptr ? std::max(ui.px(kOnePx), room.x * 0.24f) : 0;
  if (left > 0) {
    figures_table(ui, answer.comparison.figures, {left, room.y});
    ImGui::SameLine(0, gap);
  }
  const float middle = room.x - left - right - (left > 0 ? gap : 0) - (right > 0 ? gap : 0);
  names_table(ui, view, answer, {middle, room.y});
  if (one == nullptr) return;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##one", {right, room.y});
  compared_name(model, ui, *one, out);
  ImGui::EndChild();
}

}  // namespace

void paint_panel(ComparePanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  CompareView& view = panel.view;
  compare_choices(model, ui, out);
  if (const auto words = instead(model)) return wrapped_text(ui, *words, true);
  tools(model, ui, view, out);
  tables(model, ui, view, out);
}

}  // namespace runahead::gui
