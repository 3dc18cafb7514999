// Tests display settings and their storage, without a window.
#include <gtest/gtest.h>

#include "gui/core/viewing_part.h"
#include "instrumentation/analysis/steady_rate.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class ViewingTest : public AppCoreTest {};

TEST_F(ViewingTest, SettingsAreRememberedAtTheEndAndResetByOneCommand) {
  const std::filesystem::path file = folder_ / "settings.json";
  {
    AppCore core(Settings{}, file, [] {});
    core.apply(SetLight{true});
    core.apply(SetScale{9});
    core.apply(TogglePanel{"debug"});
  }
  const Settings remembered = load_settings(file);
  EXPECT_TRUE(remembered.light);
  EXPECT_EQ(remembered.scale, 2.5f);
  EXPECT_TRUE(remembered.visible.at("debug"));
  {
    AppCore core(remembered, file, [] {});
    core.apply(ResetSettings{});
  }
  EXPECT_EQ(load_settings(file).light, Settings{}.light);
  const AppCore fresh(Settings{}, {}, [] {}), reset(load_settings(file), {}, [] {});
  for (const PanelModule* panel : fresh.panels().all())
    EXPECT_EQ(reset.panels().shows(panel->id()), panel->shown()) << panel->id();
}

TEST_F(ViewingTest, WhatIsSetOfTracksHoldsForTheNextRunAndTheNextStartAndIsReset) {
  const std::filesystem::path file = folder_ / "settings.json";
  const auto id_of = [](const AppCore& core, std::string_view name) {
    for (const trace::Track& track : core.trace().tracks()) {
      if (track.info.name == name) return track.info.id;
    }
    return kNoTrack;
  };
  const auto begin = [&](AppCore& core) {
    core.apply(ChooseWorkload{"training_memory"});
    core.apply(ChooseDevice{"virtual:0"});
    core.apply(StartRun{});
    while (id_of(core, "Memory") == kNoTrack || id_of(core, "main") == kNoTrack) core.poll();
    core.advance_view();
  };
  {
    AppCore core(Settings{}, file, [] {});
    begin(core);
    core.apply(TimelineCommand{PinTrack{id_of(core, "Memory")}});
    core.apply(TimelineCommand{HideTrack{id_of(core, "main")}});
    core.apply(TimelineCommand{ToggleFold{id_of(core, "Frontend")}});
    begin(core);  // starts another run, which has another trace
    EXPECT_EQ(core.timeline().pinned, std::vector<TrackId>{id_of(core, "Memory")});
    EXPECT_EQ(core.timeline().hidden, std::vector<TrackId>{id_of(core, "main")});
    EXPECT_EQ(core.timeline().collapsed, std::vector<TrackId>{id_of(core, "Frontend")});
  }
  AppCore core(load_settings(file), file, [] {});
  begin(core);
  EXPECT_EQ(core.timeline().pinned, std::vector<TrackId>{id_of(core, "Memory")});
  EXPECT_EQ(core.timeline().collapsed, std::vector<TrackId>{id_of(core, "Frontend")});
  core.apply(ResetSettings{});
  core.advance_view();
  EXPECT_TRUE(core.timeline().pinned.empty() && core.timeline().hidden.empty() &&
              core.timeline().collapsed.empty());
  EXPECT_EQ(core.settings().tracks, TrackChoices{});
}

TEST_F(ViewingTest, ALanguageIsSetRememberedAndReset) {
  const Language usual = core_.wanted_language();
  core_.apply(SetLanguage{Language::kJapanese});
  EXPECT_EQ(core_.wanted_language(), Language::kJapanese);
  core_.speak(core_.wanted_language(), true);
  EXPECT_EQ(language(), Language::kJapanese);
  core_.apply(ResetSettings{});
  EXPECT_EQ(core_.wanted_language(), usual);
  core_.speak(Language::kEnglish, true);
}

TEST_F(ViewingTest, ALanguageWithoutAFontIsEnglishAndSaidOnce) {
  core_.apply(SetLanguage{Language::kChinese});
  core_.speak(core_.wanted_language(), false);
  EXPECT_EQ(language(), Language::kEnglish);
  EXPECT_NE(core_.error().find("fonts-noto-cjk"), std::string::npos);
  core_.apply(DismissError{});
  core_.speak(core_.wanted_language(), false);
  EXPECT_EQ(core_.error(), "");
}

TEST_F(ViewingTest, AStepIsShownAlsoWhereTheViewDoesNotFollow) {
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(StepRun{});
  const auto shown = [&](std::int64_t steps) {
    core_.advance_view();
    const trace::Trace& trace = core_.trace();
    if (analysis::steps_finished_by(trace, trace.watermark()) < static_cast<double>(steps)) return false;
    const Timestamp end = analysis::last_step_end(trace, {trace.extent().begin, trace.watermark()});
    return core_.timeline().view.contains(end);
  };
  ASSERT_TRUE(poll_until([&] { return shown(1); }));
  const TimeRange early{core_.trace().extent().begin,
                        core_.trace().extent().begin + std::chrono::milliseconds(1)};
  core_.apply(TimelineCommand{ZoomTo{early}});
  core_.advance_view();
  ASSERT_FALSE(shown(1));
  core_.apply(StepRun{});
  EXPECT_TRUE(poll_until([&] { return shown(2); }));
}

}  // namespace
}  // namespace runahead::gui
