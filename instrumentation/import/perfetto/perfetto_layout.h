// Makes the tracks of a Trace from the tracks of a Perfetto file. Processes and tracks with children become
// groups, in the order that the file requests. Several tracks of the file that belong together become one
// track.
#pragma once

#include <vector>

#include "instrumentation/import/perfetto/perfetto_rows.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct PlacedTrack {
  TrackInfo info;
  std::vector<NodeId> nodes;  // the tracks of the file whose rows are on this track; empty: it is a group
};

// Returns the tracks in the order of their TrackIds. Omits tracks without rows, except in our own files.
[[nodiscard]] std::vector<PlacedTrack> place_tracks(const TrackBook& book, const Rows& rows);

}  // namespace runahead::importers::perfetto
