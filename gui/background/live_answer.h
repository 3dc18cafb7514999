// LiveAnswer: an answer about the trace on the screen, worked out on a thread of its own and kept up to date:
// asked anew when what is asked for changes, and now and then as the trace grows.
//
// One thread (the window's) calls everything; `wake` is called on the worker.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "gui/background/asker.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Asked: what a person asks for, with ==. Answer: has number, and cost_ms, which are filled in here.
template <typename Asked, typename Answer>
class LiveAnswer {
 public:
  struct Question {
    Asked asked;
    trace::Trace snapshot;
    TimeRange range;  // where it looks
  };
  // nullopt: `cancelled` was set before it was done.
  using Work = std::function<std::optional<Answer>(const Question&, const std::atomic<bool>& cancelled)>;

  LiveAnswer(Work work, std::function<void()> wake)
      : asker_(
            [work = std::move(work)](const Numbered& question, const std::atomic<bool>& cancelled) {
              const auto begin = Clock::now();
              Outcome outcome{work(question.question, cancelled), question.serial};
              if (outcome.answer)
                outcome.answer->cost_ms =
                    std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
              return outcome;
            },
            std::move(wake)) {}

  // Takes what has come, and asks where something is missing. nullopt: nothing is wanted now. `serial` is
  // another one for each trace on the screen. True if the answer is another.
  bool poll(const trace::Trace& trace, std::uint64_t serial, const std::optional<Asked>& wanted,
            TimeRange range) {
    const bool changed = take(serial);
    if (!wanted) {
      if (asker_.busy()) asker_.cancel();
      return changed;
    }
    const Looked now{*wanted, range, serial};
    const bool grown = looked_version_ != trace.version() && Clock::now() >= look_again_;
    if (looked_ == now && !grown) return changed;
    if (asker_.busy()) {
      if (looked_ != now) asker_.cancel();
      return changed;
    }
    asker_.ask({{now.asked, trace.snapshot(), range}, serial});
    looked_ = now;
    looked_version_ = trace.version();
    return changed;
  }
  // Another trace comes onto the screen.
  void forget() {
    asker_.cancel();
    answer_.reset();
  }

  [[nodiscard]] bool busy() const { return asker_.busy(); }
  // The last one, of the trace on the screen; nullptr: none yet.
  [[nodiscard]] const Answer* answer() const { return answer_ ? &*answer_ : nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::duration<double, std::milli> kLookAgain{1000};

  struct Numbered {
    Question question;
    std::uint64_t serial = 0;
  };
  struct Outcome {
    std::optional<Answer> answer;
    std::uint64_t serial = 0;
  };
  struct Looked {
    Asked asked;
    TimeRange range;
    std::uint64_t serial = 0;
    friend bool operator==(const Looked&, const Looked&) = default;
  };

  bool take(std::uint64_t serial) {
    std::optional<Outcome> outcome = asker_.take();
    if (!outcome) return false;
    if (!outcome->answer || outcome->serial != serial) {
      looked_.reset();  // it may be wanted again
      return true;
    }
    outcome->answer->number = ++answers_;
    // Where it takes long, it is a tenth of the time at most.
    const std::chrono::duration<double, std::milli> cost{outcome->answer->cost_ms};
    look_again_ =
        Clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(std::max(kLookAgain, 9 * cost));
    answer_ = std::move(outcome->answer);
    return true;
  }

  std::optional<Answer> answer_;
  std::optional<Looked> looked_;  // what was asked last
  std::uint64_t looked_version_ = 0, answers_ = 0;
  Clock::time_point look_again_{};
  Asker<Numbered, Outcome> asker_;  // last: its thread ends first
};

}  // namespace runahead::gui
