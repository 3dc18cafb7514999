// The causes panel explains a trace (docs/causes.md): findings with their costs, the idle time of each device
// by cause, and the critical path by class. It marks idle time and critical path on the timeline. A click on
// a finding goes to its evidence.
//
// It explains a trace of any tool on a background thread. While a trace grows, it is explained again from
// time to time (live_answer.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/answers/cause_findings.h"
#include "gui/background/known_replay.h"
#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "gui/timeline/causes/cause_marks.h"
#include "instrumentation/causes/explanation.h"

namespace runahead::gui {

struct CausesWanted {
  friend bool operator==(const CausesWanted&, const CausesWanted&) = default;
};
using CausesReporter = LiveAnswer<CausesWanted, CausesAnswer>;
// Returns a function that explains a trace. It keeps the graph of a trace of another tool, which other panels
// ask about too.
[[nodiscard]] CausesReporter::Work make_explainer();

// Returns the commands that show the evidence of a finding: the view glides to its time, and its slice or
// idle gap is selected. If it is neither, its time range is measured. Empty: the finding has no evidence.
[[nodiscard]] Commands show_evidence(const trace::Trace& trace, const TimelineState& timeline,
                                     const CauseMarks& marks, const causes::Finding& finding);

// Returns the findings as a table, to copy or save it.
[[nodiscard]] TableRows causes_rows(const CausesAnswer& answer);

struct CausesView {
  // What the timeline shows while `marks` is true. The panel sets `marks` when it is opened and closed.
  bool idle = true, path = true;
  bool marks = false;
};

class CausesPanel : public PanelModule {
 public:
  explicit CausesPanel(std::function<void()> wake) : reporter_(make_explainer(), std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "causes",
        .title = Text::kPanelCauses,
        .key = "E",
        .place = PanelPlace::kBelow,
        .button = PanelButton{2, "causes_button", Text::kCausesButton, Text::kCausesButtonHint}};
    return kInfo;
  }
  // Takes the answers that reporter_ has finished, and puts the marks on the timeline.
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy(); }
  void trace_replaced() override { reporter_.forget(); }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // Shows or hides the marks on the timeline, also while the panel is closed.
  void toggle_marks();

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const CausesAnswer* answer() const { return reporter_.answer(); }

  // "+12 %": the gain in steps/s that is predicted without what the finding is about. nullopt: not known; the
  // panel What if predicts it.
  [[nodiscard]] std::optional<double> predicted_gain(const causes::Finding& finding) const;

  CausesView view;

 private:
  void mark(TimelineState& timeline) const;
  // Scrolls the timeline to the device that was idle for the longest time, once when the panel shows it
  // first. After that, only the user scrolls.
  void reveal(const PanelContext& context);

  CausesReporter reporter_;
  std::shared_ptr<const RankedChanges> ranked_;  // of the trace on the screen; null: not known
  bool was_shown_ = false;
  std::uint64_t revealed_ = 0;  // PanelContext::serial + 1 of the trace whose device was revealed; 0: none
};
void paint_panel(CausesPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
