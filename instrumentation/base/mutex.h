// Mutex and MutexLock: std::mutex and std::unique_lock with annotations for clang's thread-safety analysis
// (-Wthread-safety, run by scripts/lab/check-source). RUNAHEAD_GUARDED_BY marks a member that a mutex guards.
// RUNAHEAD_REQUIRES marks a function whose caller must hold a mutex. Clang rejects code that uses such a
// member or function without the lock. Other compilers ignore the annotations, at no cost.
// Method: "C/C++ Thread Safety Analysis", Hutchins, Ballman, Sutherland 2014.
#pragma once

#include <mutex>

#if defined(__clang__)
#define RUNAHEAD_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define RUNAHEAD_THREAD_ANNOTATION(x)
#endif

// Marks a member that is read and written only while `mutex` is locked.
#define RUNAHEAD_GUARDED_BY(mutex) RUNAHEAD_THREAD_ANNOTATION(guarded_by(mutex))
// Marks a function or a lambda whose caller has locked the mutex.
#define RUNAHEAD_REQUIRES(...) RUNAHEAD_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
// Marks a function that locks or unlocks in a way that the analysis cannot follow. Where you use this macro,
// add a comment that says why the analysis cannot follow.
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

// Holds the lock of a mutex as long as this object lives. Meanwhile, the thread can unlock() and lock() the
// mutex. For a std::condition_variable use native() and a predicate marked RUNAHEAD_REQUIRES.
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
