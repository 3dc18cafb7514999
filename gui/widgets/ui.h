// What all panels draw with: the theme, the faces, the scale, and a few widgets that ImGui has not: text that
// ends in an ellipsis, buttons with an icon, and the names by which a test finds a widget.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/model/comparison_model.h"
#include "gui/platform/fonts.h"
#include "gui/text/text.h"
#include "gui/theme/theme.h"
#include "imgui.h"

namespace runahead::gui {

// Where a named widget was drawn, in pixels of the window.
struct WidgetRect {
  std::string name;
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
};

// A word of the window's own that does not fit its place: what a translation must not do.
struct ClippedText {
  std::string words;
  float needed_px = 0, room_px = 0;
};

struct PanelUi {
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
  std::vector<WidgetRect>* widgets = nullptr;   // filled where a report is wanted
  std::vector<ClippedText>* clipped = nullptr;  // the same

  [[nodiscard]] float px(float at_scale_1) const { return at_scale_1 * scale; }
};

[[nodiscard]] inline ImVec4 to_imvec(Colour c) {
  return {static_cast<float>(c.r) / 255.0f, static_cast<float>(c.g) / 255.0f,
          static_cast<float>(c.b) / 255.0f, static_cast<float>(c.a) / 255.0f};
}

// Colours and spacing of every ImGui widget, by theme and scale. Once a frame is cheap enough.
void apply_style(const Theme& theme, float scale);

// Names the last item, where it can be seen. One that its panel cuts off at a side is told as clipped.
void mark_widget(const PanelUi& ui, std::string_view name);
// Tells in the report if `words`, in the face in use, are wider than the room there is for them.
void note_fit(const PanelUi& ui, std::string_view words, float room_px);
// The same of a window: by its name, where it is larger than the screen.
void note_window_fit(const PanelUi& ui, std::string_view title);

void text_line(std::string_view text);
void dim_line(const PanelUi& ui, std::string_view text);
void bold_line(const PanelUi& ui, std::string_view text);
void small_dim_line(const PanelUi& ui, std::string_view text);
void wrapped_text(const PanelUi& ui, std::string_view text, bool dim = false);
void bold_wrapped(const PanelUi& ui, std::string_view text);
// `text` with line feeds where it has to be broken to stay within `width_px` in the face in use
// (gui/text/line_break.h).
[[nodiscard]] std::string in_lines(std::string_view text, float width_px);
// `text` if it fits `width_px` in `face`, else its beginning with an ellipsis.
[[nodiscard]] std::string shortened(ImFont* face, std::string_view text, float width_px);
// One line of at most `width_px`; what does not fit ends in an ellipsis and is whole in a tooltip.
void ellipsis_line(const PanelUi& ui, std::string_view text, float width_px, bool dim = false);
// The same of a label, which should never need the ellipsis: the report tells if it does.
void label_line(const PanelUi& ui, std::string_view text, float width_px, bool dim = false);
// A row of the table's column names, as ImGui::TableHeadersRow; the report tells which do not fit. From
// column `first_number` on they stand to the right, as the numbers below them.
void table_headers(const PanelUi& ui, int first_number);
// Of the last item, when the mouse rests on it.
void tooltip(const PanelUi& ui, std::string_view text);

enum class Icon { kNone, kPlay, kPause, kStep, kStop, kRecord, kOpen, kSave, kMenu, kClose, kHelp };
struct ButtonLook {
  Icon icon = Icon::kNone;
  std::string_view label;  // may be empty
  bool enabled = true;
  bool strong = false;  // filled with `accent`
  Colour accent{};
  std::string_view hint;  // tooltip
};
// As high as a row of the toolbar. True when pressed.
[[nodiscard]] bool tool_button(const PanelUi& ui, const char* id, const ButtonLook& look);
[[nodiscard]] float tool_button_width(const PanelUi& ui, const ButtonLook& look);

// A heading with a line under it.
void heading(const PanelUi& ui, std::string_view text);
// Name on the left, value on the right of what is left of the line.
void fact_line(const PanelUi& ui, std::string_view name, std::string_view value);

// A letter in a box, in the colour and shape of its side: A filled, B outlined. As high as a line.
void side_tag(const PanelUi& ui, CompareSide side);

}  // namespace runahead::gui
