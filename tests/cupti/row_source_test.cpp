// Tests rows that a RowSource delivers. Equal sets of arguments are stored once, as definitions. After a
// source has ended, the collector does not ask it again.
#include "instrumentation/record/hooks/row_source.h"

#include <gtest/gtest.h>

#include "instrumentation/record/batch_builder.h"
#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;

TEST(ArgSets, EqualSetsAreOneAndAllAreAmongTheDefinitions) {
  BatchBuilder batch;
  const trace::ArgSet a{{batch.literal("grid"), std::int64_t{3}}};
  const trace::ArgSet b{{batch.literal("grid"), 3.0}};
  EXPECT_EQ(batch.args_of(a), ArgsId{1});
  EXPECT_EQ(batch.args_of(b), ArgsId{2});
  EXPECT_EQ(batch.args_of(a), ArgsId{1});
  EXPECT_EQ(batch.take({}).args, (std::vector<trace::ArgSet>{a, b}));
  EXPECT_EQ(batch.args_of(b), ArgsId{2});
  EXPECT_TRUE(batch.take({}).args.empty());
  EXPECT_EQ(batch.definitions().args, (std::vector<trace::ArgSet>{a, b}));
}

TEST(ArgSets, BeyondTheirBoundOneSetSaysThatTheyAreLeftOut) {
  BatchBuilder batch;
  const StringId key = batch.literal("n");
  for (std::int64_t i = 0; i + 1 < static_cast<std::int64_t>(BatchBuilder::kMostArgSets); ++i)
    (void)batch.args_of({{key, i}});
  const ArgsId beyond = batch.args_of({{key, std::int64_t{-1}}});
  EXPECT_EQ(raw(beyond), BatchBuilder::kMostArgSets);
  EXPECT_EQ(batch.args_of({{key, std::int64_t{-2}}}), beyond);
  EXPECT_EQ(batch.args_of({{key, std::int64_t{5}}}), ArgsId{6});
  EXPECT_EQ(batch.take({}).args.size(), BatchBuilder::kMostArgSets);
}

class Once final : public RowSource {
 public:
  bool take(SourceRows& rows) override {
    ++taken;
    rows.losses.add(trace::LossCause::kDeviceRecords, 3);
    return false;
  }
  int taken = 0;
};

TEST(RowSources, OneThatHasEndedIsAskedNoMore) {
  Capture capture;
  const auto source = std::make_shared<Once>();
  capture.recorder.add(source);
  capture.settle();
  capture.settle();
  EXPECT_EQ(source->taken, 1);
  EXPECT_EQ(source.use_count(), 1);
  EXPECT_EQ(capture.lost(trace::LossCause::kDeviceRecords), 3u);
}

}  // namespace
}  // namespace runahead::record
