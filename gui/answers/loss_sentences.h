// What a trace lost, in sentences for the user.
#pragma once

#include <string>
#include <vector>

#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Returns one sentence for each kind of loss in the trace. The sentence contains the count.
[[nodiscard]] std::vector<std::string> loss_sentences(const trace::LossCounts& losses);
// Like the function above, for a trace. The sentence about rows that an import skipped also names the most
// frequent kinds of these rows.
[[nodiscard]] std::vector<std::string> loss_sentences(const trace::Trace& trace);

}  // namespace runahead::gui
