// Replay: a profile goes through the module, the decoder, a recorder and a file, as if CUPTI had recorded it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"
#include "tests/cupti/replay/buffer_filler.h"
#include "tests/cupti/replay/profile.h"

namespace runahead::testing {

struct Replayed {
  trace::Trace trace;  // read from the file; its times are those of the profile plus shift_ns
  std::int64_t shift_ns = 0;
  std::uint64_t records = 0;   // of all kinds
  std::vector<bool> recorded;  // for each call of the profile: the module asked CUPTI to record it
};

// Writes the recording into `file`. One thread: a process has one CUPTI. `change` may change the records
// before the module gets them.
[[nodiscard]] Result<Replayed> replay(const Profile& profile, FillOrder order, std::size_t buffer_bytes,
                                      const std::filesystem::path& file,
                                      const std::function<void(std::vector<Activity>&)>& change = {});

}  // namespace runahead::testing
