#include "gui/panels/waits/wait_reporter.h"

#include <algorithm>

namespace runahead::gui {

std::optional<WaitsAnswer> report_waits(const WaitReporter::Question& question, const std::atomic<bool>&) {
  const TimeRange extent = question.snapshot.extent();
  const TimeRange range{std::max(question.range.begin, extent.begin),
                        std::min(question.range.end, extent.end)};
  WaitsAnswer answer{.groups = analysis::wait_report(question.snapshot, range)};
  for (const analysis::WaitGroup& group : answer.groups) {
    answer.count += group.count;
    answer.split.add(group.split);
  }
  return answer;
}

}  // namespace runahead::gui
