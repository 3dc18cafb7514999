// What is compared and what came of it, as the window shows it. Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/steady_state.h"

namespace runahead::gui {

enum class CompareSide : std::uint8_t { kA, kB };

// What A and B are.
enum class CompareMode : std::uint8_t {
  kChange,     // before and after a change of the barrier, of the trace on the screen
  kRanges,     // two ranges of it
  kRecording,  // it, and another recording
};
struct CompareChoice {
  CompareMode mode = CompareMode::kChange;
  std::optional<std::size_t> change;  // of kChange: which, in order; nullopt: the last
  // Of the others. Of kRecording nullopt is all of it; of kRanges both are needed.
  std::optional<TimeRange> a, b;
  friend bool operator==(const CompareChoice&, const CompareChoice&) = default;
};

struct CompareAnswer {
  enum class Problem : std::uint8_t { kNone, kNoChange, kNoRanges, kNothingThere };

  CompareChoice asked;
  Problem problem = Problem::kNone;
  std::vector<analysis::AroundChange> changes;  // of the trace on the screen
  std::optional<std::size_t> change;            // the one that was taken, of kChange
  analysis::Comparison comparison;              // of no problem
  bool cancelled = false;
  double cost_ms = 0;
  std::uint64_t a_serial = 0, b_serial = 0;  // of the traces that were compared
  std::uint64_t number = 0;                  // of the answer
};

// Slices that a bar of the histogram stands for.
struct CompareSlices {
  std::string name;
  trace::SliceKind kind{};
  Duration least{}, most{};
  friend bool operator==(const CompareSlices&, const CompareSlices&) = default;
};
struct ListedSlices {
  std::vector<SliceRef> slices;  // the first of them, by time
  std::uint64_t count = 0;       // of all
  std::size_t at = 0;            // the one that was shown last
};

// For the panel and the lower timeline, each frame.
struct CompareFacts {
  CompareChoice choice;
  bool running = false;
  double done = 0;                        // 0..1, while running
  const CompareAnswer* answer = nullptr;  // the last one, of the traces there are now; null: none yet
  std::string a_name, b_name;             // "overlap.runahead"; b_name empty: there is no other recording
  const trace::Trace* b_trace = nullptr;  // null: nothing to show below
  const TimelineState* b_timeline = nullptr;
  bool linked = true, aligned = false;  // aligned: the lower timeline is shown
  std::optional<CompareSlices> asked_slices;
  std::array<ListedSlices, 2> listed;  // by CompareSide
};

}  // namespace runahead::gui
