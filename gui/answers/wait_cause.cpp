#include "gui/answers/wait_cause.h"

#include "gui/text/text.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/wait_facts.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/call_place.h"
#include "instrumentation/causes/call_role.h"

namespace runahead::gui {
namespace {

std::optional<SliceRef> slice_of(const trace::Trace& trace, TrackId track, const causes::Work& work) {
  return slice_beginning_at(trace, track, work.begin, [&](const trace::Slice& slice) {
    return slice.end == work.end && slice.name == work.name;
  });
}

}  // namespace

WaitCause wait_cause_of(const trace::Trace& trace, const causes::Synchronisations& synchronisations,
                        const SliceRef& ref) {
  WaitCause out{.asked = ref};
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  if (!slice) return out;
  const auto [found_in, sync] = synchronisations.find(ref.track, *slice);
  if (sync == nullptr) return out;
  const causes::Execution& execution = *found_in;
  out.waited = true;
  out.split = causes::wait_split(sync->parts);
  out.place = causes::place_of(trace, execution.calls()[sync->call]).text();
  out.idle_after = sync->idle_after;
  if (sync->awaited == causes::kNone) return out;
  const causes::Work& work = execution.works()[sync->awaited];
  out.work = slice_of(trace, execution.streams()[work.stream].track, work);
  out.inferred = sync->evidence == causes::Evidence::kInferred;
  return out;
}

bool may_wait(const trace::Trace& trace, const SliceRef& ref) {
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  if (!slice) return false;
  const trace::TrackKind kind = trace.track(ref.track).info.kind;
  if (kind == trace::TrackKind::kStream || kind == trace::TrackKind::kWorker) return false;
  const causes::CallRole role = causes::call_role(trace.string(slice->name));
  if (causes::is_launch(role)) return slice->duration() >= causes::kSlowLaunch;
  return causes::is_synchronisation(role) || role == causes::CallRole::kCopy ||
         role == causes::CallRole::kAsyncCopy || role == causes::CallRole::kAllocate ||
         role == causes::CallRole::kFree;
}

std::string awaited_name(const trace::Trace& trace, const WaitCause& cause) {
  if (const auto work = cause.work ? find_slice(trace, *cause.work) : std::nullopt)
    return std::string(trace.string(work->name));
  const bool finished = cause.split.of(analysis::WaitPart::kFinished) > Duration{};
  return text(finished ? Text::kWaitsForNothing : Text::kWaitOther);
}

Facts cause_facts(const trace::Trace& trace, const WaitCause& cause) {
  Facts facts;
  if (!cause.waited) return facts;
  facts.emplace_back(text(Text::kTimelineWaitedFor), awaited_name(trace, cause));
  if (cause.work) {
    facts.emplace_back(text(Text::kCauseStream), track_label(trace, cause.work->track));
    facts.emplace_back(text(Text::kCauseEvidence),
                       text(cause.inferred ? Text::kCauseInferred : Text::kCauseRecorded));
  }
  for (const WaitShare& share : wait_shares(cause.split))
    facts.emplace_back(wait_part_name(share.part), share_text(share));
  if (cause.idle_after > Duration{})
    facts.emplace_back(text(Text::kCauseIdleAfter), format_duration(cause.idle_after));
  return facts;
}

}  // namespace runahead::gui
