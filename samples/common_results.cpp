#include "samples/common_results.h"

namespace runahead::samples {

ResultTable loop_time_results() {
  return {.title = "Time by a stopwatch around the loop, and true time",
          .columns = {"loop", "true"},
          .rows = {{.label = "All steps",
                    .figures = {"wall_s - final_wait_s", "wall_s"},
                    .hint = "The loop returns when all ops are enqueued. Without a wait that is long before "
                            "the ops are done. The work itself is not shorter."}}};
}

ResultTable memory_results() {
  constexpr auto kBytes = ResultUnit::kBytes;
  return {.title = "Memory of the devices",
          .rows = {{.label = "growth",
                    .figures = {"peak_bytes - params_bytes"},
                    .unit = kBytes,
                    .hint = "The peak of live bytes, minus the parameters"},
                   {.label = "growth over a step's memory",
                    .figures = {"(peak_bytes - params_bytes) / step_bytes"},
                    .unit = ResultUnit::kRatio,
                    .hint = "If each step finishes before the next is enqueued, this is at most 1"},
                   {.label = "memory of a step", .figures = {"step_bytes"}, .unit = kBytes},
                   {.label = "live at the end", .figures = {"end_bytes"}, .unit = kBytes},
                   {.label = "reserved by the pool at the end",
                    .figures = {"reserved_bytes"},
                    .unit = kBytes,
                    .hint = "Free for this program's next run, but not returned to the system"}}};
}

ResultTable process_memory_results() {
  constexpr auto kBytes = ResultUnit::kBytes;
  return {.title = "Memory of the process",
          .rows = {{.label = "before the run",
                    .figures = {"rss_before_bytes"},
                    .unit = kBytes,
                    .hint = "Some articles print this as the increase, but it is the memory in use"},
                   {.label = "true increase",
                    .figures = {"rss_increase_bytes"},
                    .unit = kBytes,
                    .hint = "The kernel's value when the loop returned. It counts neither pages that an "
                            "earlier run left in the pool nor pages that were not touched yet."}}};
}

}  // namespace runahead::samples
