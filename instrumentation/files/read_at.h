// Reads bytes at a place of a file, without its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace runahead::files {

// Reads up to `size` bytes at `offset` of an open file into `out`, which has only these bytes then. Fewer:
// the file ends there, or the rest cannot be read. An interrupted call goes on.
void read_at(int fd, std::uint64_t offset, std::size_t size, std::string& out);

}  // namespace runahead::files
