// Small recordings with every kind of block, to mutate.
#pragma once

#include <string>
#include <vector>

namespace runahead::testing {

[[nodiscard]] std::vector<std::string> seed_recordings();
// Whose blocks are not compressed, and which is opened by its index.
[[nodiscard]] std::string plain_recording();

}  // namespace runahead::testing
