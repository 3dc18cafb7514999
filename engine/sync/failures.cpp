#include "engine/sync/failures.h"

#include <algorithm>
#include <new>
#include <utility>

namespace runahead::engine {

namespace {

FailurePtr failure_without_memory() {
  auto failure = std::make_shared<Failure>();
  failure->message =
      "out of memory: an op failed, and there is no memory left for its message; wait more often, or use "
      "smaller sizes";
  return failure;
}

}  // namespace

FailureBook::FailureBook() : without_memory_(failure_without_memory()) { untold_.reserve(kMostUntold + 1); }

FailurePtr FailureBook::add_without_memory(std::uint64_t origin) noexcept {
  const MutexLock lock(mutex_);
  if (without_memory_->told_at != Failure::kUntold) {
    try {
      without_memory_ = failure_without_memory();
    } catch (const std::bad_alloc&) {
      // no memory for a new failure: returns the old failure, although it was reported before
      return without_memory_;
    }
  }
  if (std::ranges::find(untold_, without_memory_) == untold_.end()) {
    without_memory_->origin = origin;
    untold_.push_back(without_memory_);
  }
  return without_memory_;
}

FailurePtr FailureBook::add(std::uint64_t origin, std::string message) {
  const MutexLock lock(mutex_);
  return add_locked(origin, std::move(message));
}

FailurePtr FailureBook::add_locked(std::uint64_t origin, std::string message) {
  auto failure = std::make_shared<Failure>();
  failure->origin = origin;
  failure->message = std::move(message);
  if (untold_.size() < kMostUntold) {
    untold_.push_back(failure);
  } else {
    ++uncounted_;
  }
  return failure;
}

void FailureBook::begin_cancellation() {
  const MutexLock lock(mutex_);
  cancellation_.reset();
}

FailurePtr FailureBook::cancelled(std::uint64_t number, std::string_view op) {
  const MutexLock lock(mutex_);
  if (!cancellation_) {
    cancellation_ = add_locked(number, "op '" + std::string(op) + "' #" + std::to_string(number) +
                                           " was cancelled before it started");
  }
  return cancellation_;
}

void FailureBook::note_outcome(std::uint64_t number, const FailurePtr& failure) noexcept {
  const MutexLock lock(mutex_);
  if (failure->told_at != Failure::kUntold) return;
  try {
    outcomes_.emplace(number, failure);
  } catch (const std::bad_alloc&) {
    const auto place = std::ranges::find(spare_outcomes_, nullptr, &Outcome::failure);
    if (place != spare_outcomes_.end()) *place = {number, failure};
  }
}

FailurePtr FailureBook::outcome(std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found = outcomes_.find(number);
  if (found != outcomes_.end()) return found->second;
  const auto spare = std::ranges::find(spare_outcomes_, number, &Outcome::number);
  return spare != spare_outcomes_.end() ? spare->failure : nullptr;
}

void FailureBook::forget_outcomes_locked() {
  std::erase_if(outcomes_, [](const auto& entry) { return entry.second->told_at != Failure::kUntold; });
  for (Outcome& spare : spare_outcomes_) {
    if (spare.failure && spare.failure->told_at != Failure::kUntold) spare = {};
  }
}

Status FailureBook::tell(const FailurePtr& failure, std::uint64_t last_number) {
  const MutexLock lock(mutex_);
  if (failure->told_at != Failure::kUntold) return Ok{};
  failure->told_at = last_number;
  std::erase(untold_, failure);
  forget_outcomes_locked();
  return Error{failure->message};
}

Status FailureBook::tell_all(std::uint64_t last_number) {
  const MutexLock lock(mutex_);
  if (untold_.empty()) return Ok{};
  const auto by_origin = [](const FailurePtr& a, const FailurePtr& b) { return a->origin < b->origin; };
  std::string message = (*std::min_element(untold_.begin(), untold_.end(), by_origin))->message;
  const std::uint64_t more = untold_.size() - 1 + uncounted_;
  for (const FailurePtr& failure : untold_) failure->told_at = last_number;
  // outcomes_ may contain failures for which untold_ had no room; these failures are marked as reported too
  for (const auto& [number, failure] : outcomes_) failure->told_at = last_number;
  for (const Outcome& spare : spare_outcomes_) {
    if (spare.failure) spare.failure->told_at = last_number;
  }
  untold_.clear();
  uncounted_ = 0;
  outcomes_.clear();
  spare_outcomes_ = {};
  if (more > 0)
    message += " (and " + std::to_string(more) + (more == 1 ? " more failure)" : " more failures)");
  return Error{std::move(message)};
}

}  // namespace runahead::engine
