// The waits panel shows where the program waited, for which op, and the main reason. The group with the
// largest total comes first. A click on a row goes to the longest wait in the group of this row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/answers/wait_groups.h"
#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "instrumentation/analysis/waits/wait_report.h"

namespace runahead::gui {

struct WaitsWanted {
  bool in_range = false;  // true: only waits in the measured range
  friend bool operator==(const WaitsWanted&, const WaitsWanted&) = default;
};
struct WaitsAnswer {
  std::vector<analysis::WaitGroup> groups;  // the group with the largest total first
  std::uint64_t count = 0;                  // number of all waits
  analysis::WaitSplit split;                // the total time of all waits, divided into causes
  TimeRange range;                          // only waits in this range count
  bool in_range = false;                    // true: `range` is the measured range; false: the whole trace
  double cost_ms = 0;
  std::uint64_t number = 0;  // differs for each answer; a new number makes the table sort its rows again
};
using WaitReporter = LiveAnswer<WaitsWanted, WaitsAnswer>;
// Returns a function that answers such questions. It keeps the graph of a trace of another tool for the next
// question.
[[nodiscard]] WaitReporter::Work make_wait_reporter();

// Returns the cells of the table, to copy or save it. `order`: the indices in answer.groups, in the order of
// the table's rows.
[[nodiscard]] TableRows waits_rows(const WaitsAnswer& answer, const std::vector<std::size_t>& order);

struct WaitsView {
  WaitsWanted wanted;
  ListOrder order;
};

class WaitsPanel : public PanelModule {
 public:
  explicit WaitsPanel(std::function<void()> wake) : reporter_(make_wait_reporter(), std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "waits",
        .title = Text::kPanelWaits,
        .key = "B",
        .place = PanelPlace::kBelow,
        .button = PanelButton{4, "waits_button", Text::kWaitsButton, Text::kWaitsButtonHint}};
    return kInfo;
  }
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy(); }
  void trace_replaced() override { reporter_.forget(); }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const WaitsAnswer* answer() const { return reporter_.answer(); }

  WaitsView view;

 private:
  WaitReporter reporter_;
};
void paint_panel(WaitsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
