#include "tests/fuzz/mutation.h"

#include <cstddef>
#include <cstdint>

namespace runahead::testing {

std::string mutated(std::string bytes, const std::string& other, Random& random, std::string_view telling) {
  for (std::int64_t changes = random.integer(1, 6); changes > 0 && !bytes.empty(); --changes) {
    const auto place = [&](std::string_view in) {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(in.size()) - 1));
    };
    const std::size_t at = place(bytes), length = static_cast<std::size_t>(random.magnitude(64));
    switch (random.integer(0, 5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.integer(0, 255));
        break;
      case 2:
        bytes[at] = telling[place(telling)];
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(place(bytes), length));
        break;
      default:
        bytes.insert(at, other.substr(place(other), length));
        break;
    }
  }
  return bytes;
}

}  // namespace runahead::testing
