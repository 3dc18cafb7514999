#include "instrumentation/base/check.h"

#include <gtest/gtest.h>

#include "instrumentation/base/result.h"

namespace runahead {
namespace {

TEST(CheckDeathTest, AFailedComparisonPrintsBothValues) {
  const int rows = 3;
  EXPECT_DEATH(RUNAHEAD_CHECK_OP(rows, <, 2), "rows < 2.*3 and 2");
}

TEST(Check, AConditionThatHoldsCostsNothingVisible) {
  int evaluated = 0;
  RUNAHEAD_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, ReadingTheValueOfAnErrorIsABug) {
  const Result<int> failed = Error{"trace 'x': cannot open"};
  EXPECT_EQ(failed.error().message, "trace 'x': cannot open");
  EXPECT_DEATH((void)failed.value(), "check failed");
}

}  // namespace
}  // namespace runahead
