#include "gui/core/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/io/scratch_folder.h"

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
  settings.visible[static_cast<std::size_t>(Panel::kLesson)] = false;
  settings.visible[static_cast<std::size_t>(Panel::kDebug)] = true;
  settings.workload = "overlap";
  settings.device = "virtual:1";
  settings.barrier = "window:2";
  settings.size = "published";
  settings.language = Language::kJapanese;
  settings.folder = "/tmp/with \"quotes\"";
  settings.tracks = {{"Memory"}, {"Frontend/main"}, {"Queue", "Frontend"}, {"Workers"}, {"Queue/run-ahead"}};
  settings.record_keep = {RecordKeep::Kind::kMegabytes, 45, 12};
  settings.sizes = {260, 0.4f, 0.55f, 0.3f};
  settings.motion = false;
  settings.colour_by = ColourBy::kStep;
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
  EXPECT_EQ(settings.sizes, (PanelSizes{.upper_share = 0.25f}));
  EXPECT_EQ(settings.record_keep, (RecordKeep{RecordKeep::Kind::kWhole, 1, RecordKeep{}.megabytes}));
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
