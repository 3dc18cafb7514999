// The memory panel shows which ops hold a device's memory at the peak, or at a time that the user selects.
// The panel lists memory by category and by op, and the largest blocks. A click on a row goes to the op of
// this row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "instrumentation/analysis/memory_report.h"

namespace runahead::gui {

struct MemoryWanted {
  TrackId counter = kNoTrack;   // memory counter of the device; kNoTrack: the device with the largest peak
  std::optional<Timestamp> at;  // time of the report; nullopt: the time of the peak
  bool in_range = false;        // true: look for the peak only in the measured range
  friend bool operator==(const MemoryWanted&, const MemoryWanted&) = default;
};
struct MemoryDevice {
  TrackId counter = kNoTrack;
  std::string name;
  analysis::MemoryPeak peak;
};
struct MemoryAnswer {
  MemoryWanted asked;
  std::uint64_t trace = 0;            // Trace::identity() of the answer's trace
  std::vector<MemoryDevice> devices;  // devices with a memory counter
  std::optional<analysis::MemoryPeak> peak;
  analysis::MemoryReport report;  // empty (its counter is kNoTrack) if `devices` is empty
  double cost_ms = 0;
  std::uint64_t number = 0;  // differs for each answer; a new number makes the table sort its rows again
};
using MemoryReporter = LiveAnswer<MemoryWanted, MemoryAnswer>;
// Returns the answer to `question`. The function ignores `cancelled`, so it never returns nullopt.
[[nodiscard]] std::optional<MemoryAnswer> report_memory(const MemoryReporter::Question& question,
                                                        const std::atomic<bool>& cancelled);

struct MemoryView {
  TrackId counter = kNoTrack;  // the chosen counter; kNoTrack: the device with the largest peak
  bool in_range = false;
  ListOrder order;
  // The answer on the screen. Usually this is the newest answer. While the mouse is over the rows, an older
  // answer stays on the screen, so that the rows do not change under the mouse.
  std::optional<MemoryAnswer> shown;
  bool under_mouse = false;
};

class MemoryPanel : public PanelModule {
 public:
  explicit MemoryPanel(std::function<void()> wake) : reporter_(report_memory, std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "memory",
        .title = Text::kPanelMemory,
        .key = "K",
        .place = PanelPlace::kBelow,
        .button = PanelButton{5, "memory_button", Text::kMemoryButton, Text::kMemoryButtonHint}};
    return kInfo;
  }
  // Takes the answers that reporter_ has finished. Marks the report's time and the peak on the timeline.
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy(); }
  void trace_replaced() override { reporter_.forget(); }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const MemoryAnswer* answer() const { return reporter_.answer(); }

  MemoryView view;

 private:
  void mark(TimelineState& timeline);

  MemoryReporter reporter_;
  TrackId revealed_ = kNoTrack;  // the counter to whose row the timeline was scrolled last
};
void paint_panel(MemoryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
