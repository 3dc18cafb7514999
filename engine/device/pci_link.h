// The PCI Express link of a device, as the kernel tells it. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::engine {

struct PciLink {
  double transfers_per_s = 0;  // of each lane, at most: 32e9 of the fifth generation
  int lanes = 0;               // at most
  int lanes_in_use = 0;        // fewer: a slot or a riser holds it back
};

// Of a device's folder, such as /sys/bus/pci/devices/0000:17:00.0; nullopt where the kernel does not tell.
// Not the speed in use: a card at rest lowers that to save power.
[[nodiscard]] std::optional<PciLink> read_pci_link(const std::filesystem::path& device_folder);
// By its bus id, in either case: "0000:17:00.0".
[[nodiscard]] std::optional<PciLink> find_pci_link(std::string_view bus_id);

// 1 to 7; 0: no known one.
[[nodiscard]] int generation(const PciLink& link);
// Each way, with the line code paid and not the packets' heads: 63.0 GB/s of a fifth generation's 16 lanes.
[[nodiscard]] double bytes_per_s(const PciLink& link);
// "PCIe 5.0 x16, 63.0 GB/s each way", "PCIe 5.0 x16 of which x8 in use, 31.5 GB/s each way".
[[nodiscard]] std::string describe(const PciLink& link);

}  // namespace runahead::engine
