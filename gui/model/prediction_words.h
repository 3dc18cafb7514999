// Why there are no predictions, in words.
#pragma once

#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/prediction.h"

namespace runahead::gui {

// One sentence, in the language of the window. Empty: the replay is trusted.
[[nodiscard]] std::string why_no_prediction(const Result<predict::Replay>& replay);

}  // namespace runahead::gui
