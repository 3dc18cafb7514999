#include "gui/app/stage.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace runahead::gui {

namespace {

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Returns the CPU time of this thread in ms. Other threads do not count.
double own_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// True if the command says which slice the mouse is on. While the view moves, each frame may emit this
// command.
bool is_hover(const Command& command) {
  const auto* timeline = std::get_if<TimelineCommand>(&command);
  return timeline != nullptr && std::holds_alternative<HoverSlice>(*timeline);
}

Color background(const Theme& theme) {
  const ImVec4 c = to_imvec(theme.window);
  return {c.x, c.y, c.z};
}

}  // namespace

// Rasterises the font faces again if the scale or the language changed, or if new characters are due. Call
// between frames.
void Stage::follow_fonts() {
  scale_ = core_.effective_scale(window_.content_scale());
  core_.speak(core_.wanted_language(), wide_font_);
  characters_.look_at(core_.trace(), core_.other_words());
  const FontNeeds* const needs =
      characters_.due(scale_, core_.presentation(), language(), std::chrono::steady_clock::now());
  if (needs == nullptr) return;
  fonts_ = window_.load_fonts(*needs);
  if (report_) missing_ = missing_in(*fonts_.body, needs->characters);
}

double Stage::draw(double poll_ms, std::optional<Picture>* picture) {
  const auto begin = std::chrono::steady_clock::now();
  const double own_begin_ms = own_ms();
  follow_fonts();
  const Theme theme = core_.settings().light ? light_theme() : dark_theme();
  apply_style(theme, scale_);
  core_.advance_view();
  window_.begin_frame();
  widgets_.clear();
  clipped_.clear();
  Commands asked;
  double painted_ms = 0;
  {
    const PanelModel model = model_to_draw();
    const PanelUi ui{theme, fonts_, scale_, report_ ? &widgets_ : nullptr, report_ ? &clipped_ : nullptr};
    take_sizes();
    draw_layout(core_, model, ui, layout_, asked);
    if (std::exchange(layout_.opens_field, false)) window_.hold_keys();
    keep_sizes();
    core_.frame_drawn();
    const double built_ms = ms_since(begin), own_built_ms = own_ms() - own_begin_ms;
    window_.end_frame(background(theme), picture != nullptr);
    painted_ms = ms_since(begin);
    if (picture != nullptr) *picture = window_.picture();
    window_.present();
    keep_times(poll_ms, built_ms, own_built_ms, painted_ms);
    if (report_) report_->touch();
    if (report_ && report_->due()) write_report(model);
  }
  for (const Command& command : asked) core_.apply(command);
  behind_ = !std::ranges::all_of(asked, is_hover);
  hover_changed_ = !behind_ && !asked.empty();
  return painted_ms;
}

PanelModel Stage::model_to_draw() {
  PanelModel model = core_.model();
  model.scene = &layout_.view.scene;
  model.debug.boxes = layout_.cost.boxes;
  model.debug.rows = layout_.cost.rows;
  model.debug.counter_columns = layout_.cost.counter_columns;
  return model;
}

bool Stage::counters_refine() const {
  return layout_.view.scene.counters_refine || layout_.lower.scene.counters_refine;
}

void Stage::keep_times(double poll_ms, double built_ms, double own_built_ms, double painted_ms) {
  FrameTimes& times = core_.frame_times();
  times.poll.add(poll_ms);
  times.build.add(built_ms);
  times.build_own.add(own_built_ms);
  times.paint.add(painted_ms - built_ms);
  times.total.add(poll_ms + painted_ms);
}

std::optional<std::chrono::milliseconds> Stage::more_after() const {
  std::optional<std::chrono::milliseconds> first;
  for (const PanelModule* panel : core_.panels().all()) {
    if (!panel->shown()) continue;
    const auto after = panel->more_after();
    if (after && (!first || *after < *first)) first = after;
  }
  return first;
}

std::vector<KeptSize> Stage::kept_sizes() {
  std::vector<KeptSize> all{{kNamesSize, &layout_.view.name_column_px},
                            {kBelowSize, &layout_.below_share},
                            {kUpperSize, &layout_.upper_share}};
  for (PanelModule* panel : core_.panels().all()) {
    for (const KeptSize& size : panel->kept_sizes()) all.push_back(size);
  }
  return all;
}

void Stage::take_sizes() {
  const PanelSizes& kept = core_.settings().sizes;
  if (kept == sizes_) return;
  for (const KeptSize& size : kept_sizes()) {
    const auto found = kept.find(size.key);
    *size.value = found != kept.end() ? found->second : 0;
  }
  layout_.lower.name_column_px = layout_.view.name_column_px;
}

void Stage::keep_sizes() {
  sizes_.clear();
  for (const KeptSize& size : kept_sizes()) sizes_.emplace(size.key, *size.value);
  core_.settings().sizes = sizes_;
}

void Stage::write_report(const PanelModel& model) {
  report_->write(core_, model, layout_,
                 {widgets_, clipped_, missing_, !characters_wait(), counters_refine()});
}

void Stage::write_waiting_report(bool last) {
  if (!report_ || !(last ? report_->stale() : report_->due() && !behind_)) return;
  write_report(core_.model());
}

}  // namespace runahead::gui
