#include "gui/core/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "instrumentation/base/posix_file.h"

namespace runahead::gui {

namespace {

using Json = nlohmann::json;

constexpr float kWidestNamesPx = 4000;

template <typename T>
void read(const Json& json, const char* key, T& out) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  try {
    out = found->get<T>();
  } catch (const Json::exception&) {
    // A value of a wrong type is ignored, and the default is used.
  }
}

void read_panels(const Json& json, Settings& settings) {
  const auto panels = json.find("panels");
  if (panels == json.end() || !panels->is_object()) return;
  for (const auto& [id, shown] : panels->items()) {
    if (shown.is_boolean()) settings.visible[id] = shown.get<bool>();
  }
}

void read_colour(const Json& json, const char* key, ColourBy& out) {
  std::string colour;
  read(json, key, colour);
  const auto by = std::ranges::find(kColourKeys, colour);
  if (by != kColourKeys.end()) out = static_cast<ColourBy>(by - kColourKeys.begin());
}

void read_tracks(const Json& json, TrackChoices& tracks) {
  const auto found = json.find("tracks");
  if (found == json.end() || !found->is_object()) return;
  read(*found, "pinned", tracks.pinned);
  read(*found, "hidden", tracks.hidden);
  read(*found, "order", tracks.order);
  read(*found, "folded", tracks.collapsed);
  read(*found, "queues", tracks.expanded_queues);
  read(*found, "more", tracks.more_shown);
  read(*found, "fitted", tracks.fitted);
}

void read_sizes(const Json& json, PanelSizes& sizes) {
  const auto found = json.find("sizes");
  if (found == json.end() || !found->is_object()) return;
  for (const auto& [key, value] : found->items()) {
    const float most = key == kNamesSize ? kWidestNamesPx : 1;
    if (value.is_number() && value.get<float>() > 0 && value.get<float>() <= most)
      sizes[key] = value.get<float>();
  }
}

// The key of each Retention::Kind, in the order of the enum.
constexpr std::array<std::string_view, 3> kKeepKeys{"whole", "seconds", "megabytes"};

void read_retention(const Json& json, Retention& keep) {
  const auto found = json.find("record");
  if (found == json.end() || !found->is_object()) return;
  std::string kind;
  read(*found, "keep", kind);
  const auto key = std::ranges::find(kKeepKeys, kind);
  if (key != kKeepKeys.end()) keep.kind = static_cast<Retention::Kind>(key - kKeepKeys.begin());
  read(*found, "seconds", keep.seconds);
  read(*found, "megabytes", keep.megabytes);
  keep = within_bounds(keep);
}

Json to_json(const Settings& settings) {
  return Json{{"light", settings.light},
              {"scale", settings.scale},
              {"language", settings.language ? language_code(*settings.language) : ""},
              {"width_px", settings.width_px},
              {"height_px", settings.height_px},
              {"panels", Json(settings.visible)},
              {"workload", settings.workload},
              {"device", settings.device},
              {"barrier", settings.barrier},
              {"size", settings.size},
              {"folder", settings.folder},
              {"recent", settings.recent},
              {"motion", settings.motion},
              {"colour_by", kColourKeys[static_cast<std::size_t>(settings.colour_by)]},
              {"trace_colour_by", kColourKeys[static_cast<std::size_t>(settings.trace_colour_by)]},
              {"record",
               {{"keep", kKeepKeys[static_cast<std::size_t>(settings.retention.kind)]},
                {"seconds", settings.retention.seconds},
                {"megabytes", settings.retention.megabytes}}},
              {"sizes", Json(settings.sizes)},
              {"tracks",
               {{"pinned", settings.tracks.pinned},
                {"hidden", settings.tracks.hidden},
                {"order", settings.tracks.order},
                {"folded", settings.tracks.collapsed},
                {"queues", settings.tracks.expanded_queues},
                {"more", settings.tracks.more_shown},
                {"fitted", settings.tracks.fitted}}}};
}

}  // namespace

std::filesystem::path settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/')
    return std::filesystem::path(config) / "runahead" / "settings.json";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".config" / "runahead" / "settings.json";
  return {};
}

Settings load_settings(const std::filesystem::path& path) {
  Settings settings;
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return settings;
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object()) return settings;
  read(json, "light", settings.light);
  read(json, "scale", settings.scale);
  std::string code;
  read(json, "language", code);
  settings.language = language_of_code(code);
  read(json, "width_px", settings.width_px);
  read(json, "height_px", settings.height_px);
  read_panels(json, settings);
  read(json, "workload", settings.workload);
  read(json, "device", settings.device);
  read(json, "barrier", settings.barrier);
  read(json, "size", settings.size);
  read(json, "folder", settings.folder);
  read(json, "recent", settings.recent);
  read_retention(json, settings.retention);
  read_sizes(json, settings.sizes);
  read_tracks(json, settings.tracks);
  read(json, "motion", settings.motion);
  read_colour(json, "colour_by", settings.colour_by);
  read_colour(json, "trace_colour_by", settings.trace_colour_by);
  if (!(settings.scale >= 1.0f && settings.scale <= 2.5f)) settings.scale = 0;
  settings.width_px = std::clamp(settings.width_px, 800, 16'384);
  settings.height_px = std::clamp(settings.height_px, 480, 16'384);
  if (settings.size != "published") settings.size = "class";
  return settings;
}

Status save_settings(const Settings& settings, const std::filesystem::path& path) {
  if (path.empty()) return Ok{};
  std::error_code code;
  std::filesystem::create_directories(path.parent_path(), code);
  const Status written =
      write_file(Destination::kSettings, path,
                 to_json(settings).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (!written) return Error{written.error().message + "; your settings are not saved"};
  return Ok{};
}

}  // namespace runahead::gui
