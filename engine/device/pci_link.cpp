#include "engine/device/pci_link.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>

#include "instrumentation/base/format.h"

namespace runahead::engine {
namespace {

// The transfer rate of each generation, starting with generation 1 (PCI Express Base Specification; the
// kernel's pci_speed_string()).
constexpr std::array kTransfersPerSecond{2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 128e9};

// Returns the number at the start of the file. Examples: 32 for "32.0 GT/s PCIe", 16 for "16". 0: the file
// does not start with a number.
double number_in(const std::filesystem::path& file) {
  double number = 0;
  std::ifstream(file) >> number;
  return std::isfinite(number) && number > 0 ? number : 0;
}

}  // namespace

std::optional<PciLink> read_pci_link(const std::filesystem::path& device_folder) {
  const auto lanes = [&](const char* file) {
    const double number = number_in(device_folder / file);
    return number <= 32 ? static_cast<int>(number) : 0;  // the kernel reports 255 or more for "unknown"
  };
  PciLink link{number_in(device_folder / "max_link_speed") * 1e9, lanes("max_link_width"),
               lanes("current_link_width")};
  if (link.transfers_per_s == 0 || link.lanes == 0) return std::nullopt;
  if (link.lanes_in_use == 0) link.lanes_in_use = link.lanes;
  return link;
}

std::optional<PciLink> find_pci_link(std::string_view bus_id) {
  std::string folder(bus_id);
  std::ranges::transform(folder, folder.begin(), [](unsigned char c) { return std::tolower(c); });
  if (folder.empty() || folder.find('/') != std::string::npos) return std::nullopt;
  return read_pci_link(std::filesystem::path("/sys/bus/pci/devices") / folder);
}

int generation(const PciLink& link) {
  const auto found = std::ranges::find(kTransfersPerSecond, link.transfers_per_s);
  return found != kTransfersPerSecond.end() ? static_cast<int>(found - kTransfersPerSecond.begin()) + 1 : 0;
}

double bytes_per_s(const PciLink& link) {
  const int of = generation(link);
  const double code = of == 1 || of == 2 ? 8.0 / 10 : of >= 6 ? 1.0 : 128.0 / 130;
  return link.transfers_per_s * link.lanes_in_use * code / 8;
}

std::string describe(const PciLink& link) {
  std::string text = "PCIe ";
  if (const int of = generation(link); of != 0) text += std::to_string(of) + ".0 ";
  text += "x" + std::to_string(link.lanes);
  if (link.lanes_in_use < link.lanes) text += " of which x" + std::to_string(link.lanes_in_use) + " in use";
  return text + ", " + format_bytes_per_s(bytes_per_s(link)) + " each way";
}

}  // namespace runahead::engine
