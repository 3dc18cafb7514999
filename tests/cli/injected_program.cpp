// A program that starts CUDA, as far as that is possible without a GPU. The program has no code for
// recording. It does what the CUDA driver does: it loads the library that CUDA_INJECTION64_PATH names and
// calls InitializeInjection() of that library.
//
//   once | twice | crash     how often it calls InitializeInjection(); crash: once, and then it calls abort()
//                            after the next write to the recording file
#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

int start_cuda() {
  const char* const library = std::getenv("CUDA_INJECTION64_PATH");
  if (library == nullptr) return 11;
  void* const opened = dlopen(library, RTLD_NOW);
  if (opened == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 12;
  }
  const auto initialize = reinterpret_cast<int (*)()>(dlsym(opened, "InitializeInjection"));
  if (initialize == nullptr) return 13;
  return initialize() == 1 ? 0 : 14;
}

void wait_until_written() {
  const char* const file = std::getenv("RUNAHEAD_RECORD");
  struct stat now {};
  if (file == nullptr || stat(file, &now) != 0) return;
  const off_t before = now.st_size;
  while (stat(file, &now) == 0 && now.st_size == before) std::this_thread::yield();
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "once";
  int failed = start_cuda();
  if (failed == 0 && std::strcmp(how, "twice") == 0) failed = start_cuda();
  if (failed != 0) return failed;
  if (std::strcmp(how, "crash") == 0) {
    wait_until_written();
    std::abort();
  }
  return 0;
}
