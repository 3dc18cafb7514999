#include "gui/timeline/paint/timeline_panel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "gui/platform/imgui_compat.h"
#include "gui/text/text.h"
#include "gui/timeline/paint/paint_scene.h"
#include "gui/timeline/paint/paint_tooltip.h"

namespace runahead::gui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr float kNamesPx = 220, kFewestNamesPx = 90, kFewestPlotPx = 120;
constexpr float kOverviewPx = 36;
constexpr float kSplitterPx = 4;
constexpr float kSmallestTextPx = 13;

// The position of the panel's parts on the screen.
struct Layout {
  ImVec2 min{}, max{};
  ImVec2 overview_min{}, overview_max{};
  PaintArea area;
};

Layout lay_out(const TimelineView& view, bool parts, float scale, float font_px) {
  Layout layout;
  layout.min = ImGui::GetCursorScreenPos();
  layout.min = {std::floor(layout.min.x), std::floor(layout.min.y)};
  const ImVec2 size = ImGui::GetContentRegionAvail();
  layout.max = {layout.min.x + std::max(1.0f, std::floor(size.x)),
                layout.min.y + std::max(1.0f, std::floor(size.y))};
  const float wanted = (view.name_column_px > 0 ? view.name_column_px : kNamesPx) * scale;
  const float most = std::max(kFewestNamesPx * scale, layout.max.x - layout.min.x - kFewestPlotPx * scale);
  layout.area.names_px = std::floor(std::clamp(wanted, kFewestNamesPx * scale, most));
  layout.area.ruler_px = std::floor(2 * (font_px + 5 * scale));
  layout.area.parts_px = parts ? std::floor(font_px + 5 * scale) : 0;
  const float plot_x = layout.min.x + layout.area.names_px;
  layout.overview_min = {plot_x, layout.min.y};
  layout.overview_max = {layout.max.x,
                         layout.min.y + (view.overview_shown ? std::floor(kOverviewPx * scale) : 0)};
  layout.area.plot_min = {plot_x, layout.overview_max.y + layout.area.ruler_px + layout.area.parts_px};
  layout.area.plot_max = layout.max;
  return layout;
}

bool inside(ImVec2 point, ImVec2 min, ImVec2 max) {
  return point.x >= min.x && point.x < max.x && point.y >= min.y && point.y < max.y;
}

void read_keys(TimelineInput& input) {
  static constexpr std::array<std::pair<int, TimelineKey>, kTimelineKeyCount + 2> kKeys = {{
      {GLFW_KEY_W, TimelineKey::kZoomIn},
      {GLFW_KEY_S, TimelineKey::kZoomOut},
      {GLFW_KEY_A, TimelineKey::kPanLeft},
      {GLFW_KEY_D, TimelineKey::kPanRight},
      {GLFW_KEY_LEFT, TimelineKey::kPanLeft},
      {GLFW_KEY_RIGHT, TimelineKey::kPanRight},
      {GLFW_KEY_UP, TimelineKey::kScrollUp},
      {GLFW_KEY_DOWN, TimelineKey::kScrollDown},
      {GLFW_KEY_F, TimelineKey::kFitSelection},
      {GLFW_KEY_HOME, TimelineKey::kShowAll},
      {GLFW_KEY_M, TimelineKey::kMarkRange},
      {GLFW_KEY_PERIOD, TimelineKey::kNextSlice},
      {GLFW_KEY_COMMA, TimelineKey::kPreviousSlice},
      {GLFW_KEY_RIGHT_BRACKET, TimelineKey::kNextFlow},
      {GLFW_KEY_LEFT_BRACKET, TimelineKey::kPreviousFlow},
      {GLFW_KEY_ESCAPE, TimelineKey::kClear},
  }};
  const ImGuiIO& io = ImGui::GetIO();
  const bool elsewhere = io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper ||
                         ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (elsewhere) return;
  for (const auto& [glfw_key, key] : kKeys) {
    const bool steps = key == TimelineKey::kNextSlice || key == TimelineKey::kPreviousSlice;
    const auto bit = static_cast<std::size_t>(key);  // two keys may have the same bit
    if (compat::key_down(glfw_key)) input.keys_down[bit] = true;
    if (compat::key_pressed(glfw_key, steps)) input.keys_pressed[bit] = true;
  }
}

class Panel {
 public:
  Panel(const trace::Trace& trace, const TimelineState& state, const Theme& theme, float scale,
        TimelineView& view, TimelineCommands& out)
      : trace_(trace),
        state_(state),
        theme_(theme),
        scale_(scale),
        view_(view),
        out_(out),
        font_(ImGui::GetFont()),
        font_px_(std::max(ImGui::GetFontSize(), kSmallestTextPx * scale)),
        layout_(lay_out(view, !state.parts.empty(), scale, font_px_)) {}

  FrameCost run() {
    FrameCost cost;
    const Clock::time_point begin = Clock::now();
    build();
    const Clock::time_point built = Clock::now();
    respond();
    const Clock::time_point responded = Clock::now();
    paint();
    const Clock::time_point painted = Clock::now();
    tooltip();
    cost.build = built - begin;
    cost.paint = painted - responded;
    cost.interact = (responded - built) + (Clock::now() - painted);
    cost.rows = view_.scene.rows.size();
    cost.boxes = view_.scene.boxes.size();
    for (const SceneCounter& counter : view_.scene.counters) cost.counter_columns += counter.columns.size();
    return cost;
  }

 private:
  void build() {
    const PaintArea& area = layout_.area;
    view_.names_px = area.names_px;
    view_.parts_px = area.parts_px;
    SceneSize size{std::max(1.0f, area.plot_max.x - area.plot_min.x),
                   std::max(1.0f, area.plot_max.y - area.plot_min.y), scale_, font_advance(*font_, font_px_)};
    build_scene(trace_, state_, size, view_.scene);
    if (view_.overview_shown)
      update_overview(trace_, state_, layout_.overview_max.x - layout_.overview_min.x, scale_,
                      view_.overview);
  }

  void respond() {
    ImGui::SetCursorScreenPos(layout_.min);
    ImGui::InvisibleButton("timeline", {layout_.max.x - layout_.min.x, layout_.max.y - layout_.min.y});
    over_ = ImGui::IsItemHovered();
    held_ = ImGui::IsItemActive();
    const bool splitting = splitter();
    const bool overviewing = overview();
    const bool asking = !splitting && !overviewing && name_menu();
    slice_menu(over_ && !splitting && !overviewing && !asking);
    interact(trace_, view_.scene, state_, input(over_ && !splitting && !overviewing && !asking),
             view_.gesture, out_);
  }

  // Handles the mouse over the names of tracks. A click on the three dots of a name, or a right click
  // anywhere on the name, requests the track's menu. Returns true if the mouse is over the dots or over the
  // icon that scales a counter.
  bool name_menu() {
    using Kind = TimelineGesture::Kind;
    names_ = {};
    if (view_.gesture.kind == Kind::kMoving) {
      names_.moving = view_.gesture.track;
      if (view_.gesture.landing) names_.landing_px = view_.gesture.landing->y_px;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const PaintArea& area = layout_.area;
    if (!over_ || view_.gesture.kind != Kind::kNone || mouse.x >= area.plot_min.x ||
        mouse.y < area.plot_min.y)
      return false;
    const auto row = row_at(view_.scene, mouse.y - area.plot_min.y);
    if (!row) return false;
    if (!view_.scene.rows[*row].label.empty()) names_.row = row;
    names_.on_dots = names_.row && mouse.x >= area.plot_min.x - kDotsPx * scale_;
    const bool counter = names_.row && view_.scene.rows[*row].kind == SceneRow::Kind::kCounter;
    names_.on_fit = counter && !names_.on_dots && mouse.x >= area.plot_min.x - 2 * kDotsPx * scale_;
    if (names_.on_fit) {
      ImGui::SetTooltip("%s", text(Text::kTrackFitHint));
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        out_.push_back(ToggleCounterFit{view_.scene.rows[*row].track});
    }
    const bool asked = ImGui::IsMouseClicked(ImGuiMouseButton_Right) ||
                       (names_.on_dots && ImGui::IsMouseClicked(ImGuiMouseButton_Left));
    if (asked) view_.menu_asked = view_.scene.rows[*row].track;
    return names_.on_dots || names_.on_fit;
  }

  // A click with the right button on a slice asks for its menu.
  void slice_menu(bool over) {
    if (!over || !ImGui::IsMouseClicked(ImGuiMouseButton_Right)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const PaintArea& area = layout_.area;
    if (!inside(mouse, area.plot_min, area.plot_max)) return;
    view_.slice_menu_asked =
        slice_at(trace_, view_.scene, mouse.x - area.plot_min.x, mouse.y - area.plot_min.y);
  }

  TimelineInput input(bool over) const {
    const ImGuiIO& io = ImGui::GetIO();
    TimelineInput input;
    input.x_px = io.MousePos.x - layout_.area.plot_min.x;
    input.y_px = io.MousePos.y - layout_.area.plot_min.y;
    input.parts_px = layout_.area.parts_px;
    input.over = over;
    input.pressed = over && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    input.down = held_;
    input.released = ImGui::IsMouseReleased(ImGuiMouseButton_Left);
    input.double_clicked = over && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    input.wheel = io.MouseWheel;
    input.wheel_x = io.MouseWheelH;
    input.shift = io.KeyShift;
    input.ctrl = io.KeyCtrl;
    input.dt_s = io.DeltaTime;
    if (!view_.keys_elsewhere) read_keys(input);
    if (view_.fit_elsewhere) {
      input.keys_pressed[static_cast<std::size_t>(TimelineKey::kFitSelection)] = false;
      input.keys_down[static_cast<std::size_t>(TimelineKey::kFitSelection)] = false;
    }
    return input;
  }

  // Handles the edge between names and plot, which the user can drag.
  bool splitter() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float edge = layout_.area.plot_min.x;
    const bool near = over_ && std::abs(mouse.x - edge) <= kSplitterPx * scale_ &&
                      view_.gesture.kind == TimelineGesture::Kind::kNone;
    if (near && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) view_.splitter_drag = true;
    if (!held_) view_.splitter_drag = false;
    if (view_.splitter_drag)
      view_.name_column_px = std::max(kFewestNamesPx, (mouse.x - layout_.min.x) / scale_);
    if (near || view_.splitter_drag) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    return near || view_.splitter_drag;
  }

  bool overview() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool in_strip = over_ && mouse.y < layout_.overview_max.y;
    if (in_strip && mouse.x >= layout_.overview_min.x && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      view_.overview_drag = true;
    }
    if (!held_) view_.overview_drag = false;
    if (view_.overview_drag) {
      const TimeRange moved =
          view_from_overview(view_.overview, state_.view, mouse.x - layout_.overview_min.x);
      if (moved != state_.view) out_.push_back(ZoomTo{moved});
    }
    return in_strip || view_.overview_drag;
  }

  void paint() {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    if (view_.overview_shown) {
      draw.AddRectFilled(layout_.min, {layout_.overview_min.x, layout_.overview_max.y},
                         ink(theme_.name_column));
      paint_overview({view_.overview, theme_, scale_, font_, font_px_}, layout_.overview_min,
                     layout_.overview_max, draw);
    }
    paint_scene({view_.scene, state_, theme_, layout_.area, font_, font_px_, names_}, draw);
    if (view_.scene.content_height_px <= 0 && !state_.search.empty())
      sentence(text(Text::kTimelineNothingFound), draw);
  }

  void sentence(const char* words, ImDrawList& draw) {
    const ImVec2 size = font_->CalcTextSizeA(font_px_, FLT_MAX, 0, words);
    const PaintArea& area = layout_.area;
    const ImVec2 at((area.plot_min.x + area.plot_max.x - size.x) / 2,
                    (area.plot_min.y + area.plot_max.y - size.y) / 2);
    draw.AddText(font_, font_px_, {std::floor(at.x), std::floor(at.y)}, ink(theme_.text_dim), words);
  }

  void tooltip() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const PaintArea& area = layout_.area;
    if (!over_ || held_) return;
    if (inside(mouse, {area.plot_min.x, area.plot_min.y - area.parts_px}, {area.plot_max.x, area.plot_min.y}))
      part_tooltip(trace_, state_, view_.scene, mouse.x - area.plot_min.x);
    if (!inside(mouse, {layout_.min.x, area.plot_min.y}, area.plot_max)) return;
    timeline_tooltip(trace_, state_, view_.scene,
                     {mouse.x - layout_.area.plot_min.x, mouse.y - layout_.area.plot_min.y});
  }

  const trace::Trace& trace_;
  const TimelineState& state_;
  const Theme& theme_;
  const float scale_;
  TimelineView& view_;
  TimelineCommands& out_;
  ImFont* const font_;
  const float font_px_;
  const Layout layout_;
  bool over_ = false, held_ = false;
  NameColumn names_;
};

}  // namespace

FrameCost timeline_panel(const trace::Trace& trace, const TimelineState& state, const Theme& theme,
                         float scale, TimelineView& view, TimelineCommands& out) {
  return Panel(trace, state, theme, scale, view, out).run();
}

}  // namespace runahead::gui
