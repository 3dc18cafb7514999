#include "instrumentation/trace/lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/support/literals.h"
#include "tests/trace/random_rows.h"

namespace runahead::trace {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

// A naive implementation of a lane. It answers the same queries as Lane, but by a scan of all rows.
class NaiveLane {
 public:
  explicit NaiveLane(std::vector<Slice> rows) : rows_(std::move(rows)) {}
  std::uint64_t first_row_ending_after(Timestamp t) const {
    return first([t](const Slice& s) { return s.end > t; });
  }
  std::uint64_t first_row_beginning_from(Timestamp t) const {
    return first([t](const Slice& s) { return s.begin >= t; });
  }
  Duration busy(std::uint64_t first, std::uint64_t last) const {
    Duration sum{};
    for (; first < last; ++first) sum += rows_[first].duration();
    return sum;
  }
  std::uint64_t longest_row(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t longest = first;
    for (; first < last; ++first) {
      if (rows_[first].duration() > rows_[longest].duration()) longest = first;
    }
    return longest;
  }
  std::uint64_t next_of_kinds(SliceKinds kinds, std::uint64_t first, std::uint64_t last) const {
    while (first < last && (kinds_of(rows_[first].kind) & kinds) == 0) ++first;
    return first;
  }

 private:
  template <typename Holds>
  std::uint64_t first(Holds holds) const {
    return static_cast<std::uint64_t>(std::find_if(rows_.begin(), rows_.end(), holds) - rows_.begin());
  }
  std::vector<Slice> rows_;
};

// Appends in chunks of random length.
void append_in_chunks(Lane& lane, const std::vector<Slice>& rows, Random& random) {
  for (std::size_t i = 0; i < rows.size();) {
    const auto chunk = std::min(rows.size() - i, static_cast<std::size_t>(random.integer(1, 700)));
    lane.append({rows.data() + i, chunk});
    i += chunk;
  }
}

TEST(Lane, GivesBackEveryRowAsItWasAppended) {
  Random random;
  for (const std::size_t count : {1u, 1023u, 1024u, 1025u, 5000u}) {
    const std::vector<Slice> rows = random_slices(random, count);
    Lane lane;
    append_in_chunks(lane, rows, random);
    ASSERT_EQ(lane.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(lane.slice(i), rows[i]);
      ASSERT_EQ(lane.begin(i), rows[i].begin);
      ASSERT_EQ(lane.end(i), rows[i].end);
    }
  }
}

TEST(Lane, FindsAndSumsAsANaiveOneDoes) {
  Random random;
  const std::vector<Slice> rows = random_slices(random, 4500);
  const NaiveLane naive(rows);
  Lane lane;
  append_in_chunks(lane, rows, random);
  for (int i = 0; i < 400; ++i) {
    const Slice& near = rows[static_cast<std::size_t>(random.integer(0, 4499))];
    const Timestamp t = (random.chance(0.5) ? near.begin : near.end) + Duration{random.integer(-1, 1)};
    ASSERT_EQ(lane.first_row_ending_after(t), naive.first_row_ending_after(t));
    ASSERT_EQ(lane.first_row_beginning_from(t), naive.first_row_beginning_from(t));
    const auto hint = static_cast<std::uint64_t>(
        random.integer(0, static_cast<std::int64_t>(naive.first_row_beginning_from(t))));
    ASSERT_EQ(lane.first_row_beginning_from(t, hint), naive.first_row_beginning_from(t));
    const auto first = static_cast<std::uint64_t>(random.integer(0, 4499));
    const auto last =
        first + static_cast<std::uint64_t>(random.magnitude(static_cast<std::int64_t>(4500 - first)));
    ASSERT_EQ(lane.busy(first, last), naive.busy(first, last));
    const auto kinds = static_cast<SliceKinds>(random.integer(0, 511));
    ASSERT_EQ(lane.next_of_kinds(kinds, first, last), naive.next_of_kinds(kinds, first, last));
    if (first < last) {
      ASSERT_EQ(lane.longest_row(first, last), naive.longest_row(first, last));
    }
  }
}

TEST(Lane, LongestRowIsTheEarliestOfEquals) {
  Lane lane;
  std::vector<Slice> rows(3000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].begin = at(Duration{static_cast<std::int64_t>(i) * 10});
    rows[i].end = rows[i].begin + 5_ns;
  }
  lane.append(rows);
  EXPECT_EQ(lane.longest_row(0, 3000), 0u);
  EXPECT_EQ(lane.longest_row(700, 2900), 700u);
  EXPECT_EQ(lane.longest_row(2100, 2900), 2100u);
}

TEST(Lane, RowNumbersStayValidWhenOldBlocksAreLetGo) {
  Random random;
  const std::vector<Slice> rows = random_slices(random, 5000);
  Lane lane;
  lane.append(rows);
  const std::size_t size_before = lane.size_bytes();
  // The first block ends exactly at the time in the next line, and not before it. Therefore evict_before()
  // keeps the block.
  EXPECT_EQ(lane.evict_before(rows[1023].end), 0u);
  const std::uint64_t went = lane.evict_before(rows[3000].begin);
  EXPECT_EQ(went % kBlockRows, 0u);
  EXPECT_GE(went, 1024u);
  EXPECT_EQ(lane.first_row(), went);
  EXPECT_EQ(lane.end_row(), 5000u);
  EXPECT_LT(lane.size_bytes(), size_before);
  for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row)
    ASSERT_EQ(lane.slice(row), rows[row]);
  const NaiveLane naive(rows);
  EXPECT_EQ(lane.busy(went, 5000), naive.busy(went, 5000));
  EXPECT_EQ(lane.first_row_ending_after(rows.front().begin), lane.first_row());
  EXPECT_EQ(lane.first_row_ending_after(rows[4000].begin), naive.first_row_ending_after(rows[4000].begin));
}

TEST(LaneDeathTest, RefusesRowsThatOverlapOrGoBack) {
  Lane lane;
  lane.append(std::vector<Slice>{{.begin = at(0_ns), .end = at(10_ns)}});
  EXPECT_DEATH(lane.append(std::vector<Slice>{{.begin = at(9_ns), .end = at(12_ns)}}), "check failed");
  EXPECT_DEATH(lane.append(std::vector<Slice>{{.begin = at(12_ns), .end = at(11_ns)}}), "check failed");
  lane.append(
      std::vector<Slice>{{.begin = at(10_ns), .end = at(10_ns)}, {.begin = at(10_ns), .end = at(11_ns)}});
  EXPECT_EQ(lane.size(), 3u);
}

TEST(Lane, ATypicalWorkersSliceTakesAtMostSixteenBytes) {
  Random random(1);
  std::vector<Slice> rows;
  Timestamp t{};
  for (std::uint64_t i = 0; i < 100 * kBlockRows; ++i) {
    Slice slice{.begin = t + Duration{random.integer(200, 3'000)}};
    slice.end = slice.begin + Duration{random.integer(1'000, 60'000)};
    slice.name = StringId(static_cast<std::uint32_t>(random.integer(1, 30)));
    slice.kind = SliceKind::kExecute;
    slice.op = OpId((std::uint64_t{1} << 48) + i * 2 + static_cast<std::uint64_t>(random.integer(0, 100)));
    rows.push_back(slice);
    t = slice.end;
  }
  Lane lane;
  lane.append(rows);
  const double bytes_a_slice = static_cast<double>(lane.size_bytes()) / static_cast<double>(rows.size());
  RecordProperty("bytes_per_slice", std::to_string(bytes_a_slice));
  EXPECT_LE(bytes_a_slice, 16.0);
}

// Tests invariant 1 of docs/architecture.md with two threads: finished rows never change or move. In the tsan
// preset, the test shows that readers and the writer have no data race.
TEST(Lane, ACopyIsReadOnAnotherThreadWhileTheOwnerAppends) {
  Random random;
  const std::vector<Slice> rows = random_slices(random, 20'000);
  Lane lane;
  for (std::size_t round = 0; round < 20; ++round) {
    lane.append({rows.data() + round * 1000, 500});
    std::jthread reader([copy = lane, &rows] {
      for (std::uint64_t row = copy.first_row(); row < copy.end_row(); ++row) {
        ASSERT_EQ(copy.slice(row), rows[row]);
      }
    });
    for (std::size_t i = 500; i < 1000; ++i) lane.append({rows.data() + round * 1000 + i, 1});
    reader.join();
  }
}

}  // namespace
}  // namespace runahead::trace
