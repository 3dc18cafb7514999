// Long work off the window's thread: opening a trace, writing one, joining the parts of a recording. With
// progress, and it can be cancelled.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "gui/session/export.h"
#include "gui/session/session.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Starts at once, on a thread of its own; destroyed: cancelled and waited for.
//   owner   everything but the work: one thread
//   worker  runs the work, then publishes by finished_
class Job {
 public:
  enum class Kind { kOpen, kSave, kJoin };

  // `wake` is called on the worker as the work goes on and when it has ended.
  [[nodiscard]] static std::unique_ptr<Job> open(std::filesystem::path path,
                                                 const recordings::OpenOptions& options,
                                                 std::function<void()> wake);
  [[nodiscard]] static std::unique_ptr<Job> save(trace::Trace snapshot, std::filesystem::path path,
                                                 FileFormat format, std::function<void()> wake);
  // Where it does not come to its end, cancelled too, the parts stay: status() says where.
  [[nodiscard]] static std::unique_ptr<Job> join(record::EndedFile ended, std::function<void()> wake);
  ~Job() { cancel(); }  // the thread joins as it is destroyed
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] double done() const { return done_.load(std::memory_order_relaxed); }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // The work has ended; the rest is there.
  [[nodiscard]] bool finished() const { return finished_.load(std::memory_order_acquire); }
  // REQUIRES: finished().
  [[nodiscard]] const Status& status() const { return status_; }
  void wait() { thread_.join(); }  // until it has ended; once
  // Of an open that succeeded. REQUIRES: finished(); once.
  [[nodiscard]] std::optional<trace::Trace> take_trace() { return std::move(trace_); }

 private:
  Job(Kind kind, std::filesystem::path path, std::function<void()> wake)
      : kind_(kind), path_(std::move(path)), wake_(std::move(wake)) {}
  [[nodiscard]] bool progress(double done);
  void finish(Status status);

  const Kind kind_;
  const std::filesystem::path path_;
  const std::function<void()> wake_;
  std::atomic<double> done_{0};  // written by the worker, read by the owner; for show only
  std::atomic<bool> cancelled_{
      false};  // written by the owner, read by the worker; nothing hangs on its order
  std::atomic<bool> finished_{
      false};  // written by the worker (release), read by the owner (acquire): publishes the next two
  Status status_ = Ok{};
  std::optional<trace::Trace> trace_;
  std::jthread thread_;  // last: joins before what it uses goes
};

}  // namespace runahead::gui
