// Results that several workloads show. Internal to samples.
#pragma once

#include "samples/result_table.h"

namespace runahead::samples {

// Until the frontend's loop returned, beside until all of it was done.
[[nodiscard]] ResultTable loop_time_results();
// What the devices' memory grew by, what is left of it, and what their pools keep.
[[nodiscard]] ResultTable memory_results();
// The process's memory before the run beside what it grew by.
[[nodiscard]] ResultTable process_memory_results();

}  // namespace runahead::samples
