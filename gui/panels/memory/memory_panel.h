// The report of memory: who holds a device's memory at its peak, or at the moment that a person points at: by
// category, by op, the largest blocks; each row leads to the op.
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
  TrackId counter = kNoTrack;   // of the device; kNoTrack: the one that had most
  std::optional<Timestamp> at;  // nullopt: at its peak
  bool in_range = false;        // the peak of the measured range alone
  friend bool operator==(const MemoryWanted&, const MemoryWanted&) = default;
};
struct MemoryDevice {
  TrackId counter = kNoTrack;
  std::string name;
  analysis::MemoryPeak peak;
};
struct MemoryAnswer {
  MemoryWanted asked;
  std::uint64_t trace = 0;            // Trace::identity() of whose it is
  std::vector<MemoryDevice> devices;  // whose memory is counted
  std::optional<analysis::MemoryPeak> peak;
  analysis::MemoryReport report;  // of no counter where there are no devices
  double cost_ms = 0;
  std::uint64_t number = 0;  // of the answer
};
using MemoryReporter = LiveAnswer<MemoryWanted, MemoryAnswer>;
// Once begun it is done to its end.
[[nodiscard]] std::optional<MemoryAnswer> report_memory(const MemoryReporter::Question& question,
                                                        const std::atomic<bool>& cancelled);

struct MemoryView {
  TrackId counter = kNoTrack;  // as chosen; kNoTrack: the device that had most
  bool in_range = false;
  ListOrder order;
  // What is drawn: the last answer, but under the mouse the rows stay as they are.
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
        .button = PanelButton{3, "memory_button", Text::kMemoryButton, Text::kMemoryButtonHint}};
    return kInfo;
  }
  // Also marks the moment and the peak on the timeline.
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy(); }
  void trace_replaced() override { reporter_.forget(); }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last one, of the trace on the screen; nullptr: none yet.
  [[nodiscard]] const MemoryAnswer* answer() const { return reporter_.answer(); }

  MemoryView view;

 private:
  void mark(TimelineState& timeline);

  MemoryReporter reporter_;
  TrackId revealed_ = kNoTrack;  // the counter that was scrolled to
};
void paint_panel(MemoryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
