// Names: makes the sites of kernels, calls and ranges, and the texts of launch sizes (grids and blocks).
// Names are interned for the life of the process, so their number is limited. Beyond the limit, all further
// sites share one name. Single-threaded.
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
  // Limits of the number of different names (of all kinds together) and of different launch sizes.
  static constexpr std::size_t kMostNames = 1u << 16;
  static constexpr std::size_t kMostSizes = 1u << 12;

  // Returns the site of the kernel with this mangled name. The site contains the demangled name.
  [[nodiscard]] const record::Site& kernel(const char* mangled);
  [[nodiscard]] const record::Site& site(std::string_view name, trace::SliceKind kind);
  // Returns the site of a call. The site's name has no version. `name` must have static storage.
  [[nodiscard]] const record::Site& call(const char* name);
  // Returns the text "[64, 1, 1]", as Kineto (PyTorch's profiler) writes it. If there are more than
  // kMostSizes different sizes, returns "many sizes".
  [[nodiscard]] const char* size(const std::int32_t (&dimensions)[3]);

 private:
  // Caches of sites. The key is the address of the name, because most records repeat an address. A kernel's
  // entry also has the name itself, because the text at an address may change when a module is unloaded.
  struct AtAddress {
    std::string mangled;
    const record::Site* site = nullptr;
  };
  std::unordered_map<const char*, AtAddress> kernels_;
  std::unordered_map<const char*, const record::Site*> calls_;
  std::unordered_map<std::string, const record::Site*> sites_;  // key: kind and name
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
