// Small tools for the C interface of Python. Include this header first: Python.h must come before the
// standard headers.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

#include "instrumentation/base/result.h"

namespace runahead::engine::python {

// Owns one reference. Empty: a Python call failed, and an exception is set.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* object) : object_(object) {}  // takes over the reference
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Sets an exception, and returns null.
PyObject* raise(PyObject* type, const std::string& text);
// The exception of the engine: an op has failed, or the engine has refused something.
[[nodiscard]] PyObject* engine_error();
// An error of a checked operator is the script's mistake: ValueError.
inline PyObject* raise_value_error(const Error& error) { return raise(PyExc_ValueError, error.message); }
// A wait that a Python signal handler has ended has set its own exception, which stays.
inline PyObject* raise_engine_error(const Error& error) {
  return PyErr_Occurred() != nullptr ? nullptr : raise(engine_error(), error.message);
}

// Other Python threads run while this object exists. Use no Python object in this time.
class OthersRun {
 public:
  OthersRun() : state_(PyEval_SaveThread()) {}
  ~OthersRun() { PyEval_RestoreThread(state_); }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace runahead::engine::python
