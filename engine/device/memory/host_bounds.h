// How much memory of the host a program may have: of the machine, of its address space, of its cgroup. Any
// thread.
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
  std::size_t mapped_bytes = 0;          // of address_bytes, by now
};
[[nodiscard]] HostBounds host_bounds();  // reads some files of /proc and /sys

// What arrays may have of it: the least, less a reserve for the program itself (threads, recording, what an
// error needs); 0 where nothing is left.
[[nodiscard]] std::size_t capacity_within(const HostBounds& bounds);
// Whether so much more can be mapped without going into that reserve. Asks the system only where there is an
// RLIMIT_AS.
[[nodiscard]] bool address_space_has(std::size_t size_bytes);

// The least memory.max (cgroup v2) or memory.limit_in_bytes (v1) on the way from a program's cgroup to the
// root; kNoBound: there is none. proc_cgroup: what /proc/self/cgroup says; mount: /sys/fs/cgroup.
[[nodiscard]] std::size_t cgroup_limit_bytes(std::string_view proc_cgroup,
                                             const std::filesystem::path& mount);

}  // namespace runahead::engine
