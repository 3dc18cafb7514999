// The timeline as geometry. build_scene is pure (its input is trace and state; its output is rectangles,
// labels, polylines and arrows). Tests compare this output as text. Only paint_scene draws. All px are screen
// px: x is measured from the left edge of the timeline's plot area, y from the top edge. Heights are the
// constants in rows.h, multiplied by the interface scale.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/text/text.h"
#include "gui/timeline/causes/cause_marks.h"
#include "gui/timeline/scene/text_fit.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/timeline/area_statistics.h"
#include "instrumentation/analysis/timeline/found_rows.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Identifies a slice by numbers, not by a pointer. Therefore find_slice() can find the slice again when the
// trace has grown.
struct SliceRef {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  // true: the slice is in Trace::open_slices(). Its index there changes, so `row` is its begin time in ns.
  bool open = false;
  friend bool operator==(const SliceRef&, const SliceRef&) = default;
};

// What the colour of a slice shows: its kind, its name or its step.
enum class ColourBy : std::uint8_t { kKind, kName, kStep };
inline constexpr int kColourByCount = 3;
// SceneBox::category of a slice without a step, if colours show steps.
inline constexpr std::uint32_t kNoCategory = UINT32_MAX;

// An animated change of the view (glide.h).
struct ViewGlide {
  // The glide moves the view from `from` to `to`. `shown` is the view that the glide set last.
  TimeRange from{}, to{}, shown{};
  Duration elapsed{};
};

// kMore is the row "3 more, 2 empty" of a group. A click on it shows or hides the tracks of the group that
// follow it. The track of this row is the group.
enum class RowKind : std::uint8_t { kGroupHeader, kLane, kCounter, kQueue, kMore };
// Identifies a row, also while rows are scrolled, folded and moved.
struct RowKey {
  RowKind kind{};
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

// Rows and a time range that the user has selected together (area.h).
struct SelectedArea {
  analysis::Area content;      // the range, and the lanes and counters of the rows
  std::vector<RowKey> others;  // the rows of the area without a lane or counter of their own, such as headers
  friend bool operator==(const SelectedArea&, const SelectedArea&) = default;
};

// A time that the strip measures before or after the last change of the barrier, or that it leaves out.
struct ComparedTime {
  enum class Side : std::uint8_t { kBefore, kAfter, kLeftOut };
  TimeRange range{};
  Side side = Side::kBefore;
  analysis::Phase phase = analysis::Phase::kSettled;  // why the time is left out
  friend bool operator==(const ComparedTime&, const ComparedTime&) = default;
};

// The user's settings of the timeline, and the answers about the trace that the timeline shows (`found`,
// `levels_before`, `compared`, `parts`). It has no other data of the trace.
struct TimelineState {
  TimeRange view{};    // half-open; the time range in the plot area
  bool follow = true;  // live trace: the view moves with the newest time, and keeps its length
  double scroll_y_px = 0;
  std::vector<TrackId> collapsed;  // folded groups and tracks
  std::vector<TrackId> hidden;
  std::vector<TrackId> pinned;  // groups and tracks that are shown above all others, in this order
  // The groups and tracks that the user has moved, in display order. To define their positions, the list also
  // contains the siblings (members of the same group) above them. The other siblings follow in the order of
  // the capture.
  std::vector<TrackId> order;
  std::vector<TrackId> expanded_queues;  // queues that show the lives of ops (one lane per op in flight)
  std::vector<TrackId> more_shown;       // groups that also show the tracks that the row "more" usually hides
  // Counters that matter for the workload; they are not hidden behind "more", unless they have nothing to
  // show.
  std::vector<trace::CounterRole> about;
  // Counters whose axis fits their values in the view. The axes of other counters fit the complete trace.
  std::vector<TrackId> fitted;
  std::optional<SliceRef> selected, hovered;
  std::optional<SliceRef> to_show;   // the next frame moves the view to this slice
  std::optional<TrackId> to_reveal;  // the next frame scrolls to this track's row
  std::uint32_t flow_steps = 1;      // length of the selection's flow chain; 1: direct flows only
  std::optional<TimeRange> range;    // the measured range; nullopt while `area` is set
  std::optional<SelectedArea> area;  // nullopt while `range` is set
  std::string search;  // the search text: only tracks that match by name or group name are shown
  // The slices that the find panel has found: they keep their colours, and all other slices are dimmed.
  // nullptr: no slice is dimmed. REQUIRES: found in the trace on the screen.
  std::shared_ptr<const analysis::FoundRows> found;
  ColourBy colour_by = ColourBy::kKind;
  Duration motion{};  // duration of a glide; zero: views change immediately
  std::optional<ViewGlide> glide;

  // The level of a counter before the last change of the barrier: the counter's maximum in the time range of
  // the strip's figures "before". A faint line marks this level, so that the user can compare it with the
  // values after the change.
  struct Level {
    TrackId counter = kNoTrack;
    double value = 0;
    friend bool operator==(const Level&, const Level&) = default;
  };
  std::vector<Level> levels_before;
  // The times that the strip compares, and the times that it leaves out, in time order.
  std::vector<ComparedTime> compared;
  // The parts of the run, in time order. The ruler has a line for them, if there are any.
  std::vector<analysis::PartOfRun> parts;

  // ---- the memory panel's time, while it is shown ----
  // True: a click on a counter of bytes sets the report's time to the time at the mouse.
  bool asks_for_time = false;
  std::optional<Timestamp> pinned_time;  // the time that a click has set; nullopt: the time of the peak
  std::optional<Timestamp> moment;       // the time of the panel's report; drawn as a line through all tracks
  struct Peak {
    TrackId counter = kNoTrack;
    Timestamp at{};
    friend bool operator==(const Peak&, const Peak&) = default;
  };
  std::optional<Peak> peak;  // the memory peak, marked on the strip of its counter

  // ---- the causes panel's marks -----
  // The explanation of the trace on the screen; nullptr: not known. Its idle time is shown if `shows_idle`,
  // its critical path if `shows_path`.
  std::shared_ptr<const CauseMarks> causes;
  bool shows_idle = false, shows_path = false;
  std::optional<IdleRef> selected_idle;  // nullopt while `selected` is set
  // What the hovered slice waited for, as names and values for its tooltip, if it is a call that waited for a
  // device.
  struct HoveredWait {
    SliceRef slice;
    std::vector<std::pair<std::string, std::string>> facts;
  };
  std::optional<HoveredWait> hovered_wait;
  // What the selected slice waited for, if it is such a call. The scene marks the work and draws an arrow
  // from its end to the end of the call, fainter if this was inferred.
  struct Awaited {
    SliceRef call, work;
    bool inferred = false;
  };
  std::optional<Awaited> awaited;
};

struct SceneSize {
  float width_px = 0, height_px = 0, scale = 1.0f;
  std::optional<TextAdvance> text{};  // widths of the font in use; nullopt: TextAdvance::average(scale)
};

struct SceneRow {  // one strip: a group's header, a lane, or a counter
  using Kind = RowKind;
  Kind kind{};
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  float y_px = 0, height_px = 0;
  std::string label;  // in the name column; empty for lanes of depth > 0
  std::string badge;  // such as "simulated"
  bool folded = false;
  bool foldable = false;  // a click on the name folds or unfolds the row
  int indent = 0;
  bool pinned = false;
  bool held = false;  // true: pinned, and does not scroll
};

struct SceneBox {         // a single slice, or a run: slices too narrow to draw separately
  std::uint32_t row = 0;  // index into Scene::rows
  float x0_px = 0, x1_px = 0;
  trace::SliceKind kind{};
  std::uint8_t flags = 0;
  std::uint64_t count = 0;                 // number of slices; 1: a single slice
  float busy = 1;                          // share of time covered by slices, 0..1
  SliceRef slice;                          // the slice if count == 1, otherwise the longest slice
  std::string label;                       // shortened to fit the box; may be empty
  bool selected = false, related = false;  // related: of the selected op, or awaited by it
  bool open = false;
  // The upper and lower edge of the box, as shares of the row's height. They differ from 0 and 1 only in the
  // header of a folded group, because it shows each lane of the group as a thin strip.
  float top = 0, bottom = 1;
  std::uint32_t category =
      0;  // colour index for Theme::category(), by name or step (TimelineState::colour_by)
  // The number of the box's slices that are in TimelineState::found. nullopt: there is no search, or the
  // search ended before the trace had all slices of the box.
  std::optional<std::uint64_t> found;
};

struct SceneInstant {  // a point in time on a row
  std::uint32_t row = 0;
  float x_px = 0;
  std::string label;
  bool wait_point = false;  // a trace::kWaitPoint: drawn small
};

struct SceneCounter {  // a counter's strip: the extremes of each pixel column
  std::uint32_t row = 0;
  double axis_min = 0, axis_max = 0;
  bool fits_view = false;              // the axis fits the view (TimelineState::fitted)
  std::optional<double> level_before;  // TimelineState::levels_before
  std::vector<trace::CounterColumn> columns;
  std::string now_label;             // value at the right edge, with its unit
  std::string min_label, max_label;  // exact extremes of the visible part: "min 20.0 MB", "max 79.0 MB"
  // The input from which the columns were computed. The next scene reuses the columns that both scenes show
  // (counter_columns.h).
  struct Key {
    TrackId track = kNoTrack;
    std::uint64_t trace_identity = 0, trace_version = 0;
    Timestamp origin{};
    double ns_per_px = 0;
    friend bool operator==(const Key&, const Key&) = default;
  } key;
  std::int64_t first_column = 0;  // index of the leftmost column in its trace::ColumnGrid
  // grid indices of exact columns, which need not be computed again
  std::int64_t exact_begin = 0, exact_end = 0;
};

struct SceneFrame {  // the frame around neighbouring rows of the selected area
  float x0_px = 0, x1_px = 0, y0_px = 0, y1_px = 0;
  bool held = false;  // true: the rows do not scroll
};

struct ScenePeak {  // the peak of a counter
  std::uint32_t row = 0;
  float x_px = 0;
  std::string label;
};

struct SceneArrow {
  float x0_px, y0_px, x1_px, y1_px;
  trace::FlowKind kind;
  std::uint32_t step = 1;  // same as ChainFlow::step; 2 for an inferred wait: each step is fainter
};
struct SceneIdle {  // idle time of a device: one gap, or neighbouring gaps that are too narrow to draw
  std::uint32_t device = 0;  // index into CauseMarks::devices
  IdleRun run;
  float x0_px = 0, x1_px = 0;
  std::string label;  // "idle 3.1 ms: synchronisation", shortened to fit; may be empty
  bool selected = false;
};
// Neighbouring rows that show the streams of a device: its idle time is drawn across them.
struct SceneIdleRows {
  std::uint32_t device = 0;
  float y0_px = 0, y1_px = 0;
  float label_px = 0;  // height of the first row, in which the label is
  bool held = false;
};
struct ScenePathLine {    // a part of the critical path, as a line below the slices of a row
  std::uint32_t row = 0;  // index into Scene::rows
  float x0_px = 0, x1_px = 0;
  float share = 1;     // share of the time for which the path is on this row, 0..1
  bool waits = false;  // nothing of the path ran, or it is not known
};
struct ScenePathStep {  // the path goes from one row to another
  float x_px = 0, y0_px = 0, y1_px = 0;
};
struct SceneMarker {
  float x_px;         // negative: the marker is before the view, but still applies at its left edge
  std::string label;  // shortened to fit between max(x, 0) and the next marker; may be empty
  bool note = false;  // true: a note of the user; false: a marker that the program recorded
};
struct ScenePart {             // a part of the run, as a region of the ruler
  std::size_t index = 0;       // in TimelineState::parts
  float x0_px = 0, x1_px = 0;  // the visible part of the region
  std::string label;           // the name, shortened to fit; empty: too narrow for a name
  bool begins = false;         // true: the part begins in the view
  bool measured = true;        // analysis::is_measured()
  bool chosen = false;         // true: the measured range is this part
};
struct SceneCompared {  // a ComparedTime, as a bar in the lowest line of the ruler
  ComparedTime::Side side = ComparedTime::Side::kBefore;
  float x0_px = 0, x1_px = 0;  // the visible part
  float label_px = 0;          // where the label begins
  std::string label;           // why the time is left out, shortened to fit; may be empty
};
struct SceneTick {
  float x_px;
  std::string label;
  bool major;
};

// A flow in the selection's chain of flows (flow_chain.h), with the slices at its two ends.
struct ChainFlow {
  trace::Flow flow;
  SliceRef from, to;       // if `row` is UINT64_MAX, only the track is known, not the slice
  std::uint32_t step = 1;  // step in which flow_chain() found it; 1: a flow of the selected slice or op
};
struct FlowChain {
  std::vector<ChainFlow> flows;  // sorted by step
  std::uint64_t omitted = 0;     // number of flows that were found, but are not listed
  bool more = false;             // true: one more step would find more flows
  struct Key {                   // the input from which the chain was computed
    std::uint64_t trace_identity = 0, trace_version = 0;
    std::optional<SliceRef> selected;
    std::uint32_t steps = 0;
    friend bool operator==(const Key&, const Key&) = default;
  } key;
};

struct Scene {
  TimeRange view{};
  SceneSize size;
  float content_height_px = 0;
  float held_px = 0;           // height of the held rows, which do not scroll
  std::vector<SceneRow> rows;  // held rows first
  std::vector<SceneBox> boxes;
  std::vector<SceneCounter> counters;
  // True if some columns of counters are still coarse, because one frame has too little time to compute all
  // columns exactly. A coarse column shows the extremes of a slightly wider time range. If true, build the
  // scene of this view again soon: the next scenes make the remaining columns exact.
  bool counters_refine = false;
  std::vector<SceneArrow> arrows;
  // flows of the selection; `arrows` has those whose two ends have rows (after step 1 only those near the
  // view), and the arrow of TimelineState::awaited
  FlowChain flow_chain;
  std::vector<SceneIdle> idle;
  std::vector<SceneIdleRows> idle_rows;
  std::vector<ScenePathLine> path;
  std::vector<ScenePathStep> path_steps;
  std::vector<SceneInstant> instants;
  std::vector<SceneMarker> markers;
  std::vector<SceneTick> ticks;
  std::vector<ScenePart> parts;
  std::vector<SceneCompared> compared;
  std::optional<std::pair<float, float>> range_px;
  std::vector<SceneFrame> area;  // more than one frame if other rows are between the area's rows
  std::optional<ScenePeak> peak;
  std::optional<float> time_px;
};

// Builds the scene of the visible part of the timeline. O(visible rows * width). Pure. Reuses the memory of
// `out`.
void build_scene(const trace::Trace& trace, const TimelineState& state, const SceneSize& size, Scene& out);

// Returns why a segment has no steady rate in this phase, such as "draining backlog". REQUIRES: not kSettled.
[[nodiscard]] Text phase_text(analysis::Phase phase);

// Returns the range of the part, up to the newest time of the trace if the part still grows.
[[nodiscard]] TimeRange range_now(const trace::Trace& trace, const analysis::PartOfRun& part);
// Returns the part of the run at x; nullptr: there is none. The result points into `scene`.
[[nodiscard]] const ScenePart* part_at(const Scene& scene, float x_px);

// Returns a text with one line for each item, for golden tests and debugging: "lane cpu 0/0: [12.0..40.5 dot]
// ...".
[[nodiscard]] std::string scene_text(const Scene& scene, const trace::Trace& trace);

}  // namespace runahead::gui
