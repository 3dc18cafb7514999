// What all functions share that enqueue an op for a script: other threads run while the enqueue waits, the
// result becomes an object, and the tape is told. The GIL must be held.
#pragma once

#include <span>
#include <utility>

#include "engine/python/module/array_type.h"
#include "engine/python/module/runtime.h"

namespace runahead::engine::python {

// Runs `enqueue`, which enqueues one op. Other threads run meanwhile if it may take long. If a signal handler
// has raised an exception, the exception is set, although the op is enqueued.
template <typename Enqueue>
auto enqueued(Runtime& runtime, Enqueue enqueue) {
  runtime.before_op();
  if (!runtime.enqueue_may_wait()) {
    const QuickEnqueue quick;
    return enqueue();
  }
  const Waits waits;
  return enqueue();
}

// Runs `enqueue`, which makes an array. Returns an object of class `type`, or null after an exception.
template <typename Enqueue>
[[nodiscard]] PyObject* made(PyTypeObject* type, Enqueue enqueue) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  Result<engine::Array> result = enqueued(*runtime, enqueue);
  if (!result.ok()) return raise_value_error(result.error());
  if (PyErr_Occurred() != nullptr) return nullptr;
  return wrap(type, std::move(*result));
}

// Runs `enqueue`, which changes an array in place. Returns a new reference to `result`, or null after an
// exception.
template <typename Enqueue>
[[nodiscard]] PyObject* changed(PyObject* result, Enqueue enqueue) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  const Status status = enqueued(*runtime, enqueue);
  if (!status) return raise_value_error(status.error());
  if (PyErr_Occurred() != nullptr) return nullptr;
  return Py_NewRef(result);
}

// Reports the op that has made `output`, if the tape wants it. Takes over `output`; null: an exception is
// set. attributes(): a new reference to a tuple with the arguments that are not inputs, or null for ().
// Returns `output`, or null after an exception.
template <typename Attributes = PyObject* (*)()>
[[nodiscard]] PyObject* told(
    const char* name, std::span<PyObject* const> inputs, PyObject* output,
    Attributes attributes = [] { return static_cast<PyObject*>(nullptr); }) {
  if (output == nullptr || !tape_wants(inputs)) return output;
  return report(name, inputs, output, attributes());
}

}  // namespace runahead::engine::python
