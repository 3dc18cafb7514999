// The panel What if: what would help most in the trace on the screen, and what a change made by hand would
// do. Other threads replay the run in a simulation (docs/predict.md). A click on a change shows its predicted
// timeline below the real one.
//
// While a run goes on and its rate of steps is steady, its last seconds are replayed, again every few
// seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/answers/prediction_words.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "gui/panels/whatif/whatif_answers.h"
#include "instrumentation/base/barrier.h"

namespace runahead::gui {

// The change that the user makes by hand. Default: nothing is changed.
struct HandChange {
  std::optional<BarrierKind> barrier;  // nullopt: as in the run
  int window = 2;                      // used with BarrierKind::kWindow
  float frontend = 1;
  std::string op;  // empty: none
  float op_factor = 0.5f;
  std::optional<bool> at_execution;  // when memory is allocated; nullopt: as in the run

  friend bool operator==(const HandChange&, const HandChange&) = default;
};
// Returns the changes for predict::apply(). Empty: nothing is changed.
[[nodiscard]] std::vector<predict::Change> changes_of(const HandChange& hand);

// Returns what was read, its measured and its replayed rate, and the drift.
[[nodiscard]] std::string whatif_summary(const WhatIfAnswer& answer);
// Returns the cells of the list, to copy or save it.
[[nodiscard]] TableRows whatif_rows(const WhatIfAnswer& answer);

// What predictions are made from. paint_panel() sets it.
struct WhatIfSource {
  bool grows = true;
  std::optional<BarrierPolicy> barrier;  // of the run that goes on; nullopt: none
  bool steady = false;                   // the rate of its steps

  // nullopt: no prediction is made now.
  [[nodiscard]] std::optional<WhatIfWanted> wanted() const;
  // Whether an answer is about the trace as it is now.
  [[nodiscard]] bool fits(const WhatIfWanted& answered) const {
    return barrier ? answered.recent == barrier : !grows && !answered.recent;
  }
};
[[nodiscard]] WhatIfSource whatif_source(const PanelModel& model);

struct WhatIfView {
  HandChange hand;
  WhatIfSource source;
  bool chooses = false;  // a list of choices is open: the names in it must not move. paint_panel() sets it
  // The answer that was drawn, and whether that was its first frame. paint_panel() sets them.
  std::uint64_t drawn = 0;
  bool first_frame = false;
  // The user asked for the predicted timeline of these changes.
  std::optional<std::vector<predict::Change>> timeline_wanted;
};

// A live run has its cores for itself.
inline constexpr AnswerPace kWhatIfPace{.least = std::chrono::seconds(3), .most_share = 0.05};

class WhatIfPanel : public PanelModule {
 public:
  // pace: while a run goes on.
  explicit WhatIfPanel(const std::function<void()>& wake, AnswerPace pace = kWhatIfPace)
      : reporter_(make_ranker(done_, wake), wake, pace), by_hand_(predict_by_hand, wake) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "whatif",
        .title = Text::kPanelWhatIf,
        .key = "X",
        .place = PanelPlace::kBelow,
        .button = PanelButton{3, "whatif_button", Text::kWhatIfButton, Text::kWhatIfButtonHint}};
    return kInfo;
  }
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy() || by_hand_.busy(); }
  void trace_replaced() override;
  // After the frame that finds out that the trace does not grow, the next poll() asks. The first frame of an
  // answer opens windows, which take clicks from the next frame on.
  [[nodiscard]] std::optional<std::chrono::milliseconds> more_after() const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const WhatIfAnswer* answer() const {
    const WhatIfAnswer* const last = reporter_.answer();
    return last != nullptr && view.source.fits(last->wanted) ? last : nullptr;
  }
  // 0..1, of the answer that is computed.
  [[nodiscard]] double done() const { return done_->load(std::memory_order_relaxed); }
  // The prediction for view.hand; nullptr: nothing is changed, or it is not known yet. Of a run that goes on,
  // it may be from an answer before the last one.
  [[nodiscard]] const PredictionAnswer* by_hand() const;
  // Returns a predicted timeline once, when it is ready.
  [[nodiscard]] std::optional<PredictionAnswer> take_timeline();

  WhatIfView view;

 private:
  [[nodiscard]] bool take_prediction();
  void ask_prediction();

  // Written by the worker, read here.
  std::shared_ptr<std::atomic<double>> done_ = std::make_shared<std::atomic<double>>(0);
  double told_ = 0;                          // done() at the last poll
  std::uint64_t traces_ = 0, asked_of_ = 0;  // the number of the trace, and that of the last question
  std::optional<PredictionAnswer> hand_, timeline_;
  // last: their threads end while the other members exist
  WhatIfReporter reporter_;
  Predictor by_hand_;
};
void paint_panel(WhatIfPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
