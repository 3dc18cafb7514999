// FrameChanges: finds in which parts of the window a frame differs from the frame before. A software renderer
// then draws only these parts. In most frames little changes: a live figure, the overview, the row below the
// mouse.
// Method: each draw command is divided into blocks of some hundred vertices. Each block has a hash of
// everything that the renderer reads for it, and the rectangle in which it draws. A pixel can only differ
// where a block differs, was added or was removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "imgui.h"

namespace runahead::gui {

// A rectangle in pixels of the framebuffer. y = 0 is at the top. It contains x0 and y0, but not x1 and y1.
struct Area {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
  [[nodiscard]] std::int64_t pixels() const {
    return empty() ? 0 : std::int64_t{x1 - x0} * std::int64_t{y1 - y0};
  }
  friend bool operator==(const Area&, const Area&) = default;
};
[[nodiscard]] Area intersection(const Area& a, const Area& b);
[[nodiscard]] Area bounds_of(const Area& a, const Area& b);  // the smallest area that contains both

// The area to which ImGui's OpenGL renderer clips a command with this clip rectangle, in a framebuffer of
// `height_px`. It is not simply the rounded rectangle: the renderer rounds corner and size apart.
[[nodiscard]] Area clipped_area(const ImVec4& clip, const ImDrawData& data, int height_px);

// Not thread-safe.
class FrameChanges {
 public:
  // Compares `data` with the frame of the call before. Returns the areas that differ, at most four: none if
  // the frames are equal, and the whole window if most of it differs. `background`: the colour below all, as
  // bits.
  [[nodiscard]] std::vector<Area> next(const ImDrawData& data, int width_px, int height_px,
                                       std::uint64_t background);
  // The next frame differs everywhere.
  void forget() { known_ = false; }

 private:
  struct Block {
    std::uint64_t hash = 0;
    Area area;
  };
  // What one window of ImGui draws.
  struct List {
    std::string owner;
    std::vector<Block> blocks;
  };
  [[nodiscard]] static List list_of(const ImDrawList& list, const ImDrawData& data, const Area& window);
  static void compare(const List& before, const List& after, std::vector<Area>& areas);

  bool known_ = false;
  std::uint64_t frame_ = 0;  // the hash of sizes, scales and background
  std::vector<List> lists_;
};

}  // namespace runahead::gui
