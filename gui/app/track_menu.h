// The menu of a track or group in the timeline, and the line that says how many tracks are hidden.
#pragma once

#include <optional>

#include "gui/timeline/timeline_commands.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The track whose menu is open; kept between frames.
struct TrackMenu {
  TrackId track = kNoTrack;
};

// If `asked` names a track, opens the menu at the mouse position and resets `asked`. Call this in each frame,
// always in the same ImGui window.
void track_menu(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state,
                std::optional<TrackId>& asked, TrackMenu& menu, TimelineCommands& out);

// Draws "3 hidden - show", with the lower left corner of the text at `corner`. Draws nothing if no track is
// hidden. A click lists the hidden tracks. `id`: unique for each timeline on the screen.
void hidden_tracks(const PanelUi& ui, const char* id, const trace::Trace& trace, const TimelineState& state,
                   ImVec2 corner, TimelineCommands& out);

}  // namespace runahead::gui
