// The settings, stored between runs of the program in $XDG_CONFIG_HOME/runahead/settings.json.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/app_commands.h"
#include "gui/text/language.h"
#include "gui/timeline/track_choices.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// The names of the values of ColourBy in a settings file, in the order of the enum.
inline constexpr std::array<std::string_view, kColourByCount> kColourKeys{"kind", "name", "step"};

// Sizes that the user has set by dragging edges in the window; each size has a key. Panels have their own
// keys (PanelModule::kept_sizes). 0: the default size.
using PanelSizes = std::map<std::string, float, std::less<>>;
// The width of the timeline's column of track names, at scale 1.
inline constexpr std::string_view kNamesSize = "names_px";
// The share of the height that the panel below the timeline has.
inline constexpr std::string_view kBelowSize = "below";
// In a comparison: the share of the height that the upper timeline has.
inline constexpr std::string_view kUpperSize = "upper";

struct Settings {
  bool light = false;
  float scale = 0;                   // 0: the screen's own scale
  std::optional<Language> language;  // nullopt: from the environment
  int width_px = 1280, height_px = 800;
  // Key: PanelInfo::id; value: the panel is shown. A panel without an entry has its default.
  std::map<std::string, bool, std::less<>> visible;
  std::string workload = "training_memory", device, barrier = "none", size = "class";
  std::string folder;               // folder of the file that the user chose last
  std::vector<std::string> recent;  // recently opened files, newest first
  Retention retention;
  PanelSizes sizes{{"names_px", 0.0f}, {"below", 0.0f}, {"upper", 0.0f}};
  TrackChoices tracks;
  ColourBy colour_by = ColourBy::kKind;
  ColourBy trace_colour_by = ColourBy::kName;  // in trace mode (Screen::trace_mode), where few kinds occur
  bool motion = true;                          // zooms and jumps are animated

  friend bool operator==(const Settings&, const Settings&) = default;
};

// Returns the path of the settings file. Empty: neither XDG_CONFIG_HOME nor HOME is set, so nothing is
// stored.
[[nodiscard]] std::filesystem::path settings_path();
// Reads the settings. A value that is missing, unreadable or out of range gets the value of Settings{}. Bad
// settings are never an error, because they must not prevent the window from opening.
[[nodiscard]] Settings load_settings(const std::filesystem::path& path);
// Writes a temporary file and renames it when the file is complete. Creates the folder.
[[nodiscard]] Status save_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace runahead::gui
