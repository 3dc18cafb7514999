// A program that uses a simulated CUDA. It loads the injection library, as the CUDA driver does in a real
// program. A fake CUPTI (tests/cupti/fake_cupti.h) reports the program's launches.
//
//   launch N | crash N      makes N launches of one kernel each. crash also calls abort(), as soon as the
//                           recording file contains all launches
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/cupti/fake_cupti.h"

namespace {

namespace fake = runahead::testing::fake_cupti;

int start_cuda() {
  void* const opened = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  if (opened == nullptr) return 12;
  return reinterpret_cast<int (*)()>(dlsym(opened, "InitializeInjection"))() == 1 ? 0 : 14;
}

void launch(std::uint32_t correlation) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  call.start = fake::clock_ns();
  call.end = fake::clock_ns();
  call.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  call.correlationId = correlation;
  fake::happen(call);
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = fake::clock_ns();
  kernel.end = fake::clock_ns();
  kernel.contextId = 1;
  kernel.streamId = 7;
  kernel.correlationId = correlation;
  kernel.gridX = kernel.gridY = kernel.gridZ = kernel.blockX = kernel.blockY = kernel.blockZ = 1;
  kernel.name = "_Z4gemmPfi";
  fake::happen(kernel);
}

// The injection library fetches CUPTI's records every 50 ms and writes them to the file every 100 ms.
// Therefore, after several writes, the file has all records from before this call.
void wait_until_written() {
  const char* const file = std::getenv("RUNAHEAD_RECORD");
  struct stat now {};
  for (int writes = 0; writes < 4; ++writes) {
    if (stat(file, &now) != 0) return;
    const off_t before = now.st_size;
    while (stat(file, &now) == 0 && now.st_size == before) std::this_thread::yield();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (const int failed = start_cuda(); failed != 0) return failed;
  const long count = std::atol(argv[2]);
  for (long i = 1; i <= count; ++i) launch(static_cast<std::uint32_t>(i));
  if (std::strcmp(argv[1], "crash") == 0) {
    wait_until_written();
    std::abort();
  }
  return 0;
}
