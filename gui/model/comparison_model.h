// The user's choice of a comparison, and the result of the comparison, as the window shows them. Values only.
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

// The kinds of comparison. The kind determines what the sides A and B are.
enum class CompareMode : std::uint8_t {
  kChange,     // before and after a change of the barrier, in the trace on the screen
  kRanges,     // two ranges of the trace on the screen
  kRecording,  // the trace on the screen and another recording
};
struct CompareChoice {
  CompareMode mode = CompareMode::kChange;
  std::optional<std::size_t> change;  // kChange: index of the change; nullopt: the last change
  // The ranges of A and B. kRanges requires both. kRecording: nullopt is the whole trace of that side.
  std::optional<TimeRange> a, b;
  friend bool operator==(const CompareChoice&, const CompareChoice&) = default;
};

struct CompareAnswer {
  enum class Problem : std::uint8_t { kNone, kNoChange, kNoRanges, kNothingThere };

  CompareChoice asked;
  Problem problem = Problem::kNone;
  std::vector<analysis::AroundChange> changes;  // barrier changes in the trace on the screen
  std::optional<std::size_t> change;            // kChange: index of the change that was used
  analysis::Comparison comparison;              // valid if there is no problem
  bool cancelled = false;
  double cost_ms = 0;
  std::uint64_t a_serial = 0, b_serial = 0;  // serial numbers of the compared traces
  std::uint64_t number = 0;                  // each new answer has a new number
};

// The slices of one bar in a histogram of durations: they have this name and kind, and a duration from
// `least` to `most`.
struct CompareSlices {
  std::string name;
  trace::SliceKind kind{};
  Duration least{}, most{};
  friend bool operator==(const CompareSlices&, const CompareSlices&) = default;
};
struct ListedSlices {
  std::vector<SliceRef> slices;  // the earliest slices, at most kMostListed
  std::uint64_t count = 0;       // number of all slices of the bar
  std::size_t at = 0;            // index of the slice that was shown last
};

// The data of a comparison for the panel and for the lower timeline. Rebuilt for each frame.
struct CompareFacts {
  CompareChoice choice;
  bool running = false;
  double done = 0;                        // progress 0..1, while `running`
  const CompareAnswer* answer = nullptr;  // last answer about the current traces; nullptr: no answer yet
  std::string a_name, b_name;           // "overlap.runahead"; b_name is empty if there is no other recording
  const trace::Trace* other = nullptr;  // the other recording; nullptr: there is none
  const trace::Trace* b_trace = nullptr;  // the trace of the lower timeline; nullptr: none is shown
  const TimelineState* b_timeline = nullptr;
  bool linked = true, aligned = false;  // aligned: the lower timeline is shown
  std::optional<CompareSlices> asked_slices;
  std::array<ListedSlices, 2> listed;  // index: CompareSide
};

}  // namespace runahead::gui
