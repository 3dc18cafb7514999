// Private to the timeline: the data and functions that several parts of build_scene use.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/text_fit.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui::internal {

// If a box continues outside the plot, it is drawn this far beyond the plot's edge, so that the end of the
// box is not visible. Hatches repeat every kHatchPx.
inline constexpr double kOverhangPx = 16;
inline constexpr double kHatchPx = 9;
inline constexpr float kLabelPadPx = 5;

struct SceneBuilder {
  const trace::Trace& trace;
  const TimelineState& state;
  TimeScale scale;
  float interface_scale = 1;
  TextAdvance advance;
  OpId selected_op = kNoOp;
  std::vector<SceneRow> all_rows;             // y is from the content's top
  std::vector<trace::OpenSlice> open;         // by track and depth
  std::vector<trace::Run> runs;               // scratch memory
  std::vector<SceneCounter> counters_before;  // counters of the previous scene in `out`
  trace::FoldBudget counter_budget;
  Scene& out;
};

// Returns the clamped x range in which a box is drawn. The left end is moved only by a multiple of the hatch
// period.
[[nodiscard]] std::pair<float, float> clamp_box(const SceneBuilder& builder, double x0, double x1);
// Returns the part of `text` that fits into the visible part of [x0, x1].
[[nodiscard]] std::string fit_label(const SceneBuilder& builder, std::string_view text, float x0, float x1);

// A lane whose boxes are drawn between two heights of a row, given as shares. Boxes have labels only at full
// height.
struct Strip {
  std::uint32_t row = 0;  // index into Scene::rows
  float top = 0, bottom = 1;
};
void add_lane_boxes(SceneBuilder& builder, const Strip& strip, const SliceRef& lane);
// Adds the boxes of a lane that has its own row.
void add_lane_row(SceneBuilder& builder, std::uint32_t row);
// Adds the lanes of a folded group as thin strips in the group's header.
void add_folded_group(SceneBuilder& builder, std::uint32_t row);
// Draws selected and related slices that are hidden in folded runs.
void add_emphasis(SceneBuilder& builder);
void add_counter(SceneBuilder& builder, std::uint32_t row);
void add_arrows(SceneBuilder& builder);
void add_instants(SceneBuilder& builder);

}  // namespace runahead::gui::internal
