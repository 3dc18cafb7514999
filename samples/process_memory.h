// The kernel's figures for this process's memory, and for the machine's. Internal to samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runahead::samples {

// Resident bytes, as /proc/self/statm says; 0 where there is no such file. A few microseconds.
[[nodiscard]] std::int64_t process_rss_bytes();

// What the machine can give without taking it from others: MemAvailable of /proc/meminfo; without such a file
// the most there is of a number.
[[nodiscard]] std::size_t available_memory_bytes();

}  // namespace runahead::samples
