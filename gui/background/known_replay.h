// KnownReplay: the replay of a trace, which several threads ask for predictions. RankedChanges: what would
// help most in it. The panel What if computes the ranking; other panels show it once it is known.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/barrier.h"
#include "instrumentation/base/result.h"
#include "instrumentation/predict/candidates.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct KnownReplay {
  explicit KnownReplay(trace::Trace snapshot, const predict::ReadOptions& options = {})
      : trace(std::move(snapshot)), replay(predict::Replay::of(trace, options)) {}
  const trace::Trace trace;
  const Result<predict::Replay> replay;
};

// Returns the replay of this version of the whole trace. If a caller still holds it, no other one is made.
// Any thread may call it; a second caller waits until the first one has made it.
[[nodiscard]] std::shared_ptr<const KnownReplay> known_replay(const trace::Trace& trace);

struct RankedChanges {
  std::shared_ptr<const KnownReplay> known;
  std::vector<predict::Candidate> candidates;
};
// Any thread may call both. ranked_changes() returns the ranking of this version of the trace; nullptr:
// nobody holds one.
void share_ranked_changes(const std::shared_ptr<const RankedChanges>& ranked);
[[nodiscard]] std::shared_ptr<const RankedChanges> ranked_changes(const trace::Trace& trace);

}  // namespace runahead::gui
