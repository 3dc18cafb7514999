#include "gui/panels/details/cause_finder.h"

#include <atomic>
#include <memory>
#include <optional>

#include "gui/background/known_causes.h"

namespace runahead::gui {

CauseReporter::Work make_cause_finder() {
  return [known = std::shared_ptr<const KnownCauses>()](const CauseReporter::Question& question,
                                                        const std::atomic<bool>&) mutable {
    known = known_causes(question.snapshot);
    return std::optional(wait_cause_of(known->trace, known->synchronisations, question.asked));
  };
}

}  // namespace runahead::gui
