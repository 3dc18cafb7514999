#include "gui/cli/out_of_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/array/blas.h"
#include "engine/device/memory/host_bounds.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{8} << 20;
constinit std::atomic<void*> kept{nullptr};  // the reserve; freed by the first thread that runs out of memory
constinit std::atomic<const char*> advice_now{""};     // set by main, read by the failing thread
constinit std::terminate_handler usual_end = nullptr;  // set before other threads start

void give_kept_memory() {
  void* const mine = kept.exchange(nullptr);
  if (mine == nullptr) throw std::bad_alloc();
  munmap(mine, kKeptBytes);  // after this, operator new tries the allocation again
}

[[noreturn]] void end_with(std::string_view line) {
  (void)!::write(STDERR_FILENO, line.data(), line.size());
  _exit(1);  // runs no destructors, since other threads still run
}

// This function must not allocate, because there is no memory.
[[noreturn]] void end_with_parts(std::initializer_list<std::string_view> parts) {
  char line[512];
  std::size_t used = 0;
  for (const std::string_view part : parts) used += part.copy(line + used, sizeof line - used);
  end_with({line, used});
}

// Handles an uncaught exception, on any thread.
[[noreturn]] void end_of_program() {
  if (const std::exception_ptr uncaught = std::current_exception()) {
    try {
      std::rethrow_exception(uncaught);
    } catch (const std::bad_alloc&) {
      const std::string_view advice = advice_now.load(), join = advice.empty() ? "" : ", or ";
      end_with_parts({"runahead: out of memory: the system refused an allocation; ", advice, join,
                      "raise its limit (ulimit -v, the cgroup's)\n"});
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::resource_unavailable_try_again)
        end_with(
            "runahead: out of memory: the system has no memory for another thread; use fewer "
            "workers, or raise the program's limit (ulimit -v, ulimit -u, the cgroup's)\n");
    } catch (...) {
    }
  }
  usual_end();
  _exit(134);  // not reached: usual_end() does not return
}

void refuse_too_little() {
  const std::size_t least = engine::least_address_bytes(), had = engine::host_bounds().address_bytes;
  if (had >= least) return;
  end_with("runahead: out of memory: the program may map " + format_bytes(static_cast<double>(had)) +
           " (ulimit -v), and OpenBLAS's threads need " + format_bytes(static_cast<double>(least)) +
           "; raise the limit, or set OPENBLAS_NUM_THREADS=1\n");
}

}  // namespace

void advise_out_of_memory(const char* advice) { advice_now = advice; }

void prepare_for_out_of_memory() {
  refuse_too_little();
  void* const mapped = mmap(nullptr, kKeptBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped != MAP_FAILED) kept = mapped;
  usual_end = std::set_terminate(end_of_program);
  std::set_new_handler(give_kept_memory);
}

}  // namespace runahead::gui
