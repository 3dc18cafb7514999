#include "gui/panels/details/wait_cause.h"

#include "gui/background/known_causes.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/causes/call_place.h"

namespace runahead::gui {
namespace {

std::optional<SliceRef> slice_of(const trace::Trace& trace, TrackId track, const causes::Work& work) {
  for (std::uint32_t depth = 0; depth < lane_count(trace, track); ++depth) {
    const trace::Lane& lane = *find_lane(trace, track, depth);
    const std::uint64_t row = lane.first_row_beginning_from(work.begin);
    if (row == lane.end_row()) continue;
    const trace::Slice slice = lane.slice(row);
    if (slice.begin == work.begin && slice.end == work.end && slice.name == work.name)
      return SliceRef{track, depth, row, false};
  }
  return std::nullopt;
}

WaitCause cause_of(const KnownCauses& known, const SliceRef& ref) {
  WaitCause out{.asked = ref};
  const std::optional<trace::Slice> slice = find_slice(known.trace, ref);
  if (!slice) return out;
  const auto [found_in, sync] = known.synchronisations.find(ref.track, *slice);
  if (sync == nullptr) return out;
  const causes::Execution& execution = *found_in;
  out.waited = true;
  out.split = causes::wait_split(sync->parts);
  out.place = causes::place_of(known.trace, execution.calls()[sync->call]).text();
  out.idle_after = sync->idle_after;
  if (sync->awaited == causes::kNone) return out;
  const causes::Work& work = execution.works()[sync->awaited];
  out.work = slice_of(known.trace, execution.streams()[work.stream].track, work);
  out.inferred = sync->evidence == causes::Evidence::kInferred;
  return out;
}

}  // namespace

CauseReporter::Work make_cause_finder() {
  return [known = std::shared_ptr<const KnownCauses>()](const CauseReporter::Question& question,
                                                        const std::atomic<bool>&) mutable {
    known = known_causes(question.snapshot);
    return std::optional(cause_of(*known, question.asked));
  };
}

}  // namespace runahead::gui
