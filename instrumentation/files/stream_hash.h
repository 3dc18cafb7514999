// StreamHash: xxHash64 (seed 0) of bytes that arrive in parts.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace runahead::files {

class StreamHash {
 public:
  StreamHash();
  StreamHash(StreamHash&&) noexcept;
  ~StreamHash();
  // True if this build has xxHash. Without xxHash every hash is 0.
  [[nodiscard]] static bool supported();

  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;  // hash of all bytes added so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::files
