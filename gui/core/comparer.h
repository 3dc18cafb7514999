// Comparer compares two snapshots on a thread of its own, and lists the slices of one name on both sides.
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
  std::optional<trace::Trace> b;  // for CompareMode::kRecording
  std::uint64_t a_serial = 0, b_serial = 0;
};
using Comparer = Asker<CompareQuestion, CompareAnswer>;
// The work function caches the summary of a side. The next question uses it as long as the side's rows are
// the same. It writes its progress to `done` (0..1) and calls `wake`.
[[nodiscard]] Comparer::Work comparer_work(std::shared_ptr<std::atomic<double>> done,
                                           std::function<void()> wake);

inline constexpr std::size_t kMostListed = 1'000;  // slices listed for a bar, on each side; all are counted

struct ListQuestion {
  CompareSlices slices;
  trace::Trace a;
  std::optional<trace::Trace> b;  // nullopt: both sides are of one trace
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
