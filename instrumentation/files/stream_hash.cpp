#include "instrumentation/files/stream_hash.h"

#include "instrumentation/base/check.h"

#ifdef RUNAHEAD_HAVE_XXHASH
#include <xxhash.h>
#endif

namespace runahead::files {

#ifdef RUNAHEAD_HAVE_XXHASH
struct StreamHash::State {
  XXH64_state_t* xxh = XXH64_createState();
  State() {
    RUNAHEAD_CHECK(xxh != nullptr);
    XXH64_reset(xxh, 0);
  }
  ~State() { XXH64_freeState(xxh); }
  void add(std::string_view bytes) { XXH64_update(xxh, bytes.data(), bytes.size()); }
  [[nodiscard]] std::uint64_t value() const { return XXH64_digest(xxh); }
};
bool StreamHash::supported() { return true; }
#else
struct StreamHash::State {
  void add(std::string_view) {}
  [[nodiscard]] std::uint64_t value() const { return 0; }
};
bool StreamHash::supported() { return false; }
#endif

StreamHash::StreamHash() : state_(std::make_unique<State>()) {}
StreamHash::StreamHash(StreamHash&&) noexcept = default;
StreamHash::~StreamHash() = default;
void StreamHash::add(std::string_view bytes) { state_->add(bytes); }
std::uint64_t StreamHash::value() const { return state_->value(); }

}  // namespace runahead::files
