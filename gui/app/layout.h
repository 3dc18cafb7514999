// One frame of the window: which panel goes where, and the keys that are no panel's own.
#pragma once

#include "gui/app/track_menu.h"
#include "gui/core/app_core.h"
#include "gui/timeline/paint/timeline_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Where the plot of the timeline was drawn, for the report.
struct PlotRect {
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
};

struct LayoutState {
  TimelineView view;
  FrameCost cost;
  PlotRect plot;
  PlotRect timeline;  // with its names, overview and ruler
  TrackMenu track_menu, lower_track_menu;
  TimelineView lower;     // of a comparison's side B
  PlotRect lower_plot;    // nothing where there is none
  float below_share = 0;  // of the height, for what finds, asks or compares; 0: the usual
  float upper_share = 0;  // of the room of a comparison's two timelines; 0: half
  bool search_fresh = false;
  struct NoteField {  // a note that is being written
    Timestamp at{};
    std::string words;
    bool fresh = true;  // the field takes the keyboard
  };
  std::optional<NoteField> note;
};

// Between begin_frame and end_frame. Emits commands; changes only `layout` and the open dialog.
void draw_layout(AppCore& core, const PanelModel& model, const PanelUi& ui, LayoutState& layout,
                 Commands& out);

}  // namespace runahead::gui
