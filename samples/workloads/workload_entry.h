// WorkloadEntry: a workload with its lesson. Each workload's source file defines its WorkloadEntry, and
// workload_registry.cpp lists all entries. Internal to samples.
#pragma once

#include <memory>

#include "samples/lessons/lesson.h"
#include "samples/workload.h"

namespace runahead::samples {

struct WorkloadEntry {
  std::unique_ptr<Workload> (*make)();
  Lesson (*lesson)();
};

template <typename Made>
[[nodiscard]] std::unique_ptr<Workload> make_workload_of() {
  return std::make_unique<Made>();
}

// The part of a lesson that has only one part: a run with the workload's defaults.
[[nodiscard]] inline LessonPart one_run(const char* label) { return {.id = "run", .label = label}; }

}  // namespace runahead::samples
