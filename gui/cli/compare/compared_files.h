// Reads and compares what the words of the command line name: two traces, two ranges of one trace, or the
// times before and after the last change of the barrier. Shared by `compare` and `export --compare`.
#pragma once

#include <optional>
#include <string>

#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// File names, as typed by the user.
struct ComparedFiles {
  std::string a, b;
  // Set if A and B are the times before and after this change. False: the side has no settled figures
  // (analysis::AroundChange).
  std::optional<analysis::BarrierChange> change;
  bool a_settled = true, b_settled = true;
};

// What the user typed. `other` is empty: both sides are of `file`. `a`, `b`: ranges such as 0s..2s; empty:
// all, or the times around the last change of the barrier if there is neither `other` nor a range.
struct ComparedWords {
  std::string file, other, a, b;
};

// The ranges of both sides; nullopt: not given. Error: the words are wrong.
struct ComparedRanges {
  std::optional<TimeRange> a, b;
};
[[nodiscard]] Result<ComparedRanges> compared_ranges(const ComparedWords& words);

struct ComparedTraces {
  trace::Trace a;
  std::optional<trace::Trace> b;  // nullopt: side B is of `a` too
  ComparedFiles files;
  analysis::Comparison comparison;
};
// Error: a file cannot be read, it has nothing to compare, or `progress` cancelled the reading.
[[nodiscard]] Result<ComparedTraces> compare_files(const ComparedWords& words, const ComparedRanges& ranges,
                                                   const recordings::Progress& progress = {});

}  // namespace runahead::gui
