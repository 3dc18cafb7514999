#include "instrumentation/cupti/markers.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace runahead::cupti {

const record::Site& Markers::site_of(const MarkerRecord& record) {
  std::string name = record.name != nullptr ? record.name : "range without a name";
  if (record.domain != nullptr && *record.domain != '\0') name = std::string(record.domain) + ": " + name;
  return names_.site(name, trace::SliceKind::kZone);
}

void Markers::take(const MarkerRecord& record) {
  const record::RowPlace place{.tid = record.tid, .beside = "NVTX"};
  if (record.kind == MarkerKind::kInstant) {
    rows_.instants.push_back({place, record.at_ns, &site_of(record)});
  } else if (record.kind == MarkerKind::kBegin) {
    const Open open{place, record.at_ns, &site_of(record)};
    if (const auto ended = ends_.find(record.id); ended != ends_.end()) {
      end(record.id, open, ended->second);
      ends_.erase(ended);
    } else if (open_.contains(record.id)) {  // only in a damaged record: its end closes the first one
      rows_.losses.add(trace::LossCause::kUnfinishedSlice);
    } else if (open_.size() < kMostOpen) {
      open_[record.id] = open;
    } else {
      rows_.losses.add(trace::LossCause::kUnfinishedSlice);
    }
  } else if (const auto found = open_.find(record.id); found != open_.end()) {
    end(record.id, found->second, record.at_ns);
    open_.erase(found);
  } else if (ends_.size() < kMostOpen) {
    ends_[record.id] = record.at_ns;
  } else {
    rows_.losses.add(trace::LossCause::kUnmatchedEnd);
  }
}

void Markers::end(std::uint32_t id, const Open& open, std::int64_t end_ns, std::uint8_t flags) {
  if (open.handed_over) --handed_over_;
  rows_.slices.push_back({.place = open.place,
                          .begin_ns = open.begin_ns,
                          .end_ns = end_ns,
                          .site = open.site,
                          .flags = flags,
                          .begun = open.handed_over ? std::uint64_t{id} + 1 : 0});
}

// The open ranges that `chosen` chooses, in the order of their begins.
template <typename Chosen>
std::vector<Markers::Range*> Markers::in_order(Chosen chosen) {
  std::vector<Range*> ranges;
  for (Range& range : open_) {
    if (chosen(range.second)) ranges.push_back(&range);
  }
  // Of ranges that begin at the same time, the outer one has the lower id.
  std::ranges::sort(ranges, {},
                    [](const Range* range) { return std::pair(range->second.begin_ns, range->first); });
  return ranges;
}

void Markers::hand_over(std::int64_t complete_ns) {
  if (handed_over_ == kMostHandedOver) return;
  for (Range* const range : in_order(
           [complete_ns](const Open& open) { return !open.handed_over && open.begin_ns < complete_ns; })) {
    if (handed_over_ == kMostHandedOver) return;
    auto& [id, open] = *range;
    open.handed_over = true;
    ++handed_over_;
    rows_.begun.push_back({open.place, open.begin_ns, open.site, std::uint64_t{id} + 1});
  }
}

void Markers::commit(std::int64_t complete_ns) {
  hand_over(complete_ns);
  const std::size_t unmatched =
      std::erase_if(ends_, [&](const auto& each) { return each.second < complete_ns; });
  if (unmatched != 0) rows_.losses.add(trace::LossCause::kUnmatchedEnd, unmatched);
}

void Markers::close(std::int64_t at_ns) {
  for (const Range* const range : in_order([](const Open&) { return true; })) {
    const auto& [id, open] = *range;
    end(id, open, std::max(open.begin_ns, at_ns), trace::kSliceUnfinished);
    rows_.losses.add(trace::LossCause::kUnfinishedSlice);
  }
  open_.clear();
  if (!ends_.empty()) rows_.losses.add(trace::LossCause::kUnmatchedEnd, ends_.size());
  ends_.clear();
}

}  // namespace runahead::cupti
