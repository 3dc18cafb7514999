#include "instrumentation/cupti/correlations.h"

#include <algorithm>

#include "instrumentation/base/wrapping.h"

namespace runahead::cupti {

Correlations::Entry& Correlations::entry(std::uint32_t id) {
  const auto [place, is_new] = entries_.try_emplace(id);
  if (!is_new) return place->second;
  order_.push_back(id);
  // Removes the oldest entry. This is never the entry that was just added, because most_ is at least 1.
  if (order_.size() > most_) {
    const auto oldest = entries_.find(order_.front());
    order_.pop_front();
    finish(oldest->second);
    entries_.erase(oldest);
  }
  return entries_.find(id)->second;
}

void Correlations::call(std::uint32_t id, const CallEnd& call) {
  Entry& entry = this->entry(id);
  if (!entry.call || call.begin_ns < entry.call->begin_ns) entry.call = call;
  join(id, entry);
}

void Correlations::work(std::uint32_t id, const WorkEnd& work) {
  Entry& entry = this->entry(id);
  if (has_arrow(entry, work.track)) return;
  const auto known = std::find_if(entry.waiting.begin(), entry.waiting.end(),
                                  [&](const WorkEnd& other) { return other.track == work.track; });
  if (known == entry.waiting.end()) {
    entry.waiting.push_back(work);
  } else if (work.begin_ns < known->begin_ns) {
    *known = work;
  }
  join(id, entry);
}

void Correlations::join(std::uint32_t id, Entry& entry) {
  if (!entry.call || entry.waiting.empty() || entry.listed) return;
  entry.listed = true;
  joined_.push_back(id);
}

// A call has one arrow to each track on which it launched work. The many kernels of a graph on one track get
// one arrow, because they are one launch.
void Correlations::hand_over(std::int64_t complete_ns) {
  std::erase_if(joined_, [&](std::uint32_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return true;
    Entry& entry = found->second;
    std::erase_if(entry.waiting, [&](const WorkEnd& work) {
      if (work.begin_ns >= complete_ns) return false;
      add_arrow(entry, work);
      return true;
    });
    entry.listed = !entry.waiting.empty();
    return !entry.listed;
  });
}

void Correlations::add_arrow(Entry& entry, const WorkEnd& work) {
  largest_disorder_ns_ =
      std::max(largest_disorder_ns_, wrapping_difference(entry.call->begin_ns, work.begin_ns));
  if (entry.arrived == nullptr) {
    entry.arrived = work.track;
  } else {
    entry.others_arrived.push_back(work.track);
  }
  rows_.flows.push_back({.kind = trace::FlowKind::kLaunchToDevice,
                         .from = entry.call->place,
                         .to = {.track = work.track},
                         .from_ns = entry.call->begin_ns,
                         .to_ns = work.begin_ns,
                         .op = entry.op});
}

bool Correlations::has_arrow(const Entry& entry, const record::TrackDesc* track) {
  const auto& others = entry.others_arrived;
  return entry.arrived == track || std::find(others.begin(), others.end(), track) != others.end();
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

// Called before an entry is forgotten.
void Correlations::finish(const Entry& entry) {
  if (entry.waiting.empty()) return;
  if (!entry.call) return rows_.losses.add(trace::LossCause::kUnboundFlow);
  Entry last = entry;
  for (const WorkEnd& work : entry.waiting) add_arrow(last, work);
}

void Correlations::close() {
  for (const auto& [id, entry] : entries_) finish(entry);
  entries_.clear();
  order_.clear();
  joined_.clear();
}

}  // namespace runahead::cupti
