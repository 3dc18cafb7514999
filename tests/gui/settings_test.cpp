#include "gui/core/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "gui/core/app_core.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using runahead::testing::ScratchFolder;

void write(const std::filesystem::path& path, const std::string& words) { std::ofstream(path) << words; }

TEST(Settings, WhatIsSavedIsLoadedAgain) {
  const ScratchFolder folder;
  Settings settings;
  settings.light = true;
  settings.scale = 1.5f;
  settings.width_px = 1920;
  settings.height_px = 1080;
  settings.visible = {{"lesson", false}, {"debug", true}};
  settings.workload = "overlap";
  settings.device = "virtual:1";
  settings.barrier = "window:2";
  settings.size = "published";
  settings.language = Language::kJapanese;
  settings.folder = "/tmp/with \"quotes\"";
  settings.tracks = {{"Memory"}, {"Frontend/main"}, {"Queue", "Frontend"}, {"Workers"}, {"Queue/run-ahead"}};
  settings.retention = {Retention::Kind::kMegabytes, 45, 12};
  settings.sizes = {{"names_px", 260.0f}, {"below", 0.4f}, {"graph", 0.55f}, {"upper", 0.3f}};
  settings.motion = false;
  settings.colour_by = ColourBy::kStep;
  settings.trace_colour_by = ColourBy::kKind;
  settings.recent = {"/tmp/b.runahead", "/tmp/a.runahead"};
  ASSERT_TRUE(save_settings(settings, folder / "deep" / "settings.json").ok());
  EXPECT_EQ(load_settings(folder / "deep" / "settings.json"), settings);
}

TEST(Settings, AMissingOrBrokenFileIsTheDefaults) {
  const ScratchFolder folder;
  EXPECT_EQ(load_settings(folder / "none.json"), Settings{});
  write(folder / "cut.json", R"({"light": true, "sca)");
  EXPECT_EQ(load_settings(folder / "cut.json"), Settings{});
  write(folder / "list.json", "[1, 2]");
  EXPECT_EQ(load_settings(folder / "list.json"), Settings{});
}

TEST(Settings, OddValuesFallBackOneByOne) {
  const ScratchFolder folder;
  write(
      folder / "odd.json",
      R"({"light": true, "scale": 900, "width_px": -4, "height_px": "tall", "panels": {"strip": "no"}, "size": "huge",
          "record": {"keep": "none", "seconds": 0, "megabytes": "many"},
          "sizes": {"names_px": 1e9, "below": -1, "graph": "half", "upper": 0.25}})");
  const Settings settings = load_settings(folder / "odd.json");
  EXPECT_TRUE(settings.light);
  EXPECT_EQ(settings.scale, 0);
  EXPECT_EQ(settings.width_px, 800);
  EXPECT_EQ(settings.height_px, Settings{}.height_px);
  EXPECT_EQ(settings.visible, Settings{}.visible);
  EXPECT_EQ(settings.size, "class");
  PanelSizes sizes = Settings{}.sizes;
  sizes["upper"] = 0.25f;
  EXPECT_EQ(settings.sizes, sizes);
  EXPECT_EQ(settings.retention, (Retention{Retention::Kind::kWhole, 1, Retention{}.megabytes}));
}

// A settings file in the format of the first version in which panels could be hidden.
TEST(Settings, AnOldFileShowsItsPanelsAndDividesTheWindowAsItDid) {
  const ScratchFolder folder;
  write(folder / "old.json", R"({"panels": {"lesson": false, "details": true, "graph": true, "waits": true},
                                "sizes": {"below": 0.3, "graph": 0.5, "names_px": 0, "upper": 0}})");
  AppCore core(load_settings(folder / "old.json"), folder / "new.json", [] {});
  EXPECT_FALSE(core.panels().shows("lesson"));
  for (const char* const shown : {"details", "strip", "status", "graph", "waits"})
    EXPECT_TRUE(core.panels().shows(shown)) << shown;
  EXPECT_FALSE(core.panels().shows("memory"));
  EXPECT_EQ(
      core.settings().sizes,
      (PanelSizes{{"below", 0.3f}, {"graph", 0.5f}, {"names_px", 0.0f}, {"script", 0.0f}, {"upper", 0.0f}}));
}

TEST(Settings, LieInTheFolderThatXdgNames) {
  ::setenv("XDG_CONFIG_HOME", "/somewhere/config", 1);
  EXPECT_EQ(settings_path(), "/somewhere/config/runahead/settings.json");
  ::unsetenv("XDG_CONFIG_HOME");
  ::setenv("HOME", "/home/ana", 1);
  EXPECT_EQ(settings_path(), "/home/ana/.config/runahead/settings.json");
}

TEST(Settings, APlaceThatCannotBeWrittenIsOneLine) {
  const ScratchFolder folder;
  write(folder / "file", "");
  const Status saved = save_settings(Settings{}, folder / "file" / "settings.json");
  ASSERT_FALSE(saved.ok());
  EXPECT_NE(saved.error().message.find("settings.json"), std::string::npos);
}

}  // namespace
}  // namespace runahead::gui
