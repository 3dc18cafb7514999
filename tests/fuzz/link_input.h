// Code that the fuzzer of the link and its regression test share. The first byte of the input says which
// reader gets the rest: the frames of the agent, the frames of a watcher, or a recording that arrives in
// pieces. The recording is read as a watcher reads it: rows are evicted, and definitions are bounded.
#pragma once

#include <cstddef>
#include <span>

namespace runahead::testing {

void read_from_peer(std::span<const std::byte> bytes);

}  // namespace runahead::testing
