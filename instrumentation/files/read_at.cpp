#include "instrumentation/files/read_at.h"

#include <unistd.h>

#include <cerrno>

namespace runahead::files {

void read_at(int fd, std::uint64_t offset, std::size_t size, std::string& out) {
  out.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, out.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
}

}  // namespace runahead::files
