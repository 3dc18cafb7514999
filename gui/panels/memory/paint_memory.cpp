#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/model/model.h"
#include "gui/panels/memory/memory_panel.h"
#include "gui/panels/memory/memory_words.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/share_bar.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// Known categories have fixed colours. Other categories take the remaining colours.
Colour category_colour(const Theme& theme, std::string_view category) {
  constexpr std::array<std::string_view, 5> kKnown{"activations", "parameters", "gradients", "inputs",
                                                   "other"};
  const auto found = std::ranges::find(kKnown, category);
  if (found != kKnown.end()) return theme.category(static_cast<std::uint32_t>(found - kKnown.begin()));
  std::uint32_t key = 0;
  for (const char c : category) key = key * 31 + static_cast<unsigned char>(c);
  return theme.category(static_cast<std::uint32_t>(kKnown.size()) + key % (kCategoryCount - kKnown.size()));
}

std::vector<BarPart> parts_of(const PanelUi& ui, const analysis::MemoryReport& report) {
  std::vector<BarPart> parts;
  double all = 0;
  const auto add = [&](std::string name, double bytes, Colour colour) {
    parts.push_back({std::move(name), format_bytes(bytes), bytes, colour});
    all += bytes;
  };
  for (const analysis::MemoryShare& share : report.by_category) {
    add(category_name(share.category), static_cast<double>(share.bytes),
        category_colour(ui.theme, share.category));
  }
  if (report.lifetimes && report.unnamed_bytes() > 0.5)
    add(text(Text::kMemoryUnknown), report.unnamed_bytes(), ui.theme.grid_major);
  if (all <= 0) return {};
  for (BarPart& part : parts) {
    part.share /= all;
    part.value += "  " + format_percent(part.share);
  }
  return parts;
}

using analysis::MemoryHolder;

constexpr float kSideShare = 0.32f, kRoomForSidePx = 720;
constexpr std::size_t kMostBlocks = 5;

// Returns true if row `a` comes before row `b` when the table is sorted by `column`.
bool holder_comes_before(const MemoryHolder& a, const MemoryHolder& b, int column) {
  switch (column) {
    case 0:
      return a.op < b.op;
    case 1:
      return a.category < b.category;
    case 4:
      return a.blocks < b.blocks;
    case 5:
      // This column shows the time since the allocation: the later the allocation, the shorter this time.
      return a.since > b.since;
    default:
      return a.bytes < b.bytes;
  }
}

// Stores the newest answer in view.shown, which the table shows. While the mouse is over the table, does not
// store a newer answer to the same question, so that rows do not move under the mouse.
void follow_answer(const PanelModel& model, const MemoryAnswer* answer, MemoryView& view) {
  if (view.shown && view.shown->trace != model.trace.identity()) view.shown.reset();
  if (answer == nullptr || (view.shown && view.shown->number == answer->number)) return;
  if (view.shown && view.under_mouse && view.shown->asked == answer->asked) return;
  view.shown = *answer;
}

void bring_into_view(const PanelModel& model, Timestamp at, Commands& out) {
  const TimeRange seen = model.timeline.view;
  if (seen.contains(at)) return;
  const Timestamp begin = at - seen.duration() / 2;
  out.push_back(TimelineCommand{ZoomTo{{begin, begin + seen.duration()}}});
}

// Moves the timeline to the op's slice. If the trace has no slice of this op, moves the timeline to the time
// of the allocation.
void go_to(const PanelModel& model, OpId op, Timestamp allocated, Commands& out) {
  if (const auto place = place_of_op(model.trace, op)) {
    out.push_back(TimelineCommand{ShowSlice{*place}});
  } else {
    bring_into_view(model, allocated, out);
    out.push_back(Tell{text(Text::kMemoryOpNotHere)});
  }
}

// ---- by op ----------------------------------------------------------------------------------------------

void holder_row(const PanelModel& model, const PanelUi& ui, const MemoryAnswer& answer,
                const MemoryHolder& holder, std::size_t index, Commands& out) {
  if (row_button(ui, "memory:row:", index, false)) go_to(model, holder.largest, holder.largest_since, out);
  tooltip(ui, text(Text::kMemoryRowHint));
  ellipsis_line(ui, holder_name(holder.op), ImGui::GetContentRegionAvail().x);
  text_cell(ui, category_name(holder.category));
  number_cell(format_bytes(static_cast<double>(holder.bytes)));
  number_cell(format_percent(share_of(answer.report, holder.bytes)));
  number_cell(format_count(static_cast<double>(holder.blocks)));
  number_cell(format_duration(answer.report.at - holder.since));
}

void holders_table(const PanelModel& model, const PanelUi& ui, MemoryView& view, ImVec2 size, Commands& out) {
  const MemoryAnswer& answer = *view.shown;
  view.under_mouse = false;
  if (!ImGui::BeginTable("##memory", 6, kListTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kMostFirst = ImGuiTableColumnFlags_PreferSortDescending;
  list_column(Text::kMemoryOp, 0, 1.8f);
  list_column(Text::kMemoryCategory, 0, 1.2f);
  list_column(Text::kMemoryBytes, kMostFirst | ImGuiTableColumnFlags_DefaultSort, 1.0f);
  list_column(Text::kMemoryShare, kMostFirst, 0.8f);
  list_column(Text::kMemoryBlocks, kMostFirst, 0.8f);
  list_column(Text::kMemoryHeldFor, kMostFirst, 1.0f);
  table_headers(ui, 2);
  const std::vector<MemoryHolder>& holders = answer.report.holders;
  put_in_order(view.order, answer.number, holders, holder_comes_before);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.order.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      holder_row(model, ui, answer, holders[view.order.rows[index]], index, out);
    }
  }
  view.under_mouse = ImGui::IsWindowHovered();
  ImGui::EndTable();
}

// ---- next to the table ----------------------------------------------------------------------------------

void blocks_table(const PanelModel& model, const PanelUi& ui, const analysis::MemoryReport& report,
                  Commands& out) {
  if (report.largest.empty()) return;
  ImGui::Spacing();
  small_dim_line(ui, text(Text::kMemoryLargest));
  if (!ImGui::BeginTable("##blocks", 3, ImGuiTableFlags_NoSavedSettings)) return;
  for (const float weight : {2.0f, 1.0f, 1.0f})
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, weight);
  for (std::size_t i = 0; i < std::min(report.largest.size(), kMostBlocks); ++i) {
    const trace::Allocation& block = report.largest[i];
    if (row_button(ui, "memory:block:", i, false)) go_to(model, block.op, block.begin, out);
    ellipsis_line(ui, holder_name(std::string(model.trace.string(block.name))),
                  ImGui::GetContentRegionAvail().x);
    number_cell(format_bytes(static_cast<double>(block.size_bytes)));
    number_cell(format_duration(report.at - block.begin));
  }
  ImGui::EndTable();
}

void side(const PanelModel& model, const PanelUi& ui, const MemoryAnswer& answer, ImVec2 size,
          Commands& out) {
  ImGui::BeginChild("##memory_side", size);
  small_dim_line(ui, text(Text::kMemoryByCategory));
  draw_share_bar(ui, "memory_bar", parts_of(ui, answer.report));
  if (const std::string caveat = memory_caveat(answer); !caveat.empty()) {
    ImGui::Spacing();
    wrapped_text(ui, caveat, true);
  }
  blocks_table(model, ui, answer.report, out);
  ImGui::EndChild();
}

// Returns the table as cells to copy or save for a spreadsheet: plain numbers, with the unit in the header.
TableRows rows_of(const MemoryAnswer& answer, const std::vector<std::size_t>& order) {
  const std::string bytes_header = std::string(text(Text::kMemoryBytes)) + " (B)";
  TableRows rows{{text(Text::kMemoryOp), text(Text::kMemoryCategory), bytes_header, text(Text::kMemoryShare),
                  text(Text::kMemoryBlocks), ns_header(Text::kMemoryHeldFor)}};
  for (const std::size_t index : order) {
    const analysis::MemoryHolder& holder = answer.report.holders[index];
    rows.push_back({holder.op, holder.category, std::to_string(holder.bytes),
                    value_cell(share_of(answer.report, holder.bytes)), std::to_string(holder.blocks),
                    ns_cell(answer.report.at - holder.since)});
  }
  return rows;
}

// ---- above the table -------------------------------------------------------------------------------------

void device_choice(const PanelUi& ui, MemoryView& view) {
  const MemoryAnswer& answer = *view.shown;
  if (answer.devices.size() < 2) return;
  const auto chosen = std::ranges::find(answer.devices, answer.report.counter, &MemoryDevice::counter);
  ImGui::SetNextItemWidth(ui.px(130));
  const bool open = ImGui::BeginCombo("##device", chosen != answer.devices.end() ? chosen->name.c_str() : "");
  mark_widget(ui, "memory:device");
  if (open) {
    for (std::size_t i = 0; i < answer.devices.size(); ++i) {
      const MemoryDevice& device = answer.devices[i];
      const std::string label = device.name + "  " + format_bytes(device.peak.bytes);
      if (ImGui::Selectable(label.c_str(), device.counter == answer.report.counter))
        view.counter = device.counter;
      mark_widget(ui, "memory:device:" + std::to_string(i));
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
}

// Draws the buttons that choose the time of the report.
void time_buttons(const PanelModel& model, const PanelUi& ui, const MemoryView& view, Commands& out) {
  const ButtonLook peak{.label = text(Text::kMemoryAtPeak),
                        .strong = !model.timeline.pinned_time,
                        .accent = ui.theme.good,
                        .hint = text(Text::kMemoryAtPeakHint)};
  if (tool_button(ui, "memory:peak", peak)) {
    out.push_back(TimelineCommand{PinTime{}});
    if (view.shown && view.shown->peak) {
      bring_into_view(model, view.shown->peak->at, out);
      out.push_back(TimelineCommand{RevealTrack{view.shown->report.counter}});
    }
  }
  ImGui::SameLine();
  const auto slice =
      model.timeline.selected ? find_slice(model.trace, *model.timeline.selected) : std::nullopt;
  const ButtonLook selection{.label = text(Text::kMemoryAtSelection),
                             .enabled = slice.has_value(),
                             .strong = slice && model.timeline.pinned_time == slice->begin,
                             .accent = ui.theme.good,
                             .hint = text(Text::kMemoryAtSelectionHint)};
  if (tool_button(ui, "memory:selection", selection) && slice)
    out.push_back(TimelineCommand{PinTime{slice->begin}});
  ImGui::SameLine();
}

void header(MemoryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  MemoryView& view = panel.view;
  ImGui::AlignTextToFramePadding();
  bold_line(ui, text(Text::kPanelMemory));
  mark_widget(ui, "memory");
  ImGui::SameLine(0, ui.px(16));
  if (view.shown) device_choice(ui, view);
  time_buttons(model, ui, view, out);
  range_checkbox(model, ui, "memory", view.in_range);
  const bool told = view.shown && view.shown->report.counter != kNoTrack;
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, told ? memory_summary(*view.shown) : std::string(),
                ImGui::GetContentRegionAvail().x - list_end_width(ui) - ui.px(16));
  const MakeRows rows = [&] { return rows_of(*view.shown, view.order.rows); };
  list_end(ui, panel, "memory", Text::kMemoryCloseHint, told ? rows : nullptr, out);
}

}  // namespace

void paint_panel(MemoryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  MemoryView& view = panel.view;
  follow_answer(model, panel.answer(), view);
  header(panel, model, ui, out);
  if (!view.shown) return dim_line(ui, text(Text::kFindLooking));
  if (view.shown->report.counter == kNoTrack) return wrapped_text(ui, text(Text::kMemoryNone), true);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (view.shown->report.holders.empty()) return side(model, ui, *view.shown, room, out);
  const bool wide = room.x >= ui.px(kRoomForSidePx);
  const float right = wide ? std::floor(room.x * kSideShare) : 0;
  holders_table(model, ui, view, {room.x - right - (wide ? ui.px(12) : 0), room.y}, out);
  if (!wide) return;
  ImGui::SameLine(0, ui.px(12));
  side(model, ui, *view.shown, {right, room.y}, out);
}

}  // namespace runahead::gui
