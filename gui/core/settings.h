// What a person has set, remembered between runs of the program in $XDG_CONFIG_HOME/runahead/settings.json.
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

// How a file names them, by ColourBy.
inline constexpr std::array<std::string_view, kColourByCount> kColourKeys{"kind", "name", "step"};

// How a person has divided the window by dragging its edges, by key; panels have keys of their own
// (PanelModule::kept_sizes). 0: as it is at first.
using PanelSizes = std::map<std::string, float, std::less<>>;
inline constexpr std::string_view kNamesSize = "names_px";  // of the timeline, at scale 1
inline constexpr std::string_view kBelowSize = "below";     // of the height, for PanelPlace::kBelow
inline constexpr std::string_view kUpperSize = "upper";     // of the room of a comparison's two timelines

struct Settings {
  bool light = false;
  float scale = 0;                   // 0: what the screen asks for
  std::optional<Language> language;  // nullopt: as the environment says
  int width_px = 1280, height_px = 800;
  std::map<std::string, bool, std::less<>> visible;  // by PanelInfo::id; one that is not here: as at first
  std::string workload = "training_memory", device, barrier = "none", size = "class";
  std::string folder;               // of the file chosen last
  std::vector<std::string> recent;  // files that were opened, the newest first
  Retention retention;
  PanelSizes sizes{{"names_px", 0.0f}, {"below", 0.0f}, {"upper", 0.0f}};
  TrackChoices tracks;
  ColourBy colour_by = ColourBy::kKind;
  bool motion = true;  // zooms and jumps glide

  friend bool operator==(const Settings&, const Settings&) = default;
};

// Empty where neither XDG_CONFIG_HOME nor HOME is set: then nothing is remembered.
[[nodiscard]] std::filesystem::path settings_path();
// What is missing, unreadable or out of range in the file is as in Settings{}; never an error: settings must
// not keep a window from opening.
[[nodiscard]] Settings load_settings(const std::filesystem::path& path);
// Through a temporary file renamed at the end; makes the folder.
[[nodiscard]] Status save_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace runahead::gui
