// Goes to the evidence of a finding. Pure.
#pragma once

#include "gui/timeline/causes/cause_marks.h"
#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

struct Evidence {
  TrackId track = kNoTrack;
  TimeRange range;
};

// Appends the commands that show the evidence of a finding: the view glides to its time, and its slice or
// idle gap is selected. If it is neither, its time range is measured. Nothing: the range is empty.
void show_evidence(const trace::Trace& trace, const TimelineState& timeline, const CauseMarks& marks,
                   const Evidence& evidence, TimelineCommands& out);

}  // namespace runahead::gui
