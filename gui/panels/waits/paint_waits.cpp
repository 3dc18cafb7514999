#include <algorithm>

#include "gui/model/model.h"
#include "gui/panels/waits/waits_panel.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/reveal.h"
#include "gui/timeline/wait_facts.h"
#include "gui/widgets/share_bar.h"
#include "gui/widgets/table.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::WaitGroup;

constexpr float kSplitShare = 0.24f, kRoomForSplitPx = 720;

// Compares two rows by a column of the table.
bool group_comes_before(const WaitGroup& a, const WaitGroup& b, int column) {
  switch (column) {
    case 0:
      return a.wait < b.wait;
    case 1:
      return a.op < b.op;
    case 2:
      return a.cause < b.cause;
    case 3:
      return a.count < b.count;
    case 5:
      return a.split.ops_before() < b.split.ops_before();
    case 6:
      return a.split.own_cost() < b.split.own_cost();
    case 7:
      return a.longest < b.longest;
    default:
      return a.split.total() < b.split.total();
  }
}

// Returns the reference to the wait's slice in the trace on the screen. nullopt: the wait has not ended, or
// its slice was evicted.
std::optional<SliceRef> place_of(const trace::Trace& trace, const analysis::Wait& wait) {
  if (wait.open) return std::nullopt;
  return slice_beginning_at(trace, wait.track, wait.slice.begin,
                            [&](const trace::Slice& slice) { return slice.kind == wait.slice.kind; });
}

// Draws the time of one part of the group's waits. If no part is known, draws a dash.
void part_cell(const WaitGroup& group, Duration part) {
  number_cell(has_parts(group) ? format_duration(part) : text(Text::kNoFigure));
}

// Goes to a wait. Zooms if the wait would be too narrow to see.
void show_wait(const PanelModel& model, const analysis::Wait& wait, const SliceRef& place, Commands& out) {
  if (model.scene != nullptr) {
    if (const auto view = view_to_read(wait.slice, *model.scene, model.timeline))
      out.push_back(TimelineCommand{GlideTo{*view}});
  }
  out.push_back(TimelineCommand{ShowSlice{place}});
}

void group_row(const PanelModel& model, const PanelUi& ui, const WaitGroup& group, std::size_t index,
               Commands& out) {
  const bool clicked = row_button(ui, "waits:row:", index, false);
  if (clicked) {
    if (const auto place = place_of(model.trace, group.worst)) show_wait(model, group.worst, *place, out);
  }
  ellipsis_line(ui, wait_text(group), ImGui::GetContentRegionAvail().x);
  text_cell(ui, awaited_text(group));
  text_cell(ui, wait_part_name(group.cause));
  number_cell(format_count(static_cast<double>(group.count)));
  number_cell(format_duration(group.split.total()));
  part_cell(group, group.split.ops_before());
  part_cell(group, group.split.own_cost());
  number_cell(format_duration(group.longest));
}

void groups_table(const PanelModel& model, const PanelUi& ui, WaitsView& view, const WaitsAnswer& answer,
                  ImVec2 size, Commands& out) {
  if (!ImGui::BeginTable("##waits", 8, kListTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kMostFirst = ImGuiTableColumnFlags_PreferSortDescending;
  list_column(Text::kWaitsWhere, 0, 2.4f);
  list_column(Text::kWaitsForOp, 0, 2.0f);
  list_column(Text::kWaitsMostly, 0, 1.2f);
  list_column(Text::kCount, kMostFirst, 0.8f);
  list_column(Text::kTotal, kMostFirst | ImGuiTableColumnFlags_DefaultSort, 1.0f);
  list_column(Text::kWaitsOpsBefore, kMostFirst, 1.1f);
  list_column(Text::kWaitsOwnCost, kMostFirst, 1.0f);
  list_column(Text::kFindMost, kMostFirst, 1.0f);
  table_headers(ui, 3);
  put_in_order(view.order, answer.number, answer.groups, group_comes_before);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.order.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      group_row(model, ui, answer.groups[view.order.rows[index]], index, out);
    }
  }
  ImGui::EndTable();
}

void header(WaitsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  WaitsView& view = panel.view;
  ImGui::AlignTextToFramePadding();
  bold_line(ui, text(Text::kPanelWaits));
  mark_widget(ui, "waits");
  ImGui::SameLine(0, ui.px(16));
  range_checkbox(model, ui, "waits", view.wanted.in_range);
  ImGui::AlignTextToFramePadding();
  const WaitsAnswer* const found = panel.answer();
  ellipsis_line(ui,
                found == nullptr
                    ? text(Text::kFindLooking)
                    : waits_summary(found->count, found->split.total(), found->range, found->in_range),
                ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(16), true);
  const WaitsAnswer* const answer = panel.answer();
  const MakeRows rows = [&] { return waits_rows(*answer, view.order.rows); };
  list_end(ui, panel, "waits", Text::kWaitsCloseHint, answer != nullptr ? rows : nullptr, out);
}

}  // namespace

void paint_panel(WaitsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  header(panel, model, ui, out);
  const WaitsAnswer* const answer = panel.answer();
  if (answer != nullptr && answer->count == 0) wrapped_text(ui, text(Text::kWaitsNoneWhy), true);
  if (answer != nullptr && answer->count > 0) {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool wide = room.x >= ui.px(kRoomForSplitPx);
    const float right = wide ? room.x * kSplitShare : 0;
    groups_table(model, ui, panel.view, *answer, {room.x - right - (wide ? ui.px(12) : 0), room.y}, out);
    if (wide) {
      ImGui::SameLine(0, ui.px(12));
      ImGui::BeginChild("##split", {right, room.y});
      small_dim_line(ui, text(Text::kWaitsAllOfThem));
      draw_wait_bar(ui, answer->split);
      ImGui::EndChild();
    }
  }
}

}  // namespace runahead::gui
