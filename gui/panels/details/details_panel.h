// The details panel: the properties of the selection, the figures of the measured range, and the statistics
// of the selected area.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/panels/details/cause_finder.h"
#include "gui/panels/details/op_slices.h"
#include "instrumentation/analysis/timeline/area_statistics.h"

namespace runahead::gui {

struct AreaAnswer {
  analysis::Area asked;
  analysis::AreaStatistics statistics;  // of the area `asked`
  double cost_ms = 0;
  std::uint64_t number = 0;  // each new answer has a new number
};
using AreaReporter = LiveAnswer<analysis::Area, AreaAnswer>;
// Computes the statistics of an area. nullopt: cancelled.
[[nodiscard]] std::optional<AreaAnswer> report_area(const AreaReporter::Question& question,
                                                    const std::atomic<bool>& cancelled);

class DetailsPanel : public PanelModule {
 public:
  explicit DetailsPanel(const std::function<void()>& wake)
      : reporter_(report_area, wake),
        causes_(make_cause_finder(), wake),
        hovered_(make_cause_finder(), wake) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "details", .title = Text::kPanelDetails, .place = PanelPlace::kRight, .shown_at_first = true};
    return kInfo;
  }
  // Also puts what the selected call waited for into TimelineState::awaited.
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy() || causes_.busy() || hovered_.busy(); }
  void trace_replaced() override {
    reporter_.forget();
    causes_.forget();
    hovered_.forget();
  }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about an area of the trace on the screen; nullptr: no answer yet. While the user drags,
  // `asked` may be an earlier area than the one on the screen.
  [[nodiscard]] const AreaAnswer* area() const { return reporter_.answer(); }

  // What the selected call waited for; nullptr: not known yet, or the slice is no call that waited.
  [[nodiscard]] const WaitCause* cause_of(const SliceRef& ref) const {
    const WaitCause* const cause = causes_.answer();
    return cause != nullptr && cause->waited && cause->asked == ref ? cause : nullptr;
  }

  // What the op of the selection made ready, on the timeline and on the lower timeline of a comparison.
  MadeReady made_ready, lower_made_ready;

 private:
  // Finds what the call under the mouse waited for, and puts it into TimelineState::hovered_wait.
  bool poll_hovered(const PanelContext& context);

  AreaReporter reporter_;
  CauseReporter causes_;   // about the selected slice
  CauseReporter hovered_;  // about the slice under the mouse
};
void paint_panel(DetailsPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
