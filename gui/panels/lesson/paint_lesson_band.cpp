#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "gui/model/model.h"
#include "gui/panels/lesson/lesson_panel.h"
#include "gui/panels/lesson/lesson_words.h"
#include "gui/panels/lesson/paint_lesson.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

constexpr float kStagesPx = 150, kNextPx = 150, kColumnGapPx = 16;

using Draw = std::function<void()>;

// Draws columns next to each other. The number of each pair is the width of the column, relative to the other
// columns. If the content of a column is too high, the column scrolls.
// Returns the height of the highest column.
float columns(const PanelUi& ui, const char* id, const std::vector<std::pair<float, Draw>>& all) {
  float shares = 0;
  for (const auto& [share, draw] : all) shares += share;
  const float gap = ui.px(kColumnGapPx);
  const float room = ImGui::GetContentRegionAvail().x - gap * static_cast<float>(all.size() - 1);
  float height_px = 0;
  ImGui::PushID(id);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    ImGui::PushID(static_cast<int>(i));
    ImGui::BeginChild("##column", ImVec2(std::floor(room * all[i].first / shares), 0));
    all[i].second();
    height_px = std::max(height_px, ImGui::GetCursorPosY());
    ImGui::EndChild();
    ImGui::PopID();
  }
  ImGui::PopID();
  return height_px;
}

void large(const PanelUi& ui, const std::string& words) {
  ImGui::PushFont(ui.fonts.large);
  wrapped_text(ui, words);
  ImGui::PopFont();
}

void turn(Commands& out, LessonStage stage) { out.push_back(TurnToStage{stage}); }

std::string of_several(std::size_t page, std::size_t pages) {
  return filled(Text::kTimelineOf, {std::to_string(page + 1), std::to_string(pages)});
}

class Band {
 public:
  Band(const PanelModel& model, const PanelUi& ui, LessonPanel::Band& view, Commands& out)
      : model_(model), facts_(model.lesson), ui_(ui), view_(view), out_(out) {}

  // Returns the height of what it draws.
  float middle() {
    switch (facts_.state.stage) {
      case LessonStage::kQuestion:
        large(ui_, translated(model_.start.workload->question));
        break;
      case LessonStage::kPrediction:
        return prediction();
      case LessonStage::kRun:
        return run();
      case LessonStage::kCompare:
        return compare();
      case LessonStage::kWhy:
        why();
        break;
    }
    return ImGui::GetCursorPosY();
  }

  void next() {
    switch (facts_.state.stage) {
      case LessonStage::kQuestion:
        if (next_button(ui_, "lesson:predict", Text::kPredictNow)) turn(out_, LessonStage::kPrediction);
        return;
      case LessonStage::kPrediction:
        return after_prediction();
      case LessonStage::kRun:
        if (next_button(ui_, "lesson:to_compare", Text::kCompareNow, facts_.measured()))
          turn(out_, LessonStage::kCompare);
        return;
      case LessonStage::kCompare:
        if (next_button(ui_, "lesson:to_why", Text::kWhyNow)) turn(out_, LessonStage::kWhy);
        if (small_button(ui_, text(Text::kClassOpen))) out_.push_back(TogglePanel{kClassPanel});
        mark_widget(ui_, "lesson:class");
        return;
      case LessonStage::kWhy:
        page_buttons(facts_.lesson->explanation.size());
    }
  }

 private:
  float prediction() {
    const std::size_t i = std::min(view_.page, facts_.lesson->predictions.size() - 1);
    // With this small padding, a prediction with four choices fits into its column without scrolling.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ImGui::GetStyle().FramePadding.x, ui_.px(1)));
    const float height_px =
        columns(ui_, "prediction",
                {{0.8f, [&] { wrapped_text(ui_, translated(facts_.lesson->predictions[i].question)); }},
                 {1.2f, [&] { lesson_answer(facts_, i, ui_, out_); }}});
    ImGui::PopStyleVar();
    return height_px;
  }

  void after_prediction() {
    const std::size_t pages = facts_.lesson->predictions.size();
    page_buttons(pages);
    if (view_.page + 1 < pages) return;
    if (!open_to_predictions(facts_)) {
      if (next_button(ui_, "lesson:to_run", Text::kOnToTheRun)) turn(out_, LessonStage::kRun);
      return;
    }
    if (next_button(ui_, "lesson:write_down", Text::kWriteDown, all_predicted(facts_.state)))
      out_.push_back(WriteDown{});
    if (small_button(ui_, text(Text::kWithoutPrediction))) turn(out_, LessonStage::kRun);
    mark_widget(ui_, "lesson:skip");
  }

  float run() {
    std::vector<std::pair<float, Draw>> parts;
    for (const samples::LessonPart& part : facts_.lesson->parts)
      parts.emplace_back(1.0f, [&] { lesson_part(facts_, part, ui_, out_); });
    return columns(ui_, "run", parts);
  }

  float compare() {
    std::vector<std::pair<float, Draw>> outcomes;
    for (std::size_t i = 0; i < facts_.lesson->predictions.size(); ++i)
      outcomes.emplace_back(1.0f, [&, i] { lesson_outcome(facts_, i, ui_); });
    return columns(ui_, "compare", outcomes);
  }

  void why() {
    const auto& paragraphs = facts_.lesson->explanation;
    if (paragraphs.empty()) return;
    const std::size_t i = std::min(view_.page, paragraphs.size() - 1);
    wrapped_text(ui_, samples::explain(*facts_.lesson, translated(paragraphs[i]), facts_.state.figures));
    mark_widget(ui_, "explanation");
  }

  // Draws "< 1 of 2 >": two arrow buttons that change the page, and the page number between them.
  void page_buttons(std::size_t pages) {
    if (pages <= 1) return;
    view_.page = std::min(view_.page, pages - 1);
    ImGui::BeginDisabled(view_.page == 0);
    if (ImGui::ArrowButton("##back", ImGuiDir_Left)) --view_.page;
    ImGui::EndDisabled();
    mark_widget(ui_, "lesson:page_back");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text_line(of_several(view_.page, pages));
    ImGui::SameLine();
    ImGui::BeginDisabled(view_.page + 1 >= pages);
    if (ImGui::ArrowButton("##on", ImGuiDir_Right)) ++view_.page;
    ImGui::EndDisabled();
    mark_widget(ui_, "lesson:page_on");
  }

  const PanelModel& model_;
  const LessonFacts& facts_;
  const PanelUi& ui_;
  LessonPanel::Band& view_;
  Commands& out_;
};

}  // namespace

void paint_band(LessonPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  LessonPanel::Band& view = panel.band;
  const LessonFacts& facts = model.lesson;
  if (view.lesson != facts.lesson || view.stage != facts.state.stage)
    view = {.lesson = facts.lesson, .stage = facts.state.stage};
  const float gap = ui.px(kColumnGapPx);
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("##stages", ImVec2(ui.px(kStagesPx), 0));
  small_dim_line(ui, filled(Text::kLesson, {std::to_string(facts.lesson->number)}));
  mark_widget(ui, "lesson:" + std::to_string(facts.lesson->number));
  lesson_stages(facts, ui, out);
  if (facts.of_recording) wrapped_text(ui, text(Text::kLessonOfRecording), true);
  float content_px = ImGui::GetCursorPosY();
  ImGui::EndChild();
  Band band(model, ui, view, out);
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##step", ImVec2(room - ui.px(kStagesPx + kNextPx) - 2 * gap, 0));
  content_px = std::max(content_px, band.middle());
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("##next", ImVec2(0, 0));
  band.next();
  content_px = std::max(content_px, ImGui::GetCursorPosY());
  ImGui::EndChild();
  view.resized = std::exchange(view.content_px, content_px) != content_px;
}

}  // namespace runahead::gui
