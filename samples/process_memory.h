// The kernel's figures for the memory of this process and of the machine. Internal to samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runahead::samples {

// Resident bytes, from /proc/self/statm. 0 if the file does not exist. Takes a few microseconds.
[[nodiscard]] std::int64_t process_rss_bytes();

// Number of bytes that the machine can provide without swapping: MemAvailable in /proc/meminfo. If that file
// does not exist: the largest std::size_t.
[[nodiscard]] std::size_t available_memory_bytes();

}  // namespace runahead::samples
