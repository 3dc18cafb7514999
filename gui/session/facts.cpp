#include "gui/session/facts.h"

#include <unistd.h>

#include <array>
#include <ctime>

namespace runahead::gui {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string_view program_version() { return RUNAHEAD_VERSION; }

std::string iso8601_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string device_names(const samples::RunConfig& config) {
  if (!config.devices.empty()) return joined(config.devices);
  const samples::WorkloadSpec* spec = samples::find_workload(config.workload);
  return spec != nullptr ? spec->default_device : "";
}

std::map<std::string, std::string> capture_facts(const samples::RunConfig& config) {
  std::map<std::string, std::string> facts{
      {"host", host_name()},
      {"started_at", iso8601_now()},
      {"workload", config.workload},
      {"device", device_names(config)},
      {"barrier", engine::to_string(config.barrier)},
      {"engine", config.engine.kind == engine::EngineKind::kNaive ? "naive" : "threaded"},
      {"size", config.size},
      {"runahead.version", std::string(program_version())},
  };
  for (const auto& [name, value] : samples::engine_settings(config)) facts["engine." + name] = value;
  for (const auto& [name, value] : config.settings) facts["setting." + name] = value;
  return facts;
}

}  // namespace runahead::gui
