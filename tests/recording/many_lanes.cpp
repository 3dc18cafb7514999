#include "tests/recording/many_lanes.h"

#include <string>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/random.h"

namespace runahead::testing {
namespace {

using namespace trace;

// Number of rows of a lane or counter in a group. Most lanes have no rows or a few. A busy lane has up to a
// few chunks.
std::int64_t rows_of(Random& random, std::size_t number) {
  if (number % 8 == 0) return random.integer(0, random.chance(0.1) ? 4000 : 400);
  return random.chance(0.3) ? 0 : random.integer(1, static_cast<std::int64_t>(number));
}

Slice slice_after(Random& random, Timestamp t) {
  const Timestamp begin = t + Duration{random.magnitude(3000)};
  Slice slice{begin, begin + Duration{random.magnitude(2000)},
              StringId{static_cast<std::uint32_t>(random.integer(1, 2))}};
  slice.kind = random.chance(0.5) ? SliceKind::kWait : SliceKind::kExecute;
  slice.op = OpId{static_cast<std::uint64_t>(random.integer(0, 99))};
  return slice;
}

}  // namespace

void write_many_lanes(const ManyLanes& wanted, const std::filesystem::path& path) {
  const auto lanes = static_cast<std::size_t>(wanted.lanes),
             counters = static_cast<std::size_t>(wanted.counters);
  auto writer = recordings::RecordingWriter::create(path, {}, {.gather_bytes = 0, .limits = wanted.limits});
  RUNAHEAD_CHECK(writer.ok());
  Random random;
  std::vector<Timestamp> ends(lanes + counters);
  for (int group = 0; group < wanted.groups; ++group) {
    Batch batch;
    if (group == 0) batch.strings = {"", "a", "b"};
    for (std::size_t i = 0; i < lanes + counters; ++i) {
      const TrackId track{static_cast<std::uint32_t>(i)};
      const TrackKind kind = i < lanes ? TrackKind::kWorker : TrackKind::kCounter;
      if (group == 0) batch.tracks.push_back({.id = track, .kind = kind, .name = "t" + std::to_string(i)});
      const std::int64_t rows = rows_of(random, i < lanes ? i : i - lanes);
      if (rows == 0) continue;
      if (i < lanes) batch.lanes.push_back({track, 0, {}});
      if (i >= lanes) batch.counters.push_back({track, {}});
      for (std::int64_t n = 0; n < rows; ++n) {
        if (i < lanes) batch.lanes.back().rows.push_back(slice_after(random, ends[i]));
        ends[i] = i < lanes ? batch.lanes.back().rows.back().end : ends[i] + Duration{random.magnitude(3000)};
        if (i >= lanes)
          batch.counters.back().rows.push_back({ends[i], static_cast<double>(random.integer(-99, 99)) / 4});
      }
      batch.watermark = std::max(batch.watermark, ends[i]);
    }
    RUNAHEAD_CHECK((*writer)->write(batch).ok());
  }
  RUNAHEAD_CHECK((*writer)->finish().ok());
}

}  // namespace runahead::testing
