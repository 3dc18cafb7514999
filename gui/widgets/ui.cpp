#include "gui/widgets/ui.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/text/line_break.h"
#include "imgui_internal.h"

namespace runahead::gui {

namespace {

// Draws the shapes of an icon. Their coordinates, 0..1, are shares of the side of the icon's square.
struct Pen {
  ImDrawList& draw;
  ImVec2 at;
  float size_px;
  ImU32 ink;
  [[nodiscard]] ImVec2 p(float x, float y) const { return {at.x + x * size_px, at.y + y * size_px}; }
  void box(float x0, float y0, float x1, float y1) const {
    draw.AddRectFilled(p(x0, y0), p(x1, y1), ink, size_px * 0.06f);
  }
  void line(float x0, float y0, float x1, float y1) const {
    draw.AddLine(p(x0, y0), p(x1, y1), ink, size_px * 0.11f);
  }
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c) const { draw.AddTriangleFilled(a, b, c, ink); }
};

void draw_open(const Pen& pen) {
  pen.box(0.08f, 0.2f, 0.46f, 0.4f);
  pen.box(0.08f, 0.3f, 0.92f, 0.84f);
}

void draw_save(const Pen& pen) {
  pen.line(0.5f, 0.1f, 0.5f, 0.52f);
  pen.triangle(pen.p(0.24f, 0.42f), pen.p(0.76f, 0.42f), pen.p(0.5f, 0.72f));
  pen.line(0.12f, 0.88f, 0.88f, 0.88f);
}

void draw_menu(const Pen& pen) {
  for (const float y : {0.24f, 0.5f, 0.76f}) pen.line(0.1f, y, 0.9f, y);
}

void draw_help(const Pen& pen) { pen.draw.AddText(pen.p(0.25f, 0.0f), pen.ink, "?"); }

void draw_icon(ImDrawList& draw, Icon icon, ImVec2 at, float size_px, ImU32 ink) {
  const Pen pen{draw, at, size_px, ink};
  switch (icon) {
    case Icon::kNone:
      return;
    case Icon::kPlay:
      return pen.triangle(pen.p(0.2f, 0.1f), pen.p(0.9f, 0.5f), pen.p(0.2f, 0.9f));
    case Icon::kPause:
      pen.box(0.18f, 0.12f, 0.4f, 0.88f);
      return pen.box(0.6f, 0.12f, 0.82f, 0.88f);
    case Icon::kStep:
      pen.box(0.12f, 0.12f, 0.28f, 0.88f);
      return pen.triangle(pen.p(0.4f, 0.12f), pen.p(0.94f, 0.5f), pen.p(0.4f, 0.88f));
    case Icon::kStop:
      return pen.box(0.16f, 0.16f, 0.84f, 0.84f);
    case Icon::kRecord:
      return draw.AddCircleFilled(pen.p(0.5f, 0.5f), size_px * 0.36f, ink);
    case Icon::kOpen:
      return draw_open(pen);
    case Icon::kSave:
      return draw_save(pen);
    case Icon::kMenu:
      return draw_menu(pen);
    case Icon::kClose:
      pen.line(0.2f, 0.2f, 0.8f, 0.8f);
      return pen.line(0.8f, 0.2f, 0.2f, 0.8f);
    case Icon::kHelp:
      return draw_help(pen);
  }
}

void set_sizes(ImGuiStyle& style, float scale) {
  style = ImGuiStyle();
  style.WindowPadding = ImVec2(12, 10);
  style.FramePadding = ImVec2(9, 5);
  style.ItemSpacing = ImVec2(8, 6);
  style.ItemInnerSpacing = ImVec2(6, 4);
  style.CellPadding = ImVec2(4, 2);
  style.ScrollbarSize = 12;
  style.WindowRounding = 6;
  style.ChildRounding = 0;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 4;
  style.WindowBorderSize = 1;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 1;  // makes an unselected radio button or checkbox visible
  style.DisabledAlpha = 0.45f;
  style.ScaleAllSizes(scale);
  style.WindowBorderSize = style.PopupBorderSize = style.FrameBorderSize = 1;  // a thin line, not scaled
}

// Draws the lines as one ImGui item. Chinese, Japanese and Korean characters fill the full height of a line.
// Therefore lines with such characters get some space between them.
void lines_of_text(const PanelUi& ui, std::string_view lines) {
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, has_wide(lines) ? ui.px(3) : 0));
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text_line(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

}  // namespace

void apply_style(const Theme& theme, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  set_sizes(style, scale);
  const auto set = [&style](ImGuiCol which, Colour c) { style.Colors[which] = to_imvec(c); };
  const auto tint = [&theme](float share) { return mix(theme.panel, theme.text, share); };
  theme.dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.text_dim);
  set(ImGuiCol_WindowBg, theme.window);
  set(ImGuiCol_ChildBg, with_alpha(theme.panel, 0));
  set(ImGuiCol_PopupBg, theme.popup);
  set(ImGuiCol_Border, theme.separator);
  set(ImGuiCol_Separator, theme.separator);
  set(ImGuiCol_FrameBg, tint(0.07f));
  set(ImGuiCol_FrameBgHovered, tint(0.12f));
  set(ImGuiCol_FrameBgActive, tint(0.16f));
  set(ImGuiCol_Button, tint(0.09f));
  set(ImGuiCol_ButtonHovered, tint(0.16f));
  set(ImGuiCol_ButtonActive, tint(0.24f));
  set(ImGuiCol_Header, tint(0.10f));
  set(ImGuiCol_HeaderHovered, tint(0.16f));
  set(ImGuiCol_HeaderActive, tint(0.22f));
  set(ImGuiCol_TitleBg, theme.popup);
  set(ImGuiCol_TitleBgActive, theme.group_header);
  set(ImGuiCol_ScrollbarBg, with_alpha(theme.panel, 0));
  set(ImGuiCol_ScrollbarGrab, tint(0.18f));
  set(ImGuiCol_ScrollbarGrabHovered, tint(0.28f));
  set(ImGuiCol_ScrollbarGrabActive, tint(0.36f));
  set(ImGuiCol_CheckMark, theme.marker);
  set(ImGuiCol_SliderGrab, theme.marker);
  set(ImGuiCol_SliderGrabActive, theme.marker);
  set(ImGuiCol_PlotHistogram, theme.marker);
  set(ImGuiCol_NavHighlight, theme.marker);
  set(ImGuiCol_TableHeaderBg, tint(0.10f));
  set(ImGuiCol_TableRowBgAlt, with_alpha(theme.text, 8));
  set(ImGuiCol_ModalWindowDimBg, with_alpha(colour(0x000000), 90));
}

void mark_widget(const PanelUi& ui, std::string_view name) {
  if (ui.widgets == nullptr || !ImGui::IsItemVisible()) return;
  // In the first frame of a dialog, ImGui measures it and shows nothing: a click would not reach its items.
  if (ImGui::IsWindowAppearing()) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  ui.widgets->push_back({std::string(name), low.x, low.y, high.x, high.y});
  // An item counts as clipped only if its left or right side is cut off, because content scrolls vertically.
  // A few pixels do not count, because a clickable row extends slightly beyond the sides.
  const ImRect& seen = ImGui::GetCurrentWindowRead()->InnerClipRect;
  const float over = std::max(high.x - seen.Max.x, seen.Min.x - low.x);
  if (over > ui.px(6) && ui.clipped != nullptr)
    ui.clipped->push_back({std::string(name), high.x - low.x, high.x - low.x - over});
}

void note_fit(const PanelUi& ui, std::string_view words, float room_px) {
  if (ui.clipped == nullptr) return;
  const float needed = ImGui::CalcTextSize(words.data(), words.data() + words.size()).x;
  if (needed > room_px + 0.5f) ui.clipped->push_back({std::string(words), needed, room_px});
}

void note_window_fit(const PanelUi& ui, std::string_view title) {
  if (ui.clipped == nullptr) return;
  const ImVec2 size = ImGui::GetWindowSize(), screen = ImGui::GetIO().DisplaySize;
  if (size.x > screen.x) ui.clipped->push_back({std::string(title), size.x, screen.x});
  if (size.y > screen.y) ui.clipped->push_back({std::string(title), size.y, screen.y});
}

void text_line(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void dim_line(const PanelUi& ui, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.text_dim));
  text_line(text);
  ImGui::PopStyleColor();
}

void bold_line(const PanelUi& ui, std::string_view text) {
  ImGui::PushFont(ui.fonts.bold);
  text_line(text);
  ImGui::PopFont();
}

void small_dim_line(const PanelUi& ui, std::string_view text) {
  ImGui::PushFont(ui.fonts.small);
  dim_line(ui, text);
  ImGui::PopFont();
}

// ImGui's own wrapping is not used, because it may break a line within a number, such as after the point in
// 11.7.
std::string in_lines(std::string_view text, float width_px) {
  const ImFont& face = *ImGui::GetFont();
  const float ratio = ImGui::GetFontSize() / face.FontSize;
  return broken_into_lines(text, width_px, [&](char32_t character) {
    return face.GetCharAdvance(static_cast<ImWchar>(std::min<char32_t>(character, 0xFFFD))) * ratio;
  });
}

void wrapped_text(const PanelUi& ui, std::string_view text, bool dim) {
  if (dim) ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.text_dim));
  lines_of_text(ui, in_lines(text, ImGui::GetContentRegionAvail().x));
  if (dim) ImGui::PopStyleColor();
}

void bold_wrapped(const PanelUi& ui, std::string_view text) {
  ImGui::PushFont(ui.fonts.bold);
  wrapped_text(ui, text);
  ImGui::PopFont();
}

std::string shortened(ImFont* face, std::string_view text, float width_px) {
  const auto width_of = [face](std::string_view t) {
    return face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, t.data(), t.data() + t.size()).x;
  };
  if (width_of(text) <= width_px) return std::string(text);
  constexpr std::string_view kEllipsis = "\u2026";
  std::size_t low = 0, high = text.size();  // binary search for the longest start that fits with an ellipsis
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    const bool fits = width_of(text.substr(0, middle)) + width_of(kEllipsis) <= width_px;
    fits ? low = middle : high = middle - 1;
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xC0) == 0x80)
    --low;  // never cut within a UTF-8 character
  return std::string(text.substr(0, low)) + std::string(kEllipsis);
}

void ellipsis_line(const PanelUi& ui, std::string_view text, float width_px, bool dim) {
  const std::string shown = shortened(ImGui::GetFont(), text, width_px);
  dim ? dim_line(ui, shown) : text_line(shown);
  if (shown != text) tooltip(ui, text);
}

void label_line(const PanelUi& ui, std::string_view text, float width_px, bool dim) {
  note_fit(ui, text, width_px);
  ellipsis_line(ui, text, width_px, dim);
}

namespace {

// Draws the name of a column of numbers, aligned right like the numbers. If the table is sorted by this
// column, the name leaves room for the sort arrow at the right edge. If there is too little room, the name is
// aligned left.
void number_header(const char* name) {
  constexpr float kArrow = 0.65f;  // width of ImGui's sort arrow, as a share of the font's height
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool sorted = (ImGui::TableGetColumnFlags() & ImGuiTableColumnFlags_IsSorted) != 0;
  const float arrow = ImGui::GetFontSize() * kArrow + ImGui::GetStyle().FramePadding.x;
  const float left = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(name).x - (sorted ? arrow : 0);
  if (left < 0) return ImGui::TableHeader(name);
  ImGui::TableHeader("##number");
  ImGui::GetWindowDrawList()->AddText({at.x + std::floor(left), at.y}, ImGui::GetColorU32(ImGuiCol_Text),
                                      name);
}

}  // namespace

void table_headers(const PanelUi& ui, int first_number) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int column = 0; column < ImGui::TableGetColumnCount(); ++column) {
    if (!ImGui::TableSetColumnIndex(column)) continue;
    const char* const name = ImGui::TableGetColumnName(column);
    note_fit(ui, name, ImGui::GetContentRegionAvail().x);
    ImGui::PushID(column);
    column < first_number ? ImGui::TableHeader(name) : number_header(name);
    ImGui::PopID();
  }
}

void tooltip(const PanelUi& ui, std::string_view text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  lines_of_text(ui, in_lines(text, ui.px(420) - ImGui::GetCursorPosX()));
  ImGui::EndTooltip();
}

float tool_button_width(const PanelUi& ui, const ButtonLook& look) {
  const ImGuiStyle& style = ImGui::GetStyle();
  float width = style.FramePadding.x * 2;
  const float icon = ImGui::GetFontSize();
  if (look.icon != Icon::kNone) width += icon;
  if (!look.label.empty()) {
    width += ImGui::CalcTextSize(look.label.data(), look.label.data() + look.label.size()).x;
    if (look.icon != Icon::kNone) width += ui.px(6);
  }
  return width;
}

bool tool_button(const PanelUi& ui, const char* id, const ButtonLook& look) {
  ImGui::BeginDisabled(!look.enabled);
  const ImVec2 size(tool_button_width(ui, look), ImGui::GetFrameHeight());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, size);
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  Colour fill = look.strong ? look.accent : mix(ui.theme.panel, ui.theme.text, 0.09f);
  if (hovered) fill = mix(fill, ui.theme.text, active ? 0.22f : 0.12f);
  const Colour ink = look.strong ? label_on(fill) : ui.theme.text;
  const auto shade = [](Colour c) { return ImGui::GetColorU32(to_imvec(c)); };  // dims when disabled
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), shade(fill), ImGui::GetStyle().FrameRounding);
  float x = at.x + ImGui::GetStyle().FramePadding.x;
  const float font_px = ImGui::GetFontSize();
  const float y = at.y + (size.y - font_px) / 2;
  if (look.icon != Icon::kNone) {
    draw_icon(draw, look.icon, ImVec2(x, y), font_px,
              shade(look.icon == Icon::kRecord ? ui.theme.failure : ink));
    x += font_px + ui.px(6);
  }
  if (!look.label.empty()) {
    draw.AddText(ImVec2(x, y), shade(ink), look.label.data(), look.label.data() + look.label.size());
  }
  ImGui::EndDisabled();
  mark_widget(ui, id);
  tooltip(ui, look.hint);
  return pressed;
}

void heading(const PanelUi& ui, std::string_view text) {
  ImGui::PushFont(ui.fonts.bold);
  note_fit(ui, text, ImGui::GetContentRegionAvail().x);
  ImGui::PopFont();
  bold_line(ui, text);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, at.y - ui.px(3)), ImVec2(right, at.y - ui.px(3)),
                                      ImGui::GetColorU32(ImGuiCol_Separator));
}

void fact_line(const PanelUi& ui, std::string_view name, std::string_view value) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  const float name_px = width * 0.42f;
  label_line(ui, name, name_px - ui.px(6), true);
  ImGui::SameLine(left + name_px);
  ellipsis_line(ui, value, width - name_px);
}

bool popup_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

void close_popups() {
  if (!ImGui::GetCurrentContext()->OpenPopupStack.empty()) ImGui::ClosePopupToLevel(0, true);
}

void side_tag(const PanelUi& ui, CompareSide side) {
  const bool a = side == CompareSide::kA;
  const Colour ink = a ? ui.theme.side_a : ui.theme.side_b;
  const char* const letter = a ? "A" : "B";
  const float high = ImGui::GetTextLineHeight(), wide = high * 1.25f;
  ImGui::Dummy(ImVec2(wide, high));
  const ImVec2 at = ImGui::GetItemRectMin();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + wide, at.y + high);
  if (a) {
    draw.AddRectFilled(at, end, rgba(ink), ui.px(3));
  } else {
    draw.AddRect(at, end, rgba(ink), ui.px(3), 0, std::max(1.0f, ui.px(1.6f)));
  }
  const float x = at.x + (wide - ImGui::CalcTextSize(letter).x) / 2;
  draw.AddText({std::floor(x), at.y}, rgba(a ? label_on(ink) : ink), letter);
}

}  // namespace runahead::gui
