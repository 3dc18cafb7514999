#include "engine/device/device_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace runahead::engine {
namespace {

using ::testing::HasSubstr;

const DeviceEntry& entry(const std::vector<DeviceEntry>& entries, std::string_view name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const DeviceEntry& e) { return e.name == name; });
  EXPECT_NE(found, entries.end()) << name;
  return *found;
}

TEST(Registry, ListsEveryDeviceAndWhyOneIsNotAvailable) {
  ::unsetenv("RUNAHEAD_MODULE_DIR");  // do not use the simulated CUDA module of other tests
  const auto entries = list_devices();
  EXPECT_TRUE(entry(entries, "cpu").available);
  EXPECT_FALSE(entry(entries, "cpu").simulated);
  EXPECT_TRUE(entry(entries, "virtual:0").available);
  EXPECT_TRUE(entry(entries, "virtual:0").simulated);
  EXPECT_TRUE(entry(entries, "virtual:1").available);
  EXPECT_FALSE(entry(entries, "cuda:0").simulated);
  for (const DeviceEntry& e : entries) {
    EXPECT_FALSE(e.description.empty());
    EXPECT_EQ(e.available, e.reason.empty());
    EXPECT_EQ(e.reason.find('\n'), std::string::npos);
  }
}

TEST(Registry, WhatItSaysIsAvailableOpens) {
  for (const DeviceEntry& e : list_devices()) {
    const auto device = open_device(e.name);
    EXPECT_EQ(device.ok(), e.available) << e.name;
    if (device.ok()) {
      EXPECT_EQ((*device)->name(), e.name);
      EXPECT_EQ((*device)->simulated(), e.simulated);
      EXPECT_TRUE((*device)->holds_values());
      EXPECT_EQ((*device)->description(), e.description);
    } else {
      EXPECT_THAT(device.error().message, HasSubstr(e.reason));
    }
  }
}

TEST(Registry, EightVirtualDevicesOpenEachWithMemoryOfItsOwn) {
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "virtual:" + std::to_string(i);
    Result<std::unique_ptr<Device>> device = open_device(name);
    ASSERT_TRUE(device.ok()) << device.error().message;
    EXPECT_EQ((*device)->name(), name);
    EXPECT_TRUE((*device)->simulated());
    EXPECT_TRUE(is_virtual_device(name + ",preset=h100"));
    EXPECT_EQ(device_description(name), (*device)->description());
    devices.push_back(std::move(*device));
  }
  const Result<Block> held = devices[2]->pool().allocate(1000);
  EXPECT_GT(devices[2]->pool().stats().live_bytes, 0u);
  EXPECT_EQ(devices[3]->pool().stats().live_bytes, 0u);
  EXPECT_FALSE(is_virtual_device("virtual:8"));
  EXPECT_FALSE(is_virtual_device("cuda:0"));
  EXPECT_EQ(device_description("virtual:8"), "");
}

TEST(Registry, ADeviceHasTheCapacityThatItIsToldToHave) {
  for (const char* name : {"cpu", "virtual:0", "virtual:1,preset=h100"}) {
    EXPECT_EQ((*open_device(name, 5'000'000))->pool().stats().capacity_bytes, 5'000'000u) << name;
  }
  const std::size_t whole = (*open_device("cpu"))->pool().stats().capacity_bytes;
  EXPECT_EQ((*open_device("cpu", std::size_t{1} << 60))->pool().stats().capacity_bytes, whole);
}

TEST(Registry, APresetOfARealCardIsTimingOnly) {
  const auto device = open_device("virtual:0,preset=h100");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->name(), "virtual:0");
  EXPECT_FALSE((*device)->holds_values());
  EXPECT_THAT((*device)->description(), HasSubstr("timing only"));
}

TEST(Registry, WhatIsUnknownIsNamedWithWhatThereIs) {
  EXPECT_THAT(open_device("gpu").error().message,
              HasSubstr("unknown device 'gpu'; there are: cpu, virtual:0 to virtual:7, cuda:N, opencl:N"));
  EXPECT_FALSE(open_device("").ok());
  for (const char* name : {"virtual", "virtual:", "virtual:8", "virtual:-1", "virtual:00", "virtual:10"})
    EXPECT_FALSE(open_device(name).ok()) << name;
  EXPECT_FALSE(open_device("cpu,preset=h100").ok());
  EXPECT_THAT(open_device("virtual:0,preset=x").error().message,
              HasSubstr("unknown preset 'x'; there are: default, h100"));
  EXPECT_THAT(open_device("virtual:0,speed=9").error().message, HasSubstr("'speed=9' is not preset=NAME"));
  EXPECT_THAT(open_device("cuda:9").error().message, HasSubstr("cuda:9"));
}

}  // namespace
}  // namespace runahead::engine
