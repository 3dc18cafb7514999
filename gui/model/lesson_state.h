// A lesson on its way: where a person is in it, what was predicted, what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samples/lessons/lesson.h"

namespace runahead::gui {

enum class LessonStage : std::uint8_t { kQuestion, kPrediction, kRun, kCompare, kWhy };
inline constexpr int kLessonStageCount = 5;

struct LessonState {
  LessonStage stage = LessonStage::kQuestion;
  // One for each of the lesson's: a number in the unit's own terms, or a choice's index. Drafts until
  // written_down.
  std::vector<std::optional<double>> predictions;
  bool written_down = false;
  samples::LessonFigures figures;
  std::string device;  // that the figures are of
};

struct LessonFacts {
  const samples::Lesson* lesson = nullptr;  // nullptr: the chosen workload has none
  LessonState state;
  const samples::LessonPart* running = nullptr;  // that runs now
  bool warming_up = false;                       // toggled; not enough has come to say what it does
  bool of_recording = false;  // as the recording on the screen has it: it is looked at, not changed
};

}  // namespace runahead::gui
