// Turns the slices of lanes into boxes: folds narrow slices, merges boxes that look the same, and adds
// labels.
#include <algorithm>
#include <cmath>

#include "gui/timeline/area.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/scene_builder.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::gui::internal {
namespace {

using trace::Run;
using trace::Slice;

constexpr float kNarrowestPx = 2;        // narrower slices are folded into runs, each drawn as one box
constexpr float kNarrowestLabelPx = 18;  // room for two letters
// maximum number of strips in the header of a folded group; each is 2 px high
constexpr std::size_t kMostStrips = 12;
// number of shades of folded runs; a shade shows how busy a run is; neighbouring runs with the same shade
// become one box
constexpr float kInkSteps = 12;
// number of levels of the share of found slices in a folded run, besides none and all; neighbours of the same
// level become one box
constexpr std::uint64_t kFoundSteps = 6;

std::uint32_t category(const SceneBuilder& builder, const trace::SliceLook& slice) {
  if (builder.state.colour_by == ColourBy::kName) return raw(slice.name);
  if (builder.state.colour_by == ColourBy::kKind) return 0;
  const auto op = slice.op != kNoOp ? builder.trace.op(slice.op) : std::nullopt;
  return op && op->step >= 0 ? static_cast<std::uint32_t>(op->step) : kNoCategory;
}

std::optional<std::uint64_t> found_in(const SceneBuilder& builder, const SliceRef& lane, std::uint64_t row,
                                      std::uint64_t count) {
  if (!builder.state.found || lane.open) return std::nullopt;
  return builder.state.found->count(lane.track, lane.depth, row, row + count);
}

SceneBox box_of(const SceneBuilder& builder, const Strip& strip, const Slice& slice, const SliceRef& ref) {
  const auto [x0, x1] =
      clamp_box(builder, builder.scale.x_from_time(slice.begin), builder.scale.x_from_time(slice.end));
  SceneBox box{
      .row = strip.row, .x0_px = x0, .x1_px = x1, .kind = slice.kind, .flags = slice.flags, .count = 1};
  box.slice = ref;
  box.open = ref.open;
  box.top = strip.top;
  box.bottom = strip.bottom;
  box.category = category(builder, look_of(slice));
  box.found = found_in(builder, ref, ref.row, 1);
  box.selected = builder.state.selected == ref;
  const bool awaited = builder.awaited != nullptr && builder.awaited->work == ref;
  const bool same_op = slice.op != kNoOp && slice.op == builder.selected_op;
  box.related = !box.selected && (same_op || awaited);
  const float seen = std::min(x1, static_cast<float>(builder.scale.width_px)) - std::max(x0, 0.0f);
  const bool tall =
      builder.out.rows[strip.row].height_px * (strip.bottom - strip.top) >= 13 * builder.interface_scale;
  if (tall && seen >= kNarrowestLabelPx * builder.interface_scale) {
    box.label = fit_label(builder, slice_label(builder.trace, slice, ref.open), x0, x1);
  }
  return box;
}

// Returns the slice of a run that consists of one slice. Only the fields that are needed to draw the slice
// are set. These fields come from the run, except the number of bytes, which only the slice's row has. The
// label of a copy shows the number of bytes. A frame does not wait for a file, so the label shows no bytes
// until the row has been loaded.
Slice slice_of(const Run& run, trace::LaneReader& reader) {
  if (trace::is_copy(run.longest.kind)) {
    if (const std::optional<Slice> row = reader.slice_if_here(run.first_row)) return *row;
  }
  return {.begin = run.begin,
          .end = run.end,
          .name = run.longest.name,
          .kind = run.longest.kind,
          .flags = run.longest.flags,
          .op = run.longest.op};
}

float ink(const Run& run) {
  const auto span = static_cast<float>(ns_from(run.end - run.begin));
  if (span <= 0) return 1;
  const float share = static_cast<float>(ns_from(run.busy)) / span;
  return std::max(1.0f, std::round(std::clamp(share, 0.0f, 1.0f) * kInkSteps)) / kInkSteps;
}

// Boxes of the same level look the same with respect to the search.
int found_level(const SceneBox& box) {
  if (!box.found) return -1;
  if (*box.found == 0 || *box.found == box.count)
    return *box.found == 0 ? 0 : static_cast<int>(kFoundSteps) + 1;
  return 1 + static_cast<int>(*box.found * kFoundSteps / box.count);
}

bool touches(const SceneBox& before, const SceneBox& box) {
  return before.row == box.row && before.top == box.top && before.count > 1 && before.kind == box.kind &&
         before.flags == box.flags && before.category == box.category && box.x0_px - before.x1_px < 1 &&
         found_level(before) == found_level(box);
}

// Merges a box into the previous box (a folded run that touches it) if both look the same, or if the box is a
// single slice that is too narrow to be seen. Returns true if the box was merged.
bool absorbed(SceneBuilder& builder, const SceneBox& box) {
  if (builder.out.boxes.empty()) return false;
  SceneBox& before = builder.out.boxes.back();
  const bool speck = box.count == 1 && box.x1_px - box.x0_px < 1;
  if (!touches(before, box) || !(speck || (box.count > 1 && before.busy == box.busy))) return false;
  before.x1_px = std::max(before.x1_px, box.x1_px);
  before.count += box.count;
  if (before.found) *before.found += *box.found;
  return true;
}

void add_folded(SceneBuilder& builder, const Strip& strip, const Run& run, SliceRef ref) {
  ref.row = run.longest_row;
  const auto [x0, x1] =
      clamp_box(builder, builder.scale.x_from_time(run.begin), builder.scale.x_from_time(run.end));
  SceneBox box{
      .row = strip.row, .x0_px = x0, .x1_px = x1, .kind = run.longest.kind, .flags = run.longest.flags};
  box.count = run.row_count;
  box.busy = ink(run);
  box.top = strip.top;
  box.bottom = strip.bottom;
  box.slice = ref;
  box.category = category(builder, run.longest);
  box.found = found_in(builder, ref, run.first_row, run.row_count);
  if (!absorbed(builder, box)) builder.out.boxes.push_back(std::move(box));
}

void add_open(SceneBuilder& builder, const Strip& strip, const SliceRef& lane_ref) {
  const auto key = [](const trace::OpenSlice& open) { return std::pair(open.track, open.depth); };
  const auto wanted = std::pair(lane_ref.track, lane_ref.depth);
  auto it =
      std::lower_bound(builder.open.begin(), builder.open.end(), wanted,
                       [&](const trace::OpenSlice& open, const auto& value) { return key(open) < value; });
  for (; it != builder.open.end() && key(*it) == wanted; ++it) {
    Slice slice = it->slice;
    slice.end = std::max(slice.begin, builder.trace.watermark());
    if (slice.begin >= builder.scale.view.end || slice.end < builder.scale.view.begin) continue;
    SliceRef ref = lane_ref;
    ref.row = static_cast<std::uint64_t>(ns_from(slice.begin));
    ref.open = true;
    builder.out.boxes.push_back(box_of(builder, strip, slice, ref));
  }
}

}  // namespace

std::pair<float, float> clamp_box(const SceneBuilder& builder, double x0, double x1) {
  const double over = kOverhangPx * builder.interface_scale;
  const double hatch = kHatchPx * builder.interface_scale;
  if (x0 < -over) x0 = -over - std::fmod(-over - x0, hatch);
  x1 = std::min(x1, builder.scale.width_px + over);
  return {static_cast<float>(x0), static_cast<float>(std::max(x0, x1))};
}

std::string fit_label(const SceneBuilder& builder, std::string_view text, float x0, float x1) {
  const float left = std::max(x0, 0.0f), right = std::min(x1, static_cast<float>(builder.scale.width_px));
  return fit_text(text, right - left - 2 * kLabelPadPx * builder.interface_scale, builder.advance);
}

void add_lane_boxes(SceneBuilder& builder, const Strip& strip, const SliceRef& lane_ref) {
  const trace::Lane* lane = find_lane(builder.trace, lane_ref.track, lane_ref.depth);
  if (lane != nullptr && !lane->empty()) {
    const int min_px = std::max(1, static_cast<int>(std::lround(kNarrowestPx * builder.interface_scale)));
    const int width = std::max(1, static_cast<int>(builder.scale.width_px));
    fold_lane(*lane, builder.scale.view, width, min_px, builder.runs);
    trace::LaneReader reader(*lane);
    for (const Run& run : builder.runs) {
      if (run.row_count > 1) {
        add_folded(builder, strip, run, lane_ref);
      } else {
        SliceRef ref = lane_ref;
        ref.row = run.first_row;
        SceneBox box = box_of(builder, strip, slice_of(run, reader), ref);
        if (!absorbed(builder, box)) builder.out.boxes.push_back(std::move(box));
      }
    }
  }
  add_open(builder, strip, lane_ref);
}

void add_lane_row(SceneBuilder& builder, std::uint32_t row) {
  const SceneRow& scene_row = builder.out.rows[row];
  add_lane_boxes(builder, {.row = row}, {.track = scene_row.track, .depth = scene_row.depth});
}

void add_folded_group(SceneBuilder& builder, std::uint32_t row) {
  const std::vector<analysis::AreaLane> lanes =
      lanes_of_group(builder.trace, builder.state, builder.out.rows[row].track, kMostStrips);
  const auto share = [&](std::size_t i) { return static_cast<float>(i) / static_cast<float>(lanes.size()); };
  for (std::size_t i = 0; i < lanes.size(); ++i)
    add_lane_boxes(builder, {row, share(i), share(i + 1)},
                   {.track = lanes[i].track, .depth = lanes[i].depth});
}

void add_emphasis(SceneBuilder& builder) {
  if (!builder.state.selected) return;
  std::vector<SliceRef> wanted = slices_of_op(builder.trace, builder.selected_op);
  if (std::find(wanted.begin(), wanted.end(), *builder.state.selected) == wanted.end()) {
    wanted.push_back(*builder.state.selected);
  }
  if (builder.awaited != nullptr) wanted.push_back(builder.awaited->work);
  for (const SliceRef& ref : wanted) {
    const auto is_row = [&](const SceneRow& row) {
      return row.kind != SceneRow::Kind::kGroupHeader && row.track == ref.track && row.depth == ref.depth;
    };
    const auto row = std::find_if(builder.out.rows.begin(), builder.out.rows.end(), is_row);
    if (row == builder.out.rows.end() || (row->kind == SceneRow::Kind::kQueue && row->folded)) continue;
    const auto& boxes = builder.out.boxes;
    const bool drawn = std::any_of(boxes.begin(), boxes.end(),
                                   [&](const SceneBox& box) { return box.count == 1 && box.slice == ref; });
    const auto slice = find_slice(builder.trace, ref);
    if (drawn || !slice || slice->begin >= builder.scale.view.end || slice->end < builder.scale.view.begin)
      continue;
    SceneBox box = box_of(builder, {static_cast<std::uint32_t>(row - builder.out.rows.begin())}, *slice, ref);
    box.x1_px = std::max(box.x1_px, box.x0_px + kNarrowestPx * builder.interface_scale);
    builder.out.boxes.push_back(std::move(box));
  }
}

}  // namespace runahead::gui::internal
