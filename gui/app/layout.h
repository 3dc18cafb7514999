// One frame of the window: which panel goes where, and the keys that are no panel's own.
#pragma once

#include "gui/core/app_core.h"
#include "gui/graph/graph_view.h"
#include "gui/panels/compare/compare.h"
#include "gui/panels/find/find.h"
#include "gui/panels/lesson/paint_lesson_band.h"
#include "gui/panels/memory/memory.h"
#include "gui/panels/query/query.h"
#include "gui/app/track_menu.h"
#include "gui/widgets/ui.h"
#include "gui/panels/waits/waits.h"
#include "gui/timeline/timeline_panel.h"

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
  GraphView graph;
  QueryView query;
  FindView find;
  WaitsView waits;
  MemoryView memory;
  CompareView compare;
  LessonBandView lesson_band;
  TrackMenu track_menu, lower_track_menu;
  TimelineView lower;     // of a comparison's side B
  PlotRect lower_plot;    // nothing where there is none
  float graph_share = 0;  // of the width that timeline and graph have; 0: the usual
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
