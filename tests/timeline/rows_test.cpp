#include "gui/timeline/rows.h"

#include <gtest/gtest.h>

#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

std::vector<SceneRow> rows_of(const trace::Trace& trace, const TimelineState& state) {
  std::vector<SceneRow> rows;
  build_rows(trace, state, 1, rows);
  return rows;
}

std::vector<std::string> labels_of(const std::vector<SceneRow>& rows) {
  std::vector<std::string> labels;
  for (const SceneRow& row : rows) labels.push_back(row.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Rows, ListGroupsInTheirOrderWithALaneForEachDepth) {
  EXPECT_EQ(labels_of(rows_of(testing::sample_run(), {})),
            (Labels{"Frontend", "main", "", "Queue", "run-ahead virtual:0", "1 more", "virtual:0", "compute",
                    "copy to host", "Memory", "live virtual:0"}));
}

TEST(Rows, LieBelowEachOtherWithoutOverlap) {
  const trace::Trace trace = testing::sample_run();
  std::vector<SceneRow> rows;
  const float height = build_rows(trace, {}, 1.5f, rows);
  float y = 0;
  for (const SceneRow& row : rows) {
    EXPECT_GE(row.y_px, y);
    y = row.y_px + row.height_px;
  }
  EXPECT_GE(height, y);
}

TEST(Rows, OfAThreadWithoutSlicesAreLow) {
  TraceBuilder builder;
  builder.track("memory").instant("allocate", 5_us);
  builder.track("busy").slice("zone", 0_us, 9_us).instant("note", 5_us);
  builder.track("live").open_slice("zone", 3_us);
  const std::vector<SceneRow> rows = rows_of(builder.build(), {});
  ASSERT_EQ(labels_of(rows), (Labels{"memory", "busy", "live"}));
  EXPECT_FLOAT_EQ(rows[0].height_px, kInstantsHeightPx);
  EXPECT_FLOAT_EQ(rows[1].height_px, kLaneHeightPx);
  EXPECT_FLOAT_EQ(rows[2].height_px, kLaneHeightPx);
  EXPECT_GE(rows[1].y_px - rows[0].y_px, 15) << "room for a line of 13 px text";
}

TEST(Rows, GrowWithTheInterfaceScale) {
  const trace::Trace trace = testing::sample_run();
  std::vector<SceneRow> rows;
  const float once = build_rows(trace, {}, 1, rows);
  EXPECT_FLOAT_EQ(build_rows(trace, {}, 2.5f, rows), 2.5f * once);
}

TEST(Rows, OfAFoldedGroupAreItsHeaderAlone) {
  TimelineState state;
  state.collapsed = {kTracks.device_group};
  const auto rows = rows_of(testing::sample_run(), state);
  EXPECT_EQ(labels_of(rows), (Labels{"Frontend", "main", "", "Queue", "run-ahead virtual:0", "1 more",
                                     "virtual:0", "Memory", "live virtual:0"}));
  EXPECT_TRUE(rows[6].folded);
  EXPECT_FLOAT_EQ(rows[7].y_px, rows[6].y_px + rows[6].height_px);
}

TEST(Rows, OfAFoldedTrackAreItsFirstLane) {
  TimelineState state;
  state.collapsed = {kTracks.main};
  const auto rows = rows_of(testing::sample_run(), state);
  EXPECT_EQ(rows[1].label, "main");
  EXPECT_TRUE(rows[1].folded);
  EXPECT_EQ(rows[2].label, "Queue");
}

TEST(Rows, HideWhatIsHiddenAndAGroupLeftEmpty) {
  TimelineState state;
  state.hidden = {kTracks.live_bytes, kTracks.queue_group};
  EXPECT_EQ(labels_of(rows_of(testing::sample_run(), state)),
            (Labels{"Frontend", "main", "", "virtual:0", "compute", "copy to host"}));
}

TEST(Rows, ThatExplainTheOthersComeAfterMore) {
  TimelineState state;
  const trace::Trace trace = testing::sample_run();
  const auto rows = rows_of(trace, state);
  ASSERT_EQ(rows[5].label, "1 more");
  EXPECT_TRUE(rows[5].folded);
  EXPECT_EQ(rows[5].track, kTracks.queue_group);
  EXPECT_EQ(row_of(trace, rows, kTracks.op_lives, 0), 5u) << "it leads to the op lives";
  state.more_shown = {kTracks.queue_group};
  EXPECT_EQ(labels_of(rows_of(trace, state))[6], "op lives virtual:0");
}

TEST(Rows, WithNothingToShowAreCounted) {
  TraceBuilder builder;
  builder.group("gpu 0").track("compute", trace::TrackKind::kStream).slice("dot", 0_us, 1_us);
  builder.track("copy to host", trace::TrackKind::kStream);
  builder.counter("live", trace::CounterRole::kLiveBytes).sample(0_us, 0).sample(1_us, 0);
  builder.counter("of a user").sample(0_us, 0);
  const trace::Trace trace = builder.build();
  EXPECT_EQ(labels_of(rows_of(trace, {})), (Labels{"gpu 0", "compute", "of a user", "2 empty"}));
  TimelineState state;
  state.search = "live";
  EXPECT_EQ(labels_of(rows_of(trace, state)), (Labels{"gpu 0", "live"})) << "a search finds every track";
}

TEST(Rows, OfAThreadWithoutSlicesAreShownForItsInstants) {
  TraceBuilder builder;
  builder.group("Threads").track("main", trace::TrackKind::kThread).slice("load", 0_us, 1_us);
  builder.track("loader", trace::TrackKind::kThread).instant("woken", 1_us);
  builder.track("sampler", trace::TrackKind::kThread);
  EXPECT_EQ(labels_of(rows_of(builder.build(), {})), (Labels{"Threads", "main", "loader", "1 empty"}));
}

// A process with a thread, its frames, and two counters. The id of its first track is `first`.
void add_process(trace::Batch& batch, std::uint32_t first, const std::string& name) {
  const auto add = [&](trace::TrackKind kind, std::uint32_t parent, const std::string& track_name) {
    trace::TrackInfo info;
    info.id = TrackId{static_cast<std::uint32_t>(batch.tracks.size())};
    info.kind = kind;
    info.parent = parent == 0 ? kNoTrack : TrackId{first + parent - 1};
    info.pid = 1 + first;
    info.name = track_name;
    if (kind == trace::TrackKind::kCounter) {
      info.role = trace::CounterRole::kProcessRss;
      batch.counters.push_back({info.id, {{timestamp_from_ns(0), 5}}});
    } else if (kind != trace::TrackKind::kGroup && track_name != "idle") {
      batch.lanes.push_back({info.id, 0, {{.begin = timestamp_from_ns(0), .end = timestamp_from_ns(9)}}});
    }
    batch.tracks.push_back(info);
  };
  add(trace::TrackKind::kGroup, 0, name);
  add(trace::TrackKind::kGroup, 1, "Threads");
  add(trace::TrackKind::kThread, 2, "main");
  add(trace::TrackKind::kGroup, 1, "Memory");
  add(trace::TrackKind::kCounter, 4, "process RSS");
  add(trace::TrackKind::kGroup, 1, "Frames");
  add(trace::TrackKind::kAsync, 6, "step");
  add(trace::TrackKind::kGroup, 1, "Workers");
  add(trace::TrackKind::kThread, 8, "idle");
}

TEST(Rows, OfSeveralProcessesAreTheirThreadsFirst) {
  trace::Batch batch;
  batch.strings = {""};
  add_process(batch, 0, "rank 0");
  trace::Batch both = batch;
  trace::Trace one;
  one.append(std::move(batch));
  EXPECT_EQ(labels_of(rows_of(one, {})), (Labels{"rank 0", "Threads", "main", "Memory", "process RSS",
                                                 "Frames", "step", "Workers", "1 empty"}))
      << "a single process has room";
  add_process(both, 9, "rank 1");
  trace::Trace two;
  two.append(std::move(both));
  EXPECT_EQ(labels_of(rows_of(two, {})),
            (Labels{"rank 0", "Threads", "main", "Workers", "1 empty", "2 more", "rank 1", "Threads", "main",
                    "Workers", "1 empty", "2 more"}));
  TimelineState state;
  state.more_shown = {TrackId{0}};
  const Labels shown = labels_of(rows_of(two, state));
  EXPECT_EQ(Labels(shown.begin() + 5, shown.begin() + 10),
            (Labels{"2 more", "Memory", "process RSS", "Frames", "step"}));
}

TEST(Rows, ThatTheWorkloadIsAboutComeFirst) {
  TraceBuilder builder;
  builder.group("gpu 0").track("compute", trace::TrackKind::kStream).slice("dot", 0_us, 1_us);
  builder.counter("copy bandwidth", trace::CounterRole::kCopyBandwidth).sample(0_us, 5);
  const trace::Trace trace = builder.build();
  EXPECT_EQ(labels_of(rows_of(trace, {})), (Labels{"gpu 0", "compute", "1 more"}));
  TimelineState state;
  state.about = {trace::CounterRole::kCopyBandwidth};
  EXPECT_EQ(labels_of(rows_of(trace, state)), (Labels{"gpu 0", "compute", "copy bandwidth"}));
}

TEST(Rows, ShowOpLivesOnRequestOnly) {
  TimelineState state;
  state.more_shown = {kTracks.queue_group};
  const trace::Trace trace = testing::sample_run();
  const auto queue_rows = [&] {
    int count = 0;
    for (const SceneRow& row : rows_of(trace, state)) count += row.track == kTracks.op_lives;
    return count;
  };
  EXPECT_EQ(queue_rows(), 1);
  state.expanded_queues = {kTracks.op_lives};
  EXPECT_EQ(queue_rows(), 2);
}

TEST(Rows, BadgeTheTracksOfASimulatedDevice) {
  for (const SceneRow& row : rows_of(testing::sample_run(), {})) {
    const bool simulated = row.label.find("virtual:0") != std::string::npos || row.label == "compute" ||
                           row.label == "copy to host";
    EXPECT_EQ(row.badge, simulated ? "simulated" : "") << row.label;
  }
}

TEST(Rows, ThatASearchFindsKeepTheirGroup) {
  TimelineState state;
  state.search = "COPY";
  EXPECT_EQ(labels_of(rows_of(testing::sample_run(), state)), (Labels{"virtual:0", "copy to host"}));
}

TEST(Rows, OfAGroupThatASearchFindsAreAllShown) {
  TimelineState state;
  state.search = "memory";
  EXPECT_EQ(labels_of(rows_of(testing::sample_run(), state)), (Labels{"Memory", "live virtual:0"}));
}

TEST(Rows, AreFoundWithinAFoldedGroupWhileSearching) {
  TimelineState state;
  state.search = "compute";
  state.collapsed = {kTracks.device_group};
  EXPECT_EQ(labels_of(rows_of(testing::sample_run(), state)), (Labels{"virtual:0", "compute"}));
}

TEST(Rows, AreNoneForAnEmptyTrace) { EXPECT_TRUE(rows_of(trace::Trace{}, {}).empty()); }

TEST(Rows, GiveAnOpenSliceItsLaneBeforeAnyHasEnded) {
  TraceBuilder builder;
  builder.track("cpu 0", trace::TrackKind::kWorker).open_slice("dot", 0_us).depth(2);
  const trace::Trace trace = builder.build();
  EXPECT_EQ(rows_of(trace, {}).size(), 3u);
}

TEST(RowOf, FindsTheFoldedGroupThatHidesALane) {
  const trace::Trace trace = testing::sample_run();
  TimelineState state;
  state.collapsed = {kTracks.device_group, kTracks.main};
  const auto rows = rows_of(trace, state);
  EXPECT_EQ(rows.at(row_of(trace, rows, kTracks.compute, 0).value()).label, "virtual:0");
  EXPECT_EQ(rows.at(row_of(trace, rows, kTracks.main, 1).value()).label, "main");
  EXPECT_EQ(row_of(trace, rows, kTracks.markers, 0), std::nullopt);
}

}  // namespace
}  // namespace runahead::gui
