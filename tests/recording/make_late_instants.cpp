#include "tests/recording/make_late_instants.h"

#include <algorithm>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/recording.h"

namespace runahead::testing {

using namespace trace;

Batch group_of(const LateSources& sources, std::int64_t number) {
  const std::int64_t round_ns = 10 * sources.rows;
  Batch batch;
  if (number == 0) batch.strings = {"", "a", "b", "c"};
  for (std::size_t source = 0; source < sources.rounds_late.size(); ++source) {
    const TrackId track{static_cast<std::uint32_t>(source)};
    if (number == 0) batch.tracks.push_back({.id = track, .kind = TrackKind::kWorker, .name = "w"});
    const std::int64_t round = number - sources.rounds_late[source];
    if (round < 0 || round >= sources.rounds) continue;
    for (std::int64_t i = 0; i < sources.rows; ++i) {
      // The op makes each instant unique, because several instants may have the same time.
      const OpId op{static_cast<std::uint64_t>(round * sources.rows + i)};
      const StringId name{static_cast<std::uint32_t>(i % 3 + 1)};
      batch.instants.push_back(
          {timestamp_from_ns(round * round_ns + i * sources.step_ns), track, name, op, kNoArgs});
    }
  }
  std::stable_sort(batch.instants.begin(), batch.instants.end(),
                   [](const Instant& a, const Instant& b) { return a.at < b.at; });
  batch.watermark = timestamp_from_ns((number + 1) * round_ns);
  return batch;
}

void write_late_instants(const LateSources& sources, const std::filesystem::path& path) {
  auto writer = recordings::RecordingWriter::create(path, {}, {.gather_bytes = 0});
  RUNAHEAD_CHECK(writer.ok());
  const std::int64_t latest = *std::max_element(sources.rounds_late.begin(), sources.rounds_late.end());
  for (std::int64_t number = 0; number < sources.rounds + latest; ++number) {
    RUNAHEAD_CHECK((*writer)->write(group_of(sources, number)).ok());
  }
  RUNAHEAD_CHECK((*writer)->finish().ok());
}

void write_backwards(const Backwards& wanted, const std::filesystem::path& path) {
  auto writer = recordings::RecordingWriter::create(path, {}, {.gather_bytes = 0, .limits = wanted.limits});
  RUNAHEAD_CHECK(writer.ok());
  for (std::int64_t group = wanted.groups - 1; group >= 0; --group) {
    Batch batch;
    if (group == wanted.groups - 1) {
      batch.strings = {"", "a"};
      batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
    }
    for (std::int64_t i = 0; i < wanted.rows; ++i) {
      const Timestamp at = timestamp_from_ns((group * wanted.rows / 2 + i) / 10 * 10);
      // The op makes each instant unique, because several instants may have the same time.
      const OpId op{static_cast<std::uint64_t>(group * wanted.rows + i)};
      batch.instants.push_back({at, TrackId{0}, StringId{1}, op, kNoArgs});
    }
    batch.watermark = timestamp_from_ns(wanted.groups * wanted.rows);
    RUNAHEAD_CHECK((*writer)->write(batch).ok());
  }
  RUNAHEAD_CHECK((*writer)->finish().ok());
}

}  // namespace runahead::testing
