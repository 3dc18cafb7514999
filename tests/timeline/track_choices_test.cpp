#include "gui/timeline/track_choices.h"

#include <gtest/gtest.h>

#include "gui/timeline/timeline_commands.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

using Names = std::vector<std::string>;

TEST(TrackPaths, NameTheGroupsAndTellEqualNamesApart) {
  TraceBuilder builder;
  builder.group("Workers", 10);
  builder.track("cpu 0", trace::TrackKind::kWorker);
  builder.group("Frontend", 20);
  builder.track("main", trace::TrackKind::kFrontend);
  EXPECT_EQ(track_paths(builder.build()), (Names{"Workers", "Workers/cpu 0", "Frontend", "Frontend/main"}));
}

TEST(TrackChoices, ComeBackInAnotherTraceWithOtherIds) {
  const trace::Trace here = sample_run();
  TimelineState state;
  apply_timeline(PinTrack{kTracks.main}, here, state);
  apply_timeline(HideTrack{kTracks.live_bytes}, here, state);
  apply_timeline(PlaceTrack{kTracks.copy_out, kTracks.compute}, here, state);
  apply_timeline(ToggleFold{kTracks.frontend_group}, here, state);
  apply_timeline(ToggleQueue{kTracks.op_lives}, here, state);
  const TrackChoices choices = choices_of(here, state, {});
  EXPECT_EQ(choices.pinned, Names{"Frontend/main"});
  EXPECT_EQ(choices.hidden, Names{"Memory/live virtual:0"});
  EXPECT_EQ(choices.order, Names{"virtual:0/copy to host"});
  EXPECT_EQ(choices.collapsed, Names{"Frontend"});
  EXPECT_EQ(choices.expanded_queues, Names{"Queue/op lives virtual:0"});

  TraceBuilder builder;
  builder.group("Memory", 80).counter("live virtual:0", trace::CounterRole::kLiveBytes, trace::Unit::kBytes);
  builder.group("Frontend", 10).track("main", trace::TrackKind::kFrontend);
  TimelineState there;
  take_choices(choices, builder.build(), there);
  EXPECT_EQ(there.pinned, std::vector<TrackId>{TrackId{3}});
  EXPECT_EQ(there.hidden, std::vector<TrackId>{TrackId{1}});
  EXPECT_TRUE(there.order.empty()) << "this trace has no such track";
  EXPECT_EQ(there.collapsed, std::vector<TrackId>{TrackId{2}});
  EXPECT_TRUE(there.expanded_queues.empty());
}

TEST(TrackChoices, OfOtherTracesAreKeptUpToABound) {
  const trace::Trace trace = sample_run();
  TrackChoices before;
  before.hidden = {"Workers/cpu 0", "Frontend/main"};
  for (std::size_t i = 0; i < 2 * kMostAbsentNames; ++i) before.pinned.push_back("t" + std::to_string(i));
  const TrackChoices after = choices_of(trace, {}, before);
  EXPECT_EQ(after.hidden, Names{"Workers/cpu 0"}) << "main is here, and shown";
  ASSERT_EQ(after.pinned.size(), kMostAbsentNames);
  EXPECT_EQ(after.pinned.back(), before.pinned.back()) << "the newest stay";
}

TEST(TrackChoices, OfOtherTracesStayWhereTheyAre) {
  const trace::Trace trace = sample_run();
  TimelineState state;
  state.pinned = {kTracks.copy_out, kTracks.main};
  const TrackChoices before{.pinned = {"Frontend/main", "of another", "virtual:0/compute"}};
  EXPECT_EQ(choices_of(trace, state, before).pinned,
            (Names{"virtual:0/copy to host", "of another", "Frontend/main"}));
}

TEST(SharedChoices, AreTakenOnceUntilTheyOrTheTraceChange) {
  const trace::Trace trace = sample_run();
  TrackChoices kept{.hidden = {"Frontend/main"}};
  SharedChoices shared(kept);
  TimelineState upper, lower;
  SharedChoices::Taken by_upper, by_lower;
  shared.take(trace, 1, upper, by_upper);
  EXPECT_EQ(upper.hidden, std::vector<TrackId>{kTracks.main});
  upper.hidden.clear();
  shared.take(trace, 1, upper, by_upper);
  EXPECT_TRUE(upper.hidden.empty()) << "nothing is new";
  shared.take(trace, 2, upper, by_upper);
  EXPECT_EQ(upper.hidden, std::vector<TrackId>{kTracks.main}) << "another trace";

  shared.take(trace, 7, lower, by_lower);
  shared.apply(ToggleFold{kTracks.device_group}, trace, lower);
  EXPECT_EQ(kept.collapsed, Names{"virtual:0"});
  shared.take(trace, 2, upper, by_upper);
  EXPECT_EQ(upper.collapsed, std::vector<TrackId>{kTracks.device_group}) << "the timelines share them";
  shared.apply(ZoomTo{range(0_us, 10_us)}, trace, lower);
  upper.collapsed.clear();
  shared.take(trace, 2, upper, by_upper);
  EXPECT_TRUE(upper.collapsed.empty()) << "a zoom does not change the choices";
  shared.forget();
  EXPECT_EQ(kept, TrackChoices{});
  shared.take(trace, 7, lower, by_lower);
  EXPECT_TRUE(lower.collapsed.empty() && lower.hidden.empty());
}

}  // namespace
}  // namespace runahead::gui
