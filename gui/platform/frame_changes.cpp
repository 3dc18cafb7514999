#include "gui/platform/frame_changes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace runahead::gui {
namespace {

constexpr std::size_t kMostAreas = 4;
// 64 rectangles or characters of six indices each.
constexpr unsigned kBlockIndices = 384;
// From this share of the window on, one pass over the whole window costs less than several over its parts.
constexpr double kNearlyAll = 0.7;

// Hashes 8 bytes at a time. The multiplication carries each bit to the higher ones, the shift back to the
// lower ones.
class FrameHash {
 public:
  void add(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, bytes);
    add(rest ^ bytes << 56);
  }
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 29;
  }
  [[nodiscard]] std::uint64_t result() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// The corners of a set of points.
struct Extent {
  ImVec2 low{0, 0}, high{0, 0};
  bool empty = true;
  void add(const ImVec2& point) {
    if (empty) low = high = point;
    empty = false;
    low = ImVec2(std::min(low.x, point.x), std::min(low.y, point.y));
    high = ImVec2(std::max(high.x, point.x), std::max(high.y, point.y));
  }
};

// All pixels that shapes of this extent may touch, within `clip`.
Area touched(const Extent& extent, const ImDrawData& data, const Area& clip) {
  if (extent.empty) return {};
  const auto low = [](float at) { return static_cast<int>(std::floor(std::clamp(at, -1e6f, 1e6f))); };
  const auto high = [](float at) { return static_cast<int>(std::ceil(std::clamp(at, -1e6f, 1e6f))); };
  const ImVec2 from = data.DisplayPos, scale = data.FramebufferScale;
  return intersection(clip,
                      {low((extent.low.x - from.x) * scale.x), low((extent.low.y - from.y) * scale.y),
                       high((extent.high.x - from.x) * scale.x), high((extent.high.y - from.y) * scale.y)});
}

std::uint64_t frame_hash(const ImDrawData& data, int width_px, int height_px, std::uint64_t background) {
  FrameHash hash;
  hash.add(background);
  hash.add(static_cast<std::uint64_t>(width_px));
  hash.add(static_cast<std::uint64_t>(height_px));
  for (const ImVec2& place : {data.DisplayPos, data.DisplaySize, data.FramebufferScale})
    hash.add(&place, sizeof place);
  return hash.result();
}

// Joins areas until few are left, so that the renderer needs few passes.
std::vector<Area> joined(const std::vector<Area>& areas, const Area& window) {
  std::vector<Area> result;
  const auto extra = [](const Area& a, const Area& b) {
    return bounds_of(a, b).pixels() - a.pixels() - b.pixels();
  };
  for (Area area : areas) {
    if (area.empty()) continue;
    // An area that grows may reach others.
    for (std::size_t i = 0; i < result.size();) {
      if (extra(result[i], area) > area.pixels() / 4) {
        ++i;
        continue;
      }
      area = bounds_of(result[i], area);
      result[i] = result.back();
      result.pop_back();
      i = 0;
    }
    result.push_back(area);
    if (result.size() <= kMostAreas) continue;
    std::pair<std::size_t, std::size_t> best{0, 1};
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (std::size_t j = i + 1; j < result.size(); ++j) {
        if (extra(result[i], result[j]) < extra(result[best.first], result[best.second])) best = {i, j};
      }
    }
    result[best.first] = bounds_of(result[best.first], result[best.second]);
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(best.second));
  }
  std::int64_t pixels = 0;
  for (const Area& area : result) pixels += area.pixels();
  if (static_cast<double>(pixels) >= kNearlyAll * static_cast<double>(window.pixels())) return {window};
  return result;
}

}  // namespace

Area intersection(const Area& a, const Area& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

Area bounds_of(const Area& a, const Area& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

Area clipped_area(const ImVec4& clip, const ImDrawData& data, int height_px) {
  const float left = (clip.x - data.DisplayPos.x) * data.FramebufferScale.x;
  const float top = (clip.y - data.DisplayPos.y) * data.FramebufferScale.y;
  const float right = (clip.z - data.DisplayPos.x) * data.FramebufferScale.x;
  const float bottom = (clip.w - data.DisplayPos.y) * data.FramebufferScale.y;
  if (right <= left || bottom <= top) return {};
  // OpenGL counts rows from the bottom.
  const int x0 = static_cast<int>(left);
  const int y1 = height_px - static_cast<int>(static_cast<float>(height_px) - bottom);
  return {x0, y1 - static_cast<int>(bottom - top), x0 + static_cast<int>(right - left), y1};
}

FrameChanges::List FrameChanges::list_of(const ImDrawList& list, const ImDrawData& data, const Area& window) {
  List result;
  if (list._OwnerName != nullptr) result.owner = list._OwnerName;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const Area clip = intersection(window, clipped_area(command.ClipRect, data, window.y1));
    for (unsigned begin = 0; begin < command.ElemCount; begin += kBlockIndices) {
      const unsigned end = std::min(begin + kBlockIndices, command.ElemCount);
      FrameHash hash;
      hash.add(&command.ClipRect, sizeof command.ClipRect);
      hash.add(&command.TextureId, sizeof command.TextureId);
      hash.add(std::uint64_t{end - begin});
      Extent extent;
      const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
      for (unsigned i = begin; i < end; ++i) {
        const ImDrawVert& vertex = list.VtxBuffer.Data[command.VtxOffset + indices[i]];
        hash.add(&vertex, sizeof vertex);
        extent.add(vertex.pos);
      }
      result.blocks.push_back({hash.result(), touched(extent, data, clip)});
    }
  }
  return result;
}

// Blocks at the beginning and at the end that are equal draw the same, in the same order. Between them, equal
// numbers of blocks are compared in pairs.
void FrameChanges::compare(const List& before, const List& after, std::vector<Area>& areas) {
  const std::vector<Block>&a = before.blocks, &b = after.blocks;
  std::size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && a[begin].hash == b[begin].hash) ++begin;
  while (a_end > begin && b_end > begin && a[a_end - 1].hash == b[b_end - 1].hash) --a_end, --b_end;
  const bool in_pairs = a_end == b_end;
  for (std::size_t i = begin; i < std::max(a_end, b_end); ++i) {
    if (in_pairs && a[i].hash == b[i].hash) continue;
    if (i < a_end) areas.push_back(a[i].area);
    if (i < b_end) areas.push_back(b[i].area);
  }
}

std::vector<Area> FrameChanges::next(const ImDrawData& data, int width_px, int height_px,
                                     std::uint64_t background) {
  const Area window{0, 0, width_px, height_px};
  std::vector<List> lists;
  for (int i = 0; i < data.CmdListsCount; ++i) lists.push_back(list_of(*data.CmdLists[i], data, window));
  lists_.swap(lists);  // now `lists` is the frame before
  const std::uint64_t before = std::exchange(frame_, frame_hash(data, width_px, height_px, background));
  if (!std::exchange(known_, true) || frame_ != before) return {window};

  std::size_t begin = 0, old_end = lists.size(), new_end = lists_.size();
  while (begin < old_end && begin < new_end && lists[begin].owner == lists_[begin].owner) ++begin;
  while (old_end > begin && new_end > begin && lists[old_end - 1].owner == lists_[new_end - 1].owner)
    --old_end, --new_end;
  std::vector<Area> areas;
  for (std::size_t i = 0; i < begin; ++i) compare(lists[i], lists_[i], areas);
  for (std::size_t i = begin; i < old_end; ++i) compare(lists[i], {}, areas);
  for (std::size_t i = begin; i < new_end; ++i) compare({}, lists_[i], areas);
  for (std::size_t i = 0; old_end + i < lists.size(); ++i)
    compare(lists[old_end + i], lists_[new_end + i], areas);
  return joined(areas, window);
}

}  // namespace runahead::gui
