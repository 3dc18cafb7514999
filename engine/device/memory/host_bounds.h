// Computes how much host memory the program may use. The limits are the machine's memory, the limit of the
// address space (RLIMIT_AS) and the limits of the cgroup. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace runahead::engine {

inline constexpr std::size_t kNoBound = ~std::size_t{0};

struct HostBounds {
  std::size_t physical_bytes = kNoBound;
  std::size_t cgroup_bytes = kNoBound;
  std::size_t address_bytes = kNoBound;  // RLIMIT_AS
  std::size_t mapped_bytes = 0;          // part of the address space that is mapped now
};
[[nodiscard]] HostBounds host_bounds();  // reads some files of /proc and /sys

// The bytes that arrays may use: the smallest bound, minus a reserve for the program itself (threads,
// recording, error handling). 0: nothing is left.
[[nodiscard]] std::size_t capacity_within(const HostBounds& bounds);
// True: `size_bytes` more bytes of address space can be mapped, and the program's reserve is still free after
// that. Always true if RLIMIT_AS is not set.
[[nodiscard]] bool address_space_has(std::size_t size_bytes);

// Returns the smallest memory.max (cgroup v2) or memory.limit_in_bytes (v1) of all cgroups from the program's
// cgroup up to the root. kNoBound: no limit. proc_cgroup: content of /proc/self/cgroup; mount:
// /sys/fs/cgroup.
[[nodiscard]] std::size_t cgroup_limit_bytes(std::string_view proc_cgroup,
                                             const std::filesystem::path& mount);

}  // namespace runahead::engine
