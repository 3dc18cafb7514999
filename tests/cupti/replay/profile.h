// Profile: the activity of one process, as another profiler (Nsight Systems, PyTorch's) wrote it into a file.
// The members have CUPTI's numbers for kinds of copies, of memory and of synchronisations. Times are ns since
// the earliest row of the file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::testing {

inline constexpr std::uint32_t kNone = 0xffffffffu;  // no stream, no event

enum class WorkKind : std::uint8_t { kKernel, kCopy, kMemset };
struct ProfiledWork {
  WorkKind kind = WorkKind::kKernel;
  std::int64_t begin = 0, end = 0;
  std::uint32_t device = 0, context = 1, stream = 0, correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t graph_node = 0;
  std::string name;   // kernels: as CUPTI has it, for C++ mangled
  std::string shown;  // kernels: as the other profiler shows it
  std::array<std::int32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t registers = 0;
  std::int32_t static_shared = 0, dynamic_shared = 0;
  std::uint64_t bytes = 0;
  std::uint32_t copy_kind = 0, from = 0, to = 0;  // for a memset, `to` is the kind of the memory
};
struct ProfiledCall {
  std::int64_t begin = 0, end = 0;
  std::uint32_t tid = 0, correlation = 0, result = 0;
  std::uint32_t cbid = 0;  // 0: the file does not have it
  std::string name;
};
struct ProfiledWait {
  std::int64_t begin = 0, end = 0;
  std::uint32_t type = 0, context = 1, stream = kNone, event = kNone, correlation = 0;
};
struct ProfiledRange {
  std::int64_t begin = 0, end = 0;
  std::uint32_t tid = 0;
  std::string text;
};
struct ProfiledOverhead {
  std::int64_t begin = 0, end = 0;
  std::uint32_t tid = 0, kind = 0;
};
struct ProfiledMemory {
  std::int64_t at = 0;
  std::uint32_t device = 0, tid = 0;
  std::int64_t bytes = 0;  // negative: freed
};

struct Profile {
  std::int64_t pid = 0;
  std::vector<ProfiledWork> work;
  std::vector<ProfiledCall> calls;
  std::vector<ProfiledWait> waits;
  std::vector<ProfiledRange> ranges;
  std::vector<ProfiledOverhead> overheads;
  std::vector<ProfiledMemory> memory;
};

// The name of a call without the version of CUDA ("cudaLaunchKernel_v7000"), or of its interface
// ("cuMemAlloc_v2").
[[nodiscard]] std::string without_version(const std::string& name);
// Moves all times, so that the earliest is 0, and sorts the ranges by their begins.
void begin_at_zero(std::vector<Profile>& profiles);

// The processes of a file that used a GPU. These functions read the file by plain SQL and JSON, without the
// importers of the program, so that an error of an importer cannot hide an error of the decoder.
[[nodiscard]] Result<std::vector<Profile>> read_nsys(const std::filesystem::path& file);
[[nodiscard]] Result<std::vector<Profile>> read_kineto(const std::filesystem::path& file);

}  // namespace runahead::testing
