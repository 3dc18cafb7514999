// Tests the statistics of a selected area in the details panel, without a window.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/panels/details/details_panel.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class AreaPanelTest : public AppCoreTest {
 protected:
  DetailsPanel& details() { return core_.panels().get<DetailsPanel>(); }
  // The first lane of each track, in the first half of the run.
  SelectedArea some_area() {
    SelectedArea area;
    const TimeRange all = core_.trace().extent();
    area.content.range = {all.begin, all.begin + all.duration() / 2};
    for (const trace::Track& track : core_.trace().tracks()) {
      if (track.info.kind == trace::TrackKind::kCounter) area.content.counters.push_back(track.info.id);
      if (!track.lanes.empty()) area.content.lanes.push_back({track.info.id, 0});
    }
    return area;
  }
};

TEST_F(AreaPanelTest, AnswersForTheAreaAndForgetsItWithItsTrace) {
  run_to_its_end();
  const SelectedArea area = some_area();
  core_.apply(TimelineCommand{SetArea{area}});
  ASSERT_TRUE(
      poll_until([&] { return details().area() != nullptr && details().area()->asked == area.content; }));
  EXPECT_GT(details().area()->statistics.count, 0u);
  EXPECT_EQ(details().area()->statistics.tracks, area.content.counters.size() + area.content.lanes.size());
  core_.apply(TimelineCommand{SetRange{area.content.range}});
  EXPECT_EQ(core_.timeline().area, std::nullopt);
  core_.apply(TimelineCommand{SetArea{area}});
  EXPECT_EQ(core_.timeline().range, std::nullopt);
  core_.apply(StartRun{});
  EXPECT_EQ(details().area(), nullptr);
  EXPECT_EQ(core_.timeline().area, std::nullopt);
}

}  // namespace
}  // namespace runahead::gui
