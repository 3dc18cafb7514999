#include "instrumentation/base/parse_number.h"

#include <gtest/gtest.h>

namespace runahead {
namespace {

TEST(ParseNumber, TakesWholeNumbersAboveZero) {
  EXPECT_EQ(parse_positive("1"), 1);
  EXPECT_EQ(parse_positive("9223372036854775807"), INT64_MAX);
  for (const char* wrong : {"", "0", "-1", "+1", " 1", "1 ", "1.5", "1k", "x", "9223372036854775808"})
    EXPECT_EQ(parse_positive(wrong), std::nullopt) << wrong;
}

TEST(ParseNumber, TakesBytesWithTheUnitsOfBothKinds) {
  EXPECT_EQ(parse_positive_bytes("7"), 7);
  EXPECT_EQ(parse_positive_bytes("3k"), 3'000);
  EXPECT_EQ(parse_positive_bytes("256M"), 256'000'000);
  EXPECT_EQ(parse_positive_bytes("2G"), 2'000'000'000);
  EXPECT_EQ(parse_positive_bytes("3Ki"), 3 * 1024);
  EXPECT_EQ(parse_positive_bytes("64Mi"), std::int64_t{64} << 20);
  EXPECT_EQ(parse_positive_bytes("1Gi"), std::int64_t{1} << 30);
  for (const char* wrong : {"", "M", "0M", "-1M", "1.5G", "256m", "1T", "1 M", "9223372036854775807k"})
    EXPECT_EQ(parse_positive_bytes(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace runahead
