// The registry of panels: all panels of the window, in menu order. To add a panel, create its folder, and add
// its #include and its name to this file. The window's layout, menu, keys, buttons and settings use this
// list, and so does the report.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "gui/panels/about/about_panel.h"
#include "gui/panels/causes/causes_panel.h"
#include "gui/panels/class/class_panel.h"
#include "gui/panels/compare/compare_panel.h"
#include "gui/panels/debug/debug_panel.h"
#include "gui/panels/details/details_panel.h"
#include "gui/panels/find/find_panel.h"
#include "gui/panels/graph/graph_panel.h"
#include "gui/panels/help/help_panel.h"
#include "gui/panels/legend/legend_panel.h"
#include "gui/panels/lesson/lesson_panel.h"
#include "gui/panels/memory/memory_panel.h"
#include "gui/panels/metrics/metrics_panel.h"
#include "gui/panels/query/query_panel.h"
#include "gui/panels/script/script_panel.h"
#include "gui/panels/status/status_panel.h"
#include "gui/panels/strip/strip_panel.h"
#include "gui/panels/waits/waits_panel.h"
#include "gui/panels/whatif/whatif_panel.h"

namespace runahead::gui {

template <typename... Panels>
class PanelList {
 public:
  // `wake` wakes the window. A panel calls `wake`, on any thread, when a new result is ready. The panel's
  // poll() then takes the result.
  explicit PanelList(const std::function<void()>& wake)
      : panels_(make<Panels>(wake)...), all_{std::get<std::unique_ptr<Panels>>(panels_).get()...} {}

  [[nodiscard]] std::span<PanelModule* const> all() const { return all_; }
  template <typename Panel>
  [[nodiscard]] Panel& get() const {
    return *std::get<std::unique_ptr<Panel>>(panels_);
  }
  // Returns the panel with this id; nullptr: there is none.
  [[nodiscard]] PanelModule* find(std::string_view id) const { return find_panel(all_, id); }
  [[nodiscard]] bool shows(std::string_view id) const { return shows_panel(all_, id); }
  // Calls work(panel). `panel` is a reference to `module` that has the concrete type of the panel, such as
  // MemoryPanel.
  template <typename Work>
  void with(const PanelModule& module, const Work& work) const {
    const auto call = [&](const auto& panel) {
      if (panel.get() == &module) work(*panel);
    };
    (call(std::get<std::unique_ptr<Panels>>(panels_)), ...);
  }

 private:
  template <typename Panel>
  static std::unique_ptr<Panel> make(const std::function<void()>& wake) {
    if constexpr (std::is_constructible_v<Panel, std::function<void()>>) {
      return std::make_unique<Panel>(wake);
    } else {
      return std::make_unique<Panel>();
    }
  }

  std::tuple<std::unique_ptr<Panels>...> panels_;
  std::array<PanelModule*, sizeof...(Panels)> all_;
};

using PanelSet =
    PanelList<LessonPanel, DetailsPanel, StripPanel, StatusPanel, GraphPanel, ScriptPanel, FindPanel,
              CausesPanel, WhatIfPanel, WaitsPanel, MemoryPanel, QueryPanel, ComparePanel, ClassPanel,
              LegendPanel, DebugPanel, MetricsPanel, HelpPanel, AboutPanel>;

}  // namespace runahead::gui
