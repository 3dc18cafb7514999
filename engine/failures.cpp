#include "engine/failures.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

FailurePtr FailureBook::add(std::uint64_t origin, std::string message) {
  const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  cancellation_.reset();
}

FailurePtr FailureBook::cancelled(std::uint64_t number, std::string_view op) {
  const std::lock_guard lock(mutex_);
  if (!cancellation_) {
    cancellation_ = add_locked(number, "op '" + std::string(op) + "' #" + std::to_string(number) +
                                           " was cancelled before it started");
  }
  return cancellation_;
}

void FailureBook::note_outcome(std::uint64_t number, const FailurePtr& failure) {
  const std::lock_guard lock(mutex_);
  if (failure->told_at == Failure::kUntold) outcomes_.emplace(number, failure);
}

FailurePtr FailureBook::outcome(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = outcomes_.find(number);
  return found != outcomes_.end() ? found->second : nullptr;
}

void FailureBook::forget_outcomes_locked() {
  std::erase_if(outcomes_, [](const auto& entry) { return entry.second->told_at != Failure::kUntold; });
}

Status FailureBook::tell(const FailurePtr& failure, std::uint64_t last_number) {
  const std::lock_guard lock(mutex_);
  if (failure->told_at != Failure::kUntold) return Ok{};
  failure->told_at = last_number;
  std::erase(untold_, failure);
  forget_outcomes_locked();
  return Error{failure->message};
}

Status FailureBook::tell_all(std::uint64_t last_number) {
  const std::lock_guard lock(mutex_);
  if (untold_.empty()) return Ok{};
  const auto by_origin = [](const FailurePtr& a, const FailurePtr& b) { return a->origin < b->origin; };
  std::string message = (*std::min_element(untold_.begin(), untold_.end(), by_origin))->message;
  const std::uint64_t more = untold_.size() - 1 + uncounted_;
  for (const FailurePtr& failure : untold_) failure->told_at = last_number;
  for (const auto& [number, failure] : outcomes_) failure->told_at = last_number;  // the uncounted ones too
  untold_.clear();
  uncounted_ = 0;
  outcomes_.clear();
  if (more > 0)
    message += " (and " + std::to_string(more) + (more == 1 ? " more failure)" : " more failures)");
  return Error{std::move(message)};
}

}  // namespace runahead::engine
