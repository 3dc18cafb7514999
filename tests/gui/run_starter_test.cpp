#include "gui/background/run_starter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <new>
#include <thread>
#include <vector>

namespace runahead::gui {
namespace {

int nice_of(int thread) { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); }

// A thread that waits until the test ends.
class WaitingThread {
 public:
  WaitingThread()
      : thread_([this] {
          id_ = ::gettid();
          begun_.count_down();
          end_.wait();
        }) {
    begun_.wait();
  }
  ~WaitingThread() { end_.count_down(); }
  [[nodiscard]] int id() const { return id_; }

 private:
  int id_ = 0;
  std::latch begun_{1}, end_{1};
  std::jthread thread_;  // last: uses the other members
};

TEST(RunStarter, ARunHasTheNormalPriorityAndPaintingALowerOne) {
  const int normal = nice_of(::gettid());
  const WaitingThread painter;
  RunStarter starter({painter.id()});
  EXPECT_EQ(nice_of(painter.id()), normal) << "no run has started yet";
  for (int run = 0; run < 2; ++run) {
    int of_run = -100;
    starter.call([&of_run] { std::jthread([&of_run] { of_run = nice_of(::gettid()); }).join(); });
    EXPECT_EQ(of_run, normal);
    EXPECT_EQ(nice_of(painter.id()), std::min(normal + kPaintNice, 19));
  }
}

TEST(RunStarter, ARunThatThePaintingThreadStartsHasTheNormalPriority) {
  const int normal = nice_of(::gettid());
  int of_run = -100, of_painter = -100;
  std::jthread([&] {
    RunStarter starter({::gettid()});
    starter.call([&of_run] { std::jthread([&of_run] { of_run = nice_of(::gettid()); }).join(); });
    of_painter = nice_of(::gettid());
  }).join();
  EXPECT_EQ(of_run, normal);
  EXPECT_EQ(of_painter, std::min(normal + kPaintNice, 19));
}

TEST(RunStarter, APainterThatHasEndedDoesNoHarm) {
  const int gone = [] { return WaitingThread().id(); }();
  bool called = false;
  RunStarter({gone}).call([&called] { called = true; });
  EXPECT_TRUE(called);
}

TEST(RunStarter, AnExceptionReachesTheCaller) {
  RunStarter starter({});
  EXPECT_THROW(starter.call([] { throw std::bad_alloc(); }), std::bad_alloc);
  bool called = false;
  starter.call([&called] { called = true; });
  EXPECT_TRUE(called);
}

TEST(RunStarter, FindsTheThreadsThatStartedSince) {
  const WaitingThread old;
  const std::vector<int> before = threads_of_process();
  EXPECT_TRUE(std::ranges::count(before, old.id()) == 1);
  const WaitingThread fresh;
  const std::vector<int> found = this_and_new_threads(before);
  EXPECT_EQ(std::ranges::count(found, fresh.id()), 1);
  EXPECT_EQ(std::ranges::count(found, ::gettid()), 1);
  EXPECT_EQ(std::ranges::count(found, old.id()), 0);
}

}  // namespace
}  // namespace runahead::gui
