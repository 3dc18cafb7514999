// PredictedTracks: the tracks of a predicted timeline. Each one has the group, the place and the thread of
// the recorded track that it stands for, so that both timelines look alike. A track that the recording does
// not have is in the group that a recording would put it in. Internal to predict.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::predict {

class PredictedTracks {
 public:
  // Adds the tracks to `out`. recorded: may be null; both must outlive this.
  PredictedTracks(const trace::Trace* recorded, std::vector<trace::TrackInfo>& out)
      : recorded_(recorded), out_(out) {}

  // `info` has no id, parent and place. `stands_for`: the recorded track; kNoTrack: it is found by its name.
  [[nodiscard]] TrackId add(trace::TrackInfo info, TrackId stands_for = kNoTrack);
  // Adds a track with the name and the place of a recorded one, and another kind.
  [[nodiscard]] TrackId add_beside(const trace::TrackInfo& recorded, trace::TrackKind kind);
  // The recorded track that `info` stands for; nullptr: none.
  [[nodiscard]] const trace::TrackInfo* recorded_as(const trace::TrackInfo& info) const;

 private:
  TrackId put(trace::TrackInfo info);
  TrackId group_like(TrackId recorded);
  TrackId usual_group(const trace::TrackInfo& info);

  const trace::Trace* recorded_;
  std::vector<trace::TrackInfo>& out_;
  std::map<TrackId, TrackId> like_;      // by recorded group
  std::map<std::string, TrackId> made_;  // by name: groups that the recording does not have
};

}  // namespace runahead::predict
