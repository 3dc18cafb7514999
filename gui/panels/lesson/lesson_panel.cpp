#include "gui/panels/lesson/lesson_panel.h"

#include <nlohmann/json.hpp>

#include "gui/model/model.h"
#include "gui/panels/lesson/lesson_words.h"

namespace runahead::gui {

using Json = nlohmann::json;

void LessonPanel::add_to_report(Json& json, const PanelModel& model) const {
  Json& report = json["lesson"] = nullptr;
  const LessonFacts& facts = model.lesson;
  if (facts.lesson == nullptr) return;
  Json outcomes = Json::array();
  Json predictions = Json::array();  // for each prediction its number of choices; 0: the user types a number
  for (std::size_t i = 0; i < facts.lesson->predictions.size(); ++i) {
    const samples::Prediction& asked = facts.lesson->predictions[i];
    const std::optional<double> predicted = facts.state.predictions[i];
    const samples::Outcome outcome = samples::judge(asked, predicted, facts.state.figures);
    predictions.push_back(asked.choices.size());
    outcomes.push_back({{"predicted", predicted ? Json(*predicted) : Json(nullptr)},
                        {"measured", outcome.measured ? Json(*outcome.measured) : Json(nullptr)},
                        {"verdict", verdict_words(outcome)}});
  }
  Json parts = Json::array();
  for (const samples::LessonPart& part : facts.lesson->parts) parts.push_back(part.id);
  report = {{"number", facts.lesson->number},
            {"parts", parts},
            {"toggled", facts.lesson->toggled},
            {"stage", static_cast<int>(facts.state.stage) + 1},
            {"written_down", facts.state.written_down},
            {"outcomes", outcomes},
            {"predictions", predictions},
            {"figures", facts.state.figures},
            {"complete", facts.measured()},
            {"running", facts.running != nullptr ? Json(facts.running->id) : Json(nullptr)},
            {"of_recording", facts.of_recording}};
}

}  // namespace runahead::gui
