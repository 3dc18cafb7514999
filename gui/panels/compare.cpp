#include "gui/panels/compare.h"

#include <algorithm>
#include <cmath>

#include "gui/panels/compare_histogram.h"
#include "gui/timeline/facts.h"
#include "imgui_stdlib.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::FigurePair;
using analysis::NamePair;
using Problem = CompareAnswer::Problem;

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                   ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings;
// At scale 1.
constexpr float kFiguresPx = 390, kNamePx = 150, kNumberPx = 74, kOnePx = 330, kFilterPx = 170;

void right_cell(const std::string& words) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::TextUnformatted(words.c_str());
}

std::string range_words(const std::optional<TimeRange>& range, Text without) {
  if (!range) return text(without);
  const Duration step = std::max(range->duration() / 100, Duration{1});
  return format_axis_time(range->begin, step) + " .. " + format_axis_time(range->end, step);
}

// ---- what A and B are -------------------------------------------------------------------------------------

void mode_button(const PanelModel& model, const PanelUi& ui, CompareMode mode, const char* id, Text label,
                 Text hint, Commands& out) {
  const bool chosen = model.compare.choice.mode == mode;
  const ButtonLook look{.label = text(label), .strong = chosen, .accent = ui.theme.range, .hint = text(hint)};
  if (tool_button(ui, id, look) && !chosen) {
    CompareChoice choice = model.compare.choice;
    choice.mode = mode;
    choice.b.reset();  // of another trace, or of another use
    out.push_back(Compare{choice});
  }
  ImGui::SameLine();
}

// Which change: a list of them.
void change_choice(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const CompareAnswer* const answer = model.compare.answer;
  if (answer == nullptr || !answer->change) return;
  const auto label = [&](std::size_t i) {
    const analysis::BarrierChange& change = answer->changes[i].change;
    return change.label + "  " + text(Text::kCompareAtTime) + " " +
           format_axis_time(change.at, std::chrono::milliseconds(1));
  };
  ImGui::SetNextItemWidth(std::min(ui.px(280), ImGui::GetContentRegionAvail().x * 0.4f));
  const bool open = ImGui::BeginCombo("##change", label(*answer->change).c_str());
  mark_widget(ui, "compare:change");
  if (open) {
    for (std::size_t i = 0; i < answer->changes.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(label(i).c_str(), i == *answer->change)) {
        CompareChoice choice = model.compare.choice;
        choice.change = i;
        out.push_back(Compare{choice});
      }
      mark_widget(ui, "compare:change:" + std::to_string(i));
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
}

// "A: 1.20 .. 1.40 s": takes the range that is marked on its timeline.
void range_button(const PanelModel& model, const PanelUi& ui, CompareSide side, Commands& out) {
  const CompareChoice& now = model.compare.choice;
  const bool a = side == CompareSide::kA;
  const Text without = now.mode == CompareMode::kRecording ? Text::kCompareAll : Text::kCompareNotSet;
  const std::string label = std::string(a ? "A: " : "B: ") + range_words(a ? now.a : now.b, without);
  const ButtonLook look{.label = label, .hint = text(Text::kCompareSetHint)};
  if (tool_button(ui, a ? "compare:set_a" : "compare:set_b", look)) {
    CompareChoice choice = now;
    std::optional<TimeRange> marked = model.timeline.range;
    const bool below = model.compare.b_trace != nullptr && model.compare.b_timeline->range.has_value();
    if (!a && below) marked = model.compare.b_timeline->range;
    if (!a && !below && now.mode == CompareMode::kRecording) marked.reset();
    (a ? choice.a : choice.b) = marked;
    out.push_back(Compare{choice});
  }
  ImGui::SameLine();
}

void choices(const PanelModel& model, const PanelUi& ui, Commands& out) {
  mode_button(model, ui, CompareMode::kChange, "compare:mode:change", Text::kCompareChange,
              Text::kCompareChangeHint, out);
  mode_button(model, ui, CompareMode::kRanges, "compare:mode:ranges", Text::kCompareRanges,
              Text::kCompareRangesHint, out);
  mode_button(model, ui, CompareMode::kRecording, "compare:mode:recording", Text::kCompareRecording,
              Text::kCompareRecordingHint, out);
  ImGui::Dummy(ImVec2(ui.px(4), 1));
  ImGui::SameLine();
  const CompareMode mode = model.compare.choice.mode;
  if (mode == CompareMode::kChange) return change_choice(model, ui, out);
  if (mode == CompareMode::kRecording) {
    const bool none = model.compare.b_name.empty();
    const std::string label = none ? text(Text::kCompareOpenDots) : model.compare.b_name;
    const ButtonLook look{.icon = Icon::kOpen,
                          .label = label,
                          .strong = none,
                          .accent = ui.theme.good,
                          .hint = text(Text::kCompareNoRecording)};
    if (tool_button(ui, "compare:open", look)) out.push_back(AskForFile{FilePurpose::kCompare});
    ImGui::SameLine();
    if (none) return;
  }
  range_button(model, ui, CompareSide::kA, out);
  range_button(model, ui, CompareSide::kB, out);
}

void close_button(const PanelUi& ui, Commands& out) {
  const ButtonLook close{.icon = Icon::kClose, .hint = text(Text::kCompareCloseHint)};
  const float right = ImGui::GetWindowContentRegionMax().x - tool_button_width(ui, close);
  ImGui::SameLine(std::max(right, ImGui::GetCursorPosX()));
  if (tool_button(ui, "compare:close", close)) out.push_back(CloseComparison{});
}

// ---- the line below ---------------------------------------------------------------------------------------

void losses(const PanelUi& ui, CompareSide side, const trace::LossCounts& lost) {
  if (!lost.facts_missing()) return;
  std::string all;
  for (const std::string& sentence : loss_sentences(lost)) all += (all.empty() ? "" : "\n") + sentence;
  const std::string line = std::string(side == CompareSide::kA ? "A " : "B ") + text(Text::kCompareLost) +
                           " " + all.substr(0, all.find('\n'));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
  ellipsis_line(ui, line, ImGui::GetContentRegionAvail().x * 0.45f);
  ImGui::PopStyleColor();
  mark_widget(ui, side == CompareSide::kA ? "compare:lost_a" : "compare:lost_b");
  tooltip(ui, all);
  ImGui::SameLine();
}

std::string working(const CompareFacts& compare) {
  return std::string(text(Text::kCompareWorking)) + "  " + format_percent(compare.done);
}

void tools(const PanelModel& model, const PanelUi& ui, CompareView& view, Commands& out) {
  ImGui::SetNextItemWidth(ui.px(kFilterPx));
  ImGui::InputTextWithHint("##filter", text(Text::kCompareFilter), &view.filter);
  mark_widget(ui, "compare:filter");
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
  losses(ui, CompareSide::kA, model.compare.answer->comparison.a_losses);
  losses(ui, CompareSide::kB, model.compare.answer->comparison.b_losses);
  ImGui::NewLine();
}

// ---- figures ----------------------------------------------------------------------------------------------

void figures_table(const PanelUi& ui, const std::vector<FigurePair>& figures, ImVec2 size) {
  if (!ImGui::BeginTable("##figures", 4, kTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(text(Text::kCompareFigure), ImGuiTableColumnFlags_WidthStretch, 2.1f);
  for (const char* const name : {"A", "B", "B/A"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, 1.0f);
  ImGui::TableHeadersRow();
  for (const FigurePair& figure : figures) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ellipsis_line(ui, figure_name(figure), ImGui::GetContentRegionAvail().x);
    right_cell(figure_words(figure.unit, figure.a));
    right_cell(figure_words(figure.unit, figure.b));
    right_cell(ratio_words(figure.ratio));
  }
  ImGui::EndTable();
}

// ---- names ------------------------------------------------------------------------------------------------

std::string header_of(NameColumn column) {
  switch (column) {
    case NameColumn::kName:
      return text(Text::kName);
    case NameColumn::kDifference:
      return "B - A";
    case NameColumn::kTotalA:
      return std::string(text(Text::kTotal)) + " A";
    case NameColumn::kTotalB:
      return std::string(text(Text::kTotal)) + " B";
    case NameColumn::kTotalRatio:
      return "B/A";
    case NameColumn::kMedianA:
      return "p50 A";
    case NameColumn::kMedianB:
      return "p50 B";
    case NameColumn::kMedianRatio:
      return "p50 B/A";
    case NameColumn::kCountA:
      return std::string(text(Text::kCount)) + " A";
    case NameColumn::kCountB:
      return std::string(text(Text::kCount)) + " B";
    case NameColumn::kP99A:
      return "p99 A";
    case NameColumn::kP99B:
      break;
  }
  return "p99 B";
}

void order_names(CompareView& view, const CompareAnswer& answer) {
  ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
  bool stale = view.listed_answer != answer.number || view.listed_filter != view.filter;
  if (sort != nullptr && sort->SpecsDirty && sort->SpecsCount > 0) {
    view.order = static_cast<NameColumn>(sort->Specs[0].ColumnUserID);
    view.descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    sort->SpecsDirty = false;
    stale = true;
  }
  if (!stale) return;
  view.listed = listed_names(answer.comparison.names, view.filter, view.order, view.descending);
  view.listed_answer = answer.number;
  view.listed_filter = view.filter;
}

void name_row(const PanelUi& ui, CompareView& view, const NamePair& pair, std::size_t index, int columns) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  const std::pair<std::string, trace::SliceKind> name{pair.name, pair.kind};
  const bool clicked = ImGui::Selectable(("##name" + std::to_string(index)).c_str(), view.name == name,
                                         ImGuiSelectableFlags_SpanAllColumns);
  mark_widget(ui, "compare:row:" + std::to_string(index));
  if (clicked) {
    if (view.name == name) {
      view.name.reset();
    } else {
      view.name = name;
    }
  }
  ImGui::SameLine(0, 0);
  ellipsis_line(ui, pair.name + "  " + kind_name(pair.kind), ImGui::GetContentRegionAvail().x,
                pair.only_in_a() || pair.only_in_b());
  for (int i = 1; i < columns; ++i) right_cell(name_cell(pair, static_cast<NameColumn>(i)));
}

void names_table(const PanelUi& ui, CompareView& view, const CompareAnswer& answer, ImVec2 size) {
  const int fit = 1 + static_cast<int>((size.x - ui.px(kNamePx)) / ui.px(kNumberPx));
  const int columns = std::clamp(fit, 2, kNameColumnCount);
  ImGui::PushID(columns);  // ImGui keeps widths by table
  if (ImGui::BeginTable("##matched", columns, kTable | ImGuiTableFlags_Sortable, size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (int i = 0; i < columns; ++i) {
      ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthStretch;
      if (i > 0) flags |= ImGuiTableColumnFlags_PreferSortDescending;
      if (i == static_cast<int>(NameColumn::kDifference)) flags |= ImGuiTableColumnFlags_DefaultSort;
      ImGui::TableSetupColumn(header_of(static_cast<NameColumn>(i)).c_str(), flags,
                              i == 0 ? kNamePx : kNumberPx, static_cast<ImGuiID>(i));
    }
    ImGui::TableHeadersRow();
    order_names(view, answer);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(view.listed.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto row = static_cast<std::size_t>(i);
        name_row(ui, view, answer.comparison.names[view.listed[row]], row, columns);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopID();
}

// ---- one name ---------------------------------------------------------------------------------------------

// Percentiles of both, with ratios.
void percentiles(const PanelUi& ui, const NamePair& pair) {
  if (!ImGui::BeginTable("##percentiles", 6, ImGuiTableFlags_NoSavedSettings)) return;
  const auto ratio = [&](Duration a, Duration b) {
    if (pair.a.count == 0 || pair.b.count == 0) return std::string();
    return ratio_words(analysis::ratio_of(static_cast<double>(ns_from(a)), static_cast<double>(ns_from(b))));
  };
  constexpr std::size_t kShown[]{0, 1, 3};
  const auto row = [&](const auto& first, const auto& cell) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    first();
    for (const std::size_t i : kShown) right_cell(cell(i));
    right_cell(cell(std::size(analysis::kHistogramPercents)));
  };
  const auto of = [](const analysis::DurationHistogram& side, std::size_t i) -> Duration {
    return i < side.percentiles.size() ? side.percentiles[i] : side.max;
  };
  ImGui::PushFont(ui.fonts.small);
  row([] {},
      [](std::size_t i) {
        static constexpr const char* kNames[]{"p50", "p90", "", "p99", ""};
        return std::string(i < std::size(kNames) ? kNames[i] : text(Text::kFindMost));
      });
  row([&] { side_tag(ui, CompareSide::kA); },
      [&](std::size_t i) { return pair.a.count > 0 ? format_duration(of(pair.a, i)) : ""; });
  row([&] { side_tag(ui, CompareSide::kB); },
      [&](std::size_t i) { return pair.b.count > 0 ? format_duration(of(pair.b, i)) : ""; });
  row([&] { dim_line(ui, "B/A"); }, [&](std::size_t i) { return ratio(of(pair.a, i), of(pair.b, i)); });
  ImGui::PopFont();
  ImGui::EndTable();
}

// "A < > 12 of 812": goes from one slice of the bar that was clicked to the next.
void stepper(const PanelModel& model, const PanelUi& ui, CompareSide side, Commands& out) {
  const ListedSlices& listed = model.compare.listed[static_cast<std::size_t>(side)];
  const std::string id = side == CompareSide::kA ? "compare:a" : "compare:b";
  const float row_y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(row_y + ImGui::GetStyle().FramePadding.y);
  side_tag(ui, side);
  ImGui::SameLine(0, ui.px(6));
  ImGui::SetCursorPosY(row_y);
  const bool any = !listed.slices.empty();
  const ButtonLook back{.label = "<", .enabled = any}, on{.label = ">", .enabled = any};
  if (tool_button(ui, (id + ":previous").c_str(), back)) out.push_back(StepCompared{side, -1});
  ImGui::SameLine(0, ui.px(2));
  if (tool_button(ui, (id + ":next").c_str(), on)) out.push_back(StepCompared{side, 1});
  ImGui::SameLine(0, ui.px(6));
  std::string words = format_count(static_cast<double>(listed.count));
  if (any) words = std::to_string(listed.at + 1) + " " + text(Text::kTimelineOf) + " " + words;
  ImGui::AlignTextToFramePadding();
  dim_line(ui, words);
}

void one_name(const PanelModel& model, const PanelUi& ui, const NamePair& pair, Commands& out) {
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, pair.name + ", " + kind_name(pair.kind), width);
  ImGui::PopFont();
  percentiles(ui, pair);
  const std::optional<CompareSlices>& asked = model.compare.asked_slices;
  const bool of_it = asked && asked->name == pair.name && asked->kind == pair.kind;
  const float lines = of_it ? ImGui::GetFrameHeightWithSpacing() + ui.px(4) : 0;
  const ImVec2 room(width, std::max(ui.px(48), ImGui::GetContentRegionAvail().y - lines));
  if (const auto bin = draw_overlaid_histograms(ui, pair.a, pair.b, room))
    out.push_back(ShowCompared{{pair.name, pair.kind, bin->least, bin->most}});
  if (!of_it) return;
  const float left = ImGui::GetCursorPosX();
  stepper(model, ui, CompareSide::kA, out);
  ImGui::SameLine(left + width / 2);
  stepper(model, ui, CompareSide::kB, out);
}

const NamePair* chosen_name(const CompareView& view, const std::vector<NamePair>& names) {
  if (!view.name) return nullptr;
  const auto found = std::ranges::find_if(names, [&](const NamePair& pair) {
    return pair.name == view.name->first && pair.kind == view.name->second;
  });
  return found != names.end() ? &*found : nullptr;
}

// What stands in the place of the tables; nullopt: they do.
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
  // Where there is little room, a name's durations take the place of the figures.
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
  one_name(model, ui, *one, out);
  ImGui::EndChild();
}

}  // namespace

void side_tag(const PanelUi& ui, CompareSide side) {
  const bool a = side == CompareSide::kA;
  const Colour ink = a ? ui.theme.side_a : ui.theme.side_b;
  const char* const letter = a ? "A" : "B";
  const float high = ImGui::GetTextLineHeight(), wide = high * 1.25f;
  ImGui::Dummy(ImVec2(wide, high));
  const ImVec2 at = ImGui::GetItemRectMin();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + wide, at.y + high);
  if (a) {
    draw.AddRectFilled(at, end, rgba(ink), ui.px(3));
  } else {
    draw.AddRect(at, end, rgba(ink), ui.px(3), 0, std::max(1.0f, ui.px(1.6f)));
  }
  const float x = at.x + (wide - ImGui::CalcTextSize(letter).x) / 2;
  draw.AddText({std::floor(x), at.y}, rgba(a ? label_on(ink) : ink), letter);
}

void compare_panel(const PanelModel& model, const PanelUi& ui, CompareView& view, Commands& out) {
  choices(model, ui, out);
  close_button(ui, out);
  if (const auto words = instead(model)) return wrapped_text(ui, *words, true);
  tools(model, ui, view, out);
  tables(model, ui, view, out);
}

}  // namespace runahead::gui
