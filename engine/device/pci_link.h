// The PCI Express link of a device, as the kernel reports it. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::engine {

struct PciLink {
  double transfers_per_s = 0;  // largest rate of each lane: 32e9 for generation 5
  int lanes = 0;               // largest number of lanes that the device supports
  int lanes_in_use = 0;        // fewer than `lanes` if a slot or a riser limits the link
};

// Reads the link from a device's folder, such as /sys/bus/pci/devices/0000:17:00.0. nullopt if the kernel
// does not report the link. Ignores the current speed, because an idle card lowers this speed to save power.
[[nodiscard]] std::optional<PciLink> read_pci_link(const std::filesystem::path& device_folder);
// Finds a link by bus id, in upper or lower case: "0000:17:00.0".
[[nodiscard]] std::optional<PciLink> find_pci_link(std::string_view bus_id);

// Returns the generation of PCI Express, 1 to 7. 0: unknown.
[[nodiscard]] int generation(const PciLink& link);
// Returns the bytes per second in each direction. The overhead of the line code (such as 128b/130b) is
// subtracted. The overhead of packet headers is not. Example: 63.0 GB/s for 16 lanes of generation 5.
[[nodiscard]] double bytes_per_s(const PciLink& link);
// Returns a text such as "PCIe 5.0 x16, 63.0 GB/s each way" or "PCIe 5.0 x16 of which x8 in use, 31.5 GB/s
// each way".
[[nodiscard]] std::string describe(const PciLink& link);

}  // namespace runahead::engine
