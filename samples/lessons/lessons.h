// The twelve lessons' content. Internal to samples.
#pragma once

#include <vector>

#include "samples/lessons/lesson.h"

namespace runahead::samples {

// In the order of the registry of workloads; their numbers are given by list_lessons().
[[nodiscard]] std::vector<Lesson> make_lessons();

}  // namespace runahead::samples
