#include "instrumentation/cupti/markers.h"

#include <algorithm>
#include <string>

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
    if (open_.size() >= kMostOpen) return rows_.losses.add(trace::LossCause::kUnfinishedSlice);
    open_[record.id] = {place, record.at_ns, &site_of(record)};
  } else if (const auto found = open_.find(record.id); found != open_.end()) {
    const Open& open = found->second;
    rows_.slices.push_back(
        {.place = open.place, .begin_ns = open.begin_ns, .end_ns = record.at_ns, .site = open.site});
    open_.erase(found);
  } else {
    rows_.losses.add(trace::LossCause::kUnmatchedEnd);
  }
}

void Markers::close(std::int64_t at_ns) {
  for (const auto& [id, open] : open_) {
    rows_.slices.push_back({.place = open.place,
                            .begin_ns = open.begin_ns,
                            .end_ns = std::max(open.begin_ns, at_ns),
                            .site = open.site,
                            .flags = trace::kSliceUnfinished});
    rows_.losses.add(trace::LossCause::kUnfinishedSlice);
  }
  open_.clear();
}

}  // namespace runahead::cupti
