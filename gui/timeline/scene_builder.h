// Private to the timeline: the data and functions that several parts of build_scene use.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/text_fit.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui::internal {

// A box that continues outside the plot is cut off kOverhangPx beyond the plot's edge, so that the end of the
// drawn box is not visible. The hatch pattern of a wait's box repeats every kHatchPx.
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
  const TimelineState::Awaited* awaited = nullptr;  // nullptr: the selection is no call that waited
  std::vector<SceneRow> all_rows;      // y_px is measured from the top of the content, without scrolling
  std::vector<trace::OpenSlice> open;  // sorted by track and depth
  std::vector<trace::Run> runs;        // scratch memory
  // The counters of the previous scene. `out` contained them before this build.
  std::vector<SceneCounter> counters_before;
  trace::FoldBudget counter_budget;
  Scene& out;
};

// Returns the x range in which a box is drawn: [x0, x1], cut off outside the plot (see kOverhangPx). The left
// end is moved only by a multiple of kHatchPx, so that the hatch pattern stays at the same times while the
// view moves.
[[nodiscard]] std::pair<float, float> clamp_box(const SceneBuilder& builder, double x0, double x1);
// Returns the part of `text` that fits into the visible part of [x0, x1].
[[nodiscard]] std::string fit_label(const SceneBuilder& builder, std::string_view text, float x0, float x1);

// The part of a row in which a lane's boxes are drawn: `top` and `bottom` are shares of the row's height.
// Boxes that are too low for a line of text have no labels.
struct Strip {
  std::uint32_t row = 0;  // index into Scene::rows
  float top = 0, bottom = 1;
};
void add_lane_boxes(SceneBuilder& builder, const Strip& strip, const SliceRef& lane);
// Adds the boxes of a lane that has its own row.
void add_lane_row(SceneBuilder& builder, std::uint32_t row);
// Adds the lanes of a folded group as thin strips in the group's header.
void add_folded_group(SceneBuilder& builder, std::uint32_t row);
// Adds separate boxes for the selected slice and for the other slices of its op, if they are hidden in folded
// runs.
void add_emphasis(SceneBuilder& builder);
void add_counter(SceneBuilder& builder, std::uint32_t row);
void add_arrows(SceneBuilder& builder);
void add_instants(SceneBuilder& builder);
// Adds the idle time of devices and the critical path, if they are shown.
void add_causes(SceneBuilder& builder);
// Adds the parts of the run that are in the view.
void add_parts(SceneBuilder& builder);
// Adds the times that the strip compares. Call after add_parts(): labels must not cover those of the parts.
void add_compared(SceneBuilder& builder);

}  // namespace runahead::gui::internal
