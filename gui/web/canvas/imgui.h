// The part of Dear ImGui with which the timeline draws, for the viewer of a page (gui/web/viewer.cpp). The
// functions record draw commands; viewer.js performs them on a canvas. So the painter of the window
// (gui/timeline/paint) draws the page too. Only the viewer is compiled with this header.
//
// A command is a word with its DrawOp, then its numbers: float, or uint32 for colours (R, G, B, A in memory
// order), offsets and counts. Positions are in px from the top left corner of the canvas.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

struct ImVec2 {
  float x = 0, y = 0;
  constexpr ImVec2() = default;
  constexpr ImVec2(float x_, float y_) : x(x_), y(y_) {}
};
using ImU32 = std::uint32_t;
using ImWchar = std::uint16_t;

// A font whose letters have the widths that the page measured, at the size FontSize. The width of a character
// beyond ASCII is `wide` for Chinese, Japanese and Korean characters (from U+2E80 on), otherwise `other`.
struct ImFont {
  float FontSize = 13;
  std::array<float, 128> ascii{};
  float other = 0, wide = 0;

  [[nodiscard]] float GetCharAdvance(std::uint32_t c) const {
    if (c < ascii.size()) return ascii[c];
    return c >= 0x2E80 ? wide : other;
  }
  [[nodiscard]] const void* FindGlyphNoFallback(ImWchar) const { return this; }
  [[nodiscard]] ImVec2 CalcTextSizeA(float px, float /*most*/, float /*wrap*/, const char* begin,
                                     const char* end = nullptr) const {
    float width = 0;
    if (end == nullptr) end = begin + std::strlen(begin);
    for (const char* at = begin; at < end;) {
      const auto lead = static_cast<unsigned char>(*at);
      const int bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      width += lead < 0x80 ? ascii[lead] : bytes == 2 ? other : wide;
      at += bytes;
    }
    return {width * px / FontSize, px};
  }
};

enum class DrawOp : std::uint32_t {
  kFill = 1,      // x0 y0 x1 y1 colour rounding
  kFrame = 2,     // x0 y0 x1 y1 colour rounding thickness
  kLine = 3,      // x0 y0 x1 y1 colour thickness
  kText = 4,      // x y px colour offset bytes: UTF-8 in ImDrawList::texts
  kTriangle = 5,  // x0 y0 x1 y1 x2 y2 colour
  kCircle = 6,    // x y radius colour
  kCurve = 7,     // four points, colour, thickness
  kClip = 8,      // x0 y0 x1 y1: intersected with the clip rectangle before, until kUnclip
  kUnclip = 9,
};

// Records the commands of one frame.
struct ImDrawList {
  std::vector<std::uint32_t> words;
  std::string texts;

  void clear() {
    words.clear();
    texts.clear();
  }
  void AddRectFilled(ImVec2 min, ImVec2 max, ImU32 colour, float rounding = 0) {
    put(DrawOp::kFill, min, max, colour, rounding);
  }
  void AddRect(ImVec2 min, ImVec2 max, ImU32 colour, float rounding = 0, int /*flags*/ = 0,
               float thickness = 1) {
    put(DrawOp::kFrame, min, max, colour, rounding, thickness);
  }
  void AddLine(ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1) {
    put(DrawOp::kLine, from, to, colour, thickness);
  }
  void AddText(const ImFont* /*font*/, float px, ImVec2 at, ImU32 colour, const char* begin,
               const char* end = nullptr) {
    const std::string_view text = end == nullptr
                                      ? std::string_view(begin)
                                      : std::string_view(begin, static_cast<std::size_t>(end - begin));
    put(DrawOp::kText, at, px, colour, static_cast<std::uint32_t>(texts.size()),
        static_cast<std::uint32_t>(text.size()));
    texts += text;
  }
  void AddTriangleFilled(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 colour) {
    put(DrawOp::kTriangle, a, b, c, colour);
  }
  void AddCircleFilled(ImVec2 centre, float radius, ImU32 colour, int /*segments*/ = 0) {
    put(DrawOp::kCircle, centre, radius, colour);
  }
  void AddBezierCubic(ImVec2 from, ImVec2 c0, ImVec2 c1, ImVec2 to, ImU32 colour, float thickness) {
    put(DrawOp::kCurve, from, c0, c1, to, colour, thickness);
  }
  void PushClipRect(ImVec2 min, ImVec2 max, bool /*intersect*/ = true) { put(DrawOp::kClip, min, max); }
  void PopClipRect() { put(DrawOp::kUnclip); }

 private:
  template <typename... Values>
  void put(DrawOp op, Values... values) {
    words.push_back(static_cast<std::uint32_t>(op));
    (append(values), ...);
  }
  void append(ImVec2 at) {
    append(at.x);
    append(at.y);
  }
  void append(float value) { words.push_back(std::bit_cast<std::uint32_t>(value)); }
  void append(std::uint32_t value) { words.push_back(value); }
};
