// The kernel's figure for this process's memory. Internal to samples.
#pragma once

#include <cstdint>

namespace runahead::samples {

// Resident bytes, as /proc/self/statm says; 0 where there is no such file. A few microseconds.
[[nodiscard]] std::int64_t process_rss_bytes();

}  // namespace runahead::samples
