// Job: long work on a separate thread: opening a trace, saving a trace, or joining the parts of a recording.
// A Job reports progress and can be cancelled.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "gui/session/export.h"
#include "gui/session/session.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

// The factory function starts the work. The destructor cancels the work and waits for its end.
//   owner   one thread: calls all public functions
//   worker  runs the work, then publishes the result by setting finished_
class Job {
 public:
  enum class Kind { kOpen, kSave, kJoin, kExport };

  // The worker calls `wake` at each progress step and at the end.
  [[nodiscard]] static std::unique_ptr<Job> open(std::filesystem::path path,
                                                 const recordings::OpenOptions& options,
                                                 std::function<void()> wake);
  // Opens several traces on one timeline (merge/join_traces.h). path() is `name`.
  [[nodiscard]] static std::unique_ptr<Job> open_joined(std::vector<std::filesystem::path> paths,
                                                        std::filesystem::path name,
                                                        const recordings::OpenOptions& options,
                                                        std::function<void()> wake);
  [[nodiscard]] static std::unique_ptr<Job> save(trace::Trace snapshot, std::filesystem::path path,
                                                 FileFormat format, std::function<void()> wake);
  // Writes a page. `lesson`: the page of this lesson, for a class; nullptr: of the trace only.
  [[nodiscard]] static std::unique_ptr<Job> export_page(trace::Trace snapshot, std::filesystem::path path,
                                                        const PageLimits& limits,
                                                        const samples::Lesson* lesson,
                                                        std::function<void()> wake);
  // If joining fails or is cancelled, the parts stay on disk, and status() says where.
  [[nodiscard]] static std::unique_ptr<Job> join(record::EndedFile ended, std::function<void()> wake);
  ~Job() { cancel(); }  // the jthread then joins
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool joins() const { return joins_; }  // made by open_joined()
  [[nodiscard]] double done() const { return done_.load(std::memory_order_relaxed); }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // True when the work has ended. status() and take_trace() may be called only then.
  [[nodiscard]] bool finished() const { return finished_.load(std::memory_order_acquire); }
  // REQUIRES: finished().
  [[nodiscard]] const Status& status() const { return status_; }
  void wait() { thread_.join(); }  // blocks until the work has ended; call once
  // Returns the trace of a successful open; nullopt for other jobs. REQUIRES: finished(). Call once.
  [[nodiscard]] std::optional<trace::Trace> take_trace() { return std::move(trace_); }
  // What export_page() has written. REQUIRES: finished(), and status() is Ok.
  [[nodiscard]] const WrittenPage& written_page() const { return page_; }

 private:
  Job(Kind kind, std::filesystem::path path, std::function<void()> wake)
      : kind_(kind), path_(std::move(path)), wake_(std::move(wake)) {}
  [[nodiscard]] bool progress(double done);
  void finish(Status status);

  const Kind kind_;
  const std::filesystem::path path_;
  const std::function<void()> wake_;
  bool joins_ = false;
  std::atomic<double> done_{0};  // written by the worker, read by the owner; only displayed, so relaxed
  // Written by the owner, read by the worker; relaxed: no other data depends on it.
  std::atomic<bool> cancelled_{false};
  // Written by the worker (release), read by the owner (acquire): publishes status_, trace_ and page_.
  std::atomic<bool> finished_{false};
  Status status_ = Ok{};
  std::optional<trace::Trace> trace_;
  WrittenPage page_;
  std::jthread thread_;  // last: joins before the members that it uses are destroyed
};

}  // namespace runahead::gui
