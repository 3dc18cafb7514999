// Result tables that several workloads show. Internal to samples.
#pragma once

#include "samples/result_table.h"

namespace runahead::samples {

// The time until the frontend's loop returned, and the time until all enqueued ops were done.
[[nodiscard]] ResultTable loop_time_results();
// By how much the devices' memory grew, how much is live at the end, and how much their pools reserve.
[[nodiscard]] ResultTable memory_results();
// The process's memory before the run, and by how much it grew.
[[nodiscard]] ResultTable process_memory_results();

}  // namespace runahead::samples
