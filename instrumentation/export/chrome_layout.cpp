#include "instrumentation/export/chrome_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::exporters {
using namespace trace;
namespace {

bool contains(const Slice& outer, const Slice& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

enum class Fit { kInside, kNested, kOverlapping };

// The relation of the slices of `b` to the slices of `a`. kInside: each slice of b is inside a slice of a.
// kNested: any slice of a and any slice of b are nested or disjoint. kOverlapping: a slice of a and a slice
// of b overlap in part.
Fit fit_of(const LaneRowsView& a, const LaneRowsView& b) {
  Fit fit = Fit::kInside;
  std::uint64_t i = 0, j = 0;
  while (j < b.size()) {
    const Slice inner = b.slice(j);
    if (i == a.size()) return Fit::kNested;  // the remaining slices of b come after all slices of a
    const Slice outer = a.slice(i);
    if (contains(outer, inner)) {
      ++j;
    } else if (outer.end <= inner.begin) {
      ++i;
    } else {
      fit = Fit::kNested;
      if (inner.end <= outer.begin) {
        ++j;
      } else if (contains(inner, outer)) {
        ++i;
      } else {
        return Fit::kOverlapping;
      }
    }
  }
  return fit;
}

// Lanes that share a thread.
struct Stack {
  std::vector<std::size_t> depths;
  bool chain = true;  // each lane is inside the previous lane (Fit::kInside)
};

bool try_add(Stack& stack, const std::vector<LaneRowsView>& lanes, std::size_t depth) {
  const Fit to_last = fit_of(lanes[stack.depths.back()], lanes[depth]);
  if (to_last == Fit::kOverlapping) return false;
  // A lane inside the last lane of a chain is inside all lanes of the chain, so it needs no further check.
  if (!stack.chain || to_last != Fit::kInside) {
    for (const std::size_t other : stack.depths) {
      if (fit_of(lanes[other], lanes[depth]) == Fit::kOverlapping) return false;
    }
    stack.chain = false;
  }
  stack.depths.push_back(depth);
  return true;
}

// try_add() is called only for the last 64 stacks. If all lanes overlap, trying every stack would cost
// O(lanes^2).
constexpr std::ptrdiff_t kMostStacksTried = 64;

std::vector<Stack> stacks_of(TrackKind kind, const std::vector<LaneRowsView>& lanes) {
  std::vector<Stack> stacks;
  for (std::size_t depth = 0; depth < lanes.size(); ++depth) {
    // Overlapping slices on a stream run at the same time. If one slice is inside another slice, this is a
    // coincidence and not nesting. Therefore each lane of a stream gets its own thread.
    const bool nests = kind != TrackKind::kStream;
    const auto tried = std::min(std::ssize(stacks), kMostStacksTried);
    const bool placed = nests && std::any_of(stacks.end() - tried, stacks.end(),
                                             [&](Stack& stack) { return try_add(stack, lanes, depth); });
    if (!placed) stacks.push_back({{depth}, true});
  }
  return stacks;
}

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Trace& trace) : trace_(trace) {}

  ChromeLayout build() {
    layout_.tracks.resize(trace_.tracks().size());
    collect_used();
    make_processes();
    for (const TrackId id : in_order()) place(id);
    return std::move(layout_);
  }

 private:
  [[nodiscard]] const TrackInfo& track_of(TrackId id) const { return trace_.track(id).info; }
  [[nodiscard]] TrackId top_of(TrackId id) const {
    while (track_of(id).parent != kNoTrack) id = track_of(id).parent;
    return id;
  }

  void collect_used() {
    InstantReader instants(trace_.instants());
    for (std::uint64_t i = 0; i < instants.size(); ++i) with_instants_.insert(instants.instant(i).track);
    for (const OpenSlice& open : trace_.open_slices()) {
      Slice slice = open.slice;
      slice.end = std::max(slice.begin, trace_.watermark());
      slice.flags |= kSliceUnfinished;
      open_.insert_or_assign({open.track, open.depth}, slice);
    }
  }

  // Makes one process for each top-level group. Tracks without a group share the process "runahead".
  void make_processes() {
    std::vector<TrackId> tops;
    for (const Track& track : trace_.tracks()) {
      if (track.info.parent == kNoTrack && track.info.kind == TrackKind::kGroup)
        tops.push_back(track.info.id);
    }
    std::stable_sort(tops.begin(), tops.end(), [this](TrackId a, TrackId b) {
      return track_of(a).sort_order < track_of(b).sort_order;
    });
    layout_.processes.push_back({1, "runahead", 0});
    for (const TrackId top : tops) {
      const int pid = static_cast<int>(layout_.processes.size()) + 1;
      layout_.processes.push_back({pid, track_name(track_of(top)), pid});
      pids_[top] = pid;
    }
    // Viewers treat a thread as the main thread if it has the number of its process. Therefore thread numbers
    // start after all process numbers.
    next_tid_ = static_cast<int>(layout_.processes.size()) + 1;
  }

  [[nodiscard]] std::vector<TrackId> in_order() const {
    std::vector<TrackId> ids;
    for (const Track& track : trace_.tracks()) ids.push_back(track.info.id);
    std::stable_sort(ids.begin(), ids.end(), [this](TrackId a, TrackId b) {
      return track_of(a).sort_order < track_of(b).sort_order;
    });
    return ids;
  }

  // The names of the groups between the process and the track, then the track's name.
  [[nodiscard]] std::string name_within(TrackId id) const {
    std::string name = track_name(track_of(id));
    for (TrackId above = track_of(id).parent; above != kNoTrack && track_of(above).parent != kNoTrack;
         above = track_of(above).parent) {
      name.insert(0, track_of(above).name + "/");
    }
    return name;
  }

  void place(TrackId id) {
    const Track& track = trace_.track(id);
    TrackPlace& place = layout_.tracks[raw(id)];
    const auto process = pids_.find(top_of(id));
    place.pid = process == pids_.end() ? 1 : process->second;
    place.rank = next_rank_++;
    place.name = name_within(id);
    add_lanes(track, place);
    const bool any_slice = std::any_of(place.lanes.begin(), place.lanes.end(),
                                       [](const LaneRowsView& lane) { return lane.size() > 0; });
    const bool any_instant = with_instants_.contains(id);
    if (track.info.kind == TrackKind::kCounter) {
      place.kind = PlaceKind::kCounter;
      make_name_unique(place);
    } else if (any_slice) {
      const bool async = track.info.kind == TrackKind::kQueue || track.info.kind == TrackKind::kAsync;
      place.kind = async ? PlaceKind::kAsync : PlaceKind::kThreads;
      if (!async) give_threads(track.info.kind, place);
    }
    if (any_instant && place.tid_count == 0) {
      place.first_tid = next_tid_++;
      place.tid_count = 1;
    }
  }

  void add_lanes(const Track& track, TrackPlace& place) {
    std::size_t depths = track.lanes.size();
    const auto first = open_.lower_bound({track.info.id, 0});
    auto last = first;
    for (; last != open_.end() && last->first.first == track.info.id; ++last) {
      depths = std::max<std::size_t>(depths, last->first.second + 1);
    }
    for (std::size_t depth = 0; depth < depths; ++depth) {
      place.lanes.emplace_back(depth < track.lanes.size() ? &track.lanes[depth] : nullptr, std::nullopt);
    }
    for (auto open = first; open != last; ++open) {
      const std::uint32_t depth = open->first.second;
      place.lanes[depth] =
          LaneRowsView(depth < track.lanes.size() ? &track.lanes[depth] : nullptr, open->second);
    }
  }

  void give_threads(TrackKind kind, TrackPlace& place) {
    const std::vector<Stack> stacks = stacks_of(kind, place.lanes);
    place.first_tid = next_tid_;
    place.tid_count = static_cast<int>(stacks.size());
    next_tid_ += place.tid_count;
    place.lane_tids.resize(place.lanes.size());
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      for (const std::size_t depth : stacks[i].depths)
        place.lane_tids[depth] = place.first_tid + static_cast<int>(i);
    }
  }

  // Viewers identify a counter by process and name.
  void make_name_unique(TrackPlace& place) {
    const std::string name = place.name;
    for (int n = 2; !counter_names_.insert({place.pid, place.name}).second; ++n) {
      place.name = name + " (" + std::to_string(n) + ")";
    }
  }

  const Trace& trace_;
  ChromeLayout layout_;
  std::map<TrackId, int> pids_;
  std::map<std::pair<TrackId, std::uint32_t>, Slice> open_;
  std::set<TrackId> with_instants_;
  std::set<std::pair<int, std::string>> counter_names_;
  int next_tid_ = 1;
  std::int32_t next_rank_ = 0;
};

}  // namespace

std::uint64_t LaneRowsView::first_near(Timestamp t) const {
  if (lane_ == nullptr) return 0;
  // The first slice that ends after t. Two earlier slices may touch t: the slice before may end at t, and the
  // slice before that may have length zero at t.
  const std::uint64_t row = lane_->first_row_ending_after(t) - lane_->first_row();
  return row < 2 ? 0 : row - 2;
}

ChromeLayout lay_out_for_chrome(const Trace& trace) { return LayoutBuilder(trace).build(); }

}  // namespace runahead::exporters
