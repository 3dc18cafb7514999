// Result<T>: a value, or an Error. An Error says in one line what failed, for which object (such as a file),
// why, and what to do. Use a Result for expected failures (files, devices, user input). For bugs use
// RUNAHEAD_CHECK.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "instrumentation/base/check.h"

namespace runahead {

struct Error {
  std::string message;  // one line without a newline; needs no final full stop
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  [[nodiscard]] T& value() & {
    RUNAHEAD_CHECK(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] const T& value() const& {
    RUNAHEAD_CHECK(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    RUNAHEAD_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  [[nodiscard]] const Error& error() const {
    RUNAHEAD_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace runahead
