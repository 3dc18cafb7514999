#include "engine/device/memory/host_bounds.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace runahead::engine {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;

// A folder with the layout of /sys/fs/cgroup, removed at the end.
class CgroupTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(mount_); }
  void TearDown() override { std::filesystem::remove_all(mount_); }
  void put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((mount_ / file).parent_path());
    std::ofstream(mount_ / file) << text << "\n";
  }
  const std::filesystem::path mount_ =
      std::filesystem::path(::testing::TempDir()) / ("cgroup_test_" + std::to_string(getpid()));
};

TEST_F(CgroupTest, TheLeastOnTheWayToTheRootHolds) {
  put("a/memory.max", "3000000");
  put("a/b/memory.max", "max");
  put("a/b/c/memory.max", "5000000");
  put("other/memory.max", "1000");
  EXPECT_EQ(cgroup_limit_bytes("0::/a/b/c\n", mount_), 3'000'000u);
  EXPECT_EQ(cgroup_limit_bytes("0::/a/b\n", mount_), 3'000'000u);
  EXPECT_EQ(cgroup_limit_bytes("0::/\n", mount_), kNoBound);
}

TEST_F(CgroupTest, AContainerSeesItsOwnAtTheRoot) {
  put("memory.max", "7000000");
  EXPECT_EQ(cgroup_limit_bytes("0::/docker/0123abcd\n", mount_), 7'000'000u);
}

TEST_F(CgroupTest, TheFirstVersionHasAFolderForMemory) {
  put("memory/group/memory.limit_in_bytes", "4000000");
  put("memory/memory.limit_in_bytes", "9223372036854771712");  // the kernel's value for "no limit"
  put("cpu/group/memory.limit_in_bytes", "1000");
  EXPECT_EQ(cgroup_limit_bytes("5:cpu:/group\n4:hugetlb,memory:/group\n0::/\n", mount_), 4'000'000u);
  EXPECT_EQ(cgroup_limit_bytes("5:cpu:/group\n", mount_), kNoBound);
}

TEST_F(CgroupTest, WhatIsNotUnderstoodSetsNoLimit) {
  put("a/memory.max", "plenty");
  for (const char* text : {"", "\n", "0", "0:", "0::", "::::\n\n", "0::/a", "0::/missing/group"}) {
    EXPECT_EQ(cgroup_limit_bytes(text, mount_), kNoBound) << text;
  }
}

TEST(HostBounds, TheLeastLessAReserveIsTheCapacity) {
  EXPECT_EQ(capacity_within({.physical_bytes = 16 * kGiB}), 16 * kGiB - 256 * kMiB);
  EXPECT_EQ(capacity_within({.physical_bytes = 16 * kGiB, .cgroup_bytes = kGiB}), kGiB - 64 * kMiB);
  EXPECT_EQ(capacity_within({.physical_bytes = 16 * kGiB, .address_bytes = kGiB, .mapped_bytes = 100 * kMiB}),
            kGiB - 164 * kMiB);
}

TEST(HostBounds, NothingIsLeftWhereTheReserveDoesNotFit) {
  EXPECT_EQ(capacity_within({.physical_bytes = 16 * kMiB}), 0u);
  EXPECT_EQ(capacity_within({.address_bytes = kGiB, .mapped_bytes = kGiB}), 0u);
}

TEST(HostBounds, ThisMachineHasSome) {
  EXPECT_GT(host_bounds().physical_bytes, 64 * kMiB);
  EXPECT_GT(host_bounds().mapped_bytes, 0u);
  EXPECT_TRUE(address_space_has(kMiB));
}

}  // namespace
}  // namespace runahead::engine
