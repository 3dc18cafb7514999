// Small recordings with every kind of block, to mutate.
#pragma once

#include <string>
#include <vector>

namespace runahead::testing {

[[nodiscard]] std::vector<std::string> seed_recordings();

}  // namespace runahead::testing
