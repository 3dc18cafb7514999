// What `runahead run` prints: one run, or the medians of several, as JSON or as a table.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/analysis/waits/wait_totals.h"
#include "instrumentation/trace/rows/loss.h"
#include "samples/runner.h"

namespace runahead::gui {

struct FinishedRun {
  samples::RunReport report;
  trace::LossCounts lost;
  analysis::WaitTotals waits;
  std::string device;              // its name alone, as --device takes it; the report's own is for people
  bool simulated = false;          // one of them is a virtual device
  std::optional<GpuActivity> gpu;  // nullopt: it used none
  int exercise = 0;                // 0: none
  std::vector<std::filesystem::path> recorded;  // the files of its recording, oldest first
};

// The field by field median (of an even count the mean of the middle two; whole numbers rounded), the losses
// added up. REQUIRES: not empty.
[[nodiscard]] FinishedRun median_run(const std::vector<FinishedRun>& runs);

[[nodiscard]] nlohmann::ordered_json report_json(const FinishedRun& run);
[[nodiscard]] std::string report_text(const FinishedRun& run, std::size_t run_count);

// "a.runahead", or "a.0001.runahead to a.0007.runahead (7 files)"; empty: none.
[[nodiscard]] std::string files_in_words(const std::vector<std::filesystem::path>& files);

}  // namespace runahead::gui
