// `runahead devices`: lists the available devices, says why the other devices are not available, and says
// whether CUPTI can record the activity of a GPU.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/device/device_registry.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#include "instrumentation/cupti/source.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;

Outcome devices_as_json() {
  Json devices = Json::array();
  for (const engine::DeviceEntry& entry : engine::list_devices()) {
    devices.push_back({{"name", entry.name},
                       {"description", entry.description},
                       {"available", entry.available},
                       {"simulated", entry.simulated},
                       {"reason", entry.reason}});
  }
  const cupti::Availability here = cupti::availability();
  const Json cupti{{"available", here.available}, {"version", here.version}, {"reason", here.reason}};
  return write_json({{"devices", devices}, {"cupti", cupti}});
}

Outcome devices_as_text() {
  std::vector<std::vector<std::string>> rows;
  for (const engine::DeviceEntry& entry : engine::list_devices()) {
    rows.push_back({entry.name + (entry.simulated ? " (simulated)" : ""),
                    entry.available ? "available" : "not here",
                    entry.available ? entry.description : entry.reason});
  }
  const cupti::Availability here = cupti::availability();
  rows.push_back({"CUPTI", here.available ? "available" : "not here",
                  here.available
                      ? "records what CUDA programs do on their GPU, version " + std::to_string(here.version)
                      : here.reason});
  return write_stdout(aligned(rows, {true, true, true}) +
                      "Up to virtual:" + std::to_string(engine::kVirtualDevices - 1) +
                      " can be used; each has its own streams, links and memory.\n");
}

}  // namespace

void add_devices_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("devices", "List the devices, and why a device is not available");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  command->callback([json, &chosen] { chosen = *json ? devices_as_json : devices_as_text; });
}

}  // namespace runahead::gui
