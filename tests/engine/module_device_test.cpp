// Tests ModuleDevice through the module's interface: with a CUDA module that is simulated on the host, and
// with the OpenCL module if this machine has an OpenCL device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <random>
#include <string>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/device_registry.h"
#include "engine/device/memory/host_memory.h"
#include "tests/engine/driver_moments.h"
#include "tests/engine/engine_fixture.h"
#include "tests/engine/op_of_parts.h"
#include "tests/engine/products_together.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using runahead::host_cuda::host_cuda_controls;
using runahead::host_cuda::use_host_cuda;
using runahead::testing::Capture;
using ::testing::HasSubstr;

class ModuleDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (runahead::host_cuda::cuda_is_real()) GTEST_SKIP() << "needs the CUDA that the host simulates";
    use_host_cuda();
  }
  void TearDown() override {
    if (runahead::host_cuda::cuda_is_real()) return;
    host_cuda_controls().break_at_launch = host_cuda_controls().refuse_launch = 0;
    host_cuda_controls().refuse_record = host_cuda_controls().fail_synchronize = 0;
    host_cuda_controls().no_peers = host_cuda_controls().ignore_pool_access = false;
  }
};

struct Both {
  explicit Both(const char* device = "cuda:0") : e({}, device), there{e.engine.get(), e.device} {
    cpu = {e.engine.get(), e.engine->device("cpu").value()};
  }
  TestEngine e;
  Context there, cpu;
};

class EveryModule : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    use_host_cuda();
    if (const Status here = check_device(GetParam()); !here.ok()) GTEST_SKIP() << here.error().message;
  }
};
INSTANTIATE_TEST_SUITE_P(With, EveryModule, ::testing::Values("cuda:0", "opencl:0"), [](const auto& device) {
  return std::string(device.param).substr(0, std::string(device.param).find(':'));
});

TEST_F(ModuleDevice, IsListedAsWhatItIs) {
  const std::vector<DeviceEntry> entries = list_devices();
  const auto found = std::ranges::find(entries, "cuda:1", &DeviceEntry::name);
  ASSERT_NE(found, entries.end());
  const DeviceEntry& last = *found;
  EXPECT_TRUE(last.available);
  EXPECT_TRUE(last.simulated);
  EXPECT_THAT(last.description, HasSubstr("played by the host"));
  EXPECT_THAT(open_device("cuda:2").error().message, HasSubstr("'cuda:2' is not here; the last is cuda:1"));
}

TEST_F(ModuleDevice, LeavesNothingBehind) {
  {
    Both both;
    const Array a = ones(both.there, {100}) + 1.0f;
    EXPECT_EQ(a.item().value(), 200.0f);
    EXPECT_GT(host_cuda_controls().streams, 3);
  }
  EXPECT_EQ(host_cuda_controls().streams, 0);
  EXPECT_EQ(host_cuda_controls().events, 0);
  EXPECT_EQ(host_cuda_controls().blocks, 0);
}

// The streams of a device run concurrently. Without the events between the streams, a copy would read values
// before they are written.
TEST_P(EveryModule, CopiesAndKernelsOnTheirStreamsKeepTheOrderOfTheirArrays) {
  const std::uint64_t seed = test_seed();
  std::printf("RUNAHEAD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  Both both(GetParam());
  std::vector<Array> here, there;
  std::vector<std::vector<float>> values;
  for (int i = 0; i < 6; ++i) {
    values.push_back({static_cast<float>(i), 1.0f, -2.0f});
    here.push_back(from_host(both.cpu, {3}, values.back()));
    there.push_back(from_host(both.there, {3}, values.back()));
  }
  for (int step = 0; step < 2000; ++step) {
    const std::size_t i = random() % 6, j = random() % 6;
    switch (random() % 5) {
      case 0:
        there[i] = copy_to(here[j], both.there);
        here[i] = here[j] + 0.0f;
        break;
      case 1:
        here[i] = copy_to(there[j], both.cpu);
        there[i] = there[j] + 0.0f;
        break;
      case 2:
        here[i] = (here[j] + here[i]) * 0.5f;
        there[i] = (there[j] + there[i]) * 0.5f;
        break;
      case 3:
        sgd_update(here[i], here[j], 0.25f, 1);
        sgd_update(there[i], there[j], 0.25f, 1);
        break;
      default:
        assign(here[i], here[j]);
        assign(there[i], there[j]);
        break;
    }
  }
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(here[i].asnumpy().value(), there[i].asnumpy().value());
}

TEST_P(EveryModule, IsGivenWorkAheadOfWhatItFollows) {
  Both both(GetParam());
  const Array a = ones(both.there, {1});
  ASSERT_TRUE(a.wait_to_read().ok());
  Door door;
  std::atomic<bool> opened{false}, late{false};
  ArrayOp op{
      .site = &record::intern_site("hold", trace::SliceKind::kExecute), .inputs = {a}, .shapes = {{1}}};
  Array b = apply(both.there, op, [&](const Values& values) {
              values.math.call([&] { door.wait(); });
              values.math.copy(values.in[0], values.out[0], 1);
            }).front();
  // Op c is launched while op b, the previous op on the same stream, still runs.
  std::promise<void> launched;
  op.inputs = {b};
  const Array c = apply(both.there, op, [&](const Values& values) {
                    values.math.map(WithScalar::kAdd, values.in[0], 1.0f, values.out[0], 1);
                    late = opened.load();
                    launched.set_value();
                  }).front();
  launched.get_future().wait();
  opened = true;
  door.open();
  EXPECT_EQ(c.item().value(), 2.0f);
  EXPECT_FALSE(late);
}

TEST_F(ModuleDevice, SaysWithTheOpsNameThatALaunchWasRefusedAndGoesOn) {
  Both both;
  const Array a = ones(both.there, {4});
  ASSERT_TRUE(a.wait_to_read().ok());
  host_cuda_controls().refuse_launch = host_cuda_controls().launches + 1;
  const Array b = relu(a), c = b + 1.0f;
  const Status waited = c.wait_to_read();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
  EXPECT_THAT(waited.error().message, HasSubstr("cuda:0: an elementwise operator: out of memory"));
  EXPECT_EQ((a + 1.0f).item().value(), 8.0f);
}

TEST_F(ModuleDevice, SaysWithTheOpsNameWhatFailedWhileItRanAndThenRefusesAll) {
  Both both;
  const Array a = ones(both.there, {4});
  ASSERT_TRUE(a.wait_to_read().ok());
  host_cuda_controls().break_at_launch = host_cuda_controls().launches + 1;
  const Array b = relu(a);
  const Status waited = b.wait_to_read();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("op 'relu'"));
  EXPECT_THAT(waited.error().message, HasSubstr("illegal memory access"));
  EXPECT_THAT((a + 1.0f).wait_to_read().error().message, HasSubstr("illegal memory access"));
  const Array host = ones(both.cpu, {2});
  EXPECT_EQ(host.item().value(), 2.0f) << "the other devices go on";
}

// The op's first copy waits behind a call of the host, and its second launch is refused. The op must not end
// before the copy: the simulated CUDA ends the process if memory is freed that a stream uses.
TEST_F(ModuleDevice, EndsARefusedOpAfterThePartThatWasPutOnTheStream) {
  Both both;
  Array a = ones(both.there, {4});
  const Array other = ones(both.there, {4});
  ASSERT_TRUE(both.e.wait_all().ok());
  OpOfParts parts;
  host_cuda_controls().refuse_launch = host_cuda_controls().launches + 2;
  const Array b = parts.enqueue_refused(both.there, a);
  std::future<Status> waited = parts.end_of(b);
  a = Array();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(from_host(both.there, {2}, std::vector<float>{1.0f, 2.0f}).wait_to_read().ok());
    both.there.device->pool().trim();
  }
  parts.open();
  const std::string message = message_of(waited.get());
  EXPECT_THAT(message, HasSubstr("op 'parts'"));
  EXPECT_THAT(message, HasSubstr("cuda:0: an elementwise operator: out of memory"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ((other + 1.0f).item().value(), 8.0f);
}

// A sum is two kernels. Each of them is refused, or both.
TEST_F(ModuleDevice, GoesOnAfterAPartOfASumWasRefused) {
  Both both;
  const Array a = ones(both.there, {1000}), other = ones(both.there, {4});
  ASSERT_TRUE(both.e.wait_all().ok());
  for (int part = 1; part <= 2; ++part) {
    host_cuda_controls().refuse_launch = host_cuda_controls().launches + part;
    const Array total = sum(a);
    EXPECT_THAT(message_of((total + 1.0f).wait_to_read()), HasSubstr("cuda:0: a sum: out of memory"));
    EXPECT_EQ((other + 1.0f).item().value(), 8.0f);
    EXPECT_EQ(sum(a).item().value(), 1000.0f);
  }
}

// ---- two devices ------------------------------------------------------------------------------------------

void expect_copies_between_devices() {
  const Both both;
  const Context second{both.e.engine.get(), both.e.open("cuda:1")};
  const Array there = copy_to(ones(both.there, {1000}), second) + 1.0f;
  const Array back = copy_to(there, both.there) + 1.0f;
  EXPECT_EQ(back.asnumpy().value(), std::vector<float>(1000, 3.0f));
}

TEST_F(ModuleDevice, CopiesBetweenTwoDevicesThatReachEachOthersPools) {
  const std::int64_t before = host_cuda_controls().peer_copies;
  expect_copies_between_devices();
  EXPECT_EQ(host_cuda_controls().peer_copies, before);
}

TEST_F(ModuleDevice, CopiesBetweenTwoDevicesThatDoNotReachEachOther) {
  host_cuda_controls().no_peers = true;
  const std::int64_t before = host_cuda_controls().peer_copies;
  expect_copies_between_devices();
  EXPECT_EQ(host_cuda_controls().peer_copies, before + 2);
}

// A planted fault: the module's call of cudaMemPoolSetAccess() does nothing.
TEST_F(ModuleDevice, TheSimulatedCudaFindsThatAPoolWasNotOpened) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto copy = [] {
    host_cuda_controls().ignore_pool_access = true;
    expect_copies_between_devices();
  };
  EXPECT_DEATH(copy(),
               "misuse: a copy on device 1 uses memory of the pool of device 0, which it may not reach");
}

// ---- pinned memory ----------------------------------------------------------------------------------------

TEST_F(ModuleDevice, PinsALargeBlockForItsPinnedCopiesUntilItGoes) {
  Both both;
  const std::int64_t count = static_cast<std::int64_t>(kOwnPagesBytes / sizeof(float));
  {
    const Array a = ones(both.cpu, {count});
    const Array b = copy_to(a, both.there, HostMemory::kPinned);
    ASSERT_TRUE(b.wait_to_read().ok());
    EXPECT_EQ(host_cuda_controls().pinned, 1);
    const Array c = copy_to(a, both.there, HostMemory::kPageable);
    ASSERT_TRUE(c.wait_to_read().ok());
    EXPECT_EQ(host_cuda_controls().pinned, 0);
    const Array d = copy_to(b, both.cpu, HostMemory::kPinned);
    ASSERT_TRUE(d.wait_to_read().ok());
    EXPECT_EQ(host_cuda_controls().pinned, 1);
  }
  both.cpu.device->pool().trim();
  EXPECT_EQ(host_cuda_controls().pinned, 0);
}

// The simulated CUDA ends the process if memory is unpinned while a copy uses it.
TEST_F(ModuleDevice, DoesNotUnpinABlockThatACopyInFlightUses) {
  Both both;
  const Array a = ones(both.cpu, {static_cast<std::int64_t>(8 * kOwnPagesBytes / sizeof(float))});
  ASSERT_TRUE(a.wait_to_read().ok());
  for (int i = 0; i < 20; ++i) {
    const Array b = copy_to(a, both.there, HostMemory::kPinned);
    const Array c = copy_to(a, both.there, HostMemory::kPageable);
    ASSERT_TRUE(c.wait_to_read().ok());
  }
}

TEST_F(ModuleDevice, DoesNotUnpinABlockThatACopyOfAnotherDeviceUses) {
  Both both;
  const Context second{both.e.engine.get(), both.e.open("cuda:1")};
  const Array a = ones(both.cpu, {static_cast<std::int64_t>(8 * kOwnPagesBytes / sizeof(float))});
  ASSERT_TRUE(a.wait_to_read().ok());
  for (int i = 0; i < 20; ++i) {
    const Array b = copy_to(a, both.there, HostMemory::kPinned);
    const Array c = copy_to(a, second, HostMemory::kPageable);
    ASSERT_TRUE(both.e.wait_all().ok());
  }
}

// The pool gives the block of a smaller array to a larger one.
TEST_F(ModuleDevice, PinsMoreOfABlockThatIsPinned) {
  Both both;
  const auto some = static_cast<std::int64_t>(kOwnPagesBytes / sizeof(float));
  for (const std::int64_t count : {some, some + 1000, some}) {
    const Array a = ones(both.cpu, {count});
    EXPECT_TRUE(copy_to(a, both.there, HostMemory::kPinned).wait_to_read().ok());
  }
  both.cpu.device->pool().trim();
  EXPECT_EQ(host_cuda_controls().pinned, 0);
}

TEST_F(ModuleDevice, LeavesNothingBehindOfARefusedPinnedCopy) {
  {
    Both both;
    const Array a = ones(both.cpu, {static_cast<std::int64_t>(kOwnPagesBytes / sizeof(float))});
    ASSERT_TRUE(a.wait_to_read().ok());
    ASSERT_TRUE(copy_to(a, both.there, HostMemory::kPinned).wait_to_read().ok());
    host_cuda_controls().refuse_launch = host_cuda_controls().launches + 1;
    const Status waited = copy_to(a, both.there, HostMemory::kPinned).wait_to_read();
    EXPECT_THAT(message_of(waited), HasSubstr("cuda:0: a copy: out of memory"));
    EXPECT_TRUE(copy_to(a, both.there, HostMemory::kPageable).wait_to_read().ok());
    EXPECT_TRUE(copy_to(a, both.there, HostMemory::kPinned).wait_to_read().ok());
  }
  EXPECT_EQ(host_cuda_controls().pinned, 0);
  EXPECT_EQ(host_cuda_controls().events, 0);
  EXPECT_EQ(host_cuda_controls().blocks, 0);
}

// Refuses each of the next events once, while `work` makes an array on the device. Its ops are in flight
// then, and must not end before their work: the simulated CUDA ends the process if memory is freed or
// unpinned that a stream may use. Returns how often the array had an error. (Sometimes the first events are
// the clock's.)
template <typename Work>
int refuse_each_event(const Both& both, const Work& work) {
  constexpr int kEvents = 6;
  int failed = 0;
  for (int event = 1; event <= kEvents; ++event) {
    host_cuda_controls().refuse_record = host_cuda_controls().records + event;
    const std::string message = message_of(work().wait_to_read());
    host_cuda_controls().refuse_record = 0;
    both.there.device->pool().trim();
    both.cpu.device->pool().trim();
    EXPECT_EQ(ones(both.there, {4}).item().value(), 4.0f);
    if (message.empty()) continue;
    ++failed;
    EXPECT_THAT(message, HasSubstr("cuda:0: "));
    EXPECT_THAT(message, HasSubstr("out of memory"));
  }
  return failed;
}

// A kernel has an event before it and one after it. A pinned copy has one more, for its block.
TEST_F(ModuleDevice, EndsAnOpWhoseEventIsRefusedAfterItsWork) {
  {
    Both both;
    const Array x = ones(both.there, {1000});
    ASSERT_TRUE(x.wait_to_read().ok());
    EXPECT_GE(refuse_each_event(both, [&] { return x + 1.0f; }), 2);
    const auto count = static_cast<std::int64_t>(8 * kOwnPagesBytes / sizeof(float));
    EXPECT_GE(refuse_each_event(both,
                                [&] {
                                  const Array a = ones(both.cpu, {count});
                                  return copy_to(a, both.there, HostMemory::kPinned);
                                }),
              3);
  }
  EXPECT_EQ(host_cuda_controls().pinned, 0);
  EXPECT_EQ(host_cuda_controls().events, 0);
  EXPECT_EQ(host_cuda_controls().blocks, 0);
}

TEST_F(ModuleDevice, RunsOutOfMemoryWithWhoHoldsIt) {
  Both both;
  const Result<Block> held = both.there.device->pool().allocate(1'000'000'000);
  ASSERT_TRUE(held.ok()) << held.error().message;
  const Array more = zeros(both.there, {100'000'000});
  const Status waited = both.e.wait_all();
  ASSERT_FALSE(waited.ok());
  EXPECT_THAT(waited.error().message, HasSubstr("cuda:0: out of memory"));
}

// The module takes memory on a stream, and waits for this stream.
TEST_F(ModuleDevice, GivesMemoryBackIfTheWaitForItFails) {
  const Both both;
  const std::int64_t before = host_cuda_controls().blocks;
  host_cuda_controls().fail_synchronize = host_cuda_controls().synchronizes + 1;
  const Result<Block> refused = both.there.device->pool().allocate(1'000'000);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("cuda:0: no memory can be taken: "));
  EXPECT_THAT(refused.error().message, HasSubstr("illegal memory access"));
  EXPECT_EQ(host_cuda_controls().blocks, before);
  EXPECT_TRUE(both.there.device->pool().allocate(1'000'000).ok());
}

TEST_F(ModuleDevice, CountsWhatOfTheCardsMemoryOthersHold) {
  if (host_cuda::cuda_is_real()) GTEST_SKIP() << "the memory that other programs hold is not known";
  constexpr std::int64_t kOthers = 64 << 20;
  host_cuda::host_cuda_controls().held_by_others = kOthers;
  Capture capture;
  Both both;
  const Array ours = ones(both.there, {1'000'000});
  ASSERT_TRUE(both.e.wait_all().ok());
  const trace::Track* track = nullptr;
  // the counter gets a sample when a work item ends, but at most ten samples a second
  while (track == nullptr || track->counter.empty()) {
    (void)ones(both.there, {8});
    ASSERT_TRUE(both.e.wait_all().ok());
    capture.settle();
    track = capture.track("held by others, cuda:0");
  }
  // CUDA's own memory counts too: here, each stream has a buffer for partial sums.
  EXPECT_NEAR(track->counter.sample(track->counter.first_row()).value, static_cast<double>(kOthers), 1 << 20);
  EXPECT_TRUE(track->info.simulated);
  host_cuda::host_cuda_controls().held_by_others = 0;
}

TEST_P(EveryModule, RecordsItsStreamsWithTimesThatFollowOneAnother) {
  Capture capture;
  {
    Both both(GetParam());
    Array a = ones(both.there, {64});
    for (int i = 0; i < 50; ++i) a = a + 1.0f;
    EXPECT_EQ(a.item().value(), 64.0f * 51);
  }
  capture.settle();
  const trace::Track* const track = capture.track("compute");
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(track->info.simulated, std::string(GetParam()).starts_with("cuda") && !host_cuda::cuda_is_real());
  ASSERT_EQ(track->lanes.size(), 1u) << "ops on a stream run one after the other";
  EXPECT_GE(track->lanes[0].size(), 51u);
}

class OpenClDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Status here = check_device("opencl:0"); !here.ok()) GTEST_SKIP() << here.error().message;
  }
};

TEST_F(OpenClDevice, IsListedWithItsPlatformAndDriver) {
  const std::string text = device_description("opencl:0");
  EXPECT_THAT(text, HasSubstr("compute unit"));
  EXPECT_THAT(text, HasSubstr("driver "));
  const std::vector<DeviceEntry> entries = list_devices();
  const auto entry = std::ranges::find(entries, "opencl:0", &DeviceEntry::name);
  ASSERT_NE(entry, entries.end());
  EXPECT_TRUE(entry->available);
  EXPECT_FALSE(entry->simulated);
  EXPECT_THAT(open_device("opencl:99").error().message,
              HasSubstr("'opencl:99' is not here; the last is opencl:"));
}

// The devices have contexts of their own, so a copy between them goes through the host.
TEST_F(OpenClDevice, TwoDevicesComputeAndGiveEachOtherTheirResults) {
  if (const Status here = check_device("opencl:1"); !here.ok()) GTEST_SKIP() << here.error().message;
  Both both("opencl:0");
  const Context second{both.e.engine.get(), both.e.open("opencl:1")};
  Array a = ones(both.there, {1000}), b = ones(second, {1000});
  for (int i = 0; i < 20; ++i) {
    const Array sum = copy_to(a, second) + b;
    a = copy_to(b, both.there) + a;
    b = sum;
  }
  EXPECT_EQ(a.asnumpy().value(), std::vector<float>(1000, 1048576.0f));
  EXPECT_EQ(b.asnumpy().value(), std::vector<float>(1000, 1048576.0f));
}

// Returns the exit code of a process.
int multiply_on_two_devices() {
  ProductsTogether together;
  const Both both("opencl:0");
  const Context second{both.e.engine.get(), both.e.open("opencl:1")};
  std::vector<Array> products;
  for (int i = 0; i < 10; ++i) {
    for (const Array& product : together.enqueue(both.there, second)) products.push_back(product);
  }
  constexpr std::int64_t kSide = ProductsTogether::kSide;
  const std::vector<float> right(kSide * kSide, kSide);
  for (const Array& product : products) {
    const auto values = product.asnumpy();
    if (!values.ok() || values.value() != right) return 1;
  }
  return 0;
}

// CLBlast's first calls in a process are not safe for threads, so each try is a process of its own. Three
// tries find a missing lock in about a third of the runs. OpenClDriver.CallsClblastOneAtATime finds it
// always.
TEST_F(OpenClDevice, TwoDevicesMultiplyAtTheSameTime) {
  if (const Status here = check_device("opencl:1"); !here.ok()) GTEST_SKIP() << here.error().message;
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (int i = 0; i < 3; ++i) EXPECT_EXIT(_exit(multiply_on_two_devices()), ::testing::ExitedWithCode(0), "");
}

TEST_F(OpenClDevice, RecordsTheFourMomentsOfEachOpOnOurClock) {
  Capture capture;
  {
    Both both("opencl:0");
    Array a = ones(both.there, {64});
    for (int i = 0; i < 200; ++i) a = a + 1.0f;
    EXPECT_EQ(a.item().value(), 64.0f * 201);
  }
  EXPECT_GE(expect_driver_moments(capture), 200);
}

TEST_F(OpenClDevice, PinsALargeBlockAndCopiesTheSameValues) {
  Both both("opencl:0");
  const auto count = static_cast<std::int64_t>(kOwnPagesBytes / sizeof(float));
  const Array a = uniform(both.cpu, {count}, {7, 1});
  const Array pinned = copy_to(copy_to(a, both.there, HostMemory::kPinned), both.cpu, HostMemory::kPinned);
  const Array pageable =
      copy_to(copy_to(a, both.there, HostMemory::kPageable), both.cpu, HostMemory::kPageable);
  EXPECT_EQ(pinned.asnumpy().value(), a.asnumpy().value());
  EXPECT_EQ(pageable.asnumpy().value(), a.asnumpy().value());
}

}  // namespace
}  // namespace runahead::engine::test
