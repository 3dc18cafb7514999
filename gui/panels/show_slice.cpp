#include "gui/panels/show_slice.h"

#include <algorithm>
#include <optional>

#include "gui/timeline/facts.h"

namespace runahead::gui {

void show_slice(const PanelModel& model, const SliceRef& ref, Commands& out) {
  out.push_back(TimelineCommand{SelectSlice{ref}});
  const std::optional<trace::Slice> slice = find_slice(model.trace, ref);
  const TimeRange& shown = model.timeline.view;
  if (!slice || (slice->begin < shown.end && slice->end > shown.begin)) return;
  const Duration half = (shown.end - shown.begin) / 2;
  const Timestamp middle = slice->begin + slice->duration() / 2;
  out.push_back(TimelineCommand{ZoomTo{{middle - half, middle + half}}});
}

}  // namespace runahead::gui
