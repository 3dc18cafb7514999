#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/model/model.h"
#include "gui/model/table_rows.h"
#include "gui/panels/find/find_panel.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/histogram.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "imgui_stdlib.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::FoundOrder;
using analysis::FoundSlice;
using analysis::NameStatistics;

constexpr float kFieldPx = 420, kHistogramShare = 0.36f, kRoomForHistogramPx = 720;

// ---- the kinds found --------------------------------------------------------------------------------------

// Draws a button for each kind of the found slices, with their number. A click keeps only this kind. If the
// words have a condition on the kind, the button looks pressed, and a click removes the condition.
void kind_buttons(const PanelUi& ui, FindView& view, const FindAnswer& answer) {
  const bool kept = have_kind(answer.asked.words);
  if (answer.kinds.empty() || (answer.kinds.size() == 1 && !kept)) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(6), ImGui::GetStyle().ItemSpacing.y));
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < answer.kinds.size(); ++i) {
    const FoundKind& of = answer.kinds[i];
    const std::string_view word = word_of_kind(of.kind);
    const std::string label =
        std::string(trace::is_copy(of.kind) ? text(Text::kKindCopy) : kind_name(of.kind)) + " " +
        format_count(static_cast<double>(of.count));
    const ButtonLook look{.label = label,
                          .strong = kept,
                          .accent = ui.theme.range,
                          .hint = text(kept ? Text::kFindAllKindsHint : Text::kFindKindHint)};
    if (i > 0) {
      ImGui::SameLine();
      if (ImGui::GetCursorPosX() + tool_button_width(ui, look) > right) ImGui::NewLine();
    }
    if (tool_button(ui, ("find:kind:" + std::string(word)).c_str(), look))
      view.words.words = words_with_kind(view.words.words, kept ? std::nullopt : std::optional(of.kind));
  }
  ImGui::PopStyleVar();
}

// ---- the slices found -------------------------------------------------------------------------------------

void slice_row(const PanelModel& model, const PanelUi& ui, const FindAnswer& answer, std::size_t index,
               Commands& out) {
  const FoundSlice& found = answer.found.slices[index];
  const SliceRef ref{found.track, found.depth, found.row, false};
  if (row_button(ui, "find:row:", index, model.timeline.selected == ref))
    out.push_back(TimelineCommand{ShowSlice{ref}});
  ellipsis_line(ui, std::string(model.trace.string(found.slice.name)), ImGui::GetContentRegionAvail().x);
  text_cell(ui, track_label(model.trace, found.track));
  number_cell(format_axis_time(found.slice.begin, Duration{1000}));
  number_cell(format_duration(found.slice.duration()));
  number_cell(found.slice.size_bytes != 0 ? format_bytes(static_cast<double>(found.slice.size_bytes)) : "");
  number_cell(answer.steps[index] >= 0 ? std::to_string(answer.steps[index]) : "");
}

void slices_table(const PanelModel& model, const PanelUi& ui, FindView& view, const FindAnswer& answer,
                  ImVec2 size, Commands& out) {
  if (!ImGui::BeginTable("##found", 6, kListTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kFixedOrder = ImGuiTableColumnFlags_NoSort;
  list_column(Text::kName, kFixedOrder, 2.2f);
  list_column(Text::kTimelineTrack, kFixedOrder, 2.0f);
  list_column(Text::kTimelineBegins, ImGuiTableColumnFlags_NoSortDescending, 1.2f);
  list_column(Text::kTimelineDuration,
              ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending |
                  ImGuiTableColumnFlags_NoSortAscending,
              1.1f);
  list_column(Text::kTimelineBytes, kFixedOrder, 0.9f);
  list_column(Text::kTimelineStep, kFixedOrder, 0.7f);
  table_headers(ui, 2);
  if (ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
      sort != nullptr && sort->SpecsDirty && sort->SpecsCount > 0) {
    view.words.order = sort->Specs[0].ColumnIndex == 2 ? FoundOrder::kByTime : FoundOrder::kLongestFirst;
    sort->SpecsDirty = false;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(answer.found.slices.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      slice_row(model, ui, answer, static_cast<std::size_t>(i), out);
  }
  ImGui::EndTable();
}

// ---- the statistics of names ------------------------------------------------------------------------------

// Compares two rows by one column of the table. `column` is the index in names_table().
bool name_comes_before(const NameStatistics& a, const NameStatistics& b, int column) {
  switch (column) {
    case 0:
      return a.name < b.name;
    case 1:
      return a.track_group < b.track_group;
    case 2:
      return a.count < b.count;
    case 4:
      return a.mean < b.mean;
    case 5:
      return a.p50 < b.p50;
    case 6:
      return a.p99 < b.p99;
    case 7:
      return a.max < b.max;
    case 8:
      return a.size_bytes < b.size_bytes;
    default:
      return a.total < b.total;
  }
}

void name_row(const PanelUi& ui, FindView& view, const FindAnswer& answer, std::size_t index) {
  const NameStatistics& name = answer.names[view.name_order.rows[index]];
  if (row_button(ui, "find:row:", index, false)) {
    view.words.words = words_for_name(name.name, name.kind);
    view.fresh = true;
  }
  ellipsis_line(ui, name.name + "  " + kind_name(name.kind), ImGui::GetContentRegionAvail().x);
  text_cell(ui, translated(name.track_group));
  number_cell(format_count(static_cast<double>(name.count)));
  for (const Duration figure : {name.total, name.mean, name.p50, name.p99, name.max})
    number_cell(format_duration(figure));
  number_cell(name.size_bytes != 0 ? format_bytes(static_cast<double>(name.size_bytes)) : "");
}

void names_table(const PanelUi& ui, FindView& view, const FindAnswer& answer, ImVec2 size) {
  if (!ImGui::BeginTable("##names", 9, kListTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kMostFirst = ImGuiTableColumnFlags_PreferSortDescending;
  list_column(Text::kName, 0, 2.4f);
  list_column(Text::kTimelineTrack, 0, 1.8f);
  list_column(Text::kCount, kMostFirst, 0.8f);
  list_column(Text::kTotal, kMostFirst | ImGuiTableColumnFlags_DefaultSort, 1.0f);
  list_column(Text::kFindMean, kMostFirst, 1.0f);
  for (const char* const percentile : {"p50", "p99"})
    ImGui::TableSetupColumn(percentile, kMostFirst | ImGuiTableColumnFlags_WidthStretch, 1.0f);
  list_column(Text::kFindMost, kMostFirst, 1.0f);
  list_column(Text::kTimelineBytes, kMostFirst, 0.9f);
  table_headers(ui, 2);
  put_in_order(view.name_order, answer.number, answer.names, name_comes_before);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.name_order.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      name_row(ui, view, answer, static_cast<std::size_t>(i));
  }
  ImGui::EndTable();
}

// ---- for the clipboard ------------------------------------------------------------------------------------

TableRows rows_of_slices(const trace::Trace& trace, const FindAnswer& answer) {
  TableRows rows{{text(Text::kName), text(Text::kTimelineTrack), ns_header(Text::kTimelineBegins),
                  ns_header(Text::kTimelineDuration), text(Text::kTimelineBytes), text(Text::kTimelineStep)}};
  for (std::size_t i = 0; i < answer.found.slices.size(); ++i) {
    const FoundSlice& found = answer.found.slices[i];
    const std::string step = answer.steps[i] >= 0 ? std::to_string(answer.steps[i]) : "";
    rows.push_back({std::string(trace.string(found.slice.name)), track_label(trace, found.track),
                    ns_cell(found.slice.begin.time_since_epoch()), ns_cell(found.slice.duration()),
                    std::to_string(found.slice.size_bytes), step});
  }
  return rows;
}

TableRows rows_of(const trace::Trace& trace, const FindAnswer& answer, const FindView& view) {
  if (answer.names.empty()) return rows_of_slices(trace, answer);
  return statistics_rows(answer.names, view.name_order.rows);
}

// ---- the line above the list -----------------------------------------------------------------------------

// Returns a summary of the answer, such as "12.3 k slices, 45.6 ms in all; listed: 5000".
std::string summary(const FindAnswer* found) {
  if (found == nullptr) return text(Text::kFindLooking);
  const FindAnswer& answer = *found;
  if (!answer.error.empty()) return translated(answer.error);
  if (!answer.names.empty() || (answer.histogram.count == 0 && answer.asked.words.empty()))
    return format_count(static_cast<double>(answer.names.size())) + " " + text(Text::kFindNames);
  std::string words = filled(Text::kFindSummary, {format_count(static_cast<double>(answer.histogram.count)),
                                                  format_duration(answer.histogram.total)});
  if (answer.found.slices.size() < answer.histogram.count) {
    words += std::string("; ") + text(Text::kFindListed) + " " + std::to_string(answer.found.slices.size());
  }
  return words;
}

void header(FindPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  FindView& view = panel.view;
  const FindAnswer* const answer = panel.answer();
  ImGui::SetNextItemWidth(std::min(ui.px(kFieldPx), ImGui::GetContentRegionAvail().x * 0.5f));
  if (std::exchange(view.fresh, false)) ImGui::SetKeyboardFocusHere();
  note_fit(ui, text(Text::kFindHint), ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x);
  ImGui::InputTextWithHint("##find", text(Text::kFindHint), &view.words.words);
  mark_widget(ui, "find:words");
  if (!ImGui::IsItemActive())
    tooltip(ui, text(Text::kFindHelp));  // no tooltip while the user types: it would cover the results
  ImGui::SameLine();
  range_checkbox(model, ui, "find", view.words.in_range);
  const float room = ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(16);
  ImGui::AlignTextToFramePadding();
  const bool wrong = answer != nullptr && !answer->error.empty();
  if (wrong) ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
  ellipsis_line(ui, summary(answer), room, !wrong);
  if (wrong) ImGui::PopStyleColor();
  const MakeRows rows = [&] { return rows_of(model.trace, *answer, view); };
  const bool any = answer != nullptr && answer->error.empty();
  const char* const name = any && answer->names.empty() ? "found" : "statistics";
  list_end(ui, panel, name, Text::kFindCloseHint, any ? rows : nullptr, out);
}

void found(const PanelModel& model, const PanelUi& ui, FindView& view, const FindAnswer& answer,
           Commands& out) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool wide = room.x >= ui.px(kRoomForHistogramPx) && answer.histogram.count > 0;
  const float right = wide ? std::floor(room.x * kHistogramShare) : 0;
  slices_table(model, ui, view, answer, {room.x - right - (wide ? ui.px(12) : 0), room.y}, out);
  if (!wide) return;
  ImGui::SameLine(0, ui.px(12));
  const auto bin = draw_histogram(ui, answer.histogram, {right, room.y});
  if (!bin) return;
  view.words.words = words_with_durations(view.words.words, bin->least, bin->most);
}

}  // namespace

void paint_panel(FindPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  header(panel, model, ui, out);
  const FindAnswer* const answer = panel.answer();
  if (answer != nullptr && answer->error.empty()) {
    if (answer->names.empty()) {
      kind_buttons(ui, panel.view, *answer);
      found(model, ui, panel.view, *answer, out);
    } else {
      names_table(ui, panel.view, *answer, ImGui::GetContentRegionAvail());
    }
  }
}

}  // namespace runahead::gui
