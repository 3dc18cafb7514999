#include "gui/timeline/rows.h"

#include <algorithm>
#include <string_view>

#include "gui/text/text.h"
#include "gui/timeline/arrange.h"
#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/format.h"
#include "instrumentation/trace/instant_table.h"

namespace runahead::gui {
namespace {

using trace::Trace;
using trace::Track;
using trace::TrackInfo;
using trace::TrackKind;

constexpr int kDeepestIndent = 16;  // ends the recursion if the parents of tracks form a cycle

bool contains(const std::vector<TrackId>& ids, TrackId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// True for counters that repeat another counter in other units or in parts: run-ahead in bytes, steps so far,
// reserved memory, memory by category.
bool details_another(trace::CounterRole role) {
  using trace::CounterRole;
  return role == CounterRole::kRunAheadBytes || role == CounterRole::kStepsFinished ||
         role == CounterRole::kReservedBytes || role == CounterRole::kCategoryBytes;
}

// True for tracks that the user rarely needs at first: queues (which show the time of each op from enqueue to
// end), the counters of details_another(), and the counters of process memory and copy bandwidth.
bool is_detail(const TrackInfo& info) {
  using trace::CounterRole;
  return info.kind == TrackKind::kQueue || details_another(info.role) ||
         info.role == CounterRole::kProcessRss || info.role == CounterRole::kCopyBandwidth;
}

// True if a group of several processes does not need the track at first: the frames repeat the zones of its
// threads, and its counters are of one process.
bool is_detail_of_process(const TrackInfo& info) {
  using trace::CounterRole;
  if (info.kind == TrackKind::kCounter) return is_detail(info) || info.role == CounterRole::kStepsPerSecond;
  return info.kind == TrackKind::kAsync;
}

class RowBuilder {
 public:
  RowBuilder(const Trace& trace, const TimelineState& state, float scale, std::vector<SceneRow>& out)
      : trace_(trace),
        state_(state),
        scale_(scale),
        out_(out),
        lanes_(trace.tracks().size(), 1),
        filled_(trace.tracks().size(), false),
        has_slices_(trace.tracks().size(), false),
        sorted_(tracks_in_order(trace, state)) {
    count_lanes();
  }

  float build() {
    out_.clear();
    add_pinned();
    add_children(kNoTrack, 0, state_.search.empty());
    if (hidden_count(trace_, state_) > 0) y_px_ += kHeaderHeightPx * scale_;
    return y_px_;
  }

 private:
  void count_lanes() {
    for (const Track& track : trace_.tracks()) {
      lanes_[raw(track.info.id)] = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(track.lanes.size()));
      filled_[raw(track.info.id)] = has_rows(track);
      has_slices_[raw(track.info.id)] =
          std::ranges::any_of(track.lanes, [](const trace::Lane& lane) { return !lane.empty(); });
      steps_ahead_ =
          steps_ahead_ || (track.info.role == trace::CounterRole::kRunAheadSteps && has_rows(track));
    }
    find_details_of_processes();
    for (const trace::OpenSlice& open : trace_.open_slices()) {
      if (raw(open.track) >= lanes_.size()) continue;
      lanes_[raw(open.track)] = std::max(lanes_[raw(open.track)], open.depth + 1);
      filled_[raw(open.track)] = has_slices_[raw(open.track)] = true;
    }
  }

  // If several processes are on the timeline, the threads of all of them shall fit on the screen. So the
  // groups of a process that have only details come later.
  void find_details_of_processes() {
    const auto is_process = [](const TrackInfo& info) {
      return info.kind == TrackKind::kGroup && info.parent == kNoTrack && info.pid != 0;
    };
    const auto tracks = trace_.tracks();
    comes_later_.assign(tracks.size(), false);
    if (std::ranges::count_if(tracks, [&](const Track& track) { return is_process(track.info); }) < 2) return;
    std::vector<bool> needed(tracks.size(), false);  // index: track; true: a group that has more than details
    for (const Track& track : tracks) {
      const TrackId group = track.info.parent;
      if (group == kNoTrack || !filled_[raw(track.info.id)]) continue;
      comes_later_[raw(group)] = trace_.track(group).info.parent != kNoTrack &&
                                 is_process(trace_.track(trace_.track(group).info.parent).info);
      if (!is_detail_of_process(track.info)) needed[raw(group)] = true;
    }
    for (std::size_t id = 0; id < tracks.size(); ++id) comes_later_[id] = comes_later_[id] && !needed[id];
  }

  // False if the track has nothing to show. A counter of the engine (its role is not kOther) has nothing to
  // show if it is always 0. A track without slices may have instants (events without a duration).
  [[nodiscard]] bool has_rows(const Track& track) const {
    const TrackKind kind = track.info.kind;
    if (kind == TrackKind::kGroup || kind == TrackKind::kMarkers) return true;
    if (kind != TrackKind::kCounter) {
      return std::ranges::any_of(track.lanes, [](const trace::Lane& lane) { return !lane.empty(); }) ||
             trace_.instants().may_be_on(track.info.id);
    }
    if (track.counter.empty()) return false;
    if (track.info.role == trace::CounterRole::kOther) return true;
    const trace::GrowingExtremes& all = track.counter.all_extremes();
    return !all.empty() && (all.min != 0 || all.max != 0);
  }

  // True if the track is one of those that the row "3 more, 2 empty" of its group shows and hides (see
  // add_later()).
  [[nodiscard]] bool comes_later(const TrackInfo& info) const {
    if (info.kind == TrackKind::kGroup) return comes_later_[raw(info.id)];
    if (!filled_[raw(info.id)]) return true;
    if (std::ranges::find(state_.about, info.role) != state_.about.end()) return false;
    return is_detail(info) || (info.role == trace::CounterRole::kRunAheadOps && steps_ahead_);
  }

  void add_pinned() {
    adding_pinned_ = true;
    for (const TrackId id : state_.pinned) {
      if (raw(id) >= trace_.tracks().size()) continue;
      const TrackInfo& info = trace_.track(id).info;
      add_one(info, 0, state_.search.empty() || found(info));
    }
    adding_pinned_ = false;
    if (!out_.empty()) y_px_ += kPinnedGapPx * scale_;
  }

  // Adds the tracks below `parent`. `all`: true if the search is empty, or if it matches a group around these
  // tracks.
  void add_children(TrackId parent, int indent, bool all) {
    if (indent > kDeepestIndent) return;
    const auto by_parent = [](const TrackInfo* info, TrackId id) { return info->parent < id; };
    auto it = std::lower_bound(sorted_.begin(), sorted_.end(), parent, by_parent);
    const bool grouped = parent != kNoTrack && state_.search.empty();
    std::vector<const TrackInfo*> later;
    const std::size_t rows_before = out_.size();
    for (; it != sorted_.end() && (*it)->parent == parent; ++it) {
      const TrackInfo& info = **it;
      if (contains(state_.hidden, info.id) || contains(state_.pinned, info.id)) continue;
      if (grouped && comes_later(info)) {
        later.push_back(&info);
      } else {
        add_one(info, indent, all || found(info));
      }
    }
    if (!later.empty()) add_later(parent, indent, later, out_.size() == rows_before);
  }

  // Adds the row "3 more, 2 empty", which shows and hides the tracks that follow it. `alone`: the group has
  // no other rows. In this case, the tracks of the group are shown, except the empty tracks.
  void add_later(TrackId group, int indent, std::vector<const TrackInfo*>& later, bool alone) {
    if (alone) {
      std::erase_if(later, [&](const TrackInfo* info) {
        if (filled_[raw(info->id)]) add_one(*info, indent, true);
        return filled_[raw(info->id)];
      });
      if (later.empty()) return;
    }
    const auto empty = static_cast<std::size_t>(
        std::ranges::count_if(later, [&](const TrackInfo* info) { return !filled_[raw(info->id)]; }));
    std::string label;
    if (later.size() > empty) label = filled(Text::kTimelineMore, {std::to_string(later.size() - empty)});
    if (empty > 0)
      label += (label.empty() ? "" : ", ") + filled(Text::kTimelineEmpty, {std::to_string(empty)});
    SceneRow& row = add_row(SceneRow::Kind::kMore, trace_.track(group).info, 0, kLaneHeightPx, indent);
    row.label = std::move(label);
    row.badge.clear();
    row.foldable = true;
    row.folded = !contains(state_.more_shown, group);
    const bool shown = !row.folded;
    y_px_ += kTrackGapPx * scale_;
    for (const TrackInfo* info : later) {
      if (shown) add_one(*info, indent, true);
    }
  }

  void add_one(const TrackInfo& info, int indent, bool shown) {
    if (info.kind == TrackKind::kGroup) {
      add_group(info, indent, shown);
    } else if (info.kind != TrackKind::kMarkers && shown) {
      add_track(info, indent);
    }
  }

  // True if the search matches the track. For a group, the shown name and the recorded name are searched.
  [[nodiscard]] bool found(const TrackInfo& info) const {
    if (contains_ignoring_case(info.name, state_.search)) return true;
    return info.kind == TrackKind::kGroup && contains_ignoring_case(translated(info.name), state_.search);
  }

  // Adds the header and rows of a group. If the group has no visible rows, its header is omitted too.
  void add_group(const TrackInfo& info, int indent, bool all) {
    const std::size_t header = out_.size();
    const float y_before = y_px_;
    SceneRow& row = add_row(SceneRow::Kind::kGroupHeader, info, 0, kHeaderHeightPx, indent);
    row.foldable = true;
    // During a search, groups are not folded, so that the matches in them are visible.
    row.folded = state_.search.empty() && contains(state_.collapsed, info.id);
    const bool folded = row.folded;
    const float y_below = y_px_;
    add_children(info.id, indent + 1, all);
    const bool empty = out_.size() == header + 1;
    if (empty || folded) out_.resize(empty ? header : header + 1);
    if (empty) y_px_ = y_before;
    if (folded && !empty) y_px_ = y_below;
  }

  void add_track(const TrackInfo& info, int indent) {
    if (info.kind == TrackKind::kCounter) {
      add_counter(info, indent);
    } else if (info.kind == TrackKind::kQueue) {
      add_queue(info, indent);
    } else {
      add_lanes(info, indent);
    }
    y_px_ += kTrackGapPx * scale_;
  }

  // Adds a counter. By default, a counter that repeats another counter (details_another()) is folded to one
  // line. `collapsed` contains the counters that the user has folded or unfolded, against this default.
  void add_counter(const TrackInfo& info, int indent) {
    const bool folded = contains(state_.collapsed, info.id) != details_another(info.role);
    const float height = folded ? kLaneHeightPx : kCounterHeightPx;
    SceneRow& row = add_row(SceneRow::Kind::kCounter, info, 0, height, indent);
    row.foldable = true;
    row.folded = folded;
  }

  void add_lanes(const TrackInfo& info, int indent) {
    const bool folded = contains(state_.collapsed, info.id);
    const std::uint32_t lanes = lanes_[raw(info.id)];
    const float height = has_slices_[raw(info.id)] ? kLaneHeightPx : kInstantsHeightPx;
    for (std::uint32_t depth = 0; depth < (folded ? 1 : lanes); ++depth) {
      SceneRow& row = add_row(SceneRow::Kind::kLane, info, depth, height, indent);
      row.foldable = depth == 0 && lanes > 1;
      row.folded = row.foldable && folded;
    }
  }

  // Adds the lanes of a queue. Each slice is the life of an op: from the op's enqueue to its end. These lanes
  // are folded until the user unfolds them, because a run-ahead of thousands of ops has thousands of lanes.
  void add_queue(const TrackInfo& info, int indent) {
    const bool expanded = contains(state_.expanded_queues, info.id);
    const std::uint32_t lanes = lanes_[raw(info.id)];
    const std::uint32_t shown = expanded ? std::min(lanes, kMostQueueLanes) : 1;
    const bool thick = !expanded || lanes <= kMostThickQueueLanes;
    const float first_y = y_px_;
    for (std::uint32_t depth = 0; depth < shown; ++depth) {
      SceneRow& row =
          add_row(SceneRow::Kind::kQueue, info, depth, thick ? kLaneHeightPx : kThinLaneHeightPx, indent);
      row.foldable = depth == 0;
      row.folded = depth == 0 && !expanded;
      if (depth == 0 && shown < lanes && expanded) {
        row.label += ": " + filled(Text::kTimelineOf, {std::to_string(shown), format_count(lanes)}) + " " +
                     text(Text::kTimelineLanes);
      }
    }
    // All thin lanes together may be lower than the name.
    y_px_ = std::max(y_px_, first_y + kLaneHeightPx * scale_);
  }

  // Returns the name of a row. A pinned track is shown outside its group, so its name includes its device.
  [[nodiscard]] std::string name_of(const TrackInfo& info, int indent) const {
    const bool away = adding_pinned_ && indent == 0;
    const bool told = info.device.empty() || info.name.find(info.device) != std::string::npos;
    return away && !told ? info.device + " " + info.name : info.name;
  }

  SceneRow& add_row(SceneRow::Kind kind, const TrackInfo& info, std::uint32_t depth, float height,
                    int indent) {
    SceneRow row{.kind = kind, .track = info.id, .depth = depth, .y_px = y_px_, .height_px = height * scale_};
    row.indent = indent;
    row.pinned = adding_pinned_;
    if (depth == 0) {
      row.label = info.kind == TrackKind::kGroup ? translated(info.name) : name_of(info, indent);
      if (info.simulated) row.badge = text(Text::kTimelineSimulated);
    }
    y_px_ += row.height_px;
    out_.push_back(std::move(row));
    return out_.back();
  }

  const Trace& trace_;
  const TimelineState& state_;
  const float scale_;
  std::vector<SceneRow>& out_;
  std::vector<std::uint32_t> lanes_;  // index: track; number of lanes
  std::vector<bool> filled_;          // index: track; false: the track has nothing to show
  std::vector<bool> has_slices_;      // index: track; false: the track has at most instants
  std::vector<bool> comes_later_;     // index: track; true: a group of a process that has only details
  bool steps_ahead_ = false;          // true: the trace has a counter of steps in flight
  // All tracks, sorted by parent; tracks with the same parent are in display order.
  std::vector<const TrackInfo*> sorted_;
  float y_px_ = 0;
  bool adding_pinned_ = false;
};

}  // namespace

float build_rows(const Trace& trace, const TimelineState& state, float scale, std::vector<SceneRow>& out) {
  return RowBuilder(trace, state, scale, out).build();
}

float held_height(const std::vector<SceneRow>& rows, float plot_height_px, float scale) {
  float held = 0;
  for (std::size_t i = 0; i < rows.size() && rows[i].pinned; ++i) {
    const bool last = i + 1 == rows.size() || !rows[i + 1].pinned;
    const bool whole = last || (rows[i + 1].indent == 0 && rows[i + 1].depth == 0);
    if (!whole) continue;
    const float bottom = last ? rows[i].y_px + rows[i].height_px + kPinnedGapPx * scale : rows[i + 1].y_px;
    if (bottom > kMostHeldShare * plot_height_px) break;
    held = bottom;
  }
  return held;
}

std::optional<std::size_t> row_of(const Trace& trace, const std::vector<SceneRow>& rows, TrackId track,
                                  std::uint32_t depth) {
  const auto find = [&](TrackId id, bool any_depth) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].track == id && (any_depth || rows[i].depth == depth)) return i;
    }
    return std::nullopt;
  };
  if (raw(track) >= trace.tracks().size()) return std::nullopt;
  if (const auto own = find(track, false)) return own;
  // Only such tracks come after "more" and have slices or samples: a hidden stream is nowhere.
  const TrackKind kind = trace.track(track).info.kind;
  const bool may_come_later = kind == TrackKind::kQueue || kind == TrackKind::kCounter;
  const auto more = std::ranges::find_if(rows, [&](const SceneRow& row) {
    return row.kind == SceneRow::Kind::kMore && row.folded && row.track == trace.track(track).info.parent;
  });
  if (may_come_later && more != rows.end()) return static_cast<std::size_t>(more - rows.begin());
  for (int level = 0; track != kNoTrack && level <= kDeepestIndent; ++level) {
    const auto row = find(track, true);
    if (row && rows[*row].folded) return row;
    track = trace.track(track).info.parent;
  }
  return std::nullopt;
}

}  // namespace runahead::gui
