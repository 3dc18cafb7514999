#include "gui/cli/words.h"

#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

using namespace std::chrono_literals;

TEST(Words, ATimeHasAUnitOrIsSeconds) {
  EXPECT_EQ(*parse_duration("2"), 2s);
  EXPECT_EQ(*parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("40us"), 40us);
  EXPECT_EQ(*parse_duration("7ns"), 7ns);
  EXPECT_EQ(*parse_duration("0"), 0s);
}

TEST(Words, ATimeThatIsNoneIsRefused) {
  for (const char* text : {"", "s", "-1s", "1m", "1 s", "nan", "inf", "1e300", "2s2"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(Words, ARangeIsTwoTimesInOrder) {
  const Result<TimeRange> range = parse_range("1.5s..2s");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(*range, (TimeRange{Timestamp{1500ms}, Timestamp{2s}}));
  for (const char* text : {"1s", "2s..1s", "1s..1s", "..1s", "1s..", "a..b"}) {
    EXPECT_FALSE(parse_range(text).ok()) << text;
  }
}

TEST(Words, ASizeIsTwoWholeNumbersOfPixels) {
  const Result<PixelSize> size = parse_pixel_size("1920x1080");
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->width_px, 1920);
  EXPECT_EQ(size->height_px, 1080);
  for (const char* text : {"", "1920", "x", "1920x", "0x0", "12.5x100", "99999x100", "-640x480"}) {
    EXPECT_FALSE(parse_pixel_size(text).ok()) << text;
  }
}

TEST(Words, ARunIsWhatItsWordsSay) {
  RunWords words;
  words.workload = "training_memory";
  words.devices = {"virtual:0", "virtual:1"};
  words.barrier = "window:2";
  words.engine = "naive";
  words.workers = 3;
  words.copy_workers = 0;
  words.blas_threads = 2;
  words.bulk = 8;
  words.spin_us = 1.5;
  words.waiter_helps = true;
  words.limits = {"ops:77", "bytes:2k"};
  words.capacity = "64M";
  words.allocation = "execute";
  words.order = "oldest";
  words.settings = {"steps=9", "size=published"};
  const Result<samples::RunConfig> config = run_config(words);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->devices, words.devices);
  EXPECT_EQ(config->barrier, (BarrierPolicy{BarrierKind::kWindow, 2}));
  EXPECT_EQ(config->engine.kind, engine::EngineKind::kNaive);
  EXPECT_EQ(config->engine.cpu_workers, 3);
  EXPECT_EQ(config->engine.cpu_copy_workers, 0);
  EXPECT_EQ(config->blas_threads, 2);
  EXPECT_EQ(config->engine.bulk, 8);
  EXPECT_EQ(config->engine.spin, Duration{1500});
  EXPECT_TRUE(config->engine.waiter_helps);
  EXPECT_EQ(config->engine.limit_ops, 77);
  EXPECT_EQ(config->engine.limit_bytes, 2000);
  EXPECT_EQ(config->engine.capacity_bytes, 64'000'000u);
  EXPECT_EQ(config->engine.allocation, engine::AllocationTime::kAtExecution);
  EXPECT_EQ(config->engine.order, engine::ReadyOrder::kOldest);
  EXPECT_EQ(config->size, "published");
  EXPECT_EQ(config->settings, (std::map<std::string, std::string>{{"steps", "9"}}));
}

TEST(Words, WithoutWordsARunIsTheDefault) {
  EXPECT_FALSE(RunWords{}.any());
  const Result<samples::RunConfig> config = run_config(RunWords{});
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->workload, "training_memory");
}

}  // namespace
}  // namespace runahead::gui
