// Tests the lifetime of a Var: it ends when its last handle is gone and the last op that writes it has ended.
#include "engine/var_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace runahead::engine {
namespace {

// Vars of one VarHome (all Vars of an engine). Each Var has an object that shows whether the Var has ended.
struct VarEnd : ::testing::Test {
  VarHome& home = *new VarHome;  // deletes itself
  bool engine_lives = true;
  void close() {
    engine_lives = false;
    home.close();
  }
  ~VarEnd() override {
    if (engine_lives) close();
  }
  struct Made {
    Var var;
    std::weak_ptr<const void> life;
    [[nodiscard]] bool lives() const { return !life.expired(); }
  };
  Made make() {
    home.add();
    auto* const state = new VarState(home, "");
    const auto failure = std::make_shared<FailurePtr::element_type>();
    state->note_failure(failure, 1);
    return {Var(state), failure};
  }
};

TEST_F(VarEnd, WithItsLastHandleIfNoOpWritesIt) {
  Made made = make();
  Var copy = made.var;
  made.var = {};
  home.end_dropped();
  EXPECT_TRUE(made.lives());
  copy = {};
  home.end_dropped();
  EXPECT_FALSE(made.lives());
}

TEST_F(VarEnd, WithTheLastOpThatWritesItIfNoHandleIsLeft) {
  Made made = make();
  VarState& state = *made.var.get();
  state.begin_write();
  state.begin_write();
  made.var = {};
  home.end_dropped();
  state.end_write();
  EXPECT_TRUE(made.lives());
  state.end_write();
  EXPECT_FALSE(made.lives());
}

TEST_F(VarEnd, OpsThatAreDoneBeforeTheLastHandleLeaveItAlone) {
  Made made = make();
  made.var.get()->begin_write();
  made.var.get()->end_write();
  home.end_dropped();
  EXPECT_TRUE(made.lives());
}

TEST_F(VarEnd, WithItsLastHandleIfTheEngineIsGone) {
  Made dropped_before = make(), first = make(), second = make();
  dropped_before.var = {};
  close();
  EXPECT_FALSE(dropped_before.lives());
  EXPECT_TRUE(first.lives());
  first.var = {};
  EXPECT_FALSE(first.lives());
  second.var = {};  // the VarHome ends too; a sanitizer would report a leak or a double delete
  EXPECT_FALSE(second.lives());
}

TEST_F(VarEnd, OnceWhicheverThreadsDropThemWhileOthersEndAndTheEngineGoes) {
  constexpr int kThreads = 3, kVars = 3000;
  std::vector<std::vector<Made>> made(kThreads);
  std::vector<VarState*> written;
  for (auto& of_thread : made) {
    for (int i = 0; i < kVars; ++i) {
      of_thread.push_back(make());
      if (i % 3 == 0) written.emplace_back(of_thread.back().var.get())->begin_write();
    }
  }
  std::vector<std::thread> threads;
  for (auto& of_thread : made) {
    threads.emplace_back([&of_thread] {
      for (Made& one : of_thread) one.var = {};
    });
  }
  // Ends dropped Vars and writes, as an enqueuing thread does.
  for (VarState* state : written) {
    home.end_dropped();
    state->end_write();
  }
  close();
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : made) {
    for (const Made& one : of_thread) ASSERT_FALSE(one.lives());
  }
}

// At most 4096 dropped Vars (Vars without a handle) may wait for their end. The engine ends them even if no
// op is enqueued, so that their memory is used again.
TEST(Vars, ThatAreMadeAndDroppedWithoutAnOpAreEnded) {
  const auto engine = Engine::create({});
  std::vector<const VarState*> places;
  for (int i = 0; i < 50'000; ++i) places.push_back(engine->new_var().get());
  std::sort(places.begin(), places.end());
  const auto distinct = std::unique(places.begin(), places.end()) - places.begin();
  if (kUsesFreelist) {
    EXPECT_LE(distinct, 2 * 4096);
  }
}

}  // namespace
}  // namespace runahead::engine
