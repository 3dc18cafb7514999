#include "engine/device/pci_link.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace runahead::engine {
namespace {

class PciLinkTest : public ::testing::Test {
 protected:
  PciLinkTest() { std::filesystem::create_directories(folder_); }
  ~PciLinkTest() override { std::filesystem::remove_all(folder_); }
  std::optional<PciLink> read(const char* speed, const char* width, const char* width_in_use) const {
    std::ofstream(folder_ / "max_link_speed") << speed << "\n";
    std::ofstream(folder_ / "max_link_width") << width << "\n";
    std::ofstream(folder_ / "current_link_width") << width_in_use << "\n";
    return read_pci_link(folder_);
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("pci_link_test." + std::to_string(::getpid()));
};

TEST_F(PciLinkTest, IsDescribedByItsGenerationItsLanesAndWhatItCarries) {
  const auto link = read("32.0 GT/s PCIe", "16", "16");
  ASSERT_TRUE(link);
  EXPECT_EQ(generation(*link), 5);
  EXPECT_NEAR(bytes_per_s(*link), 63.0e9, 0.1e9);
  EXPECT_EQ(describe(*link), "PCIe 5.0 x16, 63.0 GB/s each way");
}

TEST_F(PciLinkTest, SaysSoWhereLanesAreNotInUse) {
  const auto link = read("8.0 GT/s PCIe", "16", "4");
  ASSERT_TRUE(link);
  EXPECT_EQ(describe(*link), "PCIe 3.0 x16 of which x4 in use, 3.94 GB/s each way");
}

TEST_F(PciLinkTest, OfTheFirstGenerationsPaysAFifthForItsCode) {
  EXPECT_EQ(bytes_per_s(*read("5.0 GT/s PCIe", "1", "1")), 0.5e9);
}

TEST_F(PciLinkTest, ThatTheKernelDoesNotKnowIsNone) {
  EXPECT_FALSE(read("Unknown", "16", "16"));
  EXPECT_FALSE(read("32.0 GT/s PCIe", "255", "255"));
  EXPECT_FALSE(read_pci_link(folder_ / "none"));
  EXPECT_FALSE(find_pci_link(""));
  EXPECT_FALSE(find_pci_link("../../etc"));
}

TEST_F(PciLinkTest, WithoutAWidthInUseHasAllItsLanes) {
  EXPECT_EQ(read("16.0 GT/s PCIe", "8", "0")->lanes_in_use, 8);
}

}  // namespace
}  // namespace runahead::engine
