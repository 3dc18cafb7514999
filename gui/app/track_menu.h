// The menu of a track or group in the timeline, and the text that tells that some tracks are hidden.
#pragma once

#include <optional>

#include "gui/timeline/timeline_commands.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The track that the menu is for; kept between frames.
struct TrackMenu {
  TrackId track = kNoTrack;
};

// Opens at the mouse position if `asked` names a track, and then resets `asked`. Call in the same window each
// frame.
void track_menu(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state,
                std::optional<TrackId>& asked, TrackMenu& menu, TimelineCommands& out);

// "3 hidden - show", with its lower left corner at `corner`. Draws nothing if no track is hidden. A click
// lists them. `id`: unique for each timeline on the screen.
void hidden_tracks(const PanelUi& ui, const char* id, const trace::Trace& trace, const TimelineState& state,
                   ImVec2 corner, TimelineCommands& out);

}  // namespace runahead::gui
