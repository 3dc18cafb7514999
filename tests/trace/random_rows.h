// Random rows for the tests of the trace store. Some rows look like rows of real traces, but cases that are
// rare in real traces are frequent here.
#pragma once

#include <vector>

#include "instrumentation/trace/rows/batch.h"
#include "tests/support/random.h"
#include "tests/support/random_columns.h"

namespace runahead::trace {

// Makes random values for added columns (columns that only some files have). The ids are arbitrary, because
// the tests do not look them up.
struct AnyColumns {
  testing::Random& random;
  std::int64_t uniform(std::int64_t low, std::int64_t high) { return random.integer(low, high); }
  std::uint32_t id() { return static_cast<std::uint32_t>(random.integer(0, 20)); }
  StringId any_string() { return StringId{id()}; }
  ArgsId any_args() { return ArgsId{id()}; }
  TrackId any_track() { return TrackId{id()}; }
  TrackId any_counter() { return TrackId{id()}; }
  OpId any_op() { return OpId{id()}; }
};

// Sorted, disjoint slices. The first slice starts at `begin` or later. Many slices are short, some have
// length zero, some touch, some are far from each other.
inline std::vector<Slice> random_slices(testing::Random& random, std::size_t count, Timestamp begin = {}) {
  std::vector<Slice> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(0.7)) begin += Duration{random.magnitude(random.chance(0.02) ? 1'000'000'000 : 2'000)};
    Slice slice{.begin = begin};
    slice.end =
        begin +
        Duration{random.chance(0.1) ? 0 : random.magnitude(random.chance(0.02) ? 100'000'000 : 5'000)};
    slice.name = StringId(static_cast<std::uint32_t>(random.integer(0, random.chance(0.1) ? 100'000 : 20)));
    slice.kind = static_cast<SliceKind>(random.integer(0, kSliceKindCount - 1));
    if (random.chance(0.05)) slice.flags = static_cast<std::uint8_t>(random.integer(0, 255));
    if (random.chance(0.8)) slice.op = OpId((std::uint64_t{1} << 48) + i);
    if (random.chance(0.3)) slice.size_bytes = random.magnitude(std::int64_t{1} << 40);
    if (random.chance(0.1)) slice.args = ArgsId(static_cast<std::uint32_t>(random.integer(1, 1000)));
    AnyColumns columns{random};
    testing::fill_added_columns(slice, columns);
    out.push_back(slice);
    begin = slice.end;
  }
  return out;
}

// Sorted samples, some at equal times. Ranges of whole numbers alternate with ranges of fractions.
inline std::vector<CounterSample> random_samples(testing::Random& random, std::size_t count) {
  std::vector<CounterSample> out;
  Timestamp t{};
  bool whole = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(0.8)) t += Duration{random.magnitude(100'000)};
    if (random.chance(0.001)) whole = !whole;
    const double value =
        whole ? static_cast<double>(random.integer(-1000, 1'000'000'000)) : random.real(-1e3, 1e9);
    CounterSample sample{t, value};
    AnyColumns columns{random};
    testing::fill_added_columns(sample, columns);
    out.push_back(sample);
  }
  return out;
}

}  // namespace runahead::trace
