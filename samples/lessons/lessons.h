// The content of the twelve lessons. Internal to samples.
#pragma once

#include <vector>

#include "samples/lessons/lesson.h"

namespace runahead::samples {

// In the order of the registry of workloads. list_lessons() sets their numbers.
[[nodiscard]] std::vector<Lesson> make_lessons();

}  // namespace runahead::samples
