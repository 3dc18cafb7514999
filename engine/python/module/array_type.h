// The types Array and Device. An Array is a handle of an engine::Array. Frontends derive their own classes
// from Array. The result of an operation has the class of its first Array. All functions need the GIL.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/array/array.h"
#include "engine/array/checked/checked.h"
#include "engine/python/module/python_object.h"

namespace runahead::engine::python {

struct ArrayObject {
  PyObject_HEAD engine::Array array;
  PyObject* grad;  // for autograd; never null
  PyObject* node;  // for autograd; never null. None: operations on the array are not reported
};

[[nodiscard]] bool add_types(PyObject* module);
[[nodiscard]] bool is_array(PyObject* object);
[[nodiscard]] bool is_array_class(PyObject* object);
// Sets an exception (TypeError) and returns null if the object is no Array. name: the function's.
[[nodiscard]] const engine::Array* as_array(PyObject* object, const char* name);
// Makes an object of `type`, a class of arrays.
[[nodiscard]] PyObject* wrap(PyTypeObject* type, engine::Array array);
[[nodiscard]] PyObject* wrap_device(engine::Device* device);
// Sets an exception and returns null if the object is no Device.
[[nodiscard]] engine::Device* as_device(PyObject* object);

// An operand: an Array, or a number. nullopt: neither, without an exception. An exception is set if the
// number is too large for a float.
[[nodiscard]] std::optional<engine::checked::Value> as_operand(PyObject* object);

// ---- autograd ---------------------------------------------------------------------------------------------
// The function that is called after an op on an Array whose `node` is not None. Null or None: none.
void set_tape(PyObject* function);
[[nodiscard]] bool tape_wants(std::span<PyObject* const> inputs);
// Reports one op. inputs: borrowed. attributes: a new reference to a tuple, or null for (). Returns `output`,
// or null after an exception of the function; then the output is released.
[[nodiscard]] PyObject* report(const char* name, std::span<PyObject* const> inputs, PyObject* output,
                               PyObject* attributes);

}  // namespace runahead::engine::python
