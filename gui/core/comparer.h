// Comparer compares two snapshots (the sides A and B) on a separate thread. Lister lists the slices of a
// given name and duration on both sides, also on a separate thread.
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
// Returns the function that a Comparer runs on its thread. The function caches the summary of each side. If
// the rows of a side have not changed, the next comparison reuses the cached summary. The function writes its
// progress to `done` (0..1) and calls `wake`.
[[nodiscard]] Comparer::Work comparer_work(std::shared_ptr<std::atomic<double>> done,
                                           std::function<void()> wake);

// The maximum number of slices that are listed for a bar of the histogram, on each side.
// ListedSlices::count also counts the slices that are not listed.
inline constexpr std::size_t kMostListed = 1'000;

struct ListQuestion {
  CompareSlices slices;
  trace::Trace a;
  std::optional<trace::Trace> b;  // nullopt: both sides are ranges of one trace
  TimeRange a_range, b_range;
  std::uint64_t answer = 0;  // CompareAnswer::number of the comparison that has the bar
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
