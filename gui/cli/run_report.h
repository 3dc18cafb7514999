// The output of `runahead run`: one run, or the medians of several runs, as JSON or as a table.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/waits/wait_totals.h"
#include "instrumentation/trace/rows/loss.h"
#include "samples/runner.h"

namespace runahead::gui {

struct PartFigures {
  analysis::PartOfRun part;
  analysis::SegmentFigures figures;
};
// Returns the parts of the run in the trace with their figures, in time order. Figures of executions and
// copies are left out (SegmentWork::kLeftOut).
[[nodiscard]] std::vector<PartFigures> figures_by_part(const trace::Trace& trace);

struct FinishedRun {
  samples::RunReport report;
  trace::LossCounts lost;
  analysis::WaitTotals waits;
  std::string device;                           // the names for --device; `report.device` is a longer text
  bool simulated = false;                       // at least one device is simulated
  std::optional<GpuActivity> gpu;               // nullopt: the run used no GPU
  int exercise = 0;                             // 0: none
  std::vector<std::filesystem::path> recorded;  // the files of the run's recording, oldest first
  // For a run with --duration: the segments of the run, one for each barrier that was set. nullopt for the
  // medians of several runs.
  std::optional<std::vector<analysis::BarrierSegment>> segments;
  // The parts of the run with their figures. Empty for the medians of several runs.
  std::vector<PartFigures> parts;
};

// Returns the median of each field. For an even number of runs, the median is the mean of the middle two
// values; integers are rounded. Losses are not medians but sums. REQUIRES: runs is not empty.
[[nodiscard]] FinishedRun median_run(const std::vector<FinishedRun>& runs);

[[nodiscard]] nlohmann::ordered_json report_json(const FinishedRun& run);
[[nodiscard]] std::string report_text(const FinishedRun& run, std::size_t run_count);

// Returns "a.runahead", or "a.0001.runahead to a.0007.runahead (7 files)"; empty: no files.
[[nodiscard]] std::string files_in_words(const std::vector<std::filesystem::path>& files);

}  // namespace runahead::gui
