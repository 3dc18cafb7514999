#include "gui/timeline/track_choices.h"

#include <gtest/gtest.h>

#include "gui/timeline/commands.h"
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
  const TrackChoices choices = choices_of(here, state, {});
  EXPECT_EQ(choices.pinned, Names{"Frontend/main"});
  EXPECT_EQ(choices.hidden, Names{"Memory/live virtual:0"});
  EXPECT_EQ(choices.order, Names{"virtual:0/copy to host"});

  TraceBuilder builder;
  builder.group("Memory", 80).counter("live virtual:0", trace::CounterRole::kLiveBytes, trace::Unit::kBytes);
  builder.group("Frontend", 10).track("main", trace::TrackKind::kFrontend);
  TimelineState there;
  take_choices(choices, builder.build(), there);
  EXPECT_EQ(there.pinned, std::vector<TrackId>{TrackId{3}});
  EXPECT_EQ(there.hidden, std::vector<TrackId>{TrackId{1}});
  EXPECT_TRUE(there.order.empty()) << "it has no such track";
}

TEST(TrackChoices, OfOtherTracesAreKeptUpToABound) {
  const trace::Trace trace = sample_run();
  TrackChoices before;
  before.hidden = {"Workers/cpu 0", "Frontend/main"};
  for (std::size_t i = 0; i < 2 * kMostAbsentNames; ++i) before.pinned.push_back("t" + std::to_string(i));
  const TrackChoices after = choices_of(trace, {}, before);
  EXPECT_EQ(after.hidden, Names{"Workers/cpu 0"}) << "main is here, and shown";
  EXPECT_EQ(after.pinned.size(), kMostAbsentNames);
}

}  // namespace
}  // namespace runahead::gui
