#include "engine/device/device_registry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/device/cpu_device.h"
#include "engine/device/memory/host_memory.h"
#include "engine/device/module_device.h"
#include "engine/device/module_loader.h"
#include "engine/device/pci_link.h"
#include "engine/device/virtual_device.h"
#include "instrumentation/base/format.h"

namespace runahead::engine {
namespace {

constexpr std::string_view kOptions = ",preset=";

// Returns the smaller of `asked_for` bytes and `there_is` bytes. asked_for 0: returns `there_is`.
std::size_t least_of(std::size_t there_is, std::size_t asked_for) {
  return asked_for == 0 ? there_is : std::min(there_is, asked_for);
}

std::string describe(const RunaheadModuleDevice& device) {
  std::string text = std::string(device.name) + ", " + format_bytes(static_cast<double>(device.memory_bytes));
  if (device.detail[0] != '\0') text += std::string(", ") + device.detail;
  if (const std::optional<PciLink> link = find_pci_link(device.pci_bus_id)) text += ", " + describe(*link);
  return text;
}

std::string module_device_name(ModuleKind kind, int index) {
  return std::string(device_prefix(kind)) + ":" + std::to_string(index);
}

std::vector<DeviceEntry> module_entries(ModuleKind kind) {
  const RunaheadDiscovery found = discover_devices(kind).found;
  std::vector<DeviceEntry> entries;
  for (int i = 0; i < found.device_count; ++i)
    entries.push_back({.name = module_device_name(kind, i),
                       .description = describe(found.devices[i]),
                       .available = true,
                       .simulated = found.simulated != 0});
  if (entries.empty())
    entries.push_back({.name = module_device_name(kind, 0),
                       .description = std::string(device_words(kind)),
                       .reason = found.reason});
  return entries;
}

// Returns the kind whose devices have names like this one: its prefix, ":" and a number.
std::optional<ModuleKind> module_kind_of(std::string_view name) {
  for (const ModuleKind kind : kModuleKinds) {
    const std::string prefix = std::string(device_prefix(kind)) + ":";
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!digits.empty() && std::ranges::all_of(digits, is_digit)) return kind;
  }
  return std::nullopt;
}

// Returns the index of the device in `found`. -1: not found.
int module_index(ModuleKind kind, const RunaheadDiscovery& found, std::string_view name) {
  for (int i = 0; i < found.device_count; ++i) {
    if (name == module_device_name(kind, i)) return i;
  }
  return -1;
}

Status check_module_device(ModuleKind kind, const RunaheadDiscovery& found, std::string_view name) {
  const std::string device = "device '" + std::string(name) + "' ";
  if (found.device_count == 0) return Error{device + "is not available: " + std::string(found.reason)};
  if (module_index(kind, found, name) >= 0) return Ok{};
  return Error{device + "is not here; the last is " + module_device_name(kind, found.device_count - 1)};
}

Result<std::unique_ptr<Device>> open_module_device(ModuleKind kind, std::string_view name,
                                                   std::size_t capacity_bytes) {
  const auto [found, api] = discover_devices(kind);
  if (Status there = check_module_device(kind, found, name); !there) return there.error();
  const int i = module_index(kind, found, name);
  return make_module_device(*api, {.name = std::string(name),
                                   .index = i,
                                   .description = describe(found.devices[i]),
                                   .capacity_bytes = least_of(found.devices[i].memory_bytes, capacity_bytes),
                                   .simulated = found.simulated != 0});
}

std::string known_names() {
  return "cpu, virtual:0 to virtual:" + std::to_string(kVirtualDevices - 1) + ", cuda:N, opencl:N";
}

DeviceEntry virtual_entry(std::string_view name) {
  return {.name = std::string(name),
          .description = describe(VirtualModel{}),
          .available = true,
          .simulated = true};
}

Result<VirtualModel> model_of(std::string_view name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos) return VirtualModel{};
  const std::string_view options = name.substr(comma);
  if (!options.starts_with(kOptions)) {
    return Error{"device '" + std::string(name) + "': '" + std::string(options.substr(1)) +
                 "' is not preset=NAME"};
  }
  Result<VirtualModel> preset = find_virtual_preset(options.substr(kOptions.size()));
  if (!preset) return Error{"device '" + std::string(name) + "': " + preset.error().message};
  return preset;
}

std::unique_ptr<Device> open_virtual(std::string_view name, VirtualModel model, std::size_t capacity_bytes) {
  if (capacity_bytes != 0) model.capacity_bytes = capacity_bytes;
  return make_virtual_device(std::string(name.substr(0, name.find(','))), model, make_real_clock());
}

}  // namespace

bool is_virtual_device(std::string_view name) {
  const std::string_view base = name.substr(0, name.find(','));
  for (int i = 0; i < kVirtualDevices; ++i) {
    if (base == "virtual:" + std::to_string(i)) return true;
  }
  return false;
}

bool is_module_device(std::string_view name) { return module_kind_of(name).has_value(); }

std::string device_description(std::string_view name) {
  if (name == "cpu") return cpu_description();
  if (is_virtual_device(name)) {
    const Result<VirtualModel> model = model_of(name);
    return model ? describe(*model) : "";
  }
  const std::optional<ModuleKind> kind = module_kind_of(name);
  if (!kind) return "";
  const std::vector<DeviceEntry> entries = module_entries(*kind);
  const auto found = std::ranges::find(entries, name, &DeviceEntry::name);
  return found != entries.end() && found->available ? found->description : "";
}

std::vector<DeviceEntry> list_devices() {
  std::vector<DeviceEntry> entries;
  entries.push_back({.name = "cpu", .description = cpu_description(), .available = true});
  entries.push_back(virtual_entry("virtual:0"));
  entries.push_back(virtual_entry("virtual:1"));
  for (const ModuleKind kind : kModuleKinds) {
    for (DeviceEntry& entry : module_entries(kind)) entries.push_back(std::move(entry));
  }
  return entries;
}

Status check_device(std::string_view name) {
  if (name == "cpu") return Ok{};
  if (const std::optional<ModuleKind> kind = module_kind_of(name))
    return check_module_device(*kind, discover_devices(*kind).found, name);
  if (!is_virtual_device(name))
    return Error{"unknown device '" + std::string(name) + "'; there are: " + known_names()};
  const Result<VirtualModel> model = model_of(name);
  return model ? Status(Ok{}) : Status(model.error());
}

Result<std::unique_ptr<Device>> open_device(std::string_view name, std::size_t capacity_bytes) {
  if (const std::optional<ModuleKind> kind = module_kind_of(name))
    return open_module_device(*kind, name, capacity_bytes);
  if (Status there = check_device(name); !there) return there.error();
  if (name == "cpu") return make_cpu_device(least_of(host_capacity_bytes(), capacity_bytes));
  return open_virtual(name, *model_of(name), capacity_bytes);
}

}  // namespace runahead::engine
