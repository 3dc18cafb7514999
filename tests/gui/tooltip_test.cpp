#include <gtest/gtest.h>

#include "gui/timeline/paint/paint_tooltip.h"

namespace runahead::gui {
namespace {

// An ImGui context for each test; no window.
class TooltipTest : public ::testing::Test {
 protected:
  TooltipTest() : context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(1280, 720);
    io.MousePos = ImVec2(300, 200);
    io.Fonts->Build();
  }
  ~TooltipTest() override { ImGui::DestroyContext(context_); }

  // The number of vertices that a frame draws for these facts. Glyphs outside the tooltip are not drawn, so a
  // tooltip that is too small has fewer vertices.
  static int vertices(const Facts& facts) {
    ImGui::NewFrame();
    facts_tooltip(facts);
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  }

 private:
  ImGuiContext* const context_;
};

TEST_F(TooltipTest, IsWholeInTheFirstFrameInWhichTheMouseIsOverSomethingElse) {
  const Facts few = {{"Name", "relu"}};
  const Facts many = {{"Name", "sgd_update"},
                      {"Track", "virtual:0 compute (simulated)"},
                      {"after ops not shown", "1"},
                      {"Note", "on the critical path"}};
  for (int frame = 0; frame < 10; ++frame) (void)vertices(few);
  const int first = vertices(many);
  int later = 0;
  for (int frame = 0; frame < 10; ++frame) later = vertices(many);
  EXPECT_EQ(first, later);
  EXPECT_GT(first, vertices(few));
}

}  // namespace
}  // namespace runahead::gui
