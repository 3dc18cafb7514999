// Exercises: a workload with the settings that make one question answerable, and what to do about it. Opened
// from a list in the window, or by their number on the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "samples/runner.h"

namespace runahead::samples {

struct Exercise {
  int number = 0;     // as on the command line: 1, 2, ...
  std::string title;  // the question, short
  std::string workload;
  std::vector<std::string> devices{};  // empty: the workload's own
  std::string size = "class";
  std::map<std::string, std::string> settings{};  // over the defaults of `size`
  std::string barrier = "none";
  int cpu_workers = engine::EngineOptions{}.cpu_workers;
  bool endless = false;            // in the window, where barriers are toggled while it runs
  std::vector<std::string> steps;  // what to do, and what to look for
  std::string compare;             // which figures, with which
};

// By number, from 1.
[[nodiscard]] const std::vector<Exercise>& list_exercises();
// nullptr: there is none.
[[nodiscard]] const Exercise* find_exercise(int number);
// A run of so many steps, whatever `endless` says of the window.
[[nodiscard]] RunConfig config_of(const Exercise& exercise);

}  // namespace runahead::samples
