// Predictions in words, in the language of the window.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/causes/findings.h"
#include "instrumentation/predict/candidates.h"
#include "instrumentation/predict/prediction.h"

namespace runahead::gui {

// One sentence, in the language of the window. Empty: the replay is trusted.
[[nodiscard]] std::string why_no_prediction(const Result<predict::Replay>& replay);

// Returns the change in plain words, in the language of the window: "dense: twice as fast".
[[nodiscard]] std::string candidate_words(const predict::Candidate& candidate);
// Returns "+12 %"; "-3.1 %".
[[nodiscard]] std::string gain_words(double gain);
// Returns "123 /s (120 to 126)".
[[nodiscard]] std::string rate_words(const predict::Candidate& candidate);
// Returns "1.2 MB (-30 %)", "1.2 MB (x72)"; a dash if the trace has no memory.
[[nodiscard]] std::string whatif_memory(const predict::Candidate& candidate, bool has_memory);
// Returns the gain in steps/s that is predicted without what the finding is about. nullopt: it is not known.
[[nodiscard]] std::optional<double> gain_without(const causes::Finding& finding,
                                                 std::span<const predict::Candidate> candidates);
// Returns the measured and the replayed rate of a whole trace, and the drift. REQUIRES: it was replayed.
[[nodiscard]] std::string replay_summary(const predict::Replay& replay);

}  // namespace runahead::gui
