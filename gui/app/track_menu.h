// What a person does with groups and tracks as a whole: the menu behind a name of the timeline, and the words
// that tell that some are hidden.
#pragma once

#include <optional>

#include "gui/timeline/timeline_commands.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Whose menu it is; kept between frames.
struct TrackMenu {
  TrackId track = kNoTrack;
};

// Opens where the mouse is when `asked` names a track, which is then forgotten. In the same window each
// frame.
void track_menu(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state,
                std::optional<TrackId>& asked, TrackMenu& menu, TimelineCommands& out);

// "3 hidden - show", with its lower left corner there; nothing where nothing is hidden. A click lists them.
// `id`: of the window that it is in, one for each timeline on the screen.
void hidden_tracks(const PanelUi& ui, const char* id, const trace::Trace& trace, const TimelineState& state,
                   ImVec2 corner, TimelineCommands& out);

}  // namespace runahead::gui
