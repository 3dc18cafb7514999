// Tests the meaning of the strings that atrace writes.
#include "instrumentation/import/perfetto/perfetto_atrace.h"

#include <gtest/gtest.h>

namespace runahead::importers::perfetto {
namespace {

using Kind = AtracePoint::Kind;

TEST(Atrace, BeginsAndEndsAreOfTheWritingThread) {
  EXPECT_EQ(parse_atrace("B|1636|draw frame"),
            (AtracePoint{.kind = Kind::kBegin, .pid = 1636, .name = "draw frame"}));
  EXPECT_EQ(parse_atrace("E|1636"), (AtracePoint{.kind = Kind::kEnd, .pid = 1636}));
  EXPECT_EQ(parse_atrace("E"), (AtracePoint{.kind = Kind::kEnd}));
  EXPECT_EQ(parse_atrace("E|"), (AtracePoint{.kind = Kind::kEnd}));
}

TEST(Atrace, TheNameOfASliceMayHoldBars) {
  EXPECT_EQ(parse_atrace("B|1|a|b|c")->name, "a|b|c");
  EXPECT_EQ(parse_atrace("B|1|")->name, "");
}

TEST(Atrace, LineBreaksAndZerosAtTheEndDoNotCount) {
  EXPECT_EQ(parse_atrace("B|1|a\n")->name, "a");
  EXPECT_EQ(parse_atrace(std::string_view("E|1\n\0", 5)), (AtracePoint{.kind = Kind::kEnd, .pid = 1}));
}

TEST(Atrace, AsynchronousSlicesAreTiedByTheirCookie) {
  EXPECT_EQ(parse_atrace("S|7|load|-12"),
            (AtracePoint{.kind = Kind::kAsyncBegin, .pid = 7, .name = "load", .cookie = -12}));
  EXPECT_EQ(parse_atrace("F|7|load|-12"),
            (AtracePoint{.kind = Kind::kAsyncEnd, .pid = 7, .name = "load", .cookie = -12}));
  EXPECT_EQ(parse_atrace("G|7|jobs|load|3"),
            (AtracePoint{.kind = Kind::kAsyncBegin, .pid = 7, .name = "load", .track = "jobs", .cookie = 3}));
}

TEST(Atrace, TheEndOnANamedTrackNeedNotSayTheName) {
  const AtracePoint end{.kind = Kind::kAsyncEnd, .pid = 7, .track = "jobs", .cookie = 3};
  EXPECT_EQ(parse_atrace("H|7|jobs|3"), end);
  EXPECT_EQ(parse_atrace("H|7|jobs|load|3"), end);
}

TEST(Atrace, InstantsAreOfTheThreadOrOfANamedTrack) {
  EXPECT_EQ(parse_atrace("I|7|vsync"), (AtracePoint{.kind = Kind::kInstant, .pid = 7, .name = "vsync"}));
  EXPECT_EQ(parse_atrace("N|7|jobs|vsync"),
            (AtracePoint{.kind = Kind::kInstant, .pid = 7, .name = "vsync", .track = "jobs"}));
}

TEST(Atrace, CountersHaveWholeAndOtherNumbers) {
  EXPECT_EQ(parse_atrace("C|7|fps|60"),
            (AtracePoint{.kind = Kind::kCounter, .pid = 7, .name = "fps", .value = 60}));
  EXPECT_EQ(parse_atrace("C|7|load|-0.5")->value, -0.5);
  EXPECT_EQ(parse_atrace("C|7|bytes|5|a category")->value, 5);
}

TEST(Atrace, WhatIsNoneIsRefused) {
  for (const std::string_view text :
       {"",          "\n",        "hello",           "B",     "B|",      "B||a",
        "B|x|a",     "B|-1|a",    "B|99999999999|a", "E|x",   "S|1|a",   "S|1|a|x",
        "S|1||2",    "G|1|t|a",   "G|1||a|2",        "H|1|t", "H|1|t|a", "I|1|",
        "I|1",       "N|1|t",     "N|1||a",          "C|1|a", "C|1|a|",  "C|1|a|many",
        "C|1|a|nan", "C|1|a|inf", "C|1||5",          "X|1|a", "BB|1|a",  "|1|a"}) {
    EXPECT_FALSE(parse_atrace(text)) << "'" << text << "'";
  }
}

TEST(Atrace, ClockSyncsAreKnown) {
  EXPECT_TRUE(is_clock_sync("trace_event_clock_sync: parent_ts=123.4\n"));
  EXPECT_FALSE(is_clock_sync("B|1|trace_event_clock_sync:"));
}

}  // namespace
}  // namespace runahead::importers::perfetto
