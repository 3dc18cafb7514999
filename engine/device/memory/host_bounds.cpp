#include "engine/device/memory/host_bounds.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "instrumentation/base/parse_number.h"

namespace runahead::engine {
namespace {

// The program reserves a sixteenth of the memory limit for itself, because the buffers of a recording and the
// trace are larger on larger machines. kLeastReserve is enough for a few threads and for the work at the end
// of a run.
constexpr std::size_t kLeastReserve = std::size_t{32} << 20, kMostReserve = std::size_t{256} << 20;

std::size_t less_reserve(std::size_t bytes) {
  const std::size_t reserve = std::clamp(bytes / 16, kLeastReserve, kMostReserve);
  return bytes > reserve ? bytes - reserve : 0;
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t address_limit_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoBound;
  return limit.rlim_cur;
}

std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * page_bytes();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the limit that the file contains. kNoBound: the file contains "max" or does not exist.
std::size_t limit_in(const std::filesystem::path& file) {
  std::string text = text_of(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto bytes = parse_positive(text);
  return bytes ? static_cast<std::size_t>(*bytes) : kNoBound;
}

// In a container, `group` is a path on the host. The container may see the root of the cgroup tree, but not
// the folders of this path. Therefore missing files are normal. A missing file sets no limit.
std::size_t least_up_to_root(const std::filesystem::path& root, std::string_view group, const char* file) {
  std::size_t least = limit_in(root / file);
  std::filesystem::path at(group.substr(std::min(group.find_first_not_of('/'), group.size())));
  for (; !at.empty(); at = at.parent_path()) least = std::min(least, limit_in(root / at / file));
  return least;
}

bool lists_memory(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",memory,") != std::string::npos;
}

}  // namespace

std::size_t cgroup_limit_bytes(std::string_view proc_cgroup, const std::filesystem::path& mount) {
  std::size_t least = kNoBound;
  // The lines of /proc/self/cgroup have the form "hierarchy:controllers:path". In the line for cgroup v2, the
  // list of controllers is empty.
  while (!proc_cgroup.empty()) {
    const std::string_view line = proc_cgroup.substr(0, proc_cgroup.find('\n'));
    proc_cgroup.remove_prefix(std::min(line.size() + 1, proc_cgroup.size()));
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_up_to_root(mount, group, "memory.max"));
    if (lists_memory(controllers))
      least = std::min(least, least_up_to_root(mount / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

HostBounds host_bounds() {
  return {.physical_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes(),
          .cgroup_bytes = cgroup_limit_bytes(text_of("/proc/self/cgroup"), "/sys/fs/cgroup"),
          .address_bytes = address_limit_bytes(),
          .mapped_bytes = mapped_bytes()};
}

std::size_t capacity_within(const HostBounds& bounds) {
  std::size_t capacity = less_reserve(std::min(bounds.physical_bytes, bounds.cgroup_bytes));
  if (bounds.address_bytes == kNoBound) return capacity;
  const std::size_t usable = less_reserve(bounds.address_bytes);
  return std::min(capacity, usable > bounds.mapped_bytes ? usable - bounds.mapped_bytes : 0);
}

bool address_space_has(std::size_t size_bytes) {
  const std::size_t limit = address_limit_bytes();
  if (limit == kNoBound) return true;
  return capacity_within({.address_bytes = limit, .mapped_bytes = mapped_bytes()}) >= size_bytes;
}

}  // namespace runahead::engine
