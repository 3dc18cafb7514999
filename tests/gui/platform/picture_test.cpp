#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gui/platform/png.h"
#include "gui/platform/window.h"
#include "imgui.h"
#include "tests/gui/platform/leaks_of_mesa.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using runahead::testing::ScratchFolder;

TEST(WritePng, WritesAPictureAndLeavesNoPartBehind) {
  const ScratchFolder folder;
  const Picture picture{2, 2, std::vector<std::uint8_t>(16, 200)};
  ASSERT_TRUE(write_png(picture, folder / "a.png").ok());
  std::ifstream file(folder / "a.png", std::ios::binary);
  char start[8] = {};
  file.read(start, 8);
  EXPECT_EQ(std::string(start + 1, 3), "PNG");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WritePng, ADirectoryOrAMissingFolderIsRefusedInOneLine) {
  const ScratchFolder folder;
  const Picture picture{1, 1, std::vector<std::uint8_t>(4, 0)};
  for (const std::filesystem::path& place : {folder.path(), folder / "none" / "a.png"}) {
    const Status written = write_png(picture, place);
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().message.find(place.string()), std::string::npos) << written.error().message;
    EXPECT_EQ(written.error().message.find('\n'), std::string::npos);
  }
}

TEST(OffScreenWindow, DrawsWhatItIsGivenWithoutADisplay) {
  const LeaksOfMesaAllowed allowed;
  Result<std::unique_ptr<Window>> window = open_egl_window({"test", 64, 32});
  if (!window.ok()) GTEST_SKIP() << window.error().message;
  (*window)->begin_frame();
  ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(32, 16), IM_COL32(255, 0, 0, 255));
  (*window)->end_frame({0, 0, 1}, true);
  const Picture picture = (*window)->picture();
  (*window)->present();
  ASSERT_EQ(picture.rgba.size(), 64u * 32u * 4u);
  const auto pixel = [&](std::size_t x, std::size_t y) { return &picture.rgba[(y * 64 + x) * 4]; };
  EXPECT_EQ(pixel(8, 4)[0], 255);  // red at the top left: the first row of the picture is at the top
  EXPECT_EQ(pixel(8, 4)[2], 0);
  EXPECT_EQ(pixel(8, 28)[0], 0);  // blue below
  EXPECT_EQ(pixel(8, 28)[2], 255);
}

TEST(OffScreenWindow, RendersAFrameOnlyIfItIsAnother) {
  const LeaksOfMesaAllowed allowed;
  Result<std::unique_ptr<Window>> window = open_egl_window({"test", 64, 32});
  if (!window.ok()) GTEST_SKIP() << window.error().message;
  const auto rendered = [&](float width, float blue, bool for_picture = false) {
    (*window)->begin_frame();
    ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(width, 16), IM_COL32(255, 0, 0, 255));
    (*window)->end_frame({0, 0, blue}, for_picture);
    (*window)->present();
    return (*window)->rendered();
  };
  EXPECT_TRUE(rendered(32, 1));
  EXPECT_FALSE(rendered(32, 1));
  EXPECT_TRUE(rendered(33, 1)) << "another vertex";
  EXPECT_TRUE(rendered(33, 0.5f)) << "another background";
  EXPECT_FALSE(rendered(33, 0.5f));
  EXPECT_TRUE(rendered(33, 0.5f, true)) << "for a picture";
  EXPECT_TRUE(rendered(32, 1)) << "as it was before";
  EXPECT_FALSE(rendered(32, 1));
}

}  // namespace
}  // namespace runahead::gui
