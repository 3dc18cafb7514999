// State of a lesson: the current stage, the predictions and the measurements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "samples/lessons/lesson.h"

namespace runahead::gui {

enum class LessonStage : std::uint8_t { kQuestion, kPrediction, kRun, kCompare, kWhy };
inline constexpr int kLessonStageCount = 5;

struct LessonState {
  LessonStage stage = LessonStage::kQuestion;
  // The user's answer to each prediction of the lesson: a number in the unit of the prediction, or the index
  // of a choice. The answers can change until written_down is set. After that, the predictions are fixed.
  std::vector<std::optional<double>> predictions;
  bool written_down = false;
  samples::LessonFigures figures;
  std::string device;  // device on which the figures were measured
  // What the machine predicted for a part before it ran (instrumentation/predict), from the run of another
  // part.
  samples::LessonFigures machine{};
};

// The value of a prediction's formula as the machine predicted it: with the predicted figures of the parts
// that it predicted, and the measured ones of the others. nullopt: the machine predicted none of them, or a
// figure is not known.
[[nodiscard]] std::optional<samples::Outcome> machine_outcome(const LessonState& state,
                                                              const samples::Prediction& asked);

struct LessonFacts {
  const samples::Lesson* lesson = nullptr;  // nullptr: the chosen workload has no lesson
  LessonState state;
  const samples::LessonPart* running = nullptr;  // the part that runs now
  bool warming_up = false;        // the barrier has changed; too little data to show the effect yet
  std::filesystem::path listing;  // the lesson's Python script; empty: it has none, or none is installed
  bool of_recording = false;      // the lesson belongs to the recording on the screen, so it is read-only

  // There is a lesson, and all of its parts are measured.
  [[nodiscard]] bool measured() const {
    return lesson != nullptr && samples::complete(*lesson, state.figures);
  }
  // What happened is beside the predictions.
  [[nodiscard]] bool shows_what_happened() const {
    return state.stage >= LessonStage::kCompare && measured();
  }
};

}  // namespace runahead::gui
