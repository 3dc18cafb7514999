// Comparer compares two snapshots on a separate thread. It can also list the slices with a given name on both
// sides.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "gui/background/asker.h"
#include "gui/model/comparison_model.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct CompareQuestion {
  CompareChoice choice;
  trace::Trace a;
  std::optional<trace::Trace> b;  // the other recording, for CompareMode::kRecording
  std::uint64_t a_serial = 0, b_serial = 0;
};
using Comparer = Asker<CompareQuestion, CompareAnswer>;
// Returns the work function, which caches the summary of each side. The next question reuses a summary if the
// rows of that side have not changed. The work function writes its progress to `done` (0..1) and calls
// `wake`.
[[nodiscard]] Comparer::Work comparer_work(std::shared_ptr<std::atomic<double>> done,
                                           std::function<void()> wake);

inline constexpr std::size_t kMostListed = 1'000;  // listed slices of a bar, on each side; all are counted

struct ListQuestion {
  CompareSlices slices;
  trace::Trace a;
  std::optional<trace::Trace> b;  // nullopt: both sides are ranges of one trace
  TimeRange a_range, b_range;
  std::uint64_t answer = 0;  // number of the comparison
};
struct ListAnswer {
  CompareSlices slices;
  std::array<ListedSlices, 2> listed;
  std::uint64_t answer = 0;
  bool cancelled = false;
};
using Lister = Asker<ListQuestion, ListAnswer>;
[[nodiscard]] ListAnswer list_compared(const ListQuestion& question, const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
