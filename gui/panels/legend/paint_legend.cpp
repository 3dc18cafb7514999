#include <algorithm>
#include <functional>
#include <set>

#include "gui/model/model.h"
#include "gui/panels/legend/legend_panel.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/paint/cause_colours.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

using trace::SliceKind;

constexpr float kEntryGapPx = 14, kSwatchPx = 20, kMostNamePx = 150, kClosePx = 34;

enum class Swatch { kFill, kHatch, kNotch, kBadge, kNone };

struct Entry {
  Swatch swatch = Swatch::kFill;
  Colour colour{};
  std::string words, hint;
};

void add_kinds(const PanelUi& ui, std::vector<Entry>& out) {
  struct Kind {
    SliceKind kind;
    Text meaning;
  };
  constexpr Kind kKinds[] = {{SliceKind::kEnqueue, Text::kLegendEnqueue},
                             {SliceKind::kExecute, Text::kLegendExecute},
                             {SliceKind::kWait, Text::kLegendWait},
                             {SliceKind::kCopyToDevice, Text::kLegendToDevice},
                             {SliceKind::kCopyToHost, Text::kLegendToHost},
                             {SliceKind::kCopyOnDevice, Text::kLegendOnDevice},
                             {SliceKind::kAllocation, Text::kLegendAllocation},
                             {SliceKind::kStep, Text::kLegendStep},
                             {SliceKind::kPause, Text::kLegendPause},
                             {SliceKind::kZone, Text::kLegendZone}};
  for (const Kind& one : kKinds) {
    const Swatch swatch = one.kind == SliceKind::kWait ? Swatch::kHatch : Swatch::kFill;
    out.push_back({swatch, ui.theme.of(one.kind), kind_name(one.kind), text(one.meaning)});
  }
}

void add_categories(const SceneLegend& legend, const PanelModel& model, const PanelUi& ui,
                    std::vector<Entry>& out) {
  const bool names = model.timeline.colour_by == ColourBy::kName;
  for (const LegendEntry& entry : legend.entries) {
    const std::string whole =
        names ? entry.name : filled(Text::kLegendStepNumber, {std::to_string(entry.category)});
    out.push_back({Swatch::kFill, ui.theme.category(entry.category),
                   shortened(ImGui::GetFont(), whole, ui.px(kMostNamePx)), whole});
  }
  if (legend.of_none)
    out.push_back({Swatch::kFill, ui.theme.of(SliceKind::kZone), text(Text::kLegendOfNoStep), {}});
  if (legend.left_out > 0) {
    const std::string count = std::to_string(legend.left_out);
    out.push_back({Swatch::kNone, {}, filled(Text::kLegendLeftOut, {count}), {}});
  }
  out.push_back({Swatch::kNone, {}, text(names ? Text::kLegendNamesShare : Text::kLegendStepsShare), {}});
  out.push_back({Swatch::kHatch, {}, kind_name(SliceKind::kWait), text(Text::kLegendHatch)});
}

// The causes of the idle time on the screen, and the critical path, if the timeline marks them.
void add_cause_entries(const PanelModel& model, const PanelUi& ui, std::vector<Entry>& out) {
  if (model.scene == nullptr || model.timeline.causes == nullptr) return;
  std::set<causes::IdleCause> seen;
  for (const SceneIdle& idle : model.scene->idle) seen.insert(idle.run.cause);
  for (const causes::IdleCause cause : seen) {
    out.push_back({Swatch::kFill, idle_colour(ui.theme, cause),
                   filled(Text::kLegendIdle, {idle_cause_name(cause)}), idle_cause_sentence(cause)});
  }
  if (!model.scene->path.empty())
    out.push_back(
        {Swatch::kFill, ui.theme.path, text(Text::kCausesPathTitle), text(Text::kCausesShowPathHint)});
}

std::vector<Entry> entries_of(const SceneLegend& legend, const PanelModel& model, const PanelUi& ui) {
  std::vector<Entry> entries;
  model.timeline.colour_by == ColourBy::kKind ? add_kinds(ui, entries)
                                              : add_categories(legend, model, ui, entries);
  entries.push_back(
      {Swatch::kNotch, ui.theme.of(SliceKind::kExecute), text(Text::kLegendLate), text(Text::kLegendNotch)});
  entries.push_back({Swatch::kBadge, {}, text(Text::kTimelineSimulated), text(Text::kLegendBadge)});
  add_cause_entries(model, ui, entries);
  return entries;
}

float line_height() { return ImGui::GetFontSize() + ImGui::GetStyle().FramePadding.y; }

float swatch_width(const PanelUi& ui, const Entry& entry) {
  return entry.swatch == Swatch::kNone ? 0 : ui.px(kSwatchPx + 6);
}

ButtonLook choice_look(const PanelModel& model, const PanelUi& ui, ColourBy by) {
  constexpr Text kTexts[] = {Text::kColourByKind, Text::kColourByName, Text::kColourByStep};
  return {.label = text(kTexts[static_cast<std::size_t>(by)]),
          .strong = model.timeline.colour_by == by,
          .accent = ui.theme.good,
          .hint = text(Text::kColourByHint)};
}

float choice_width(const PanelModel& model, const PanelUi& ui) {
  float width = ImGui::CalcTextSize(text(Text::kColourBy)).x + ui.px(8);
  for (int by = 0; by < kColourByCount; ++by)
    width += tool_button_width(ui, choice_look(model, ui, static_cast<ColourBy>(by))) + ui.px(4);
  return width + ui.px(kEntryGapPx);
}

// Arranges the entries in lines, from x = `left` (after the buttons that choose the colours) to the close
// button. Calls place(entry, x, line) for each entry. Returns the number of lines.
int lay_out(const PanelUi& ui, const std::vector<Entry>& entries, float left, float width_px,
            const std::function<void(const Entry&, float, int)>& place) {
  const float right = width_px - ui.px(kClosePx);
  float x = left;
  int line = 0;
  for (const Entry& entry : entries) {
    const float width = swatch_width(ui, entry) + ImGui::CalcTextSize(entry.words.c_str()).x;
    if (x > left && x + width > right) {
      x = left;
      ++line;
    }
    place(entry, x, line);
    x += width + ui.px(kEntryGapPx);
  }
  return line + 1;
}

void paint_swatch(const PanelUi& ui, const Entry& entry, ImVec2 at) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetFontSize();
  const ImVec2 end(at.x + ui.px(kSwatchPx), at.y + height);
  const Theme& theme = ui.theme;
  if (entry.swatch == Swatch::kBadge) {
    draw.AddRect(at, end, rgba(theme.badge), ui.px(3), 0, std::max(1.0f, ui.px(1)));
    return;
  }
  const bool hatched = entry.swatch == Swatch::kHatch;
  draw.AddRectFilled(at, end, rgba(hatched ? theme.wait_fill : entry.colour));
  if (hatched) {
    draw.PushClipRect(at, end, true);
    for (float x = at.x - height; x < end.x; x += ui.px(7))
      draw.AddLine(ImVec2(x, end.y), ImVec2(x + height, at.y), rgba(theme.wait_stroke), ui.px(1.5f));
    draw.PopClipRect();
  }
  if (entry.swatch == Swatch::kNotch) {
    const float size = ui.px(7);
    draw.AddTriangleFilled(ImVec2(end.x - size, at.y), ImVec2(end.x, at.y), ImVec2(end.x, at.y + size),
                           rgba(theme.failure));
  }
}

void choice(const PanelModel& model, const PanelUi& ui, Commands& out) {
  constexpr const char* kIds[] = {"colour:kind", "colour:name", "colour:step"};
  ImGui::AlignTextToFramePadding();
  text_line(text(Text::kColourBy));
  for (int i = 0; i < kColourByCount; ++i) {
    const auto by = static_cast<ColourBy>(i);
    ImGui::SameLine(0, ui.px(i == 0 ? 8 : 4));
    if (tool_button(ui, kIds[i], choice_look(model, ui, by))) out.push_back(TimelineCommand{SetColourBy{by}});
  }
}

void draw_entry(const PanelUi& ui, const Entry& entry, ImVec2 at) {
  if (entry.swatch != Swatch::kNone) paint_swatch(ui, entry, at);
  ImGui::SetCursorScreenPos(ImVec2(at.x + swatch_width(ui, entry), at.y));
  entry.swatch == Swatch::kNone ? dim_line(ui, entry.words) : text_line(entry.words);
  if (!entry.hint.empty()) tooltip(ui, entry.hint);
}

}  // namespace

float panel_height(LegendPanel& panel, const PanelModel& model, const PanelUi& ui, float width_px) {
  panel.legend = {};
  if (model.scene != nullptr)
    panel.legend = scene_legend(*model.scene, model.trace, model.timeline.colour_by);
  const int lines = lay_out(ui, entries_of(panel.legend, model, ui), choice_width(model, ui), width_px,
                            [](const Entry&, float, int) {});
  return std::max(ImGui::GetFrameHeight(), static_cast<float>(lines) * line_height() + ui.px(2)) + ui.px(10);
}

void paint_panel(LegendPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  choice(model, ui, out);
  lay_out(ui, entries_of(panel.legend, model, ui), choice_width(model, ui), width,
          [&](const Entry& entry, float x, int line) {
            const float y = begin.y + static_cast<float>(line) * line_height() + ui.px(3);
            draw_entry(ui, entry, ImVec2(begin.x + x, y));
          });
  ImGui::SetCursorScreenPos(ImVec2(begin.x + width - ui.px(kClosePx - 4), begin.y));
  if (tool_button(ui, "legend:close", {.icon = Icon::kClose, .hint = text(Text::kLegendCloseHint)}))
    out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
