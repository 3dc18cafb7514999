// Drawing helpers for all panels. PanelUi has the theme, the fonts and the scale. The functions draw widgets
// that ImGui lacks, such as text with an ellipsis and buttons with an icon. They also give widgets names, by
// which tests find them.
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

// The rectangle of a named widget, in window pixels.
struct WidgetRect {
  std::string name;
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
};

// A string that is wider than the room for it in the window. A test checks that there are no such strings in
// any language.
struct ClippedText {
  std::string words;
  float needed_px = 0, room_px = 0;
};

struct PanelUi {
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
  std::vector<WidgetRect>* widgets = nullptr;   // for the report (gui/app/report.h); nullptr: no report
  std::vector<ClippedText>* clipped = nullptr;  // for the report; nullptr: no report

  [[nodiscard]] float px(float at_scale_1) const { return at_scale_1 * scale; }
};

[[nodiscard]] inline ImVec4 to_imvec(Colour c) {
  return {static_cast<float>(c.r) / 255.0f, static_cast<float>(c.g) / 255.0f,
          static_cast<float>(c.b) / 255.0f, static_cast<float>(c.a) / 255.0f};
}

// Sets the colours and spacing of all ImGui widgets. Cheap enough to call in every frame.
void apply_style(const Theme& theme, float scale);

// Adds the last ImGui item to the report under this name, if the item is visible, and if its window was there
// in the frame before: a new window takes no clicks yet. If the panel cuts off the item's left or right side,
// also reports the item as clipped.
void mark_widget(const PanelUi& ui, std::string_view name);
// Reports `words` as clipped if they are wider than `room_px` in the current font.
void note_fit(const PanelUi& ui, std::string_view words, float room_px);
// Reports the current window (`title`) as clipped if it is larger than the screen.
void note_window_fit(const PanelUi& ui, std::string_view title);

void text_line(std::string_view text);
void dim_line(const PanelUi& ui, std::string_view text);
void bold_line(const PanelUi& ui, std::string_view text);
void small_dim_line(const PanelUi& ui, std::string_view text);
void wrapped_text(const PanelUi& ui, std::string_view text, bool dim = false);
void bold_wrapped(const PanelUi& ui, std::string_view text);
// Returns `text` with line feeds added, so that it fits `width_px` in the current font
// (gui/text/line_break.h).
[[nodiscard]] std::string in_lines(std::string_view text, float width_px);
// Returns `text` if it fits `width_px` in `face`, or otherwise its start with an ellipsis.
[[nodiscard]] std::string shortened(ImFont* face, std::string_view text, float width_px);
// Draws one line of at most `width_px`. Text that does not fit is shortened with an ellipsis, and a tooltip
// shows the complete text.
void ellipsis_line(const PanelUi& ui, std::string_view text, float width_px, bool dim = false);
// Works like ellipsis_line(), but for labels, which should always fit: the report lists a label that does not
// fit.
void label_line(const PanelUi& ui, std::string_view text, float width_px, bool dim = false);
// Draws the row of column names, like ImGui::TableHeadersRow. The report lists names that do not fit. From
// the column `first_number` on, names are aligned right, like the numbers below them.
void table_headers(const PanelUi& ui, int first_number);
// Adds a tooltip to the last item, shown while the mouse rests on the item.
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
// Draws a button with the height of a toolbar row. Returns true when pressed.
[[nodiscard]] bool tool_button(const PanelUi& ui, const char* id, const ButtonLook& look);
[[nodiscard]] float tool_button_width(const PanelUi& ui, const ButtonLook& look);

// Draws a heading with a line under it.
void heading(const PanelUi& ui, std::string_view text);
// Draws a name and its value in two columns, which share the rest of the line.
void fact_line(const PanelUi& ui, std::string_view name, std::string_view value);

// True if a popup is open: a menu, a list of choices or a dialog.
[[nodiscard]] bool popup_open();
// Closes every popup. The keyboard focus returns to the window below. Call after the popups are drawn.
void close_popups();

// Draws the letter of a comparison's side, A or B, in a box with the side's colour. The box of A is filled;
// the box of B is an outline. Each box is as high as a line of text.
void side_tag(const PanelUi& ui, CompareSide side);

}  // namespace runahead::gui
