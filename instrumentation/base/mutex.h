// Mutex and MutexLock: std::mutex and std::unique_lock with annotations that clang's thread-safety analysis
// reads (-Wthread-safety, in scripts/lab/check-source). A member that a mutex guards says so with
// RUNAHEAD_GUARDED_BY, a function that needs it held with RUNAHEAD_REQUIRES: clang then rejects code that
// touches the one or calls the other without the lock. Other compilers see nothing of it, and pay nothing.
// Method: "C/C++ Thread Safety Analysis", Hutchins, Ballman, Sutherland 2014.
#pragma once

#include <mutex>

#if defined(__clang__)
#define RUNAHEAD_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define RUNAHEAD_THREAD_ANNOTATION(x)
#endif

// Of a member: read and written only while `mutex` is held.
#define RUNAHEAD_GUARDED_BY(mutex) RUNAHEAD_THREAD_ANNOTATION(guarded_by(mutex))
// Of a function or a lambda: its caller holds `mutex`.
#define RUNAHEAD_REQUIRES(...) RUNAHEAD_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
// Of a function that locks or unlocks in a way that the analysis cannot follow. Say why beside it.
#define RUNAHEAD_NOT_ANALYSED RUNAHEAD_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace runahead {

class RUNAHEAD_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() RUNAHEAD_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() RUNAHEAD_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex for its life, with pauses by unlock() and lock(). For a std::condition_variable: native(),
// and a predicate that REQUIRES the mutex.
class RUNAHEAD_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RUNAHEAD_THREAD_ANNOTATION(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  ~MutexLock() RUNAHEAD_THREAD_ANNOTATION(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() RUNAHEAD_THREAD_ANNOTATION(acquire_capability()) { lock_.lock(); }
  void unlock() RUNAHEAD_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }
  [[nodiscard]] std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace runahead
