// Tests how the timeline shows the idle time of devices and the critical path.
#include "gui/timeline/causes/cause_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/interaction.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/timeline_commands.h"
#include "instrumentation/causes/synchronisation.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/random.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;
using namespace runahead::testing;

// Three steps of 100 us on "main". Each loads data, copies it to the device on stream 20, runs a kernel on
// stream 7, and waits for it.
trace::Trace three_steps() {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 3; ++step) {
    const Duration at = 100_us * step;
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), at, 100_us, trace::SliceKind::kStep);
    builder.slice("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 40_us);
    launch(builder, "copy", at + 40_us, "stream 20", at + 45_us, 5_us, trace::SliceKind::kCopyToDevice);
    launch(builder, "matmul", at + 45_us, "stream 7", at + 50_us, 45_us);
    builder.on("main").slice("cudaDeviceSynchronize", at + 50_us, 46_us, trace::SliceKind::kWait);
  }
  return builder.build();
}

std::shared_ptr<const CauseMarks> marks_of(const trace::Trace& trace) {
  const causes::Execution execution(trace);
  const auto all = causes::find_synchronisations(execution);
  CauseMarks marks;
  marks.trace = trace.identity();
  add_cause_marks(execution, causes::explain(execution, all, {.most_gaps = 100'000}), {}, marks);
  return std::make_shared<const CauseMarks>(std::move(marks));
}

TimelineState marked(const trace::Trace& trace, TimeRange view) {
  TimelineState state{.view = view};
  state.causes = marks_of(trace);
  state.shows_idle = state.shows_path = true;
  return state;
}

float middle_of(const Scene& scene, const trace::Trace& trace, std::string_view track) {
  for (const SceneRow& row : scene.rows) {
    if (trace.track(row.track).info.name == track) return row.y_px + row.height_px / 2;
  }
  ADD_FAILURE() << "no row of " << track;
  return 0;
}

TEST(CauseMarks, AreDrawnAsReviewed) {
  const trace::Trace trace = three_steps();
  TimelineState state = marked(trace, range(0_us, 320_us));
  state.selected_idle = IdleRef{0, timestamp_from_ns(95'000)};
  expect_golden("timeline_causes", scene_text(scene_of(trace, state, {960, 400, 1}), trace));
}

TEST(CauseMarks, AreDrawnOnlyIfTheyAreShownAndOfThisTrace) {
  const trace::Trace trace = three_steps();
  TimelineState state = marked(trace, range(0_us, 320_us));
  state.shows_path = false;
  EXPECT_TRUE(scene_of(trace, state).path.empty());
  EXPECT_FALSE(scene_of(trace, state).idle.empty());
  state.shows_idle = false;
  EXPECT_TRUE(scene_of(trace, state).idle.empty());
  state.shows_idle = state.shows_path = true;
  const trace::Trace other = three_steps();
  EXPECT_TRUE(scene_of(other, state).idle.empty()) << "the marks are about another trace";
  EXPECT_TRUE(scene_of(other, state).path.empty());
}

TEST(CauseMarks, AGapUnderTheMouseIsSelectedByAClickAndNamesItsCauseAndItsNextWork) {
  const trace::Trace trace = three_steps();
  TimelineState state = marked(trace, range(0_us, 320_us));
  const Scene scene = scene_of(trace, state, {960, 400, 1});
  const float x = 120 * 3, y = middle_of(scene, trace, "stream 20");
  TimelineGesture gesture;
  TimelineCommands commands;
  interact(trace, scene, state, {.x_px = x, .y_px = y, .over = true, .pressed = true, .down = true}, gesture,
           commands);
  interact(trace, scene, state, {.x_px = x, .y_px = y, .over = true, .released = true}, gesture, commands);
  for (const TimelineCommand& command : commands) apply_timeline(command, trace, state);
  ASSERT_TRUE(state.selected_idle);
  const auto idle = find_idle(*state.causes, *state.selected_idle);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->gap.range, range(95_us, 145_us));
  EXPECT_EQ(idle->gap.cause, causes::IdleCause::kDataLoading);
  EXPECT_EQ(idle->parts.total(), 50_us);
  const Facts facts = idle_facts(trace, *idle);
  ASSERT_GE(facts.size(), 2U);
  EXPECT_EQ(facts.front().first, "data loading");
  EXPECT_EQ(facts.back().second, "copy \u00b7 gpu 0 stream 20");
  const auto next = next_work(trace, idle->gap);
  ASSERT_TRUE(next);
  EXPECT_EQ(find_slice(trace, *next)->begin, timestamp_from_ns(145'000));
}

TEST(CauseMarks, AClickOnASliceSelectsTheSliceAndNotTheGapBesideIt) {
  const trace::Trace trace = three_steps();
  const TimelineState state = marked(trace, range(0_us, 320_us));
  const Scene scene = scene_of(trace, state, {960, 400, 1});
  const float y = middle_of(scene, trace, "stream 7");
  EXPECT_FALSE(idle_at(scene, state, 70 * 3, y)) << "a kernel runs";
  EXPECT_TRUE(idle_at(scene, state, 120 * 3, y));
  const SceneIdleRows& rows = scene.idle_rows.front();
  for (float at = rows.y0_px; at < rows.y1_px; ++at)
    EXPECT_TRUE(idle_at(scene, state, 120 * 3, at)) << "also between two tracks: " << at;
  EXPECT_FALSE(idle_at(scene, state, 120 * 3, middle_of(scene, trace, "main"))) << "no row of the device";
}

TEST(CauseMarks, OneThingIsSelectedAtATime) {
  const trace::Trace trace = three_steps();
  TimelineState state = marked(trace, range(0_us, 320_us));
  const SliceRef kernel{trace.tracks()[1].info.id, 0, 0, false};
  apply_timeline(SelectSlice{kernel}, trace, state);
  ASSERT_TRUE(state.selected);
  apply_timeline(SelectIdle{{0, timestamp_from_ns(95'000)}}, trace, state);
  EXPECT_FALSE(state.selected);
  ASSERT_TRUE(state.selected_idle);
  apply_timeline(SelectSlice{kernel}, trace, state);
  EXPECT_FALSE(state.selected_idle);
  apply_timeline(SelectIdle{{0, timestamp_from_ns(95'000)}}, trace, state);
  apply_timeline(ClearSelection{}, trace, state);
  EXPECT_FALSE(state.selected_idle);
}

TEST(CauseMarks, TheKeyFFitsTheSelectedGap) {
  const trace::Trace trace = three_steps();
  TimelineState state = marked(trace, range(0_us, 320_us));
  state.selected_idle = IdleRef{0, timestamp_from_ns(95'000)};
  TimelineGesture gesture;
  TimelineCommands commands;
  TimelineInput input{.over = true};
  input.keys_pressed.set(static_cast<std::size_t>(TimelineKey::kFitSelection));
  interact(trace, scene_of(trace, state), state, input, gesture, commands);
  for (const TimelineCommand& command : commands) apply_timeline(command, trace, state);
  EXPECT_EQ(state.view, range(90_us, 150_us));
}

TEST(CauseMarks, AFoldedGroupShowsTheIdleTimeOfItsDevice) {
  TraceBuilder builder;
  builder.track("main").numbers(100, 100).group("gpu 0");
  const TrackId group = builder.last_track();
  builder.track("stream 7", trace::TrackKind::kStream).device("gpu 0", false).numbers(0, 7);
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  launch(builder, "b", 90_us, "stream 7", 100_us, 10_us);
  const trace::Trace trace = builder.build();
  TimelineState state = marked(trace, range(0_us, 120_us));
  state.collapsed = {group};
  const Scene scene = scene_of(trace, state);
  ASSERT_EQ(scene.idle_rows.size(), 1U);
  const auto header = std::ranges::find(scene.rows, group, &SceneRow::track);
  ASSERT_NE(header, scene.rows.end());
  EXPECT_EQ(scene.idle_rows.front().y0_px, header->y_px);
}

// 100 000 gaps of 2 to 10 us between kernels: a frame draws no more bands than its width has room for.
TEST(CauseMarks, ManyNarrowGapsAndPiecesAreJoined) {
  constexpr int kKernels = 100'000;
  TraceBuilder builder = two_streams();
  for (int i = 0; i < kKernels; ++i) launch(builder, "k", 20_us * i, "stream 7", 20_us * i + 6_us, 10_us);
  const trace::Trace trace = builder.build();
  const TimelineState state = marked(trace, {Timestamp{}, Timestamp{} + 20_us * kKernels});
  ASSERT_GE(state.causes->devices.front().gaps.size(), std::size_t{kKernels - 1});
  const Scene scene = scene_of(trace, state, {900, 400, 1});
  EXPECT_LE(scene.idle.size(), 2 * 900U / 3 + 2);
  EXPECT_GE(scene.idle.size(), 900U / 3 - 1);
  EXPECT_LE(scene.path.size(), 2 * (2 * 900U / 3 + 2));
  const std::size_t drawn =
      std::accumulate(scene.idle.begin(), scene.idle.end(), std::size_t{0},
                      [](std::size_t sum, const SceneIdle& idle) { return sum + idle.run.count; });
  EXPECT_EQ(drawn, state.causes->devices.front().gaps.size()) << "no gap is left out";
  for (const SceneIdle& idle : scene.idle) EXPECT_NEAR(idle.run.idle_ratio, 0.5, 0.1);
}

std::vector<IdleMark> random_gaps(Random& random) {
  std::vector<IdleMark> gaps;
  Timestamp t = timestamp_from_ns(random.integer(-3000, 0));
  for (std::int64_t i = random.integer(0, 60); i > 0; --i) {
    t += Duration{random.integer(1, random.chance(0.2) ? 500 : 20)};
    const Timestamp end = t + Duration{random.integer(1, random.chance(0.2) ? 500 : 20)};
    gaps.push_back({.range = {t, end}, .cause = static_cast<causes::IdleCause>(random.integer(0, 13))});
    t = end;
  }
  return gaps;
}

TEST(CauseMarks, RunsHoldEachGapOfTheViewOnceAndWideGapsAlone) {
  Random random;
  for (int round = 0; round < 500; ++round) {
    const std::vector<IdleMark> gaps = random_gaps(random);
    const Timestamp from = timestamp_from_ns(random.integer(-3500, 3000));
    const TimeRange view{from, from + Duration{random.integer(1, 4000)}};
    const Duration narrow{random.integer(1, 100)};
    std::vector<IdleRun> runs;
    join_gaps(gaps, view, narrow, runs);
    EXPECT_LE(static_cast<std::int64_t>(runs.size()), 2 * (view.duration() / narrow) + 4);
    auto in_view = [&](const IdleMark& gap) {
      return gap.range.end > view.begin && gap.range.begin < view.end;
    };
    const auto first = static_cast<std::size_t>(std::ranges::find_if(gaps, in_view) - gaps.begin());
    std::size_t next = first;
    for (const IdleRun& run : runs) {
      ASSERT_EQ(run.first, next);
      next += run.count;
      EXPECT_EQ(run.range, (TimeRange{gaps[run.first].range.begin, gaps[next - 1].range.end}));
      if (run.count == 1) continue;
      for (std::size_t i = run.first; i < next; ++i) EXPECT_LT(gaps[i].range.duration(), narrow);
      EXPECT_LT(gaps[next - 1].range.begin, end_of_cell(gaps[run.first].range.begin, narrow));
      EXPECT_TRUE(run.idle_ratio > 0 && run.idle_ratio <= 1) << run.idle_ratio;
    }
    const auto seen = static_cast<std::size_t>(std::ranges::count_if(gaps, in_view));
    EXPECT_GE(next - first, seen);
  }
}

TEST(CauseMarks, APathTrackKnowsItsTimeInAnyRange) {
  Random random;
  PathTrack track{TrackId{1}};
  std::vector<bool> on(1000);
  for (std::int64_t t = 0; t < 990;) {
    t += random.integer(0, 9);
    const std::int64_t length = std::min<std::int64_t>(random.integer(0, 30), 1000 - t);
    if (length <= 0) continue;
    track.add({timestamp_from_ns(t), timestamp_from_ns(t + length)});
    std::fill_n(on.begin() + t, length, true);
    t += length;
  }
  for (int i = 0; i < 300; ++i) {
    const std::int64_t a = random.integer(0, 999), b = random.integer(a, 1000);
    EXPECT_EQ(track.time_in({timestamp_from_ns(a), timestamp_from_ns(b)}).count(),
              std::count(on.begin() + a, on.begin() + b, true));
  }
}

TEST(CauseMarks, ThePathCoversTheExplainedRangeAndEachPieceIsOnItsTrack) {
  const trace::Trace trace = three_steps();
  const auto marks = marks_of(trace);
  ASSERT_EQ(marks->paths.size(), 1U);
  const std::vector<PathPiece>& path = marks->paths.front();
  ASSERT_FALSE(path.empty());
  Duration on_tracks{}, of_pieces{};
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathPiece& piece = path[i];
    EXPECT_TRUE(i == 0 || path[i - 1].range.end == piece.range.begin);
    ASSERT_LT(piece.track, marks->path_tracks.size());
    EXPECT_EQ(marks->path_tracks[piece.track].time_in(piece.range), piece.range.duration());
    of_pieces += piece.range.duration();
  }
  for (const PathTrack& track : marks->path_tracks)
    on_tracks += track.time_in({path.front().range.begin, path.back().range.end});
  EXPECT_EQ(on_tracks, of_pieces);
}

// Two ranks with one collective: rank 1 came 300 us later.
TEST(CauseMarksOfRanks, ACollectiveSaysWhoCameLast) {
  const trace::Trace trace = TraceBuilder{}
                                 .track("stream 20", trace::TrackKind::kStream)
                                 .slice("AllReduce", 100_us, 400_us, trace::SliceKind::kExecute)
                                 .track("stream 21", trace::TrackKind::kStream)
                                 .slice("AllReduce", 400_us, 100_us, trace::SliceKind::kExecute)
                                 .build();
  causes::RankReport report;
  causes::SharedCollective shared;
  shared.last = 1;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    causes::RankExplanation one;
    one.rank.number = rank;
    causes::Collective collective;
    collective.stream = TrackId{rank};
    collective.begin = Timestamp{} + (rank == 0 ? 100_us : 400_us);
    one.collectives.push_back(collective);
    report.ranks.push_back(std::move(one));
    shared.arrivals.push_back({.rank = rank, .collective = 0, .waited = rank == 0 ? 300_us : 0_us});
  }
  report.collectives.push_back(shared);
  CauseMarks marks;
  add_collective_marks(report, marks);
  const Facts first = collective_facts(trace, &marks, {TrackId{0}, 0, 0, false});
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[1].second, "rank 1");
  EXPECT_EQ(first[2].second, "300 \u00b5s");
  const Facts last = collective_facts(trace, &marks, {TrackId{1}, 0, 0, false});
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[1].second, "this rank");
  EXPECT_TRUE(collective_facts(trace, nullptr, {TrackId{0}, 0, 0, false}).empty());
  EXPECT_EQ(find_collective(marks, TrackId{0}, Timestamp{} + 101_us), nullptr);
  marks = {};
  report.collectives.front().last.reset();
  add_collective_marks(report, marks);
  EXPECT_EQ(collective_facts(trace, &marks, {TrackId{0}, 0, 0, false})[1].second,
            "not clear: closer than the error of the clocks");
}

}  // namespace
}  // namespace runahead::gui
