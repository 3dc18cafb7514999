// Makes small recordings with every kind of block, as seeds for mutations.
#pragma once

#include <string>
#include <vector>

namespace runahead::testing {

[[nodiscard]] std::vector<std::string> seed_recordings();
// The blocks of this recording are not compressed, and the recording is opened by its index.
[[nodiscard]] std::string plain_recording();
// Inputs of read_from_peer() (link_input.h): a recording, and the messages of both sides.
[[nodiscard]] std::vector<std::string> link_seeds();

}  // namespace runahead::testing
