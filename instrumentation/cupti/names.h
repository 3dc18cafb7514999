// Names: the sites of kernels, calls and ranges, and the texts of launch sizes. Interned for the life of the
// process, so they are bounded: what exceeds the bound shares one name. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "instrumentation/record/hooks/site.h"

namespace runahead::cupti {

class Names {
 public:
  // Names of all kinds, and sizes, that are kept apart.
  static constexpr std::size_t kMostNames = 1u << 16;
  static constexpr std::size_t kMostSizes = 1u << 12;

  // By its mangled name: the site has the readable one.
  [[nodiscard]] const record::Site& kernel(const char* mangled);
  [[nodiscard]] const record::Site& site(std::string_view name, trace::SliceKind kind);
  // `name` has static storage.
  [[nodiscard]] const record::Site& call(const char* name);
  // "[64, 1, 1]", as Kineto writes it; "many sizes" beyond the bound.
  [[nodiscard]] const char* size(const std::int32_t (&dimensions)[3]);

 private:
  // Most records repeat an address. What lies there may have changed, as a module was unloaded.
  struct AtAddress {
    std::string mangled;
    const record::Site* site = nullptr;
  };
  std::unordered_map<const char*, AtAddress> kernels_;
  std::unordered_map<const char*, const record::Site*> calls_;
  std::unordered_map<std::string, const record::Site*> sites_;  // by kind and name
  struct Size {
    std::int32_t x, y, z;
    friend bool operator==(const Size&, const Size&) = default;
  };
  struct HashSize {
    std::size_t operator()(const Size& size) const {
      const auto word = [](std::int32_t n) { return static_cast<std::uint32_t>(n); };
      return std::hash<std::uint64_t>()((std::uint64_t{word(size.x)} << 32 | word(size.y)) * 31 +
                                        word(size.z));
    }
  };
  std::unordered_map<Size, const char*, HashSize> sizes_;
};

}  // namespace runahead::cupti
