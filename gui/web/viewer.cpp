// The viewer of a page, compiled to WebAssembly: the window's own timeline (layout, scene, painter,
// interaction, facts) without the window. viewer.js passes the recording and the input, and performs the draw
// commands (gui/web/canvas/imgui.h).
//
// One trace, one thread. The page writes arguments that are not numbers to buffer(). Answers that are texts
// are in answer() until the next call.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/answers/evidence.h"
#include "gui/answers/strip_tracker.h"
#include "gui/answers/wait_cause.h"
#include "gui/answers/wait_groups.h"
#include "gui/text/language.h"
#include "gui/text/text.h"
#include "gui/theme/theme.h"
#include "gui/timeline/glide.h"
#include "gui/timeline/interaction.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/overview.h"
#include "gui/timeline/paint/paint_scene.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/timeline_commands.h"
#include "gui/timeline/track_choices.h"
#include "gui/web/reduction.h"
#include "gui/web/viewer_exchange.h"
#include "gui/web/workload_counters.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/slice_search.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording_assembler.h"

namespace runahead::gui {
namespace {

// Above this many slices, the viewer does not look for what a selected call waited for: it would read them
// all.
constexpr std::uint64_t kMostExplainedSlices = 2'000'000;
constexpr std::array kChoiceLists{
    &TrackChoices::pinned,          &TrackChoices::hidden,     &TrackChoices::order, &TrackChoices::collapsed,
    &TrackChoices::expanded_queues, &TrackChoices::more_shown, &TrackChoices::fitted};
constexpr float kNamesPx = 220, kOverviewPx = 36, kFewestPlotPx = 120, kFontPx = 13;

// Reads the blocks of a recording that is stored without compression. nullopt: they are no such recording.
std::optional<trace::Trace> read_blocks(std::string_view bytes) {
  using namespace recordings;
  // The hashes are not checked: this page contains the viewer and the recording that one build wrote.
  if (bytes.size() < kPreambleBytes || !bytes.starts_with(kFileMagic)) return std::nullopt;
  RecordingAssembler assembler;
  bool ended = false;
  for (std::size_t at = kPreambleBytes; at + kBlockHeaderBytes <= bytes.size();) {
    const auto header = parse_possible_header(bytes.substr(at, kBlockHeaderBytes));
    if (!header) break;
    at += kBlockHeaderBytes;
    if (header->stored_bytes > bytes.size() - at) return std::nullopt;
    if (header->codec != static_cast<std::uint8_t>(Codec::kNone)) return std::nullopt;
    const std::string_view payload = bytes.substr(at, header->stored_bytes);
    at += header->stored_bytes;
    ended = header->kind == static_cast<std::uint8_t>(BlockKind::kFooter);
    assembler.add(static_cast<BlockKind>(header->kind), payload, at);
  }
  return assembler.finish(ended);
}

struct Viewer {
  std::string buffer, answer;
  std::optional<trace::Trace> trace;
  TimelineState state;
  Scene scene;
  Overview overview;
  TimelineGesture gesture;
  TimelineInput input;
  TimelineCommands commands;
  ImDrawList draw;
  ImFont font;
  Theme theme = dark_theme();
  float scale = 1, names_px = kNamesPx;
  ImVec2 size, mouse{-1, -1}, overview_max;
  PaintArea area;
  NameColumn names;
  bool on_canvas = false, overview_drag = false, overview_shown = true;
  TrackChoices choices;  // of the tracks, also of those that only the other side of a comparison has
  std::vector<analysis::FoundSlice> found;                   // what find() has listed
  std::optional<causes::Synchronisations> synchronisations;  // of a trace of another tool; read_causes()

  void lay_out() {
    const float font_px = kFontPx * scale;
    const float most = std::max(90 * scale, size.x - kFewestPlotPx * scale);
    area.names_px = std::floor(std::min(names_px * scale, most));
    area.ruler_px = std::floor(2 * (font_px + 5 * scale));
    area.parts_px = state.parts.empty() ? 0 : std::floor(font_px + 5 * scale);
    overview_max = {size.x, overview_shown ? std::floor(kOverviewPx * scale) : 0};
    area.plot_min = {area.names_px, overview_max.y + area.ruler_px + area.parts_px};
    area.plot_max = size;
  }

  void build() {
    advance_timeline(*trace, state);
    SceneSize scene_size{std::max(1.0f, area.plot_max.x - area.plot_min.x),
                         std::max(1.0f, area.plot_max.y - area.plot_min.y), scale,
                         font_advance(font, kFontPx * scale)};
    build_scene(*trace, state, scene_size, scene);
    update_overview(*trace, state, overview_max.x - area.plot_min.x, scale, overview);
  }

  // Handles the mouse over the overview. Returns true if the timeline below gets no mouse.
  bool over_overview() {
    const bool above = on_canvas && mouse.y < overview_max.y;
    if (above && mouse.x >= area.plot_min.x && input.pressed) overview_drag = true;
    if (!input.down) overview_drag = false;
    if (overview_drag) {
      const TimeRange moved = view_from_overview(overview, state.view, mouse.x - area.plot_min.x);
      if (moved != state.view) commands.emplace_back(ZoomTo{moved});
    }
    return above || overview_drag;
  }

  // Acts on the input, given the scene on the screen. In the first frame there is none.
  void respond() {
    if (scene.size.width_px <= 0) return;
    commands.clear();
    const bool elsewhere = over_overview();
    names = {};
    if (gesture.kind == TimelineGesture::Kind::kMoving) {
      names.moving = gesture.track;
      if (gesture.landing) names.landing_px = gesture.landing->y_px;
    }
    TimelineInput now = input;
    now.x_px = mouse.x - area.plot_min.x;
    now.y_px = mouse.y - area.plot_min.y;
    now.parts_px = area.parts_px;
    now.over = on_canvas && !elsewhere;
    now.pressed = now.over && input.pressed;
    now.double_clicked = now.over && input.double_clicked;
    interact(*trace, scene, state, now, gesture, commands);
    for (const TimelineCommand& command : commands) apply_timeline(command, *trace, state);
    input.pressed = input.released = input.double_clicked = false;
    input.wheel = input.wheel_x = 0;
    input.keys_pressed.reset();
  }

  void paint() {
    draw.clear();
    if (overview_shown) {
      draw.AddRectFilled({0, 0}, {area.plot_min.x, overview_max.y}, ink(theme.name_column));
      paint_overview({overview, theme, scale, &font, kFontPx * scale}, {area.plot_min.x, 0}, overview_max,
                     draw);
    }
    paint_scene({scene, state, theme, area, &font, kFontPx * scale, names}, draw);
  }

  // True if the next frame differs from this one even without input.
  [[nodiscard]] bool moves() const {
    return state.glide || scene.counters_refine || input.keys_down.any() || state.to_show || state.to_reveal;
  }

  // What the call `ref` waited for. nullopt: it is no call that waited, or that is not known.
  [[nodiscard]] std::optional<WaitCause> cause_of(const SliceRef& ref) const {
    if (!synchronisations || !may_wait(*trace, ref)) return std::nullopt;
    WaitCause cause = wait_cause_of(*trace, *synchronisations, ref);
    return cause.waited ? std::optional(std::move(cause)) : std::nullopt;
  }

  // Selects the first slice of the uppermost row that has one in the view.
  void select_first() {
    const SceneBox* first = nullptr;
    for (const SceneBox& box : scene.boxes) {
      if (box.x1_px <= 0 || box.x0_px >= scene.size.width_px) continue;
      if (first == nullptr || std::pair(box.row, box.x0_px) < std::pair(first->row, first->x0_px))
        first = &box;
    }
    if (first != nullptr) apply_timeline(ShowSlice{first->slice}, *trace, state);
  }

  // Selects, on the next row with slices below (`down`) or above, the slice that is nearest in time.
  void select_on_other_row(bool down) {
    const auto slice = state.selected ? find_slice(*trace, *state.selected) : std::nullopt;
    if (!slice) return select_first();
    std::vector<SceneRow> rows;
    build_rows(*trace, state, scale, rows);
    const auto here = row_of(*trace, rows, state.selected->track, state.selected->depth);
    if (!here) return;
    for (std::size_t at = *here; (at += down ? 1 : std::size_t(-1)) < rows.size();) {
      const SceneRow& row = rows[at];
      const trace::Lane* const lane = find_lane(*trace, row.track, row.depth);
      if (lane == nullptr || lane->first_row() == lane->end_row()) continue;
      const std::uint64_t next = std::min(lane->first_row_ending_after(slice->begin), lane->end_row() - 1);
      return apply_timeline(ShowSlice{{row.track, row.depth, next}}, *trace, state);
    }
  }

  // Folds or unfolds the group around the selected slice: the outermost one that is folded, otherwise the
  // innermost one.
  void toggle_group() {
    if (!state.selected) return;
    TrackId chosen = kNoTrack;
    for (TrackId at = trace->track(state.selected->track).info.parent; at != kNoTrack;
         at = trace->track(at).info.parent) {
      const bool folded = std::ranges::find(state.collapsed, at) != state.collapsed.end();
      if (chosen == kNoTrack || folded) chosen = at;
    }
    if (chosen != kNoTrack) apply_timeline(ToggleFold{chosen}, *trace, state);
  }

  void answer_pairs(const Facts& pairs) {
    for (const auto& [name, value] : pairs) append_record(answer, name, value);
  }
};

Viewer& viewer() {
  static Viewer one;
  return one;
}

}  // namespace

std::string& viewer_buffer() { return viewer().buffer; }
std::string& viewer_answer() { return viewer().answer; }

}  // namespace runahead::gui

using namespace runahead;
using namespace runahead::gui;

// Makes room for `bytes` bytes, and returns where they go.
RUNAHEAD_EXPORT(buffer) char* buffer(std::uint32_t bytes) {
  viewer().buffer.assign(bytes, '\0');
  return viewer().buffer.data();
}
RUNAHEAD_EXPORT(answer) const char* answer() { return viewer().answer.data(); }
RUNAHEAD_EXPORT(answer_bytes) std::uint32_t answer_bytes() {
  return static_cast<std::uint32_t>(viewer().answer.size());
}

// Opens the recording in the buffer, and frees the buffer. False: it is damaged.
RUNAHEAD_EXPORT(open_recording) bool open_recording() {
  Viewer& one = viewer();
  one.trace = read_blocks(one.buffer);
  std::string().swap(one.buffer);
  if (!one.trace) return false;
  one.state = {};
  one.state.follow = false;
  one.state.motion = kGlideLength;
  one.state.parts = analysis::parts_of_run(*one.trace);
  const auto workload = one.trace->metadata().find("workload");
  if (workload != one.trace->metadata().end()) {
    if (const auto counter = counter_of_workload(workload->second)) one.state.about = {*counter};
  }
  const auto told = reduction_in(one.trace->metadata());
  if (told && told->reduction.range) apply_timeline(ZoomTo{*told->reduction.range}, *one.trace, one.state);
  return true;
}

// Marks the times before and after the last change of the barrier, as the window does. Not in the page of a
// range: what is before and after is not all in it.
RUNAHEAD_EXPORT(show_change) void show_change() {
  Viewer& one = viewer();
  const auto told = reduction_in(one.trace->metadata());
  if (told && told->reduction.range) return;
  StripTracker tracker;
  const std::optional<StripTracker::State>& strip = tracker.update(*one.trace);
  if (!strip) return;
  one.state.compared = compared_times(*strip);
  one.state.levels_before = levels_before(*one.trace, *strip);
}

// The widths of the font's letters at 13 px, as 130 floats in the buffer: the ASCII characters, an `other`
// character, a `wide` one.
RUNAHEAD_EXPORT(set_font) void set_font() {
  Viewer& one = viewer();
  std::array<float, 130> widths{};
  if (one.buffer.size() != sizeof(widths)) return;
  std::memcpy(widths.data(), one.buffer.data(), sizeof(widths));
  std::copy_n(widths.begin(), one.font.ascii.size(), one.font.ascii.begin());
  one.font.other = widths[128];
  one.font.wide = widths[129];
}

// `language`: a number of kLanguages.
RUNAHEAD_EXPORT(set_look) void set_look(bool dark, std::uint32_t language) {
  viewer().theme = dark ? dark_theme() : light_theme();
  set_language(kLanguages[std::min<std::size_t>(language, kLanguages.size() - 1)]);
}

RUNAHEAD_EXPORT(mouse) void mouse(float x, float y, bool over) {
  viewer().mouse = {x, y};
  viewer().on_canvas = over;
}
// A press and a release need a frame each, before the mouse moves on. `clicks`: 1, or 2 for the second press
// of a double click.
RUNAHEAD_EXPORT(press) void press(std::uint32_t clicks) {
  TimelineInput& input = viewer().input;
  input.pressed = input.down = true;
  input.double_clicked = clicks == 2;
}
RUNAHEAD_EXPORT(release) void release() {
  viewer().input.down = false;
  viewer().input.released = true;
}
RUNAHEAD_EXPORT(wheel) void wheel(float x, float y) {
  viewer().input.wheel_x += x;
  viewer().input.wheel += y;
}
RUNAHEAD_EXPORT(modifiers) void modifiers(bool shift, bool ctrl) {
  viewer().input.shift = shift;
  viewer().input.ctrl = ctrl;
}
// `key`: a TimelineKey. `pressed`: it went down now; false: it went up.
RUNAHEAD_EXPORT(key) void key(std::uint32_t key, bool pressed) {
  if (key >= kTimelineKeyCount) return;
  const auto which = static_cast<TimelineKey>(key);
  const bool walks = which == TimelineKey::kNextSlice || which == TimelineKey::kPreviousSlice;
  if (pressed && walks && !viewer().state.selected) return viewer().select_first();
  viewer().input.keys_down[key] = pressed;
  if (pressed) viewer().input.keys_pressed[key] = true;
}

RUNAHEAD_EXPORT(other_row) void other_row(bool down) { viewer().select_on_other_row(down); }
RUNAHEAD_EXPORT(toggle_group) void toggle_group() { viewer().toggle_group(); }

// One frame of a canvas of this size, `dt_s` after the frame before. Returns true if another frame should
// follow at once. REQUIRES: a recording is open.
RUNAHEAD_EXPORT(frame) bool frame(float width, float height, float scale, double dt_s) {
  Viewer& one = viewer();
  one.size = {width, height};
  one.scale = scale;
  one.input.dt_s = dt_s;
  one.lay_out();
  advance_glide(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(dt_s)), one.state);
  one.respond();
  one.build();
  one.paint();
  return one.moves();
}
RUNAHEAD_EXPORT(draw_words) const std::uint32_t* draw_words() { return viewer().draw.words.data(); }
RUNAHEAD_EXPORT(draw_word_count) std::uint32_t draw_word_count() {
  return static_cast<std::uint32_t>(viewer().draw.words.size());
}
RUNAHEAD_EXPORT(draw_texts) const char* draw_texts() { return viewer().draw.texts.data(); }

// The top left corner of the plot: names are left of it, the ruler is above it.
RUNAHEAD_EXPORT(plot_x) float plot_x() { return viewer().area.plot_min.x; }
RUNAHEAD_EXPORT(plot_y) float plot_y() { return viewer().area.plot_min.y; }

// The view, in nanoseconds of the trace.
RUNAHEAD_EXPORT(view_begin) std::int64_t view_begin() { return ns_from(viewer().state.view.begin); }
RUNAHEAD_EXPORT(view_end) std::int64_t view_end() { return ns_from(viewer().state.view.end); }
// Where the trace ends, in nanoseconds.
RUNAHEAD_EXPORT(trace_end) std::int64_t trace_end() { return ns_from(viewer().trace->extent().end); }
RUNAHEAD_EXPORT(set_view) void set_view(std::int64_t begin, std::int64_t end) {
  Viewer& one = viewer();
  apply_timeline(ZoomTo{{timestamp_from_ns(begin), timestamp_from_ns(end)}}, *one.trace, one.state);
}

// Shows this view at once, also where the trace has nothing: so a timeline goes with the other one of a
// comparison.
RUNAHEAD_EXPORT(move_view) void move_view(std::int64_t begin, std::int64_t end) {
  TimelineState& state = viewer().state;
  state.glide.reset();
  state.view = {timestamp_from_ns(begin), timestamp_from_ns(end)};
}
RUNAHEAD_EXPORT(show_overview) void show_overview(bool shown) { viewer().overview_shown = shown; }

// Answers with the user's choices for tracks (which are folded, hidden, ...): a record with a blank and the
// paths for each list of TrackChoices.
RUNAHEAD_EXPORT(track_choices) void track_choices() {
  Viewer& one = viewer();
  one.answer.clear();
  one.choices = choices_of(*one.trace, one.state, one.choices);
  for (const auto list : kChoiceLists) {
    one.answer += ' ';
    for (const std::string& path : one.choices.*list) {
      one.answer += kUnitEnd;
      append_field(one.answer, path);
    }
    one.answer += kRecordEnd;
  }
}
// Takes the choices in the buffer, which the viewer of another trace has answered.
RUNAHEAD_EXPORT(take_track_choices) void take_track_choices() {
  Viewer& one = viewer();
  std::string_view rest = one.buffer;
  for (const auto list : kChoiceLists) {
    const std::string_view record = rest.substr(0, rest.find(kRecordEnd));
    rest.remove_prefix(std::min(record.size() + 1, rest.size()));
    (one.choices.*list).clear();
    for (std::size_t at = record.find(kUnitEnd); at != record.npos;) {
      const std::size_t end = std::min(record.find(kUnitEnd, at + 1), record.size());
      (one.choices.*list).emplace_back(record.substr(at + 1, end - at - 1));
      at = end < record.size() ? end : record.npos;
    }
  }
  take_choices(one.choices, *one.trace, one.state);
}

// Answers with the label and the facts of the selected slice (`of` 0), or of the one under the mouse (1).
// Returns false if there is none.
RUNAHEAD_EXPORT(facts) bool facts(std::uint32_t of) {
  Viewer& one = viewer();
  one.answer.clear();
  const auto& ref = of == 0 ? one.state.selected : one.state.hovered;
  const auto slice = ref && one.trace ? find_slice(*one.trace, *ref) : std::nullopt;
  if (!slice) return false;
  append_record(one.answer, slice_label(*one.trace, *slice, ref->open));
  const std::optional<WaitCause> cause = one.cause_of(*ref);
  if (cause) one.answer_pairs(cause_facts(*one.trace, *cause));
  one.answer_pairs(slice_facts(*one.trace, *ref, cause ? WaitParts::kLeftOut : WaitParts::kTold));
  return true;
}

// Answers with the length of the measured range, in words. Returns false if nothing is measured.
RUNAHEAD_EXPORT(measured) bool measured() {
  const auto& state = viewer().state;
  if (!state.range && !state.area) return false;
  const TimeRange range = state.range ? *state.range : state.area->content.range;
  viewer().answer = std::string(text(Text::kRange)) + ": " + format_duration(range.duration());
  return true;
}

// True if read_causes() would add to the facts of the selected slice.
RUNAHEAD_EXPORT(wants_causes) bool wants_causes() {
  const Viewer& one = viewer();
  if (one.synchronisations || !one.state.selected || has_ops(*one.trace)) return false;
  if (!may_wait(*one.trace, *one.state.selected)) return false;
  std::uint64_t slices = 0;
  for (const trace::Track& track : one.trace->tracks()) {
    for (const trace::Lane& lane : track.lanes) slices += lane.end_row() - lane.first_row();
  }
  return slices <= kMostExplainedSlices;
}
// Reads what the calls of the trace waited for.
RUNAHEAD_EXPORT(read_causes) void read_causes() { viewer().synchronisations.emplace(*viewer().trace); }

// Shows a place of the report (gui/web/report/report.h). `track` -1: a time. An empty time is shown with its
// surroundings.
RUNAHEAD_EXPORT(show_place) void show_place(std::int32_t track, std::int64_t from, std::int64_t to) {
  Viewer& one = viewer();
  TimeRange range{timestamp_from_ns(from), timestamp_from_ns(to)};
  TimelineCommands commands;
  if (track < 0 && range.empty()) {
    constexpr int kShare = 20;  // the view, as a part of the trace
    const Duration around = one.trace->extent().duration() / (2 * kShare);
    commands.emplace_back(GlideTo{{range.begin - around, range.begin + around}});
  } else {
    const TrackId of = track < 0 ? kNoTrack : TrackId{static_cast<std::uint32_t>(track)};
    if (range.empty()) range.end += Duration{1};
    show_evidence(*one.trace, one.state, {}, {of, range}, commands);
  }
  apply_timeline(ClearSelection{}, *one.trace, one.state);
  apply_timeline(SetRange{}, *one.trace, one.state);
  for (const TimelineCommand& command : commands) apply_timeline(command, *one.trace, one.state);
}

// Answers with the scene of the last frame as text (scene_text()).
RUNAHEAD_EXPORT(scene_as_text) void scene_as_text() {
  viewer().answer = scene_text(viewer().scene, *viewer().trace);
}

// Finds the slices that the text in the buffer asks for (analysis/slice_search.h): keeps their colours, and
// dims all others. Answers with a summary, and with up to 200 of them, the longest first: name, kind,
// duration, track. An empty text ends the search. Returns 0: no search; 1: done; 2: the text cannot be read,
// and the answer says why.
RUNAHEAD_EXPORT(find) std::uint32_t find() {
  constexpr std::size_t kMost = 200;
  Viewer& one = viewer();
  one.answer.clear();
  one.found.clear();
  one.state.found.reset();
  const auto search = analysis::parse_slice_search(one.buffer);
  if (!search) {
    one.answer = search.error().message;
    return 2;
  }
  if (search->empty()) return 0;
  const std::atomic<bool> never{false};
  analysis::FoundSlices found = analysis::find_slices(*one.trace, *search, one.trace->extent(),
                                                      analysis::FoundOrder::kLongestFirst, kMost, never);
  Duration total{};
  for (const Duration duration : found.durations) total += duration;
  one.answer.clear();
  append_record(one.answer, filled(Text::kFindSummary,
                                   {format_count(static_cast<double>(found.count)), format_duration(total)}));
  for (const analysis::FoundSlice& slice : found.slices) {
    append_record(one.answer, slice_label(*one.trace, slice.slice, false), kind_name(slice.slice.kind),
                  format_duration(slice.slice.duration()), track_label(*one.trace, slice.track));
  }
  one.found = std::move(found.slices);
  one.state.found = std::move(found.rows);
  return 1;
}

// Selects a slice that find() has listed, and brings it into view.
RUNAHEAD_EXPORT(show_found) void show_found(std::uint32_t index) {
  Viewer& one = viewer();
  if (index >= one.found.size()) return;
  const analysis::FoundSlice& slice = one.found[index];
  apply_timeline(ShowSlice{{slice.track, slice.depth, slice.row}}, *one.trace, one.state);
}

// Answers with the languages: the code and the name of each, in the order of their numbers.
RUNAHEAD_EXPORT(languages) void languages() {
  viewer().answer.clear();
  for (const Language one : kLanguages) viewer().answer_pairs({{language_code(one), language_name(one)}});
}

// Answers with what the page says about its trace: that it has a part of the trace, or a summary of it.
// Empty: it has all of the trace.
RUNAHEAD_EXPORT(page_note) void page_note() {
  std::string& note = viewer().answer;
  note.clear();
  const auto told = reduction_in(viewer().trace->metadata());
  if (!told) return;
  const auto number = [](std::uint64_t count) { return std::to_string(count); };
  if (const auto& range = told->reduction.range) {
    note += filled(Text::kPageRange, {format_duration(range->begin.time_since_epoch()),
                                      format_duration(range->end.time_since_epoch())}) +
            " ";
  }
  const ReductionCounts& counts = told->counts;
  if (told->reduction.joined_below > Duration::zero()) {
    note += filled(
        Text::kPageSummary,
        {number(counts.joined_slices), format_duration(told->reduction.joined_below), number(counts.blocks)});
  }
  if (counts.ops + counts.flows + counts.dependencies + counts.allocations + counts.instants > 0) {
    note += " " +
            filled(Text::kPageLeftOut, {number(counts.ops), number(counts.flows), number(counts.dependencies),
                                        number(counts.allocations), number(counts.instants)});
  }
  if (note.ends_with(' ')) note.pop_back();
}

// Answers with the page's own texts in the language of set_look(): a key and the text of each.
RUNAHEAD_EXPORT(page_texts) void page_texts() {
  viewer().answer.clear();
  viewer().answer_pairs({{"language", text(Text::kLanguage)},
                         {"theme", text(Text::kLightTheme)},
                         {"find", text(Text::kPanelFind)},
                         {"find_hint", text(Text::kFindHint)},
                         {"name", text(Text::kName)},
                         {"kind", text(Text::kTimelineKind)},
                         {"duration", text(Text::kTimelineDuration)},
                         {"track", text(Text::kTimelineTrack)},
                         {"live", text(Text::kLive)},
                         {"live_hint", text(Text::kLiveHint)},
                         {"ended", text(Text::kFollowedEnded)},
                         {"align", text(Text::kCompareAlign)},
                         {"align_hint", text(Text::kCompareAlignHint)},
                         {"link", text(Text::kCompareLink)},
                         {"link_hint", text(Text::kCompareLinkHint)}});
}
