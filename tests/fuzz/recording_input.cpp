#include "tests/fuzz/recording_input.h"

#include <cstdint>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/recording_index.h"
#include "tests/fuzz/read_everything.h"

namespace runahead::testing {

using namespace trace;

void open_as_recording(std::span<const std::byte> bytes) {
  (void)io::read_recording_index(bytes);
  const Result<Trace> loaded = io::read_recording(bytes);
  if (!loaded) {
    RUNAHEAD_CHECK(!loaded.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*loaded);
  (void)sum;
}

}  // namespace runahead::testing
