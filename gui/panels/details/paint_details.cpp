#include <algorithm>
#include <numeric>

#include "gui/answers/range_figures.h"
#include "gui/model/model.h"
#include "gui/model/table_rows.h"
#include "gui/panels/details/details_panel.h"
#include "gui/panels/details/op_slices.h"
#include "gui/panels/details/paint_area.h"
#include "gui/panels/details/paint_details_parts.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/paint/cause_colours.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/wait_facts.h"
#include "gui/widgets/share_bar.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

void figure_at(const PanelUi& ui, const std::string& figure, float left, float right, bool dim) {
  const float room = right - left - ui.px(4);
  const float width = std::min(room, ImGui::CalcTextSize(figure.c_str()).x);
  ImGui::SetCursorPosX(right - width);
  ellipsis_line(ui, figure, room, dim);
}

void table_line(const PanelUi& ui, Text name, const char* widget, const char* file, const MakeRows& rows,
                Commands& out) {
  const float left = ImGui::GetContentRegionAvail().x - table_buttons_width(ui);
  const float indent = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, text(name), left - ui.px(8), true);
  ImGui::SameLine(indent + std::max(left, ui.px(60)));
  table_buttons(ui, widget, file, rows, out);
}

namespace {

using samples::ShownRow;
using samples::ShownTable;

// Horizontal positions of figures, as shares of the panel's width. If a table has one column of figures, each
// figure is drawn to the right of its label. If a table has two columns of figures, both figures are drawn
// below their label.
constexpr float kOneFigureAt = 0.62f;
constexpr float kTwoFiguresAt = 0.16f, kSecondFigureAt = 0.58f;

void two_figures(const PanelUi& ui, const std::vector<std::string>& figures, bool dim) {
  const float width = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float middle = left + width * kSecondFigureAt;
  const auto shown = [&](std::size_t i) {
    return i < figures.size() && !figures[i].empty() ? translated(figures[i])
                                                     : std::string(text(Text::kNoFigure));
  };
  // Headings (`dim`) have no label before them.
  figure_at(ui, shown(0), dim ? left : left + width * kTwoFiguresAt, middle, dim);
  ImGui::SameLine();
  figure_at(ui, shown(1), middle, left + width, dim);
}

void one_figure(const PanelUi& ui, const ShownRow& row) {
  const float width = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float top = ImGui::GetCursorPosY();
  ImGui::BeginGroup();
  dim_line(ui, in_lines(translated(row.label), width * kOneFigureAt));
  ImGui::EndGroup();
  tooltip(ui, translated(row.hint));
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top);
  figure_at(ui, translated(row.figures.front()), left + width * kOneFigureAt, left + width);
  tooltip(ui, translated(row.hint));
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
}

void result_table(const PanelUi& ui, const ShownTable& table) {
  if (!table.title.empty()) {
    bold_wrapped(ui, translated(table.title));
  }
  const bool beside = table.columns.size() > 1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  if (beside) {
    const float width = ImGui::GetContentRegionAvail().x;
    note_fit(ui, translated(table.columns[0]), width * kSecondFigureAt - ui.px(4));
    note_fit(ui, translated(table.columns[1]), width * (1 - kSecondFigureAt) - ui.px(4));
    two_figures(ui, table.columns, true);
  }
  for (const ShownRow& row : table.rows) {
    if (!beside) {
      one_figure(ui, row);
      continue;
    }
    wrapped_text(ui, translated(row.label), true);
    tooltip(ui, translated(row.hint));
    two_figures(ui, row.figures, false);
  }
  if (!table.sentence.empty()) wrapped_text(ui, translated(table.sentence));
  ImGui::PopStyleVar();
  ImGui::Dummy(ImVec2(0, ui.px(2)));
}

void run_results(const PanelModel& model, const PanelUi& ui) {
  if (model.start.results.empty()) return;
  heading(ui, text(Text::kResults));
  mark_widget(ui, "results");
  wrapped_text(ui, model.start.results_of, true);
  for (const ShownTable& table : model.start.results) result_table(ui, table);
  ImGui::Dummy(ImVec2(0, ui.px(8)));
}

constexpr std::size_t kMostLinks = 32;
constexpr std::size_t kMostNames = 24;

Text flow_text(const LinkedSlice& link) {
  switch (link.kind) {
    case trace::FlowKind::kEnqueueToExecute:
      return link.outgoing ? Text::kFlowExecutes : Text::kFlowEnqueuedBy;
    case trace::FlowKind::kExecuteToWait:
      return link.outgoing ? Text::kFlowReleases : Text::kFlowReleasedBy;
    case trace::FlowKind::kOpToOp:
      return link.outgoing ? Text::kFlowNeededBy : Text::kFlowNeeds;
    case trace::FlowKind::kLaunchToDevice:
      return link.outgoing ? Text::kFlowLaunches : Text::kFlowLaunchedBy;
    case trace::FlowKind::kOther:
      break;
  }
  return link.outgoing ? Text::kFlowTo : Text::kFlowFrom;
}

// Returns a view that shows `slice` with room on both sides.
TimeRange view_around(const trace::Slice& slice) {
  const Duration room = slice.duration() + std::chrono::microseconds(20);
  return {slice.begin - room, slice.end + room};
}

// Selects the slice, shows it with room on both sides, and scrolls to its row.
void zoom_to(const SliceRef& ref, const trace::Slice& slice, Commands& out) {
  out.push_back(TimelineCommand{GlideTo{view_around(slice)}});
  out.push_back(TimelineCommand{ShowSlice{ref}});
}

// Returns the label of a slice. The label of a copy is its size and rate, so the name is put before it.
std::string linked_label(const trace::Trace& trace, const trace::Slice& slice, bool open) {
  std::string label = slice_label(trace, slice, open);
  const std::string_view name = trace.string(slice.name);
  if (is_copy(slice.kind) && !name.empty() && label != name) label = std::string(name) + ", " + label;
  return label;
}

// Draws a row that leads to another slice: "launched by: cudaLaunchKernel, in aten::addmm, 14.7 ms earlier".
// `where` is the text after the name of the slice.
void link_row(const PanelModel& model, const PanelUi& ui, const std::string& widget, Text relation,
              const SliceRef& linked, const std::string& where, Commands& out) {
  const std::optional<trace::Slice> slice = find_slice(model.trace, linked);
  if (!slice) return;
  const std::string label =
      std::string(text(relation)) + ": " + linked_label(model.trace, *slice, linked.open) + where;
  ImGui::PushID(widget.c_str());
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable("##link", false)) zoom_to(linked, *slice, out);
  mark_widget(ui, widget);
  tooltip(ui, label + "\n" + track_label(model.trace, linked.track) + "\n" + text(Text::kGoThere));
  ImGui::SetCursorPos(at);
  text_line(shortened(ImGui::GetFont(), label, ImGui::GetContentRegionAvail().x));
  ImGui::PopID();
}

Colour part_colour(const Theme& theme, Text part) {
  if (part == Text::kOpPartInputs) return theme.of(trace::SliceKind::kEnqueue);
  return part == Text::kOpPartQueued ? theme.warning : theme.of(trace::SliceKind::kExecute);
}

// Draws the time from the enqueue of `op` to its end as a bar of parts.
void op_bar(const PanelUi& ui, std::string_view widget, const trace::OpRow& op) {
  const std::vector<OpPart> parts = op_parts(op);
  Duration total{};
  for (const OpPart& part : parts) total += part.duration;
  std::vector<BarPart> bar;
  for (const OpPart& part : parts) {
    const double share = static_cast<double>(ns_from(part.duration)) / static_cast<double>(ns_from(total));
    bar.push_back({text(part.name), format_duration(part.duration), share, part_colour(ui.theme, part.name)});
  }
  draw_share_bar(ui, widget, bar);
  if (!bar.empty()) ImGui::Dummy(ImVec2(0, ui.px(4)));
}

// Returns the flow chain on the screen; nullptr if this chain does not belong to the current selection.
const FlowChain* chain_of(const PanelModel& model, const SliceRef& ref) {
  const FlowChain* const chain = model.scene != nullptr ? &model.scene->flow_chain : nullptr;
  return chain != nullptr && chain->key.selected == ref ? chain : nullptr;
}

// Draws the number of flow arrows in the chain, and the number of steps of the chain. A chain of n steps
// follows up to n flows from the selection, one after the other. Also draws a button that adds a step; the
// button is disabled if a further step would add no arrows.
void chain_row(const PanelModel& model, const PanelUi& ui, const FlowChain& chain, Commands& out) {
  const std::uint32_t steps = model.timeline.flow_steps;
  const std::string count = std::to_string(chain.flows.size());
  wrapped_text(ui,
               steps == 1 ? filled(Text::kFlowsDirect, {count})
                          : filled(Text::kFlowsSteps, {count, std::to_string(steps)}),
               true);
  if (chain.omitted > 0) wrapped_text(ui, filled(Text::kFlowsOmitted, {std::to_string(chain.omitted)}), true);
  ImGui::BeginDisabled(!chain.more);
  if (ImGui::Button(text(Text::kFlowsMore))) out.push_back(TimelineCommand{ShowFlows{steps + 1}});
  ImGui::EndDisabled();
  mark_widget(ui, "flows:more");
  tooltip(ui, text(Text::kFlowsMoreHint));
  if (steps == 1) return;
  const float needed = ImGui::CalcTextSize(text(Text::kFlowsLess)).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < needed) ImGui::NewLine();
  if (ImGui::Button(text(Text::kFlowsLess))) out.push_back(TimelineCommand{ShowFlows{1}});
  mark_widget(ui, "flows:direct");
}

// Draws a row for each op that the end of the selected op made ready, and the number of further ops.
void made_ready_rows(const PanelModel& model, const PanelUi& ui, const MadeReady& ready, Commands& out) {
  for (std::size_t i = 0; i < ready.ops.size(); ++i) {
    const MadeReady::Op& op = ready.ops[i];
    const std::string later = ", " + filled(Text::kLinkedLater, {format_duration(op.started)});
    link_row(model, ui, "made_ready:" + std::to_string(i), Text::kMadeReady, op.slice, later, out);
  }
  if (ready.omitted > 0) {
    const Text more = ready.ops.empty() ? Text::kMadeReadyUnseen : Text::kMadeReadyMore;
    wrapped_text(ui, filled(more, {std::to_string(ready.omitted)}), true);
  }
  if (!ready.all) wrapped_text(ui, text(Text::kMadeReadyNotAll), true);
}

// Draws the slices that lead to the selected slice, and to which it leads.
void flows(const PanelModel& model, const PanelUi& ui, const SliceRef& ref, const MadeReady& ready,
           Commands& out) {
  std::vector<LinkedSlice> links = linked_slices(model.trace, ref, kMostLinks);
  const FlowChain* const chain = chain_of(model, ref);
  if (links.empty() && chain != nullptr) links = links_of_chain(model.trace, *chain, ref);
  if (links.size() > kMostLinks) links.resize(kMostLinks);
  const std::optional<SliceRef> readied_by = made_ready_by(model.trace, ref);
  const bool no_chain = chain == nullptr || (chain->flows.empty() && !chain->more);
  if (links.empty() && !readied_by && ready.ops.empty() && ready.omitted == 0 && no_chain) return;
  heading(ui, text(Text::kFlows));
  const auto where = [&](const SliceRef& linked) { return where_linked(model.trace, linked, ref); };
  if (readied_by)
    link_row(model, ui, "made_ready_by", Text::kMadeReadyBy, *readied_by, where(*readied_by), out);
  for (std::size_t i = 0; i < links.size(); ++i)
    link_row(model, ui, "link:" + std::to_string(i), flow_text(links[i]), links[i].slice,
             where(links[i].slice), out);
  made_ready_rows(model, ui, ready, out);
  if (chain != nullptr) chain_row(model, ui, *chain, out);
  ImGui::Dummy(ImVec2(0, ui.px(6)));
}

// Draws the parts of a wait, and below them the parts of the op that the wait was for.
void wait_bars(const PanelModel& model, const PanelUi& ui, const SliceRef& ref, const trace::Slice& wait) {
  const std::optional<analysis::WaitReason> reason = reason_of_wait(model.trace, ref);
  if (!reason) return;
  draw_wait_bar(ui, reason->split);
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  const OpId awaited = awaited_op(wait, *reason);
  if (const std::optional<trace::OpRow> op = model.trace.op(awaited)) {
    if (op_parts(*op).empty()) return;
    wrapped_text(ui, filled(Text::kAwaitedOp, {op_text(model.trace, awaited)}), true);
    op_bar(ui, "awaited_op_bar", *op);
  }
}

// Draws what a call of another tool's trace waited for.
void wait_cause(const PanelModel& model, const PanelUi& ui, const WaitCause& cause, Commands& out) {
  draw_wait_bar(ui, cause.split);
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  if (cause.work) {
    link_row(model, ui, "awaited_work", Text::kTimelineWaitedFor, *cause.work, "", out);
    fact_line(ui, text(Text::kCauseStream), track_label(model.trace, cause.work->track));
    fact_line(ui, text(Text::kCauseEvidence),
              text(cause.inferred ? Text::kCauseInferred : Text::kCauseRecorded));
  } else {
    fact_line(ui, text(Text::kTimelineWaitedFor), awaited_name(model.trace, cause));
  }
  if (!cause.place.empty()) fact_line(ui, text(Text::kCausePlace), cause.place);
  if (cause.idle_after > Duration{})
    fact_line(ui, text(Text::kCauseIdleAfter), format_duration(cause.idle_after));
}

void selection(const PanelModel& model, const PanelUi& ui, const SliceRef& ref, const WaitCause* cause,
               MadeReady& ready, Commands& out) {
  heading(ui, text(Text::kSelection));
  const std::optional<trace::Slice> slice = find_slice(model.trace, ref);
  if (slice) bold_wrapped(ui, slice_label(model.trace, *slice, ref.open));
  if (slice && ImGui::Button(text(Text::kZoomToIt))) zoom_to(ref, *slice, out);
  mark_widget(ui, "zoom_to_selection");
  ImGui::SameLine();
  if (ImGui::Button(text(Text::kClear))) out.push_back(TimelineCommand{ClearSelection{}});
  mark_widget(ui, "clear_selection");
  if (cause != nullptr) {
    wait_cause(model, ui, *cause, out);
  } else if (slice && slice->kind == trace::SliceKind::kWait) {
    wait_bars(model, ui, ref, *slice);
  } else if (slice && slice->op != kNoOp) {
    if (const std::optional<trace::OpRow> op = model.trace.op(slice->op)) op_bar(ui, "op_bar", *op);
  }
  update_made_ready(model.trace, ref, ready);
  flows(model, ui, ref, ready, out);
  for (const auto& [name, value] : slice_facts(model.trace, ref, WaitParts::kLeftOut))
    fact_line(ui, name, value);
  for (const auto& [name, value] : collective_facts(model.trace, model.timeline.causes.get(), ref))
    fact_line(ui, name, value);
}

// Draws the selected idle gap of a device: why it was there, part by part, and the work that ended it.
void idle_selection(const PanelModel& model, const PanelUi& ui, const FoundIdle& idle, Commands& out) {
  heading(ui, text(Text::kSelection));
  bold_wrapped(ui, idle_label(idle.gap));
  if (ImGui::Button(text(Text::kZoomToIt))) {
    const Duration room = idle.gap.range.duration() / 10;
    out.push_back(TimelineCommand{GlideTo{{idle.gap.range.begin - room, idle.gap.range.end + room}}});
    if (!idle.device.tracks.empty()) out.push_back(TimelineCommand{RevealTrack{idle.device.tracks.front()}});
  }
  mark_widget(ui, "zoom_to_idle");
  ImGui::SameLine();
  if (ImGui::Button(text(Text::kClear))) out.push_back(TimelineCommand{ClearSelection{}});
  mark_widget(ui, "clear_selection");
  std::vector<BarPart> parts;
  for (const CausePart<causes::IdleCause>& part : idle_parts(idle.parts))
    parts.push_back({idle_cause_name(part.kind),
                     format_duration(part.time) + " (" + format_percent(part.share) + ")", part.share,
                     idle_colour(ui.theme, part.kind)});
  draw_share_bar(ui, "idle_bar", parts);
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  wrapped_text(ui, filled(Text::kIdleBecause, {idle_cause_sentence(idle.gap.cause)}));
  const auto next = next_work(model.trace, idle.gap);
  if (next) link_row(model, ui, "idle_next", Text::kIdleNext, *next, "", out);
  std::string device = idle.device.name;
  if (idle.device.simulated) device += std::string(" (") + text(Text::kTimelineSimulated) + ")";
  fact_line(ui, text(Text::kIdleDevice), device);
  fact_line(ui, text(Text::kTimelineBegins), format_axis_time(idle.gap.range.begin, Duration{1000}));
  fact_line(ui, text(Text::kTimelineDuration), format_duration(idle.gap.range.duration()));
  if (!next) fact_line(ui, text(Text::kIdleNext), text(Text::kIdleNothingNext));
}

void names_table(const PanelUi& ui, const std::vector<analysis::NameStatistics>& names) {
  if (!ImGui::BeginTable("##names", 3, ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn(text(Text::kName), ImGuiTableColumnFlags_WidthStretch, 2.0f);
  ImGui::TableSetupColumn(text(Text::kCount), ImGuiTableColumnFlags_WidthStretch, 1.0f);
  ImGui::TableSetupColumn(text(Text::kTotal), ImGuiTableColumnFlags_WidthStretch, 1.2f);
  table_headers(ui, 1);
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    const analysis::NameStatistics& name = names[i];
    ImGui::TableNextColumn();
    ellipsis_line(ui, name.name + "  " + kind_name(name.kind), ImGui::GetContentRegionAvail().x);
    tooltip(ui, name.name + ", " + kind_name(name.kind) + ", " + translated(name.track_group) + "\n" +
                    text(Text::kMean) + " " + format_duration(name.mean) + ", p50 " +
                    format_duration(name.p50) + ", p99 " + format_duration(name.p99));
    number_cell(format_count(static_cast<double>(name.count)));
    number_cell(format_duration(name.total));
  }
  ImGui::EndTable();
}

void range(const PanelModel& model, const PanelUi& ui, Commands& out) {
  heading(ui, text(Text::kRange));
  const auto* const part = analysis::part_with_range(model.timeline.parts, *model.timeline.range);
  if (part != nullptr)
    ellipsis_line(ui, filled(Text::kPartOfRun, {translated(part->name)}), ImGui::GetContentRegionAvail().x);
  if (ImGui::Button(text(Text::kZoomToIt))) out.push_back(TimelineCommand{GlideTo{*model.timeline.range}});
  mark_widget(ui, "zoom_to_range");
  ImGui::SameLine();
  if (ImGui::Button(text(Text::kClear))) out.push_back(TimelineCommand{SetRange{std::nullopt}});
  mark_widget(ui, "clear_range");
  if (!model.figures.range) {
    dim_line(ui, text(Text::kMeasuring));
    return;
  }
  const RangeFacts& facts = *model.figures.range;
  table_line(
      ui, Text::kTableFigures, "range:figures", "range", [&] { return range_rows(facts.figures); }, out);
  for (const auto& [name, value] : range_figures(model.trace, facts.figures)) fact_line(ui, name, value);
  if (facts.names.empty()) return;
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  const MakeRows all_names = [&] {
    std::vector<std::size_t> all(facts.names.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return statistics_rows(facts.names, all);
  };
  table_line(ui, Text::kTableNames, "range:names", "range-names", all_names, out);
  names_table(ui, facts.names);
}

void nothing_selected(const PanelUi& ui) {
  heading(ui, text(Text::kDetails));
  wrapped_text(ui, text(Text::kDetailsEmptyClick), true);
  ImGui::Spacing();
  wrapped_text(ui, text(Text::kDetailsEmptyRange), true);
  ImGui::Spacing();
  wrapped_text(ui, text(Text::kDetailsEmptyArea), true);
}

// Returns a model for the lower timeline of a comparison. Only the fields for drawing a selection are set.
PanelModel lower_model(const PanelModel& model) {
  return {.trace = *model.compare.b_trace, .timeline = *model.compare.b_timeline, .start = model.start};
}

// Draws the selection of the lower timeline. Its buttons and links send their commands to the lower timeline.
void lower_selection(const PanelModel& model, const PanelUi& ui, MadeReady& ready, Commands& out) {
  if (model.compare.b_trace == nullptr || !model.compare.b_timeline->selected) return;
  // These widgets are not listed in the report: the widgets of the upper selection have the same names.
  const PanelUi unnamed{ui.theme, ui.fonts, ui.scale};
  Commands asked;
  ImGui::PushID("lower");
  ImGui::Dummy(ImVec2(0, ui.px(8)));
  side_tag(ui, CompareSide::kB);
  selection(lower_model(model), unnamed, *model.compare.b_timeline->selected, nullptr, ready, asked);
  ImGui::PopID();
  for (const Command& command : asked) {
    if (const auto* const timeline = std::get_if<TimelineCommand>(&command))
      out.push_back(OnLowerTimeline{*timeline});
  }
}

}  // namespace

void paint_panel(DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  const bool selected = model.timeline.selected.has_value();
  const auto idle = !selected && model.timeline.selected_idle && model.timeline.causes != nullptr
                        ? find_idle(*model.timeline.causes, *model.timeline.selected_idle)
                        : std::nullopt;
  const bool any = selected || idle || model.timeline.range || model.timeline.area;
  const auto gap = [&] { ImGui::Dummy(ImVec2(0, ui.px(8))); };
  if (selected) {
    const SliceRef ref = *model.timeline.selected;
    selection(model, ui, ref, panel.cause_of(ref), panel.made_ready, out);
    gap();
  }
  if (idle) {
    idle_selection(model, ui, *idle, out);
    gap();
  }
  if (model.timeline.range) {
    ImGui::PushID("range");
    range(model, ui, out);
    ImGui::PopID();
    gap();
  }
  if (model.timeline.area) {
    ImGui::PushID("area");
    paint_area(panel, model, ui, out);
    ImGui::PopID();
    gap();
  }
  run_results(model, ui);
  if (!any) nothing_selected(ui);
  lower_selection(model, ui, panel.lower_made_ready, out);
}

}  // namespace runahead::gui
