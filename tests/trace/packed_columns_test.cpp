#include "instrumentation/trace/columns/packed_columns.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace runahead::trace {
namespace {

std::vector<std::int64_t> packed_and_unpacked(const std::vector<std::int64_t>& values,
                                              std::optional<std::int64_t> null,
                                              std::size_t* bytes_out = nullptr) {
  ColumnPacker packer;
  const PackedColumn column = packer.add(values, null);
  const std::vector<std::byte> bytes = packer.finish();
  if (bytes_out != nullptr) *bytes_out = bytes.size();
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back(unpack(column, bytes.data(), i));
  return out;
}

TEST(PackedColumns, GiveBackExtremeValues) {
  const std::vector<std::int64_t> values{INT64_MIN, INT64_MAX, 0, -1, 1};
  EXPECT_EQ(packed_and_unpacked(values, std::nullopt), values);
  EXPECT_EQ(packed_and_unpacked(values, INT64_MIN), values);
  EXPECT_EQ(packed_and_unpacked({INT64_MIN, INT64_MIN}, INT64_MIN),
            (std::vector<std::int64_t>{INT64_MIN, INT64_MIN}));
}

TEST(PackedColumns, UseAsFewBytesAsTheRangeNeeds) {
  const auto bytes_a_row = [](std::int64_t range, std::optional<std::int64_t> null) {
    std::size_t bytes = 0;
    const std::vector<std::int64_t> values{1'000'000'000'000, 1'000'000'000'000 + range,
                                           null.value_or(1'000'000'000'000)};
    EXPECT_EQ(packed_and_unpacked(values, null, &bytes), values);
    return bytes / values.size();
  };
  EXPECT_EQ(bytes_a_row(0, std::nullopt), 0u);
  EXPECT_EQ(bytes_a_row(255, std::nullopt), 1u);
  EXPECT_EQ(bytes_a_row(256, std::nullopt), 2u);
  EXPECT_EQ(bytes_a_row(65'535, std::nullopt), 2u);
  EXPECT_EQ(bytes_a_row(65'536, std::nullopt), 4u);
  EXPECT_EQ(bytes_a_row(std::int64_t{1} << 40, std::nullopt), 8u);
  // The null value of a column may be far from the other values. It takes one code (a packed value) and does
  // not widen the range of the other codes. Therefore 255 values and the null fit into one byte.
  EXPECT_EQ(bytes_a_row(0, 0), 1u);
  EXPECT_EQ(bytes_a_row(254, 0), 1u);
  EXPECT_EQ(bytes_a_row(255, 0), 2u);
}

TEST(PackedColumns, GiveBackRandomValuesOfEveryWidth) {
  testing::Random random;
  for (int round = 0; round < 300; ++round) {
    const std::int64_t range = random.magnitude(INT64_MAX / 4);
    const std::int64_t base = random.integer(INT64_MIN / 4, INT64_MAX / 4);
    const std::int64_t null = random.chance(0.5) ? 0 : INT64_MIN;
    std::vector<std::int64_t> values(static_cast<std::size_t>(random.integer(1, kBlockRows)));
    for (std::int64_t& value : values) value = random.chance(0.1) ? null : base + random.integer(0, range);
    ASSERT_EQ(packed_and_unpacked(values, null), values);
    ASSERT_EQ(packed_and_unpacked(values, std::nullopt), values);
  }
}

}  // namespace
}  // namespace runahead::trace
