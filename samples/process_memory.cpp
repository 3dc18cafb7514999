#include "samples/process_memory.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace runahead::samples {

std::int64_t process_rss_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long long total_pages = 0, resident_pages = 0;
  const int found = std::fscanf(file, "%lld %lld", &total_pages, &resident_pages);
  std::fclose(file);
  return found == 2 ? static_cast<std::int64_t>(resident_pages) * sysconf(_SC_PAGESIZE) : 0;
}

std::size_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::size_t kib = 0;
    if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace runahead::samples
