// Makes the tracks of a Trace from those of a Perfetto file: groups for processes and for tracks with
// children, in the order that the file asks for. Several tracks of the file that belong together become one
// track.
#pragma once

#include <vector>

#include "instrumentation/import/perfetto/perfetto_rows.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct PlacedTrack {
  TrackInfo info;
  std::vector<NodeId> nodes;  // the nodes whose rows lie on the track; empty: a group
};

// Returns the tracks in the order of their TrackIds. Leaves out tracks without rows, except in our own files.
[[nodiscard]] std::vector<PlacedTrack> place_tracks(const TrackBook& book, const Rows& rows);

}  // namespace runahead::importers::perfetto
