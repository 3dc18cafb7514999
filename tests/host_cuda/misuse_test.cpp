// Tests that the simulated runtime refuses what is an error or a race on a card, and allows the correct use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>

#include "tests/host_cuda/runtime.h"

namespace runahead::host_cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kBytes = 4096;

class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    opened_ = true;
    changed_.notify_all();
  }
  static void wait(void* gate) {
    auto& self = *static_cast<Gate*>(gate);
    std::unique_lock lock(self.mutex_);
    self.changed_.wait(lock, [&] { return self.opened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool opened_ = false;
};

// Two streams and a block of memory of device 0. The first stream waits at a gate until open().
class Misuse : public ::testing::Test {
 protected:
  void SetUp() override {
    controls().keep_going = true;
    (void)take_misuse();
    (void)cudaSetDevice(0);
    (void)cudaStreamCreateWithFlags(&first_, cudaStreamNonBlocking);
    (void)cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking);
    (void)cudaEventCreateWithFlags(&event_, cudaEventBlockingSync);
    (void)cudaMallocAsync(&block_, kBytes, first_);
    (void)cudaMalloc(&other_, kBytes);
    host_ = static_cast<float*>(std::aligned_alloc(4096, 2 * kBytes));
    (void)cudaHostRegister(host_, kBytes, cudaHostRegisterPortable);
  }
  void TearDown() override {
    open();
    (void)cudaSetDevice(0);
    (void)cudaStreamSynchronize(first_);
    (void)cudaStreamSynchronize(second_);
    (void)take_misuse();
    (void)cudaHostUnregister(host_);
    (void)cudaFreeAsync(block_, first_);
    (void)cudaFree(other_);
    (void)cudaEventDestroy(event_);
    (void)cudaStreamDestroy(first_);
    (void)cudaStreamDestroy(second_);
    std::free(host_);  // NOLINT: allocated by aligned_alloc
    EXPECT_THAT(take_misuse(), HasSubstr(expected_at_end_));
    controls().keep_going = false;
  }
  void close() { (void)cudaLaunchHostFunc(first_, &Gate::wait, &gate_); }
  void open() { gate_.open(); }
  cudaError_t use(void* memory, cudaStream_t stream, bool writes) {
    const LaunchUses uses({{memory, kBytes, writes}});
    return put_kernel("kernel", stream, [] { return std::string(); });
  }

  cudaStream_t first_ = nullptr, second_ = nullptr;
  cudaEvent_t event_ = nullptr;
  void *block_ = nullptr, *other_ = nullptr;
  float* host_ = nullptr;
  const char* expected_at_end_ = "";
  Gate gate_;
};

TEST_F(Misuse, TwoStreamsUseTheSameMemoryWithoutAnEvent) {
  close();
  EXPECT_EQ(use(block_, first_, true), cudaSuccess);
  EXPECT_EQ(use(block_, second_, false), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("no event is between them"));
  EXPECT_EQ(use(other_, first_, false), cudaSuccess);
  EXPECT_EQ(use(other_, second_, false), cudaSuccess) << "two reads";
  EXPECT_EQ(use(other_, second_, true), cudaErrorInvalidValue) << "a write after a read";
}

TEST_F(Misuse, AnEventOrdersTwoStreams) {
  close();
  EXPECT_EQ(use(block_, first_, true), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, first_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(second_, event_, 0), cudaSuccess);
  EXPECT_EQ(use(block_, second_, true), cudaSuccess);
  EXPECT_EQ(use(block_, first_, false), cudaErrorInvalidValue)
      << "the first stream does not wait for the second";
  EXPECT_THAT(take_misuse(), HasSubstr("no event is between them"));
}

TEST_F(Misuse, AnEventThatWasRecordedTooEarlyOrdersNothing) {
  close();
  EXPECT_EQ(cudaEventRecord(event_, first_), cudaSuccess);
  EXPECT_EQ(use(block_, first_, true), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(second_, event_, 0), cudaSuccess);
  EXPECT_EQ(use(block_, second_, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("no event is between them"));
}

TEST_F(Misuse, AWaitOfTheHostOrdersTwoStreams) {
  EXPECT_EQ(use(block_, first_, true), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, first_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  EXPECT_EQ(use(block_, second_, true), cudaSuccess);
  EXPECT_THAT(take_misuse(), IsEmpty());
}

TEST_F(Misuse, MemoryIsFreedWhileAStreamUsesIt) {
  close();
  EXPECT_EQ(use(other_, first_, false), cudaSuccess);
  EXPECT_EQ(cudaFree(other_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("device memory is freed: kernel on stream"));
  EXPECT_EQ(use(block_, first_, true), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(block_, second_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("device memory is freed: kernel on stream"));
  expected_at_end_ = "is freed that is not the start of a block";
}

TEST_F(Misuse, MemoryIsFreedInTheOrderOfItsStream) {
  close();
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, kBytes, first_), cudaSuccess);
  EXPECT_EQ(use(memory, first_, true), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, first_), cudaSuccess);
  EXPECT_THAT(take_misuse(), IsEmpty());
  EXPECT_EQ(use(memory, first_, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("device memory that was freed"));
}

TEST_F(Misuse, AKernelGoesBeyondItsBlockOrUsesOtherMemory) {
  EXPECT_EQ(use(static_cast<char*>(block_) + 8, first_, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("8 bytes beyond a block"));
  EXPECT_EQ(use(host_, first_, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("memory of the host"));
}

TEST_F(Misuse, AnotherDeviceIsCurrent) {
  (void)cudaSetDevice(1);
  EXPECT_EQ(use(block_, first_, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("device 1 is current, but the stream is of device 0"));
  EXPECT_EQ(cudaMemcpyAsync(block_, host_, 64, cudaMemcpyDefault, first_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("a stream of another device"));
  cudaEvent_t event = nullptr;
  (void)cudaEventCreateWithFlags(&event, 0);
  EXPECT_EQ(cudaEventRecord(event, first_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("an event of device 1 is recorded on a stream of device 0"));
  cudaStream_t there = nullptr;
  (void)cudaStreamCreateWithFlags(&there, 0);
  EXPECT_EQ(use(block_, there, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("memory of device 0"));
  (void)cudaEventDestroy(event);
  (void)cudaStreamDestroy(there);
}

// A pool's memory does not follow cudaDeviceEnablePeerAccess(): docs/gpu.md.
TEST_F(Misuse, ACopyUsesThePoolOfAnotherDeviceWithoutAccess) {
  cudaMemPool_t pool = nullptr;
  cudaMemAccessDesc access{.location = {cudaMemLocationTypeDevice, 1}, .flags = cudaMemAccessFlagsProtNone};
  EXPECT_EQ(cudaDeviceGetMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  (void)cudaSetDevice(1);
  (void)cudaDeviceEnablePeerAccess(0, 0);
  cudaStream_t there = nullptr;
  void* memory = nullptr;
  (void)cudaStreamCreateWithFlags(&there, 0);
  (void)cudaMallocAsync(&memory, kBytes, there);
  EXPECT_EQ(cudaMemcpyAsync(memory, block_, 64, cudaMemcpyDefault, there), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("uses memory of the pool of device 0, which it may not reach"));
  EXPECT_EQ(cudaMemcpyAsync(memory, other_, 64, cudaMemcpyDefault, there), cudaSuccess) << "of no pool";
  EXPECT_EQ(cudaMemcpyPeerAsync(memory, 1, block_, 0, 64, there), cudaSuccess) << "needs no access";
  EXPECT_EQ(cudaMemcpyPeerAsync(memory, 0, block_, 1, 64, there), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("names another device"));
  access.flags = cudaMemAccessFlagsProtReadWrite;
  EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(memory, block_, 64, cudaMemcpyDefault, there), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(there), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, there), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(there), cudaSuccess);
  EXPECT_THAT(take_misuse(), IsEmpty());
}

TEST_F(Misuse, AnEventIsAwaitedThatWasNeverRecorded) {
  EXPECT_EQ(cudaStreamWaitEvent(first_, event_, 0), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("never recorded"));
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorInvalidValue);
}

TEST_F(Misuse, AStreamOrAnEventIsUsedAfterItsEnd) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  (void)cudaStreamCreateWithFlags(&stream, 0);
  (void)cudaEventCreateWithFlags(&event, 0);
  (void)cudaStreamDestroy(stream);
  (void)cudaEventDestroy(event);
  EXPECT_EQ(use(block_, stream, true), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("a stream is used that does not exist"));
  EXPECT_EQ(cudaEventRecord(event, first_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("an event is used that does not exist"));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidValue);
}

TEST_F(Misuse, HostMemoryIsUnpinnedWhileACopyUsesIt) {
  close();
  EXPECT_EQ(cudaMemcpyAsync(block_, host_, 64, cudaMemcpyDefault, first_), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("host memory is unpinned: a copy on stream"));
}

TEST_F(Misuse, OnlyAPartOfACopysHostMemoryIsPinned) {
  void* large = nullptr;
  (void)cudaMalloc(&large, 2 * kBytes);
  EXPECT_EQ(cudaMemcpyAsync(large, host_, 2 * kBytes, cudaMemcpyDefault, first_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("only a part is pinned"));
  (void)cudaFree(large);
}

TEST_F(Misuse, ACopyBackIsReadBeforeItHasEnded) {
  *host_ = 3.0f;
  EXPECT_EQ(cudaMemcpyAsync(block_, host_, sizeof(float), cudaMemcpyDefault, first_), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  close();
  EXPECT_EQ(cudaMemcpyAsync(host_, block_, sizeof(float), cudaMemcpyDefault, first_), cudaSuccess);
  EXPECT_TRUE(std::isnan(*host_)) << "the old value would hide the error";
  open();
  EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess);
  EXPECT_EQ(*host_, 3.0f);
}

TEST_F(Misuse, TwoCopiesUseTheSameHostMemoryWithoutAnEvent) {
  close();
  EXPECT_EQ(cudaMemcpyAsync(host_, block_, 64, cudaMemcpyDefault, first_), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(other_, host_, 64, cudaMemcpyDefault, second_), cudaErrorInvalidValue);
  EXPECT_THAT(take_misuse(), HasSubstr("a copy reads on stream"));
}

TEST_F(Misuse, ACopyOfPageableMemoryHasEndedWhenTheCallReturns) {
  float value = 5.0f, back = 0.0f;
  EXPECT_EQ(cudaMemcpyAsync(block_, &value, sizeof value, cudaMemcpyDefault, first_), cudaSuccess);
  value = 6.0f;
  EXPECT_EQ(cudaMemcpyAsync(&back, block_, sizeof back, cudaMemcpyDefault, first_), cudaSuccess);
  EXPECT_EQ(back, 5.0f);
}

TEST_F(Misuse, EndsTheProcessWithOneLine) {
  EXPECT_DEATH(
      {
        controls().keep_going = false;
        (void)cudaEventQuery(event_);
      },
      "simulated CUDA: misuse: an event is awaited or queried that was never recorded");
}

}  // namespace
}  // namespace runahead::host_cuda
