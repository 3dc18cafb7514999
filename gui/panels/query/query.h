// Questions to the trace in SQL: what is asked, and the answer as a table, each row a click away from its
// slice.
#pragma once

#include <string>

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

struct QueryView {
  std::string sql;     // as it is being written; empty: the first example, once it is drawn
  float share = 0;     // of the height that the views have; 0: the usual
  bool fresh = false;  // the field takes the keyboard
};

// Draws into what is left of the current window. Changes only `view`.
void query_panel(const PanelModel& model, const PanelUi& ui, QueryView& view, Commands& out);

}  // namespace runahead::gui
