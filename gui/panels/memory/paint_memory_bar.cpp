#include "gui/panels/memory/paint_memory_bar.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gui/panels/memory/memory_words.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

struct Part {
  std::string name;
  double bytes = 0;
  Colour colour;
};

// The same colour for the same category at every moment; others take those that are left.
Colour category_colour(const Theme& theme, std::string_view category) {
  constexpr std::array<std::string_view, 5> kKnown{"activations", "parameters", "gradients", "inputs",
                                                   "other"};
  const auto found = std::ranges::find(kKnown, category);
  if (found != kKnown.end()) return theme.category(static_cast<std::uint32_t>(found - kKnown.begin()));
  std::uint32_t key = 0;
  for (const char c : category) key = key * 31 + static_cast<unsigned char>(c);
  return theme.category(static_cast<std::uint32_t>(kKnown.size()) + key % (kCategoryCount - kKnown.size()));
}

std::vector<Part> parts_of(const PanelUi& ui, const analysis::MemoryReport& report) {
  std::vector<Part> parts;
  for (const analysis::MemoryShare& share : report.by_category) {
    parts.push_back({category_name(share.category), static_cast<double>(share.bytes),
                     category_colour(ui.theme, share.category)});
  }
  if (report.lifetimes && report.unnamed_bytes() > 0.5)
    parts.push_back({text(Text::kMemoryUnknown), report.unnamed_bytes(), ui.theme.grid_major});
  return parts;
}

void legend_line(const PanelUi& ui, const Part& part, double all) {
  const float side_px = ui.px(9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top_px = at.y + (ImGui::GetTextLineHeight() - side_px) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top_px}, {at.x + side_px, top_px + side_px},
                                            rgba(part.colour), ui.px(2));
  ImGui::Indent(side_px + ui.px(6));
  fact_line(ui, part.name, format_bytes(part.bytes) + "  " + format_percent(part.bytes / all));
  ImGui::Unindent(side_px + ui.px(6));
}

}  // namespace

void draw_memory_bar(const PanelUi& ui, const analysis::MemoryReport& report) {
  const std::vector<Part> parts = parts_of(ui, report);
  double all = 0;
  for (const Part& part : parts) all += part.bytes;
  if (all <= 0) return;
  const float width_px = ImGui::GetContentRegionAvail().x, height_px = ui.px(14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  double from = 0;  // double: the parts end where the bar does
  for (const Part& part : parts) {
    const auto x0_px = static_cast<float>(from / all * width_px);
    from += part.bytes;
    const auto x1_px = static_cast<float>(from / all * width_px);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x + x0_px, at.y}, {at.x + x1_px, at.y + height_px},
                                              rgba(part.colour));
  }
  ImGui::Dummy({width_px, height_px});
  mark_widget(ui, "memory_bar");
  for (const Part& part : parts) legend_line(ui, part, all);
}

}  // namespace runahead::gui
