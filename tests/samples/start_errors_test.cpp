// Tests that a run refuses to start if an argument is wrong (a usage error), or if a device is not available.
#include <gtest/gtest.h>

#include <variant>

#include "engine/device/device_registry.h"
#include "samples/runner.h"

namespace runahead::samples {
namespace {

Runner::StartError refusal_of(RunConfig config) {
  auto started = Runner::start(std::move(config));
  if (const auto* error = std::get_if<Runner::StartError>(&started)) return *error;
  ADD_FAILURE() << "it started";
  return {};
}

void expect_wrong_word(const Runner::StartError& refusal, const std::string& word) {
  EXPECT_TRUE(refusal.usage);
  EXPECT_NE(refusal.error.message.find(word), std::string::npos) << refusal.error.message;
  EXPECT_EQ(refusal.error.message.find('\n'), std::string::npos);
}

TEST(Start, NamesTheWordThatIsWrong) {
  expect_wrong_word(refusal_of({.workload = "nothing"}), "nothing");
  expect_wrong_word(refusal_of({.devices = {"gpu"}}), "gpu");
  expect_wrong_word(refusal_of({.devices = {"virtual:0,preset=abacus"}}), "abacus");
  expect_wrong_word(refusal_of({.size = "vast"}), "vast");
  expect_wrong_word(refusal_of({.settings = {{"batch", "-3"}}}), "batch");
  expect_wrong_word(refusal_of({.barrier = {.kind = BarrierKind::kWindow, .k = 0}}), "window");
}

TEST(Start, RefusesAWorkloadThatNeedsAnAcceleratorOnTheCpu) {
  expect_wrong_word(refusal_of({.workload = "overlap", .devices = {"cpu"}}), "virtual:0");
}

TEST(Start, ADeviceThatIsKnownButNotHereIsNoWrongWord) {
  for (const engine::DeviceEntry& entry : engine::list_devices()) {
    if (entry.available) continue;
    const Runner::StartError refusal = refusal_of({.devices = {entry.name}});
    EXPECT_FALSE(refusal.usage);
    EXPECT_NE(refusal.error.message.find(entry.name), std::string::npos) << refusal.error.message;
  }
}

}  // namespace
}  // namespace runahead::samples
