// StreamHash: xxHash64 (seed 0) of bytes that come a few at a time.
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
  // Whether this build has it; without it every hash is 0.
  [[nodiscard]] static bool supported();

  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;  // of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::files
