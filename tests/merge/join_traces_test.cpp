// Tests joining traces of ranks as PyTorch's profiler writes them: offsets and drifts are put into their
// clocks, and their collectives must give them back.
#include "instrumentation/merge/join_traces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "instrumentation/causes/rank_report.h"
#include "instrumentation/trace/ranks.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::merge {
namespace {

using runahead::testing::Random;
namespace fs = std::filesystem;

// What the clock of a rank shows, in us since 1970.
struct Clock {
  double offset_us = 0, drift = 0;
  [[nodiscard]] double at(double true_us) const { return 1.7e15 + offset_us + true_us * (1 + drift); }
};

struct Program {
  std::size_t ranks = 3, steps = 40, slow = 2;  // rank `slow` needs 400 us longer for each kernel
  bool collectives = true, dates = true;
};

// Writes the trace of one rank. All ranks draw the same random numbers, so each knows when the others arrive.
class RankWriter {
 public:
  RankWriter(const Program& program, std::size_t rank, Clock clock)
      : program_(program), rank_(rank), clock_(clock), arrived_(program.ranks) {}

  // The true ends of the collectives, in us.
  std::vector<double> write(const fs::path& path) {
    for (std::size_t step = 0; step < program_.steps; ++step) {
      const double begin = now_;
      for (int i = 0; i < 4; ++i) add_collective();
      add("user_annotation", "ProfilerStep#" + std::to_string(100 + step), host_, host_, begin, now_ - 1, "");
    }
    std::ofstream(path) << "{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" << rank_
                        << ",\"world_size\":" << program_.ranks << "},\"traceEvents\":[" << events_ << "]}";
    return ends_;
  }

 private:
  void add_collective() {
    for (std::size_t rank = 0; rank < program_.ranks; ++rank)
      arrived_[rank] = now_ + random_.real(800, 1200) + (rank == program_.slow ? 400 : 0);
    const double end = *std::ranges::max_element(arrived_) + random_.real(60, 200);
    const std::string id = std::to_string(++correlation_);
    add("cuda_runtime", "cudaLaunchKernel", host_, host_, now_ + 1, now_ + 5, "\"correlation\":" + id);
    add("kernel", "gemm", 0, 7, now_ + 8, arrived_[rank_], "\"stream\":7,\"device\":0,\"correlation\":" + id);
    if (program_.collectives) {
      const std::string next = std::to_string(++correlation_);
      add("cuda_runtime", "cudaLaunchKernel", host_, host_, now_ + 6, now_ + 9, "\"correlation\":" + next);
      const double left = end + own_.real(0, 4);  // the ranks do not leave at exactly the same time
      add("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 20, arrived_[rank_], left,
          "\"stream\":20,\"device\":0,\"correlation\":" + next);
    }
    ends_.push_back(end);
    now_ = end + 10;
  }
  void add(const char* category, const std::string& name, int pid, int tid, double begin, double end,
           const std::string& args) {
    const double origin = program_.dates ? 0 : 1.7e15;  // without dates: since the machine started
    char text[512];
    std::snprintf(text, sizeof text,
                  R"(%s{"ph":"X","cat":"%s","name":"%s","pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f,"args":{%s}})",
                  events_.empty() ? "" : ",", category, name.c_str(), pid, tid, clock_.at(begin) - origin,
                  clock_.at(end) - clock_.at(begin), args.c_str());
    events_ += text;
  }

  const Program program_;
  const std::size_t rank_;
  const Clock clock_;
  const int host_ = 50;  // all ranks have the same process number: they run in containers
  Random random_{11}, own_{100 + rank_};
  std::vector<double> arrived_, ends_;
  double now_ = 1000;
  int correlation_ = 0;
  std::string events_;
};

class JoinTraces : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path rank_path(std::size_t rank) const {
    return folder_ / ("rank" + std::to_string(rank) + ".json");
  }
  std::vector<fs::path> write(const Program& program, const std::vector<Clock>& clocks) {
    std::vector<fs::path> paths;
    for (std::size_t rank = 0; rank < program.ranks; ++rank) {
      paths.push_back(rank_path(rank));
      ends_ = RankWriter(program, rank, clocks[rank]).write(paths.back());
    }
    return paths;
  }
  // How far the end of each collective of a rank is from its true time, in us. The first rank begins its
  // first slice, which is time 0, at 1000 us.
  [[nodiscard]] double worst_error_us(const causes::RankExplanation& rank) const {
    double worst = 0;
    for (std::size_t i = 0; i < rank.collectives.size(); ++i)
      worst = std::max(
          worst, std::abs(static_cast<double>(ns_from(rank.collectives[i].end)) / 1e3 + 1000 - ends_[i]));
    return worst;
  }

  const runahead::testing::ScratchFolder folder_;
  std::vector<double> ends_;
};

TEST_F(JoinTraces, AnOffsetOfASecondAndADriftOf50PpmAreFoundAndTheStragglerIsNamed) {
  const auto paths = write({}, {{}, {1e6, 50e-6}, {-400'000, -30e-6}});
  const auto trace = open_joined(paths);
  ASSERT_TRUE(trace) << trace.error().message;
  const std::vector<trace::Rank> ranks = trace::ranks_of(*trace);
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks[0].clock, "reference");
  EXPECT_EQ(ranks[1].clock, "collectives");
  EXPECT_EQ(ranks[1].number, 1);
  EXPECT_NEAR(ranks[1].drift_ppm, -50, 5);
  const causes::RankReport report = causes::explain_ranks(*trace);
  ASSERT_EQ(report.ranks.size(), 3U);
  EXPECT_EQ(report.collectives.size(), 160U);
  for (const causes::RankExplanation& rank : report.ranks) {
    ASSERT_EQ(rank.collectives.size(), 160U);
    EXPECT_LT(worst_error_us(rank), 30);
    EXPECT_EQ(rank.explanation.steps.count(), 40U);
    ASSERT_EQ(rank.explanation.devices.size(), 1U) << "the devices of other ranks do not count";
  }
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_TRUE(report.findings[0].sentence.starts_with("rank 2 came last in 160 of 160 collectives"))
      << report.findings[0].sentence;
  EXPECT_EQ(report.by_step.size(), 40U);
  for (const causes::Straggling& step : report.by_step) EXPECT_EQ(step.rank, 2U);
  const causes::SharedCollective& first = report.collectives[0];
  ASSERT_EQ(first.arrivals.size(), 3U);
  EXPECT_EQ(first.arrivals[2].waited, Duration{});
  EXPECT_GT(first.arrivals[0].waited, std::chrono::microseconds(1));
}

TEST_F(JoinTraces, DevicesHaveTheNamesOfTheirRanks) {
  const auto trace = open_joined(write({.ranks = 2, .slow = 0}, {{}, {}}));
  ASSERT_TRUE(trace) << trace.error().message;
  std::vector<std::string> devices;
  for (const trace::Track& track : trace->tracks()) {
    if (track.info.kind == trace::TrackKind::kStream) devices.push_back(track.info.device);
  }
  std::ranges::sort(devices);
  EXPECT_EQ(devices,
            (std::vector<std::string>{"rank 0 gpu 0", "rank 0 gpu 0", "rank 1 gpu 0", "rank 1 gpu 0"}));
}

TEST_F(JoinTraces, WithoutCollectivesTheDatesPlaceTheTraces) {
  const auto trace = open_joined(write({.ranks = 2, .collectives = false}, {{}, {5'000, 0}}));
  ASSERT_TRUE(trace) << trace.error().message;
  const trace::Rank rank = trace::ranks_of(*trace).at(1);
  EXPECT_EQ(rank.clock, "dates");
  EXPECT_FALSE(rank.is_placed());
  EXPECT_NEAR(static_cast<double>(rank.offset_ns), 5e6, 1e3);
  const causes::RankReport report = causes::explain_ranks(*trace);
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.to_record.size(), 1U);
}

TEST_F(JoinTraces, WithoutAnyEvidenceTheClockIsUnknown) {
  const auto trace = open_joined(write({.ranks = 2, .collectives = false, .dates = false}, {{}, {5'000, 0}}));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace::ranks_of(*trace).at(1).clock, "unknown");
}

TEST_F(JoinTraces, AJoinedTraceIsKeptAndOpensAgain) {
  const auto paths = write({}, {{}, {1e6, 50e-6}, {-400'000, -30e-6}});
  const auto joined = join_traces(paths, folder_ / "all.runahead", folder_ / "all.runahead");
  ASSERT_TRUE(joined) << joined.error().message;
  ASSERT_EQ(joined->size(), 3U);
  EXPECT_EQ((*joined)[1].recording, paths[1]);
  EXPECT_EQ((*joined)[1].clock.source, ClockSource::kCollectives);
  const auto trace = recordings::open_recording(folder_ / "all.runahead");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(causes::explain_ranks(*trace).collectives.size(), 160U);
}

TEST_F(JoinTraces, AFileThatCannotBeReadIsNamed) {
  auto paths = write({.ranks = 2}, {{}, {}});
  paths.push_back(folder_ / "none.json");
  const auto trace = open_joined(paths);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("none.json"), std::string::npos);
}

TEST_F(JoinTraces, StopsIfItsProgressSaysSo) {
  const auto paths = write({.ranks = 2}, {{}, {}});
  const auto trace = open_joined(paths, [](double) { return false; });
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message, "stopped");
}

}  // namespace
}  // namespace runahead::merge
