#include "instrumentation/record/flow_matcher.h"

#include <utility>

#include "instrumentation/record/hooks/event.h"

namespace runahead::record {

void FlowMatcher::out(const DeferredEvent& deferred) {
  const End end{deferred.track, deferred.at, batch_.name_of(deferred.site), ++serials_,
                (deferred.flags & kFlowOptional) != 0};
  const auto [place, is_new] = open_.try_emplace(static_cast<std::uint64_t>(deferred.a), end);
  if (!is_new) count_unbound(std::exchange(place->second, end));  // that flow never ended
  order_.push_back({static_cast<std::uint64_t>(deferred.a), serials_});
  if (order_.size() > 2 * kMostOpen) {
    std::erase_if(order_, [this](const Opened& opened) {
      const auto found = open_.find(opened.id);
      return found == open_.end() || found->second.serial != opened.serial;
    });
  }
  if (open_.size() > kMostOpen) give_up_oldest();
}

void FlowMatcher::give_up_oldest() {
  while (!order_.empty()) {
    const Opened oldest = order_.front();
    order_.pop_front();
    const auto found = open_.find(oldest.id);
    if (found == open_.end() || found->second.serial != oldest.serial) continue;
    count_unbound(found->second);
    open_.erase(found);
    return;
  }
}

void FlowMatcher::count_unbound(const End& end) {
  if (!end.optional) batch_.lose(trace::LossCause::kUnboundFlow);
}

void FlowMatcher::in(const DeferredEvent& deferred) {
  const auto found = open_.find(static_cast<std::uint64_t>(deferred.a));
  if (found == open_.end()) return batch_.lose(trace::LossCause::kUnboundFlow);
  const End from = found->second;
  open_.erase(found);
  batch_.add(trace::Flow{.kind = trace::FlowKind::kOther,
                         .from_track = from.track,
                         .to_track = deferred.track,
                         .from_time = from.at,
                         .to_time = deferred.at,
                         .name = from.name});
}

void FlowMatcher::close_all() {
  for (const auto& [id, end] : open_) count_unbound(end);
  open_.clear();
  order_.clear();
}

}  // namespace runahead::record
