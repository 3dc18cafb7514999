// Tests the OpenCL module with a driver that is simulated on the host, and that fails on request. A program
// of its own, because the loader of OpenCL drivers looks for them once in a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/device_registry.h"
#include "engine/device/memory/host_memory.h"
#include "engine/device/module_loader.h"
#include "tests/engine/driver_moments.h"
#include "tests/engine/engine_fixture.h"
#include "tests/engine/op_of_parts.h"
#include "tests/engine/products_together.h"
#include "tests/host_opencl/host_opencl.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using host_opencl::host_opencl_controls;
using host_opencl::HostOpenClControls;
using runahead::testing::Capture;
using ::testing::HasSubstr;
using ::testing::Not;

// Errors of CL/cl.h, which only the module and the driver include.
constexpr std::int32_t kNotAvailable = -2, kOutOfResources = -5, kOutOfHostMemory = -6, kInvalidContext = -34;

class OpenClDriver : public ::testing::Test {
 protected:
  OpenClDriver() {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a child of its own for each question
    host_opencl::use_host_opencl();
    ::unsetenv("RUNAHEAD_MODULE_DIR");
  }
  // What a driver still has is a leak.
  ~OpenClDriver() override {
    host_opencl::HostOpenClControls& driver = host_opencl_controls();
    EXPECT_EQ(driver.contexts, 0);
    EXPECT_EQ(driver.queues, 0);
    EXPECT_EQ(driver.buffers, 0);
    EXPECT_EQ(driver.programs, 0);
    EXPECT_EQ(driver.kernels, 0);
    EXPECT_EQ(driver.events, 0);
    driver.platform_error = driver.refuse_error = driver.break_error = 0;
    driver.no_devices = driver.fail_build = driver.no_queue_times = driver.break_loses_device = false;
    driver.refuse_command = driver.break_command = 0;
    driver.refuse_flush = false;
    driver.silent_error = 0;
  }

  // The command after the next `count` commands ends with `error`.
  static void break_after(std::int64_t count, std::int32_t error, bool loses_device) {
    host_opencl_controls().break_error = error;
    host_opencl_controls().break_loses_device = loses_device;
    host_opencl_controls().break_command = host_opencl_controls().commands + count + 1;
  }
  static void refuse_after(std::int64_t count, std::int32_t error) {
    host_opencl_controls().refuse_error = error;
    host_opencl_controls().refuse_command = host_opencl_controls().commands + count + 1;
  }
};

// An engine with both devices of the driver, and the cpu.
struct Devices {
  explicit Devices(EngineOptions options = {}) : engine(Engine::create(options)) {
    first = {engine.get(), engine->device("opencl:0").value()};
    second = {engine.get(), engine->device("opencl:1").value()};
    cpu = {engine.get(), engine->device("cpu").value()};
  }
  Status wait_all() const { return engine->wait_all(kWaitAll); }

  std::unique_ptr<Engine> engine;
  Context first, second, cpu;
};

std::string first_reason() {
  for (const DeviceEntry& entry : list_devices()) {
    if (entry.name == "opencl:0") return entry.reason;
  }
  return "not listed";
}

// A program with ops, calls of the host, and copies in all directions.
std::vector<Array> run_program(const Devices& devices) {
  Array a = ones(devices.first, {64}), b = ones(devices.second, {64});
  const Array host = from_host(devices.cpu, {2}, std::vector<float>{1.0f, 2.0f});
  for (int i = 0; i < 2; ++i) {
    a = (a + 1.0f) * 2.0f;
    b = copy_to(a, devices.second) + 0.5f;
    ArrayOp op{
        .site = &record::intern_site("call", trace::SliceKind::kExecute), .inputs = {a}, .shapes = {{64}}};
    a = apply(devices.first, op, [](const Values& values) {
          values.math.call([] {});
          values.math.copy(values.in[0], values.out[0], 64);
        }).front();
  }
  return {copy_to(b, devices.first), copy_to(a, devices.cpu), copy_to(host, devices.first)};
}

TEST_F(OpenClDriver, IsListedWithItsNameAndPlatform) {
  const std::string text = device_description("opencl:0");
  EXPECT_THAT(text, HasSubstr(host_opencl::kHostDeviceName));
  EXPECT_THAT(text, HasSubstr(host_opencl::kHostPlatformName));
  EXPECT_THAT(open_device("opencl:2").error().message, HasSubstr("the last is opencl:1"));
}

TEST_F(OpenClDriver, ComputesAndCopies) {
  const Devices devices;
  const std::vector<Array> results = run_program(devices);
  EXPECT_EQ(results[0].asnumpy().value(), std::vector<float>(64, 10.5f));
  EXPECT_EQ(results[1].asnumpy().value(), std::vector<float>(64, 10.0f));
  EXPECT_EQ(results[2].asnumpy().value(), (std::vector<float>{1.0f, 2.0f}));
}

// ---- drivers that have no device --------------------------------------------------------------------------

TEST_F(OpenClDriver, SaysThatADriverFindsNoDevice) {
  const auto ask = [] {
    host_opencl_controls().no_devices = true;
    std::fprintf(stderr, "%s\n", first_reason().c_str());
    std::exit(0);
  };
  EXPECT_EXIT(
      ask(), ::testing::ExitedWithCode(0),
      "^the OpenCL driver 'Host platform' finds no device here; install another driver: pocl-opencl-icd");
}

TEST_F(OpenClDriver, SaysThatADriverFails) {
  const auto ask = [] {
    host_opencl_controls().platform_error = kOutOfHostMemory;
    std::fprintf(stderr, "%s\n", first_reason().c_str());
    std::exit(0);
  };
  EXPECT_EXIT(
      ask(), ::testing::ExitedWithCode(0),
      "^the OpenCL driver 'Host platform' fails: the host has no memory left .CL_OUT_OF_HOST_MEMORY.; "
      "install another driver");
}

// ---- faults of a device -----------------------------------------------------------------------------------

TEST_F(OpenClDriver, SaysWhyTheKernelsDoNotCompile) {
  host_opencl_controls().fail_build = true;
  const std::unique_ptr<Engine> engine = Engine::create({});
  const Result<Device*> device = engine->device("opencl:0");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(
      device.error().message,
      HasSubstr("opencl:0: opening it: the driver does not compile the kernels (kernels.cl:18: error: the "
                "host compiles nothing); install another driver, or use another device"));
  EXPECT_THAT(device.error().message, Not(HasSubstr("\n")));
  EXPECT_EQ(ones({engine.get(), engine->device("cpu").value()}, {2}).item().value(), 2.0f);
  host_opencl_controls().fail_build = false;
  EXPECT_EQ(ones({engine.get(), engine->device("opencl:1").value()}, {1}).item().value(), 1.0f);
}

TEST_F(OpenClDriver, GoesOnAfterACommandThatWasRefused) {
  const Devices devices;
  const Array a = ones(devices.first, {4});
  ASSERT_TRUE(relu(a).wait_to_read().ok()) << "the next output takes this one's block";
  refuse_after(0, kOutOfResources);
  const Status waited = relu(a).wait_to_read();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
  EXPECT_THAT(waited.error().message, HasSubstr("opencl:0: an elementwise operator: out of resources"));
  EXPECT_EQ((a + 1.0f).asnumpy().value(), std::vector<float>(4, 2.0f));
}

// The op's first copy waits behind a call of the host, and its kernel is refused.
TEST_F(OpenClDriver, EndsARefusedOpAfterThePartThatWasPutInTheQueue) {
  const Devices devices;
  const Array a = ones(devices.first, {4});
  ASSERT_TRUE(relu(a).wait_to_read().ok()) << "the next output takes this one's block";
  OpOfParts parts;
  constexpr std::int64_t kCallAndCopy = 3;  // commands: a marker, a barrier, a copy
  refuse_after(kCallAndCopy, kOutOfResources);
  const Array b = parts.enqueue_refused(devices.first, a);
  std::future<Status> waited = parts.end_of(b);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE((ones(devices.second, {4}) + 1.0f).wait_to_read().ok()) << "another device goes on";
  parts.open();
  const std::string message = message_of(waited.get());
  EXPECT_THAT(message, HasSubstr("op 'parts'"));
  EXPECT_THAT(message, HasSubstr("opencl:0: an elementwise operator: out of resources"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_EQ((a + 1.0f).asnumpy().value(), std::vector<float>(4, 2.0f));
}

// The first command of an op fails, and a call of the host follows it.
TEST_F(OpenClDriver, EndsAnOpWhoseFirstCommandFailedAfterItsOtherCommands) {
  const Devices devices;
  const Array a = ones(devices.first, {4});
  ASSERT_TRUE(relu(a).wait_to_read().ok()) << "the next output takes this one's block";
  OpOfParts parts;
  Door given;
  const Array b = apply(devices.first, OpOfParts::named_parts(a), [&](const Values& values) {
                    break_after(0, kOutOfResources, false);
                    values.math.copy(values.in[0], values.out[0], 4);
                    given.open();
                    parts.call(values);
                  }).front();
  std::future<Status> waited = parts.end_of(b);
  given.wait();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE((ones(devices.second, {4}) + 1.0f).wait_to_read().ok());
  parts.open();
  const std::string message = message_of(waited.get());
  EXPECT_THAT(message, HasSubstr("op 'parts'"));
  EXPECT_THAT(message, HasSubstr("opencl:0: out of resources"));
}

// The copy is in the queue, and its event cannot be recorded, because the driver refuses to send the queue.
TEST_F(OpenClDriver, EndsACopyWhoseEventIsRefusedAfterTheCopy) {
  const Devices devices;
  const Array a = ones(devices.cpu, {4});
  ASSERT_TRUE(copy_to(a, devices.first).wait_to_read().ok()) << "the next output takes this one's block";
  HostOpenClControls& driver = host_opencl_controls();
  driver.gate.close();
  driver.refuse_error = kOutOfResources;
  driver.refuse_flush = true;
  const Array b = copy_to(a, devices.first);
  std::atomic<bool> opened{false};
  std::future<Status> waited = std::async(std::launch::async, [&] {
    const Status status = b.wait_to_read();
    EXPECT_TRUE(opened) << "the op ended before its copy";
    return status;
  });
  while (driver.refuse_flush) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE((ones(devices.cpu, {4}) + 1.0f).wait_to_read().ok());
  opened = true;
  driver.gate.open();
  EXPECT_THAT(message_of(waited.get()), HasSubstr("opencl:0: recording an event: out of resources"));
  EXPECT_EQ(copy_to(a, devices.first).asnumpy().value(), std::vector<float>(4, 1.0f));
}

// Two points after a copy are the end of the copy. A point after nothing is a marker of its own.
TEST_F(OpenClDriver, PutsNoMarkerAfterACopy) {
  const DeviceModule module = discover_devices(ModuleKind::kOpenCl);
  ASSERT_NE(module.api, nullptr) << module.found.reason;
  const RunaheadDeviceApi& api = *module.api;
  void *device = nullptr, *stream = nullptr, *memory = nullptr;
  std::array<void*, 4> points{};
  ASSERT_EQ(api.open(0, &device), 0);
  ASSERT_EQ(api.make_stream(device, &stream), 0);
  ASSERT_EQ(api.take_memory(device, 64, &memory), 0);
  for (void*& point : points) ASSERT_EQ(api.make_event(device, &point), 0);
  const std::int64_t before = host_opencl_controls().commands;
  const std::array<std::byte, 64> host{};
  EXPECT_EQ(api.record_event(device, points[0], stream, kRunaheadBeforeWork), 0);
  EXPECT_EQ(api.copy(device, stream, memory, host.data(), host.size()), 0);
  EXPECT_EQ(api.record_event(device, points[1], stream, kRunaheadAfterWork), 0);
  EXPECT_EQ(api.record_event(device, points[2], stream, kRunaheadAfterWork), 0);
  EXPECT_EQ(host_opencl_controls().commands, before + 1);
  EXPECT_EQ(api.await_stream(device, stream), 0);
  float first_ms = -1, second_ms = -1;
  EXPECT_EQ(api.elapsed_ms(device, points[0], points[1], &first_ms), 0);
  EXPECT_EQ(api.elapsed_ms(device, points[0], points[2], &second_ms), 0);
  EXPECT_GE(first_ms, 0);
  EXPECT_EQ(first_ms, second_ms);
  for (std::int64_t markers = 1; markers <= 2; ++markers) {
    api.free_event(device, points[3]);
    ASSERT_EQ(api.make_event(device, &points[3]), 0);
    EXPECT_EQ(api.record_event(device, points[0], stream, kRunaheadBeforeWork), 0);
    EXPECT_EQ(api.record_event(device, points[3], stream, kRunaheadAfterWork), 0);
    EXPECT_EQ(host_opencl_controls().commands, before + 1 + markers);
  }
  EXPECT_EQ(api.await_stream(device, stream), 0);
  for (void* const point : points) api.free_event(device, point);
  EXPECT_EQ(api.give_memory(device, memory), 0);
  api.free_stream(device, stream);
  api.close(device);
}

// The memory of a CPU's device comes from the host, page by page.
TEST_F(OpenClDriver, TouchesReservedMemory) {
  const Devices devices;
  MemoryPool& pool = devices.first.device->pool();
  const std::int64_t before = host_opencl_controls().fills;
  const std::size_t bytes = 1 << 20;
  pool.reserve(std::span(&bytes, 1), 3);
  EXPECT_EQ(host_opencl_controls().fills, before + 3);
  pool.reserve(std::span(&bytes, 1), 3);
  EXPECT_EQ(host_opencl_controls().fills, before + 3);
}

// Two devices copy one block, as pinned and as pageable memory, and each pinned copy is refused once.
TEST_F(OpenClDriver, UnpinsABlockThatTwoDevicesCopy) {
  const Devices devices;
  const Array a = ones(devices.cpu, {static_cast<std::int64_t>(kOwnPagesBytes / sizeof(float))});
  ASSERT_TRUE(a.wait_to_read().ok());
  for (int i = 0; i < 5; ++i) {
    const Array b = copy_to(a, devices.first, HostMemory::kPinned);
    const Array c = copy_to(a, devices.second, HostMemory::kPageable);
    ASSERT_TRUE(devices.wait_all().ok());
    EXPECT_EQ(sum(copy_to(b, devices.cpu)).item().value(), static_cast<float>(a.size()));
    EXPECT_EQ(sum(copy_to(c, devices.cpu)).item().value(), static_cast<float>(a.size()));
    const Array d = copy_to(a, devices.first, HostMemory::kPinned);
    ASSERT_TRUE(d.wait_to_read().ok()) << "the next output takes this one's block";
  }
  refuse_after(0, kOutOfResources);
  EXPECT_THAT(message_of(copy_to(a, devices.first, HostMemory::kPinned).wait_to_read()),
              HasSubstr("opencl:0: "));
  EXPECT_TRUE(copy_to(a, devices.second, HostMemory::kPageable).wait_to_read().ok());
}

TEST_F(OpenClDriver, GoesOnAfterACommandThatFailed) {
  const Devices devices;
  const Array a = ones(devices.first, {4});
  ASSERT_TRUE(relu(a).wait_to_read().ok()) << "the next output takes this one's block";
  break_after(0, kOutOfResources, false);
  const Status waited = relu(a).wait_to_read();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
  EXPECT_THAT(waited.error().message, HasSubstr("opencl:0: out of resources, or the device was lost"));
  EXPECT_EQ((a + 1.0f).asnumpy().value(), std::vector<float>(4, 2.0f));
}

TEST_F(OpenClDriver, SaysThatMemoryIsOutAndGoesOnWhenThereIsSome) {
  const Devices devices;
  const std::int64_t before = host_opencl_controls().free_bytes.exchange(1 << 20);
  const Status waited = ones(devices.first, {1 << 20}).wait_to_read();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("opencl:0: out of memory"));
  EXPECT_EQ(ones(devices.first, {4}).asnumpy().value(), std::vector<float>(4, 1.0f));
  host_opencl_controls().free_bytes += before - (1 << 20);
  EXPECT_EQ(ones(devices.first, {1 << 20}).wait_to_read().ok(), true);
}

TEST_F(OpenClDriver, RefusesEverythingOnALostDeviceWhileOthersGoOn) {
  {
    const Devices devices;
    const Array a = ones(devices.first, {4});
    ASSERT_TRUE(relu(a).wait_to_read().ok()) << "the next output takes this one's block";
    break_after(0, kNotAvailable, true);
    const Status waited = relu(a).wait_to_read();
    ASSERT_FALSE(waited.ok());
    EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
    EXPECT_THAT(waited.error().message, HasSubstr("opencl:0: "));
    EXPECT_THAT(waited.error().message, HasSubstr("the device was lost or is not available"));
    EXPECT_THAT(message_of((a + 1.0f).wait_to_read()), HasSubstr("the device was lost"));
    EXPECT_THAT(message_of(ones(devices.first, {1 << 20}).wait_to_read()),
                HasSubstr("opencl:0: no memory can be taken: the device was lost"));
    EXPECT_THAT(message_of(copy_to(a, devices.cpu).wait_to_read()), HasSubstr("the device was lost"));
    EXPECT_EQ((ones(devices.second, {2}) + 1.0f).asnumpy().value(), std::vector<float>(2, 2.0f));
    EXPECT_EQ((ones(devices.cpu, {2}) + 1.0f).asnumpy().value(), std::vector<float>(2, 2.0f));
  }
  const Devices again;
  EXPECT_EQ(ones(again.first, {2}).asnumpy().value(), std::vector<float>(2, 1.0f)) << "a new context";
}

// One fault at each place of a program: nothing may hang or leak, and each error names the device.
class FaultAnywhere : public OpenClDriver, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Naive, FaultAnywhere, ::testing::Bool(),
                         [](const auto& naive) { return std::string(naive.param ? "naive" : "threaded"); });

template <typename Fault>
void try_everywhere(bool naive, const Fault& fault) {
  const EngineOptions options{.kind = naive ? EngineKind::kNaive : EngineKind::kThreaded};
  std::int64_t commands = 0;
  {
    const Devices devices(options);
    const std::int64_t before = host_opencl_controls().commands;
    ASSERT_TRUE(run_program(devices).front().wait_to_read().ok());
    ASSERT_TRUE(devices.wait_all().ok());
    commands = host_opencl_controls().commands - before;
  }
  ASSERT_GT(commands, 20);
  int failed = 0;
  for (std::int64_t i = 0; i < commands; ++i) {
    const Devices devices(options);
    fault(i);
    for (const Array& result : run_program(devices)) {
      const Status waited = result.wait_to_read();
      if (waited.ok()) continue;
      ++failed;
      EXPECT_THAT(waited.error().message, HasSubstr("opencl:")) << i;
      EXPECT_THAT(waited.error().message, Not(HasSubstr("\n"))) << i;
    }
    (void)devices.wait_all();
    EXPECT_EQ(ones(devices.cpu, {2}).item().value(), 2.0f);
  }
  EXPECT_GT(failed, 0);
}

TEST_P(FaultAnywhere, ACommandIsRefused) {
  try_everywhere(GetParam(), [](std::int64_t i) { refuse_after(i, kOutOfResources); });
}
TEST_P(FaultAnywhere, ACommandFails) {
  try_everywhere(GetParam(), [](std::int64_t i) { break_after(i, kOutOfResources, false); });
}
TEST_P(FaultAnywhere, ADeviceIsLost) {
  try_everywhere(GetParam(), [](std::int64_t i) { break_after(i, kInvalidContext, true); });
}

// ---- products by CLBlast ----------------------------------------------------------------------------------

// Returns the exit code of a process.
int products_overlap() {
  const host_opencl::HostClblastCounters& clblast = host_opencl::use_host_clblast();
  ProductsTogether together;
  const Devices devices;
  constexpr int kRounds = 20;
  for (int i = 0; i < kRounds; ++i) (void)together.enqueue(devices.first, devices.second);
  if (!devices.wait_all().ok() || clblast.products != 2 * kRounds) return 2;
  return clblast.overlapping == 0 ? 0 : 1;
}

// CLBlast's first calls are not safe for threads. A process of its own, because a process looks for CLBlast
// once.
TEST_F(OpenClDriver, CallsClblastOneAtATime) {
  EXPECT_EXIT(_exit(products_overlap()), ::testing::ExitedWithCode(0), "");
}

// ---- times ------------------------------------------------------------------------------------------------

TEST_F(OpenClDriver, RecordsTheFourMomentsOfEachOpOnOurClock) {
  Capture capture;
  {
    const Devices devices;
    Array a = ones(devices.first, {64});
    for (int i = 0; i < 20; ++i) a = a + 1.0f;
    EXPECT_EQ(a.asnumpy().value(), std::vector<float>(64, 21.0f));
  }
  EXPECT_GE(expect_driver_moments(capture), 20);
}

// Enqueues an op, calls `while_it_waits`, and waits until the recording has the op as a running one.
template <typename Function>
void expect_seen_running(Capture& capture, const Array& a, const Function& while_it_waits) {
  host_opencl_controls().gate.close();
  const Array b = a + 1.0f;
  while_it_waits();
  while (capture.open_slices("compute").empty()) capture.drain();
  host_opencl_controls().gate.open();
  EXPECT_EQ(b.asnumpy().value(), std::vector<float>(64, 2.0f));
}

// OpenCL gives the times of a command only when it has ended.
TEST_F(OpenClDriver, KnowsTheMomentsOfAnOpThatWasSeenRunning) {
  Capture capture;
  {
    const Devices devices;
    const Array a = ones(devices.first, {64});
    ASSERT_TRUE((a + 1.0f).wait_to_read().ok());
    expect_seen_running(capture, a, [] {});
  }
  EXPECT_GE(expect_driver_moments(capture), 3);
}

// The engine asks often for the start of an op, but only for a short time. Then it waits for the driver's
// call, and reads the state every 10 ms.
TEST_F(OpenClDriver, SeesAnOpThatBeginsLateWhileItRuns) {
  Capture capture;
  {
    const Devices devices;
    const Array a = ones(devices.first, {64});
    ASSERT_TRUE((a + 1.0f).wait_to_read().ok());
    const std::int64_t before = host_opencl_controls().start_callbacks;
    host_opencl_controls().start_gate.close();
    expect_seen_running(capture, a, [&] {
      while (host_opencl_controls().start_callbacks == before) std::this_thread::yield();
      capture.drain();
      EXPECT_EQ(capture.open_slices("compute"), "") << "the op has not begun";
      host_opencl_controls().start_gate.open();
    });
  }
  EXPECT_GE(expect_driver_moments(capture), 3);
}

// PoCL makes no call for a command that fails before it begins.
TEST_F(OpenClDriver, SeesThatAnOpFailedBeforeItBegan) {
  const Devices devices;
  const Array a = ones(devices.first, {64});
  ASSERT_TRUE(a.wait_to_read().ok());
  const std::int64_t before = host_opencl_controls().start_callbacks;
  host_opencl_controls().start_gate.close();
  const Array b = relu(a);
  while (host_opencl_controls().start_callbacks == before) std::this_thread::yield();
  host_opencl_controls().silent_error = kOutOfResources;
  host_opencl_controls().start_gate.open();
  const Status waited = b.wait_to_read();
  host_opencl_controls().silent_error = 0;
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
  EXPECT_THAT(waited.error().message, HasSubstr("opencl:0: "));
  EXPECT_EQ((a + 1.0f).asnumpy().value(), std::vector<float>(64, 2.0f));
}

TEST_F(OpenClDriver, LeavesOutMomentsThatTheDriverDoesNotKnow) {
  host_opencl_controls().no_queue_times = true;
  Capture capture;
  {
    const Devices devices;
    EXPECT_EQ((ones(devices.first, {2}) + 1.0f).asnumpy().value(), std::vector<float>(2, 2.0f));
  }
  capture.settle();
  EXPECT_EQ(capture.track("compute, queue of the driver"), nullptr);
  EXPECT_NE(capture.track("compute"), nullptr);
}

}  // namespace
}  // namespace runahead::engine::test
