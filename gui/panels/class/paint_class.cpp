#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "gui/model/model.h"
#include "gui/panels/class/class_panel.h"
#include "gui/platform/keys.h"
#include "gui/widgets/ui.h"
#include "imgui_stdlib.h"

namespace runahead::gui {

namespace {

constexpr float kFieldLines = 2.2f, kFieldShare = 0.42f, kColumnGap = 28, kLeastColumnPx = 300;
constexpr float kLabelShare = 0.46f, kMarkPx = 16, kMostWidthPx = 1500;
constexpr std::size_t kMostRefusedLines = 3;

// The clipboard may have no text.
void paste_clipboard(ClassPanel& panel) {
  if (const char* const text = ImGui::GetClipboardText()) panel.paste(text);
}

// Draws the field for the codes, and beside it what to paste, and the buttons.
void code_field(ClassPanel& panel, const PanelUi& ui) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 size(width * kFieldShare, std::floor(ImGui::GetFontSize() * kFieldLines + ui.px(8)));
  if (std::exchange(panel.fresh, false)) ImGui::SetKeyboardFocusHere();
  const std::string before = panel.codes;
  ImGui::InputTextMultiline("##codes", &panel.codes, size);
  mark_widget(ui, "class:codes");
  // Escape closes the panel. Dear ImGui also takes back what was typed since the field has the focus.
  if (key_pressed(Key::kEscape)) panel.codes = before;
  if (!ImGui::GetIO().WantTextInput && shortcut_pressed(Key::kV)) paste_clipboard(panel);
  ImGui::SameLine(0, ui.px(16));
  ImGui::BeginGroup();
  wrapped_text(ui, text(Text::kClassHint), true);
  if (tool_button(ui, "class:paste", {.label = text(Text::kClassPaste), .hint = text(Text::kClassPasteHint)}))
    paste_clipboard(panel);
  ImGui::SameLine();
  if (tool_button(ui, "class:clear", {.label = text(Text::kClassClear), .enabled = !panel.codes.empty()}))
    panel.codes.clear();
  ImGui::EndGroup();
}

// Names the codes that cannot be read. If there are many, the list scrolls.
void refused_lines(const PanelUi& ui, const std::vector<std::string>& refused) {
  if (refused.empty()) return;
  const std::size_t lines = std::min(refused.size(), kMostRefusedLines);
  const float height = static_cast<float>(lines) * ImGui::GetTextLineHeightWithSpacing() +
                       (refused.size() > lines ? ImGui::GetTextLineHeight() * 0.6f : 0);
  ImGui::BeginChild("##refused", ImVec2(0, height));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
  for (const std::string& line : refused) ellipsis_line(ui, line, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::EndChild();
  mark_widget(ui, "class:refused");
}

// How the rows of a histogram are drawn.
struct RowLook {
  ImFont* face = nullptr;
  float label_px = 0;
  std::size_t most = 1;  // the count of the longest bar
};

float widest_label(ImFont* face, const std::vector<HistogramRow>& rows) {
  float width = 0;
  for (const HistogramRow& row : rows)
    width = std::max(width, face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, row.label.c_str()).x);
  return width;
}

// The type is large, for a projector, if the labels then still leave enough room for the bars.
RowLook row_look(const PanelUi& ui, const std::vector<HistogramRow>& rows, float room_px) {
  RowLook look{.face = ui.fonts.large, .label_px = widest_label(ui.fonts.large, rows)};
  for (const HistogramRow& row : rows) look.most = std::max(look.most, row.count);
  const float most_px = room_px * kLabelShare;
  if (look.label_px <= most_px) return look;
  look.face = ui.fonts.bold;
  look.label_px = std::min(widest_label(look.face, rows), most_px);
  return look;
}

// Draws one row of a histogram: label, bar, count. The row with the measured value has another colour, and a
// triangle that points to it.
void class_row(const PanelUi& ui, const HistogramRow& row, const RowLook& look) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string count = std::to_string(row.count);
  ImGui::PushFont(look.face);
  const std::string label = in_lines(row.label, look.label_px);
  const float text_height = ImGui::CalcTextSize(label.c_str()).y;
  const float height = std::max(text_height, ImGui::GetTextLineHeight()) + ui.px(8);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (row.measured)
    draw.AddRectFilled(at, ImVec2(at.x + width, at.y + height), rgba(with_alpha(ui.theme.good, 40)));
  draw.AddText(ImVec2(at.x + ui.px(kMarkPx), at.y + (height - text_height) / 2), rgba(ui.theme.text),
               label.c_str());
  if (row.measured) {
    const float r = ui.px(5), y = at.y + height / 2, x = at.x + ui.px(4);
    draw.AddTriangleFilled(ImVec2(x, y - r), ImVec2(x, y + r), ImVec2(x + r * 1.4f, y), rgba(ui.theme.good));
  }
  const float from = at.x + ui.px(kMarkPx) + look.label_px + ui.px(10);
  const float room = at.x + width - from - ImGui::CalcTextSize("00000").x;
  const float bar = room * static_cast<float>(row.count) / static_cast<float>(look.most);
  const Colour fill = row.measured ? ui.theme.good : ui.theme.counter_line;
  draw.AddRectFilled(ImVec2(from, at.y + ui.px(3)),
                     ImVec2(from + std::max(bar, ui.px(1)), at.y + height - ui.px(3)), rgba(fill), ui.px(2));
  const ImVec2 digits = ImGui::CalcTextSize(count.c_str());
  draw.AddText(ImVec2(from + bar + ui.px(6), at.y + (height - digits.y) / 2), rgba(ui.theme.text),
               count.c_str());
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(width, height));
}

void class_question(const PanelUi& ui, const ClassResult& result, std::size_t index) {
  const QuestionResult& question = result.questions[index];
  bold_wrapped(ui, question.question);
  if (!question.measured.empty()) {
    ImGui::PushFont(ui.fonts.large);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.good));
    wrapped_text(ui, filled(Text::kItWas, {question.measured}));
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  if (question.judged)
    wrapped_text(ui, filled(Text::kClassGood, {std::to_string(question.good), std::to_string(result.codes)}));
  ImGui::Spacing();
  const RowLook look = row_look(ui, question.rows, ImGui::GetContentRegionAvail().x);
  for (const HistogramRow& row : question.rows) class_row(ui, row, look);
  mark_widget(ui, "class:question:" + std::to_string(index));
}

// Draws the histograms beside each other, as far as the window is wide enough.
void class_questions(const PanelUi& ui, const ClassResult& result) {
  ImGui::BeginChild("##class_questions");
  const float width = ImGui::GetContentRegionAvail().x, gap = ui.px(kColumnGap);
  const auto fit = static_cast<std::size_t>(std::max(1.0f, (width + gap) / (ui.px(kLeastColumnPx) + gap)));
  const std::size_t columns = std::clamp(result.questions.size(), std::size_t{1}, fit);
  const float column = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  if (ImGui::BeginTable("##columns", static_cast<int>(columns), ImGuiTableFlags_NoSavedSettings)) {
    for (std::size_t i = 0; i < columns; ++i)
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, column);
    for (std::size_t i = 0; i < result.questions.size(); ++i) {
      ImGui::TableNextColumn();
      class_question(ui, result, i);
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

void class_lines(ClassPanel& panel, const LessonFacts& facts, const PanelUi& ui) {
  if (facts.lesson == nullptr) return wrapped_text(ui, text(Text::kClassNoLesson), true);
  code_field(panel, ui);
  const ClassResult* const result = panel.result(facts);
  if (result == nullptr) return;
  refused_lines(ui, result->refused);
  if (result->codes == 0) return;
  bold_line(ui, filled(Text::kClassCodes, {std::to_string(result->codes)}));
  mark_widget(ui, "class:count");
  if (!facts.shows_what_happened()) {
    ImGui::SameLine(0, ui.px(16));
    dim_line(ui, text(Text::kClassLater));
  }
  ImGui::Separator();
  class_questions(ui, *result);
}

}  // namespace

void paint_panel(ClassPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  bool open = true;
  const ImVec2 work = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImVec2(work.x / 2, work.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(ImVec2(std::min(work.x * 0.92f, ui.px(kMostWidthPx)), work.y * 0.94f),
                           ImGuiCond_Appearing);
  std::string title = text(Text::kClass);
  if (model.lesson.lesson != nullptr)
    title += " \u00b7 " + filled(Text::kLesson, {std::to_string(model.lesson.lesson->number)});
  if (ImGui::Begin((title + "###class").c_str(), &open,
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    class_lines(panel, model.lesson, ui);
    note_window_fit(ui, title);
  }
  ImGui::End();
  if (!open) out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
