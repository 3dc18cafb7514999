// Draws one frame of the window: places the panels, and handles the keys that belong to no panel.
#pragma once

#include "gui/app/slice_menu.h"
#include "gui/app/track_menu.h"
#include "gui/core/app_core.h"
#include "gui/timeline/paint/timeline_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The rectangle of the timeline's plot, in window pixels. It is written to the report (report.h).
struct PlotRect {
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
};

struct LayoutState {
  TimelineView view;
  FrameCost cost;
  PlotRect plot;
  PlotRect timeline;  // the complete timeline: plot, track names, overview and ruler
  TrackMenu track_menu, lower_track_menu;
  SliceMenu slice_menu;
  TimelineView lower;     // the timeline of side B of a comparison
  PlotRect lower_plot;    // empty if there is no lower timeline
  float below_share = 0;  // share of the height for the panel of PanelPlace::kBelow; 0: default
  float upper_share = 0;  // in a comparison: share of the height for the upper timeline; 0: half
  bool search_fresh = false;
  bool opens_field = false;  // a shortcut of this frame opens something that may have a text field
  struct NoteField {         // a note that is being written
    Timestamp at{};
    std::string words;
    bool fresh = true;  // true: the field takes the keyboard focus
  };
  std::optional<NoteField> note;
};

// Call between begin_frame and end_frame. Emits commands. Changes only `layout` and the state of the open
// dialog.
void draw_layout(AppCore& core, const PanelModel& model, const PanelUi& ui, LayoutState& layout,
                 Commands& out);

}  // namespace runahead::gui
