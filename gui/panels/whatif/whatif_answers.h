// The questions of the panel What if, and the functions that answer them on other threads: what would help
// most, a change made by hand, and the timeline of a change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/background/asker.h"
#include "gui/background/known_replay.h"
#include "gui/background/live_answer.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/predict/candidates.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// ---- what would help most ---------------------------------------------------------------------------------

struct WhatIfWanted {
  // A run goes on: its last seconds are read, and it has this barrier. nullopt: the whole trace is read.
  std::optional<BarrierPolicy> recent;
  friend bool operator==(const WhatIfWanted&, const WhatIfWanted&) = default;
};
// Throughput and memory with a window of this many steps.
struct WindowPoint {
  int window = 0;
  double steps_per_s = 0;
  std::int64_t peak_bytes = 0;
};
struct WhatIfAnswer {
  WhatIfWanted wanted;
  std::shared_ptr<const RankedChanges> ranked;  // its candidates are empty if there are no predictions
  std::vector<WindowPoint> curve;               // empty: the trace has no memory
  std::size_t knee = 0;                         // index in `curve`
  std::vector<std::string> names;               // of ops and kernels, the largest busy time first
  double cost_ms = 0;
  std::uint64_t number = 0;  // differs for each answer

  [[nodiscard]] bool replayed() const { return ranked->known->replay.ok(); }
  [[nodiscard]] const predict::Replay& replay() const {
    return *ranked->known->replay;
  }  // REQUIRES: replayed()
  [[nodiscard]] bool trusted() const { return replayed() && replay().trusted(); }
};
using WhatIfReporter = LiveAnswer<WhatIfWanted, WhatIfAnswer>;
// The refusal as a sentence; empty: there is none.
[[nodiscard]] std::string refusal_text(const WhatIfAnswer& answer);
// `done` is set to the part that is done, 0..1. `wake` is called then, unless a run goes on.
[[nodiscard]] WhatIfReporter::Work make_ranker(std::shared_ptr<std::atomic<double>> done,
                                               std::function<void()> wake);

// ---- a change made by hand --------------------------------------------------------------------------------

struct PredictionQuestion {
  std::vector<predict::Change> changes;
  std::shared_ptr<const KnownReplay> known;
  bool timeline = false;        // the answer has the predicted timeline
  std::uint64_t of_answer = 0;  // WhatIfAnswer::number
  WhatIfWanted wanted{};        // WhatIfAnswer::wanted
};
struct PredictionAnswer {
  std::vector<predict::Change> changes;
  std::string problem;  // one line: why the changes cannot be made; empty: the figures are known
  predict::Candidate figures;
  std::shared_ptr<const trace::Trace> timeline;
  std::uint64_t of_answer = 0;
  WhatIfWanted wanted{};
};
using Predictor = Asker<PredictionQuestion, PredictionAnswer>;
[[nodiscard]] PredictionAnswer predict_by_hand(const PredictionQuestion& question,
                                               const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
