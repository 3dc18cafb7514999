#include "gui/platform/frame_changes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "gui/platform/window.h"
#include "tests/gui/platform/leaks_of_mesa.h"
#include "tests/support/random.h"

namespace runahead::gui {
namespace {

// A frame of two windows of ImGui, as a test draws it.
struct Shape {
  float x = 0, y = 0, width = 0, height = 0;
  ImU32 color = 0;
  int kind = 0;  // 0: rectangle, 1: line, 2: text
};
using Shapes = std::vector<Shape>;

constexpr int kWidth = 160, kHeight = 96;

void draw(const Shapes& shapes, const ImVec2& place, const ImVec2& size, const char* name) {
  ImGui::SetNextWindowPos(place);
  ImGui::SetNextWindowSize(size);
  ImGui::Begin(
      name, nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Shape& shape : shapes) {
    const ImVec2 from(shape.x, shape.y), to(shape.x + shape.width, shape.y + shape.height);
    if (shape.kind == 0) list.AddRectFilled(from, to, shape.color, 2);
    if (shape.kind == 1) list.AddLine(from, to, shape.color, 1.5f);
    if (shape.kind == 2) list.AddText(from, shape.color, "text");
  }
  ImGui::End();
}

struct Frame {
  Shapes low, high;
  float high_x = 60.5f;  // the place of the upper window
  bool high_is_here = true;
  float background = 0;
};

// Draws the frame, and returns its picture.
Picture picture_of(Window& window, const Frame& frame) {
  window.begin_frame();
  draw(frame.low, ImVec2(0, 0), ImVec2(100.5f, 80), "low");
  if (frame.high_is_here) draw(frame.high, ImVec2(frame.high_x, 20), ImVec2(90, 60.5f), "high");
  window.end_frame({frame.background, 0, 0}, true);
  Picture picture = window.picture();
  window.present();
  return picture;
}

Shape random_shape(std::mt19937_64& random) {
  const auto below = [&](int limit) {
    return static_cast<float>(random() % static_cast<unsigned>(limit * 4)) / 4;
  };
  return {below(kWidth),
          below(kHeight),
          below(40),
          below(30),
          static_cast<ImU32>(random()),
          static_cast<int>(random() % 3)};
}

void change(Frame& frame, std::mt19937_64& random) {
  Shapes& shapes = random() % 2 == 0 ? frame.low : frame.high;
  switch (random() % 8) {
    case 0:
      shapes.push_back(random_shape(random));
      break;
    case 1:
      if (!shapes.empty())
        shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(random() % shapes.size()));
      break;
    case 2:
      shapes.insert(shapes.begin(), random_shape(random));
      break;
    case 3:
      frame.high_is_here = !frame.high_is_here;
      break;
    case 4:
      frame.high_x = static_cast<float>(random() % 200) / 2;
      break;
    case 5:
      frame.background = static_cast<float>(random() % 3) / 2;
      break;
    default:
      if (!shapes.empty()) shapes[random() % shapes.size()] = random_shape(random);
  }
}

// A window that draws only what has changed shows the same as one that draws everything.
TEST(FrameChanges, APictureFromChangesEqualsOneDrawnAtOnce) {
  const LeaksOfMesaAllowed allowed;
  Result<std::unique_ptr<Window>> window = Window::open_off_screen({"test", kWidth, kHeight});
  if (!window.ok()) GTEST_SKIP() << window.error().message;
  std::mt19937_64 random(runahead::testing::test_seed());
  Frame frame;
  for (int i = 0; i < 12; ++i) frame.low.push_back(random_shape(random));
  for (int i = 0; i < 12; ++i) frame.high.push_back(random_shape(random));
  for (int round = 0; round < 60; ++round) {
    for (std::uint64_t i = random() % 3; i < 3; ++i) change(frame, random);
    const Picture changed = picture_of(**window, frame);
    (*window)->draw_all_next();
    const Picture whole = picture_of(**window, frame);
    ASSERT_EQ(changed.rgba, whole.rgba) << "round " << round;
  }
}

class Areas : public ::testing::Test {
 protected:
  Areas() {
    Result<std::unique_ptr<Window>> window = Window::open_off_screen({"test", kWidth, kHeight});
    if (window.ok()) window_ = std::move(*window);
  }
  // What the frame changes in the frame before.
  std::vector<Area> changed_by(const Shapes& shapes) {
    window_->begin_frame();
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    for (const Shape& shape : shapes)
      list.AddRectFilled({shape.x, shape.y}, {shape.x + shape.width, shape.y + shape.height}, shape.color);
    ImGui::Render();
    return changes_.next(*ImGui::GetDrawData(), kWidth, kHeight, 0);
  }
  static Shape box(float x, float y, ImU32 color = IM_COL32_WHITE) { return {x, y, 10, 10, color, 0}; }

  const LeaksOfMesaAllowed allowed_;
  std::unique_ptr<Window> window_;
  FrameChanges changes_;
};

TEST_F(Areas, TheFirstFrameIsNewEverywhereAndTheSameFrameNowhere) {
  if (!window_) GTEST_SKIP() << "no OpenGL";
  EXPECT_EQ(changed_by({box(10, 10)}), (std::vector{Area{0, 0, kWidth, kHeight}}));
  EXPECT_TRUE(changed_by({box(10, 10)}).empty());
  changes_.forget();
  EXPECT_EQ(changed_by({box(10, 10)}), (std::vector{Area{0, 0, kWidth, kHeight}}));
}

TEST_F(Areas, AShapeThatMovesChangesItsOldAndItsNewPlace) {
  if (!window_) GTEST_SKIP() << "no OpenGL";
  // More shapes than one block holds, so that most blocks stay the same.
  Shapes shapes(600, box(0, 0));
  shapes[100] = box(20, 30);
  (void)changed_by(shapes);
  shapes[100] = box(100, 60);
  const std::vector<Area> areas = changed_by(shapes);
  // The block also has shapes at (0, 0).
  ASSERT_EQ(areas.size(), 1u);
  EXPECT_EQ(areas[0], (Area{0, 0, 110, 70}));
}

TEST_F(Areas, DistantChangesAreNotJoined) {
  if (!window_) GTEST_SKIP() << "no OpenGL";
  Shapes shapes(64, box(0, 0));      // one block
  shapes.resize(128, box(140, 80));  // the next block
  (void)changed_by(shapes);
  for (Shape& shape : shapes) shape.color = IM_COL32(255, 0, 0, 255);
  EXPECT_EQ(changed_by(shapes), (std::vector{Area{0, 0, 10, 10}, Area{140, 80, 150, 90}}));
}

TEST(Area, ClippingRoundsAsTheRendererDoes) {
  ImDrawData data;
  data.DisplayPos = ImVec2(0, 0);
  data.FramebufferScale = ImVec2(1, 1);
  // glScissor(10, (int)(96 - 40.7), (int)(20.7 - 10.5), (int)(40.7 - 20.5)) = (10, 55, 10, 20)
  EXPECT_EQ(clipped_area(ImVec4(10.5f, 20.5f, 20.7f, 40.7f), data, 96), (Area{10, 21, 20, 41}));
  EXPECT_TRUE(clipped_area(ImVec4(10, 20, 10, 40), data, 96).empty());
}

}  // namespace
}  // namespace runahead::gui
