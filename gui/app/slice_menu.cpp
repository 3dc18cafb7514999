#include "gui/app/slice_menu.h"

#include <string>

#include "gui/model/model.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {

namespace {

constexpr double kMenuZoomMargin = 0.1;
constexpr float kMostMenuNamePx = 320;

bool slice_item(const PanelUi& ui, const char* name, Text label) {
  const bool pressed = ImGui::MenuItem(text(label));
  mark_widget(ui, name);
  return pressed;
}

void slice_items(const PanelUi& ui, const PanelModel& model, const trace::Slice& slice, FindPanel& find,
                 Commands& out) {
  const std::string name(model.trace.string(slice.name));
  const TimeRange range{slice.begin, slice.end};
  small_dim_line(ui, shortened(ui.fonts.small, name, ui.px(kMostMenuNamePx)));
  if (slice_item(ui, "slice:zoom", Text::kSliceZoom))
    out.push_back(TimelineCommand{GlideTo{fit(range, kMenuZoomMargin)}});
  if (slice_item(ui, "slice:find", Text::kSliceFindAll)) {
    find.view.words.words = words_for_name(name);
    if (!find.shown()) out.push_back(TogglePanel{find.id()});
  }
  if (slice_item(ui, "slice:measure", Text::kSliceMeasure)) out.push_back(TimelineCommand{SetRange{range}});
  if (slice_item(ui, "slice:copy", Text::kSliceCopyName)) ImGui::SetClipboardText(name.c_str());
}

}  // namespace

void slice_menu(const PanelUi& ui, const PanelModel& model, std::optional<SliceRef>& asked, SliceMenu& menu,
                FindPanel& find, Commands& out) {
  if (asked) {
    menu.slice = *asked;
    out.push_back(TimelineCommand{SelectSlice{*asked}});
    asked.reset();
    ImGui::OpenPopup("##slice_menu");
  }
  if (!ImGui::BeginPopup("##slice_menu")) return;
  // The slice may have been evicted since the menu opened.
  if (const auto slice = find_slice(model.trace, menu.slice)) slice_items(ui, model, *slice, find, out);
  ImGui::EndPopup();
}

}  // namespace runahead::gui
