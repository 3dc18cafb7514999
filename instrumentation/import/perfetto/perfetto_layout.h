// Tracks of a Trace from those of a Perfetto file: groups for processes and for what has others below it, the
// order that the file asks for, and one track where the file has several that belong together.
#pragma once

#include <vector>

#include "instrumentation/import/perfetto/perfetto_rows.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct PlacedTrack {
  TrackInfo info;
  std::vector<NodeId> nodes;  // whose rows lie on it; none: a group
};

// By TrackId. Tracks without rows are left out, but for those of our own files.
[[nodiscard]] std::vector<PlacedTrack> place_tracks(const TrackBook& book, const Rows& rows);

}  // namespace runahead::importers::perfetto
