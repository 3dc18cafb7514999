#include "instrumentation/cupti/correlations.h"

#include <algorithm>

namespace runahead::cupti {

Correlations::Entry& Correlations::entry(std::uint32_t id) {
  const auto [place, is_new] = entries_.try_emplace(id);
  if (!is_new) return place->second;
  order_.push_back(id);
  // Removes the oldest entry. This is never the entry that was just added, because most_ is at least 1.
  if (order_.size() > most_) {
    const auto oldest = entries_.find(order_.front());
    order_.pop_front();
    count_if_without_call(oldest->second);
    entries_.erase(oldest);
  }
  return entries_.find(id)->second;
}

void Correlations::call(std::uint32_t id, const CallEnd& call) {
  Entry& entry = this->entry(id);
  if (!entry.call || call.begin_ns < entry.call->begin_ns) entry.call = call;
  for (const WorkEnd& work : entry.waiting) join(entry, work);
  entry.waiting.clear();
}

void Correlations::work(std::uint32_t id, const WorkEnd& work) {
  Entry& entry = this->entry(id);
  if (entry.call) return join(entry, work);
  const auto known = std::find_if(entry.waiting.begin(), entry.waiting.end(),
                                  [&](const WorkEnd& other) { return other.track == work.track; });
  if (known == entry.waiting.end()) {
    entry.waiting.push_back(work);
  } else if (work.begin_ns < known->begin_ns) {
    *known = work;
  }
}

// Adds one arrow for each track on which a call launches work. The many kernels of a graph on one track get
// one arrow, because they are one launch.
void Correlations::join(Entry& entry, const WorkEnd& work) {
  largest_disorder_ns_ = std::max(largest_disorder_ns_, entry.call->begin_ns - work.begin_ns);
  if (!arrives_first(entry, work.track)) return;
  rows_.flows.push_back({.kind = trace::FlowKind::kLaunchToDevice,
                         .from = entry.call->place,
                         .to = {.track = work.track},
                         .from_ns = entry.call->begin_ns,
                         .to_ns = work.begin_ns,
                         .op = entry.op});
}

bool Correlations::arrives_first(Entry& entry, const record::TrackDesc* track) {
  if (entry.arrived == nullptr) {
    entry.arrived = track;
    return true;
  }
  auto& others = entry.others_arrived;
  if (entry.arrived == track || std::find(others.begin(), others.end(), track) != others.end()) return false;
  others.push_back(track);
  return true;
}

void Correlations::op(std::uint32_t id, OpId op) {
  ops_in_use_ = true;
  entry(id).op = op;
}

OpId Correlations::op_of(std::uint32_t id) const {
  const auto found = entries_.find(id);
  return found != entries_.end() ? found->second.op : kNoOp;
}

std::optional<CallEnd> Correlations::call_of(std::uint32_t id) const {
  const auto found = entries_.find(id);
  return found != entries_.end() ? found->second.call : std::nullopt;
}

void Correlations::count_if_without_call(const Entry& entry) {
  if (!entry.waiting.empty()) rows_.losses.add(trace::LossCause::kUnboundFlow);
}

void Correlations::close() {
  for (const auto& [id, entry] : entries_) count_if_without_call(entry);
  entries_.clear();
  order_.clear();
}

}  // namespace runahead::cupti
