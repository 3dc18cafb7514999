// Exercises. An exercise asks a question. It consists of a workload, settings with which the workload answers
// the question, and instructions. The user opens it from a list in the window, or by its number on the
// command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "samples/runner.h"

namespace runahead::samples {

struct Exercise {
  int number = 0;     // number on the command line: 1, 2, ...
  std::string title;  // a short question
  std::string workload;
  std::vector<std::string> devices{};  // empty: the workload's default
  std::string size = "class";
  std::map<std::string, std::string> settings{};  // override the defaults that `size` sets
  std::string barrier = "none";
  int cpu_workers = engine::EngineOptions{}.cpu_workers;
  bool endless = false;            // in the window, the run has no fixed end, so that the user can switch
                                   // barriers during the run
  std::vector<std::string> steps;  // what to do, and what to look for
  std::string compare;             // which figures to compare
};

// Sorted by number, from 1.
[[nodiscard]] const std::vector<Exercise>& list_exercises();
// nullptr: no such exercise.
[[nodiscard]] const Exercise* find_exercise(int number);
// The configuration of a run with a fixed number of steps. Ignores `endless`, which is for the window.
[[nodiscard]] RunConfig config_of(const Exercise& exercise);

}  // namespace runahead::samples
