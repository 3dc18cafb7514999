#include "gui/model/prediction_words.h"

#include "gui/text/text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

std::string why_no_prediction(const Result<predict::Replay>& replay) {
  if (!replay) return filled(Text::kNoPrediction, {translated(replay.error().message)});
  if (replay->replayed().stuck) return text(Text::kNoPredictionStuck);
  if (replay->trusted()) return {};
  return filled(Text::kNoPredictionDrift,
                {format_duration(replay->replayed().length), format_duration(replay->run().measured.length),
                 format_percent(predict::kMostDrift)});
}

}  // namespace runahead::gui
