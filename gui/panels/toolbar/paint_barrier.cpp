#include <algorithm>
#include <string>

#include "gui/panels/toolbar/paint_toolbar.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr float kTallPx = 42, kLowPx = 32, kSpacePx = 6;

// The layouts of the barrier row, for different widths.
enum class Shape {
  kFull,     // the word "Barrier", and big buttons with the key (1..9) in a corner
  kStacked,  // no word "Barrier"; in each button, the key is above the label
  kTwoRows,  // no word "Barrier"; low buttons in two rows, with a small font
};

struct Place {
  ImVec2 at, size;
};

float label_width(ImFont* face, const std::string& words) {
  return face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, words.c_str()).x;
}

std::string title(const std::vector<BarrierChoice>& row, const BarrierPolicy& active) {
  // If no button stands for the current barrier (such as window:7 from the command line), the title also
  // contains the name of the barrier.
  const bool on_a_button =
      std::ranges::any_of(row, [&](const auto& choice) { return choice.policy == active; });
  return std::string(text(Text::kBarrier)) + (on_a_button ? "" : " " + to_string(active));
}

// Returns the width at which the complete label of the button fits.
float natural_width(const PanelUi& ui, const BarrierChoice& choice, Shape shape) {
  const float label = label_width(ui.fonts.bold, std::string(choice.label));
  if (shape == Shape::kFull) return std::max(label + ui.px(44), ui.px(84));
  return label + ui.px(16);
}

float row_width(const PanelUi& ui, const std::vector<BarrierChoice>& row, Shape shape) {
  float width = ui.px(kSpacePx) * static_cast<float>(row.size() - 1);
  for (const BarrierChoice& choice : row) width += natural_width(ui, choice, shape);
  return width;
}

Shape shape_for(const PanelUi& ui, const std::vector<BarrierChoice>& row, float title_px, float room_px) {
  if (title_px + row_width(ui, row, Shape::kFull) <= room_px) return Shape::kFull;
  if (row_width(ui, row, Shape::kStacked) <= room_px) return Shape::kStacked;
  return Shape::kTwoRows;
}

BarrierPolicy active_of(const PanelModel& model) {
  return model.live() ? model.run->barrier : model.start.choice.barrier;
}

float title_width(const PanelUi& ui, const std::string& words) {
  return label_width(ui.fonts.large, words) + ui.px(14);
}

struct ButtonFace {
  std::string label, key;
  bool active = false, hovered = false;
  // What the run would do with this barrier, as long as it may be; the next one is tried if it does not fit.
  std::vector<std::string> forecast{};
};

// Returns the longest form of the forecast for which the button has room. Empty: none.
std::string forecast_that_fits(const PanelUi& ui, const Place& place, const ButtonFace& face, Shape shape) {
  if (shape == Shape::kTwoRows) return {};
  const float key = shape == Shape::kStacked ? label_width(ui.fonts.small, face.key) + ui.px(8) : 0;
  const float room = place.size.x - ui.px(12) - key;
  const auto fits = std::ranges::find_if(
      face.forecast, [&](const std::string& words) { return label_width(ui.fonts.small, words) <= room; });
  return fits == face.forecast.end() ? std::string() : *fits;
}

// Below the label; if the label is at the bottom, beside the key.
void paint_forecast(const PanelUi& ui, const Place& place, const std::string& words, Shape shape,
                    Colour ink) {
  ImFont* const small = ui.fonts.small;
  const float width = label_width(small, words);
  ImVec2 at(place.at.x + (place.size.x - width) / 2, place.at.y + place.size.y - small->FontSize - ui.px(4));
  if (shape == Shape::kStacked)
    at = ImVec2(place.at.x + place.size.x - width - ui.px(6), place.at.y + ui.px(4));
  ImGui::GetWindowDrawList()->AddText(small, small->FontSize, at,
                                      ImGui::GetColorU32(to_imvec(with_alpha(ink, 200))), words.c_str());
}

void paint_words(const PanelUi& ui, const Place& place, const ButtonFace& face, Shape shape, Colour ink) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImFont* const small = ui.fonts.small;
  ImFont* const body = shape == Shape::kTwoRows ? small : (face.active ? ui.fonts.bold : ui.fonts.body);
  const float low_y = place.at.y + (place.size.y - body->FontSize) / 2;
  ImVec2 key_at(place.at.x + ui.px(8), place.at.y + ui.px(4));
  if (shape == Shape::kTwoRows) key_at = ImVec2(place.at.x + ui.px(6), low_y);
  draw.AddText(small, small->FontSize, key_at,
               ImGui::GetColorU32(to_imvec(with_alpha(ink, face.active ? 220 : 150))), face.key.c_str());
  const float left = place.at.x + (shape == Shape::kStacked ? ui.px(8) : ui.px(20));
  const float right = place.at.x + place.size.x - ui.px(6);
  const std::string shown = shortened(body, face.label, right - left);
  const std::string forecast = forecast_that_fits(ui, place, face, shape);
  if (!forecast.empty()) paint_forecast(ui, place, forecast, shape, ink);
  // The label is centred, but never covers the number of the key.
  float x = std::max(place.at.x + (place.size.x - label_width(body, shown)) / 2, left);
  float y = low_y;
  if (shape == Shape::kFull && !forecast.empty()) y = place.at.y + ui.px(4);
  if (shape == Shape::kStacked) {
    x = left;
    y = place.at.y + place.size.y - body->FontSize - ui.px(4);
  }
  draw.AddText(body, body->FontSize, ImVec2(x, y), ImGui::GetColorU32(to_imvec(ink)), shown.c_str());
}

void paint_button(const PanelUi& ui, const Place& place, const ButtonFace& face, Shape shape) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end(place.at.x + place.size.x, place.at.y + place.size.y);
  Colour fill = face.active ? ui.theme.marker : mix(ui.theme.panel, ui.theme.text, 0.08f);
  if (face.hovered) fill = mix(fill, ui.theme.text, 0.10f);
  draw.AddRectFilled(place.at, end, ImGui::GetColorU32(to_imvec(fill)), ui.px(6));
  if (!face.active) draw.AddRect(place.at, end, ImGui::GetColorU32(to_imvec(ui.theme.separator)), ui.px(6));
  paint_words(ui, place, face, shape, face.active ? label_on(fill) : ui.theme.text);
}

// "~412/s, 3.1 MB", and shorter forms.
std::vector<std::string> forecast_words(const predict::PolicyForecast* forecast) {
  if (forecast == nullptr || forecast->steps_per_s <= 0) return {};
  const std::string rate = "~" + format_count(forecast->steps_per_s) + "/s";
  if (forecast->peak_bytes <= 0) return {rate};
  return {rate + ", " + format_bytes(static_cast<double>(forecast->peak_bytes)), rate};
}

std::string forecast_hint(const PanelModel& model, const predict::PolicyForecast* forecast) {
  if (forecast == nullptr) return model.forecasts.why_none.empty() ? "" : "\n" + model.forecasts.why_none;
  std::string out =
      "\n" + filled(Text::kForecastHint,
                    {format_count(forecast->steps_per_s), format_count(forecast->low),
                     format_count(forecast->high), format_bytes(static_cast<double>(forecast->peak_bytes)),
                     format_duration(model.forecasts.covers)});
  if (forecast->grows) out += std::string(" ") + text(Text::kForecastGrows);
  return out;
}

bool barrier_button(const PanelUi& ui, const BarrierChoice& choice, const Place& place, ButtonFace face,
                    Shape shape, const std::string& hint) {
  const std::string id = "barrier:" + to_string(choice.policy);
  ImGui::SetCursorScreenPos(place.at);
  const bool pressed = ImGui::InvisibleButton(id.c_str(), place.size);
  face.hovered = ImGui::IsItemHovered();
  mark_widget(ui, id);
  tooltip(ui, std::string(choice.label) + ": " + translated(choice.sentence) + hint);
  paint_button(ui, place, face, shape);
  return pressed;
}

// Returns the position and size of each button. The first button is at `at`.
std::vector<Place> places(const PanelUi& ui, const std::vector<BarrierChoice>& row, Shape shape, ImVec2 at,
                          float room_px) {
  std::vector<Place> out;
  const float space = ui.px(kSpacePx);
  if (shape == Shape::kTwoRows) {
    const std::size_t columns = (row.size() + 1) / 2;
    const float width = (room_px - space * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float x = at.x + static_cast<float>(i % columns) * (width + space);
      const float y = at.y + static_cast<float>(i / columns) * ui.px(kLowPx + kSpacePx);
      out.push_back({ImVec2(x, y), ImVec2(width, ui.px(kLowPx))});
    }
    return out;
  }
  // The buttons grow to fill the row, but each button grows at most by a factor of 1.5.
  const float spaces = space * static_cast<float>(row.size() - 1);
  const float factor = std::clamp((room_px - spaces) / (row_width(ui, row, shape) - spaces), 1.0f, 1.5f);
  for (const BarrierChoice& choice : row) {
    const float width = natural_width(ui, choice, shape) * factor;
    out.push_back({at, ImVec2(width, ui.px(kTallPx))});
    at.x += width + space;
  }
  return out;
}

}  // namespace

float barrier_panel_height(const PanelModel& model, const PanelUi& ui, float width_px) {
  const std::vector<BarrierChoice> row = barrier_row(model.start.workload);
  if (row.empty()) return ui.px(kTallPx);
  const float title_px = title_width(ui, title(row, active_of(model)));
  const bool two_rows = shape_for(ui, row, title_px, width_px) == Shape::kTwoRows;
  return two_rows ? ui.px(2 * kLowPx + kSpacePx) : ui.px(kTallPx);
}

void barrier_panel(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const std::vector<BarrierChoice> row = barrier_row(model.start.workload);
  if (row.empty()) return;
  const BarrierPolicy active = active_of(model);
  const std::string words = title(row, active);
  float room = ImGui::GetContentRegionAvail().x;
  const Shape shape = shape_for(ui, row, title_width(ui, words), room);
  ImVec2 at = ImGui::GetCursorScreenPos();
  if (shape == Shape::kFull) {
    ImGui::PushFont(ui.fonts.large);
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + (ui.px(kTallPx) - ImGui::GetFontSize()) / 2));
    text_line(words);
    ImGui::PopFont();
    tooltip(ui, text(Text::kBarrierHint));
    at.x += title_width(ui, words);
    room -= title_width(ui, words);
  }
  const std::vector<Place> buttons = places(ui, row, shape, at, room);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool chosen = row[i].policy == active;
    const predict::PolicyForecast* const forecast =
        predict::find_forecast(model.forecasts.barriers, row[i].policy);
    const ButtonFace face{.label = std::string(row[i].label),
                          .key = i < 9 ? std::to_string(i + 1) : "",
                          .active = chosen,
                          .forecast = forecast_words(forecast)};
    if (barrier_button(ui, row[i], buttons[i], face, shape, forecast_hint(model, forecast)) && !chosen)
      out.push_back(SetBarrier{row[i].policy});
  }
}

}  // namespace runahead::gui
