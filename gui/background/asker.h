// Asker answers one question at a time on a separate thread. Long work therefore never delays a frame.
//
//   owner   the window's thread: ask(), cancel(), take(), busy()
//   worker  runs `work` and calls `wake`
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/mutex.h"

namespace runahead::gui {

template <typename Question, typename Answer>
class Asker {
 public:
  // Called on the worker. The function checks `cancelled` from time to time and returns soon after
  // `cancelled` is set.
  using Work = std::function<Answer(const Question&, const std::atomic<bool>& cancelled)>;

  // The worker calls `wake` after it has stored an answer.
  Asker(Work work, std::function<void()> wake)
      : work_(std::move(work)),
        wake_(std::move(wake)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}
  ~Asker() { cancel(); }  // ~jthread then requests a stop, which ends the worker's wait, and joins the worker
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  [[nodiscard]] bool busy() const { return asked_; }
  void ask(Question question) {  // REQUIRES: not busy()
    RUNAHEAD_CHECK(!asked_);
    asked_ = true;
    cancelled_ = false;
    {
      const MutexLock lock(mutex_);
      question_ = std::move(question);
    }
    changed_.notify_one();
  }
  void cancel() { cancelled_ = true; }
  // Returns the answer to the last question. Each answer is returned only once; nullopt: there is no new
  // answer.
  [[nodiscard]] std::optional<Answer> take() {
    const MutexLock lock(mutex_);
    if (!answer_) return std::nullopt;
    asked_ = false;
    return std::exchange(answer_, std::nullopt);
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::optional<Question> question;
      {
        MutexLock lock(mutex_);
        if (!changed_.wait(lock, stop, [this]() RUNAHEAD_REQUIRES(mutex_) { return question_.has_value(); }))
          return;
        question = std::exchange(question_, std::nullopt);
      }
      Answer answer = work_(*question, cancelled_);
      // if the question holds a trace snapshot, this frees the snapshot's blocks before the owner sees the
      // answer
      question.reset();
      {
        const MutexLock lock(mutex_);
        answer_ = std::move(answer);
      }
      wake_();
    }
  }

  const Work work_;
  const std::function<void()> wake_;
  bool asked_ = false;  // used by the owner only
  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Question> question_ RUNAHEAD_GUARDED_BY(mutex_);
  std::optional<Answer> answer_ RUNAHEAD_GUARDED_BY(mutex_);
  std::jthread thread_;  // the last member, so that it joins before the members that it uses are destroyed
};

}  // namespace runahead::gui
