// Tests the registry of panels, and the functions of panels that work without drawing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class PanelsTest : public AppCoreTest {};

TEST_F(PanelsTest, EachHasAnIdKeysAndAButtonOfItsOwn) {
  std::set<std::string_view> ids, keys, widgets;
  std::set<int> orders;
  for (const PanelModule* panel : core_.panels().all()) {
    const PanelInfo& info = panel->info();
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(core_.panels().find(info.id), panel);
    for (const std::string_view key : {info.key, info.other_key})
      EXPECT_TRUE(key.empty() || keys.insert(key).second) << info.id << " has the key " << key;
    if (!info.button) continue;
    EXPECT_TRUE(widgets.insert(info.button->widget).second) << info.id;
    EXPECT_TRUE(orders.insert(info.button->order).second) << info.id;
  }
  EXPECT_EQ(core_.panels().find("no such panel"), nullptr);
}

// The letters and digits that shortcuts.cpp reserves for the window.
TEST_F(PanelsTest, NoneTakesAKeyOfTheWindow) {
  const std::string taken = " tTpPnNiI+-oO123456789";
  for (const PanelModule* panel : core_.panels().all()) {
    const std::string_view key = panel->info().key;
    EXPECT_TRUE(key.size() != 1 || taken.find(key.front()) == std::string::npos) << panel->id();
  }
}

TEST_F(PanelsTest, OneOfAPlaceIsShownAtATimeAndWindowsAreFree) {
  for (const PanelModule* panel : core_.panels().all()) {
    if (!panel->shown()) core_.apply(TogglePanel{panel->id()});
    EXPECT_TRUE(panel->shown()) << panel->id();
    for (const PanelModule* other : core_.panels().all()) {
      const bool same = other != panel && other->info().place == panel->info().place;
      EXPECT_FALSE(same && other->shown() && panel->info().place != PanelPlace::kFloating)
          << panel->id() << " and " << other->id();
    }
  }
  EXPECT_TRUE(core_.panels().shows("debug") && core_.panels().shows("help"));
}

TEST_F(PanelsTest, MemoryMarksItsMomentOnTheTimelineWhileItIsShown) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(TogglePanel{"memory"});
  ASSERT_TRUE(poll_until([&] { return core_.timeline().moment.has_value(); }));
  EXPECT_TRUE(core_.timeline().asks_for_time);
  EXPECT_TRUE(core_.timeline().peak.has_value());
  core_.apply(TogglePanel{"memory"});
  core_.poll();
  EXPECT_FALSE(core_.timeline().moment || core_.timeline().peak || core_.timeline().asks_for_time);
}

TEST_F(PanelsTest, CausesMarkTheTimelineWhileTheyAreShownOrAskedFor) {
  run_to_its_end();
  CausesPanel& panel = core_.panels().get<CausesPanel>();
  core_.poll();
  EXPECT_EQ(panel.answer(), nullptr) << "nothing shows the causes";
  core_.apply(TogglePanel{"causes"});
  ASSERT_TRUE(poll_until([&] { return core_.timeline().causes != nullptr; }));
  EXPECT_EQ(core_.timeline().causes->trace, core_.trace().identity());
  EXPECT_TRUE(core_.timeline().shows_idle && core_.timeline().shows_path);
  const std::vector<causes::DeviceExplanation>& devices = panel.answer()->ranks.front().explanation.devices;
  EXPECT_TRUE(std::ranges::any_of(devices, &causes::DeviceExplanation::simulated));
  core_.apply(TogglePanel{"causes"});
  core_.poll();
  EXPECT_EQ(core_.timeline().causes, nullptr);
  panel.toggle_marks();
  ASSERT_TRUE(poll_until([&] { return core_.timeline().causes != nullptr; })) << "without the panel";
  panel.toggle_marks();
  core_.poll();
  EXPECT_EQ(core_.timeline().causes, nullptr);
  core_.apply(TogglePanel{"causes"});
  ASSERT_TRUE(poll_until([&] { return core_.timeline().causes != nullptr; }));
  core_.apply(StartRun{});
  EXPECT_EQ(panel.answer(), nullptr) << "the causes of the run before";
}

TEST_F(PanelsTest, WaitsAreReportedAndAnotherRunForgetsThem) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  const WaitsPanel& waits = core_.panels().get<WaitsPanel>();
  core_.poll();
  EXPECT_EQ(waits.answer(), nullptr) << "no panel shows the waits";
  core_.apply(TogglePanel{"waits"});
  ASSERT_TRUE(poll_until([&] { return waits.answer() != nullptr; }));
  core_.apply(StartRun{});
  EXPECT_EQ(waits.answer(), nullptr);
}

}  // namespace
}  // namespace runahead::gui
