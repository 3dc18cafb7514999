// Builds the idle time of devices, and the critical path.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene_builder.h"
#include "instrumentation/base/format.h"

namespace runahead::gui::internal {
namespace {

constexpr double kNarrowestIdlePx = 3;   // narrower gaps are joined
constexpr double kNarrowestPiecePx = 3;  // narrower pieces of the path are joined
// Two wide pieces on different rows are connected if there are narrow pieces of at most this length between
// them.
constexpr float kLongestJumpPx = 8;
// Number of shades of a joined part of the path; neighbours of the same shade become one line.
constexpr float kPathShades = 8;

// The time of so many px, at least 1 ns.
Duration time_of(const SceneBuilder& builder, double px) {
  return std::max(Duration{1}, builder.scale.duration_from_x(px * builder.interface_scale));
}

float x_of(const SceneBuilder& builder, Timestamp t) {
  const double over = kOverhangPx * builder.interface_scale;
  return static_cast<float>(std::clamp(builder.scale.x_from_time(t), -over, builder.scale.width_px + over));
}

// Finds the row of a track as row_of() does, but a trace may have thousands of tracks and rows.
class TrackRows {
 public:
  explicit TrackRows(const SceneBuilder& builder) : builder_(builder) {
    for (std::size_t i = 0; i < builder.all_rows.size(); ++i) {
      if (builder.all_rows[i].depth == 0) first_.try_emplace(raw(builder.all_rows[i].track), i);
    }
  }
  // nullptr: the track is hidden.
  [[nodiscard]] const SceneRow* of(TrackId track) const {
    if (const auto own = first_.find(raw(track)); own != first_.end()) return &builder_.all_rows[own->second];
    const auto group = row_of(builder_.trace, builder_.all_rows, track, 0);
    return group ? &builder_.all_rows[*group] : nullptr;
  }

 private:
  const SceneBuilder& builder_;
  std::unordered_map<std::uint32_t, std::size_t> first_;  // index in all_rows, by track
};

// ---- idle time --------------------------------------------------------------------------------------------

// The devices whose streams a row shows; the header of a folded group may stand for streams of several.
class RowDevices {
 public:
  RowDevices(const SceneBuilder& builder, const TrackRows& rows, const CauseMarks& marks)
      : devices_(builder.out.rows.size()) {
    std::map<TrackId, std::uint32_t> device_of;
    for (std::uint32_t device = 0; device < marks.devices.size(); ++device) {
      for (const TrackId track : marks.devices[device].tracks) device_of.emplace(track, device);
    }
    for (const auto& [track, device] : device_of) {
      if (const SceneRow* const first = rows.of(track)) add(builder, *first, track, device);
    }
  }

  // nullopt: the row shows no stream, or streams of several devices.
  [[nodiscard]] std::optional<std::uint32_t> of(std::size_t row) const {
    const auto& [device, several] = devices_[row];
    return several ? std::nullopt : device;
  }

 private:
  struct Of {
    std::optional<std::uint32_t> device;
    bool several = false;
  };

  // `first`: the first row of the track, or the row that stands for it.
  void add(const SceneBuilder& builder, const SceneRow& first, TrackId track, std::uint32_t device) {
    for (std::size_t i = 0; i < builder.out.rows.size(); ++i) {
      const SceneRow& row = builder.out.rows[i];
      const bool lane = row.kind == RowKind::kLane && row.track == track;
      const bool stands_for =
          row.kind != RowKind::kLane && row.kind == first.kind && row.track == first.track;
      if (lane || stands_for) note(devices_[i], device);
    }
  }
  static void note(Of& of, std::uint32_t device) {
    of.several = of.several || (of.device && *of.device != device);
    of.device = device;
  }

  std::vector<Of> devices_;
};

// Adds the rows of devices. Returns for each device whether some of its rows are visible.
std::vector<bool> add_idle_rows(SceneBuilder& builder, const TrackRows& track_rows, const CauseMarks& marks) {
  std::vector<bool> shown(marks.devices.size());
  const RowDevices devices(builder, track_rows, marks);
  std::vector<SceneIdleRows>& out = builder.out.idle_rows;
  std::optional<std::uint32_t> before;  // the device of the row before
  for (std::size_t i = 0; i < builder.out.rows.size(); ++i) {
    const SceneRow& row = builder.out.rows[i];
    const std::optional<std::uint32_t> device = devices.of(i);
    const float bottom = row.y_px + row.height_px;
    if (device && device == before && out.back().held == row.held) {
      out.back().y1_px = bottom;
    } else if (device) {
      out.push_back({*device, row.y_px, bottom, row.height_px, row.held});
      shown[*device] = true;
    }
    before = device;
  }
  return shown;
}

// The label of a band, or only its length, or nothing: a label that is cut off says nothing.
std::string label_of(const SceneBuilder& builder, const IdleMark& gap, const SceneIdle& idle) {
  const float left = std::max(idle.x0_px, 0.0f),
              right = std::min(idle.x1_px, static_cast<float>(builder.scale.width_px));
  const float room = right - left - 2 * kLabelPadPx * builder.interface_scale;
  const std::string words = idle_label(gap), length = format_duration(gap.range.duration());
  if (builder.advance.width_px(words) <= room) return words;
  return builder.advance.width_px(length) <= room ? length : std::string();
}

void add_device_idle(SceneBuilder& builder, const IdleDevice& device, std::uint32_t index) {
  std::vector<IdleRun> runs;
  join_gaps(device.gaps, builder.scale.view, time_of(builder, kNarrowestIdlePx), runs);
  for (const IdleRun& run : runs) {
    SceneIdle idle{.device = index,
                   .run = run,
                   .x0_px = x_of(builder, run.range.begin),
                   .x1_px = x_of(builder, run.range.end),
                   .label = {}};
    if (run.count == 1) {
      idle.label = label_of(builder, device.gaps[run.first], idle);
      idle.selected = builder.state.selected_idle == IdleRef{index, run.range.begin};
    }
    builder.out.idle.push_back(std::move(idle));
  }
}

// A selected gap that is part of a run is drawn on its own, above the run.
void add_selected_idle(SceneBuilder& builder, const CauseMarks& marks) {
  if (!builder.state.selected_idle) return;
  const std::optional<FoundIdle> found = find_idle(marks, *builder.state.selected_idle);
  const bool drawn = std::ranges::any_of(builder.out.idle, &SceneIdle::selected);
  if (!found || drawn || !found->gap.range.overlaps(builder.scale.view)) return;
  const float x0 = x_of(builder, found->gap.range.begin);
  const auto index = static_cast<std::size_t>(&found->gap - found->device.gaps.data());
  builder.out.idle.push_back(
      {.device = builder.state.selected_idle->device,
       .run = {index, 1, found->gap.range, found->gap.cause, 1},
       .x0_px = x0,
       .x1_px = std::max(x_of(builder, found->gap.range.end), x0 + 2 * builder.interface_scale),
       .label = {},
       .selected = true});
}

// ---- the critical path ------------------------------------------------------------------------------------

bool is_wait(causes::PathClass path_class) {
  return path_class == causes::PathClass::kWaiting || path_class == causes::PathClass::kUnknown;
}

class PathBuilder {
 public:
  PathBuilder(SceneBuilder& builder, const TrackRows& rows, const CauseMarks& marks)
      : builder_(builder), marks_(marks), narrow_(time_of(builder, kNarrowestPiecePx)) {
    places_.resize(marks.path_tracks.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (marks.path_tracks[i].time_in(builder.scale.view) <= Duration{}) continue;
      places_[i] = place_of(rows.of(marks.path_tracks[i].track()));
      if (places_[i] && places_[i]->row) visible_.push_back(i);
    }
  }

  void add() {
    for (const std::vector<PathPiece>& path : marks_.paths) {
      before_.reset();
      add_path(path);
    }
  }

 private:
  void add_path(const std::vector<PathPiece>& path) {
    const TimeRange view = builder_.scale.view;
    const auto end_of = [](const PathPiece& piece) { return piece.range.end; };
    const auto begin_of = [](const PathPiece& piece) { return piece.range.begin; };
    auto at = std::ranges::upper_bound(path, view.begin, {}, end_of);
    while (at != path.end() && at->range.begin < view.end) {
      if (at->range.duration() >= narrow_) {
        add_piece(*at);
        ++at;
        continue;
      }
      // All pieces that begin in the same cell. Only the last of them can be wide: it is drawn alone.
      auto end = std::ranges::lower_bound(std::next(at), path.end(), end_of_cell(at->range.begin, narrow_),
                                          {}, begin_of);
      if (end != std::next(at) && std::prev(end)->range.duration() >= narrow_) --end;
      add_joined({at->range.begin, std::prev(end)->range.end});
      at = end;
    }
  }

  // Where the lines of a track are.
  struct Place {
    std::optional<std::uint32_t> row;  // index into Scene::rows; nullopt: scrolled out of view
    float y_px = 0;                    // lower edge of the row, also if it is out of view
    std::size_t last = SIZE_MAX;       // its last line in Scene::path
  };

  // `shown`: the row of a track; nullptr: the track is hidden.
  std::optional<Place> place_of(const SceneRow* shown) const {
    if (shown == nullptr) return std::nullopt;
    const SceneRow& row = *shown;
    const float top = screen_y(row, builder_.out.held_px, builder_.state.scroll_y_px);
    Place place{.row = {}, .y_px = top + row.height_px};
    for (std::uint32_t i = 0; i < builder_.out.rows.size(); ++i) {
      const SceneRow& visible = builder_.out.rows[i];
      if (visible.kind == row.kind && visible.track == row.track && visible.depth == row.depth) place.row = i;
    }
    return place;
  }

  void add_piece(const PathPiece& piece) {
    std::optional<Place>* const place = piece.track != kNoPathTrack ? &places_[piece.track] : nullptr;
    if (place == nullptr || !*place) {
      before_.reset();
      return;
    }
    const float x = x_of(builder_, piece.range.begin), y = (*place)->y_px;
    const bool follows = before_ && x - before_->x_px <= kLongestJumpPx * builder_.interface_scale;
    if (follows && before_->y_px != y && piece.range.begin > builder_.scale.view.begin)
      builder_.out.path_steps.push_back({x, before_->y_px, y});
    add_line(**place, piece.range, 1, is_wait(piece.path_class));
    before_ = End{x_of(builder_, piece.range.end), y};
  }

  // Many narrow pieces: the line of each track is as strong as its share of the time.
  void add_joined(TimeRange range) {
    for (const std::size_t i : visible_) {
      const Duration time = marks_.path_tracks[i].time_in(range);
      if (time <= Duration{}) continue;
      const auto share = static_cast<float>(static_cast<double>(time.count()) /
                                            static_cast<double>(range.duration().count()));
      add_line(*places_[i], range, std::max(1.0f, std::round(share * kPathShades)) / kPathShades, false);
    }
  }

  void add_line(Place& place, TimeRange range, float share, bool waits) {
    if (!place.row) return;
    const ScenePathLine line{*place.row, x_of(builder_, range.begin), x_of(builder_, range.end), share,
                             waits};
    std::vector<ScenePathLine>& out = builder_.out.path;
    if (place.last < out.size()) {
      ScenePathLine& last = out[place.last];
      if (last.share == line.share && last.waits == line.waits && line.x0_px - last.x1_px < 0.5f) {
        last.x1_px = std::max(last.x1_px, line.x1_px);
        return;
      }
    }
    place.last = out.size();
    out.push_back(line);
  }

  SceneBuilder& builder_;
  const CauseMarks& marks_;
  const Duration narrow_;
  // Index: path track. nullopt: the track is hidden, or the path is not on it in the view.
  std::vector<std::optional<Place>> places_;
  std::vector<std::size_t> visible_;  // indices of the places with a visible row
  struct End {
    float x_px = 0, y_px = 0;
  };
  std::optional<End> before_;  // of the last wide piece
};

}  // namespace

void add_causes(SceneBuilder& builder) {
  const CauseMarks* const marks =
      builder.state.shows_idle || builder.state.shows_path ? builder.state.causes.get() : nullptr;
  if (marks == nullptr || marks->trace != builder.trace.identity()) return;
  const TrackRows rows(builder);
  if (builder.state.shows_idle) {
    const std::vector<bool> shown = add_idle_rows(builder, rows, *marks);
    for (std::uint32_t i = 0; i < marks->devices.size(); ++i) {
      if (shown[i]) add_device_idle(builder, marks->devices[i], i);
    }
    add_selected_idle(builder, *marks);
  }
  if (builder.state.shows_path) PathBuilder(builder, rows, *marks).add();
}

}  // namespace runahead::gui::internal
