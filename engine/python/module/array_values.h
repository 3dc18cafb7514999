// Values that cross between arrays and Python: without a copy (buffer protocol, DLPack), and with one. All
// functions need the GIL and set a Python exception when they fail.
#pragma once

#include <vector>

#include "engine/array/array.h"
#include "engine/python/module/python_object.h"

namespace runahead::engine::python {

// The buffer protocol of Array. Waits for the values, which shows as a blocker ("buffer"). The buffer is the
// array's own memory, read-only. Later ops that change the array in place change it too.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
// __dlpack__ and __dlpack_device__ of Array, by the same rules (DLPack 0.8, a capsule named "dltensor").
PyObject* to_dlpack(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* dlpack_device(PyObject* self, PyObject* unused);

// Reads numbers: an object with a buffer of any real format, or nested sequences of numbers.
struct HostValues {
  engine::Shape shape;
  std::vector<float> values;
};
[[nodiscard]] bool read_values(PyObject* object, HostValues& result);
// An object with the buffer protocol (format "f") and this shape. Takes over the values. The buffer can be
// written: no array has these values.
[[nodiscard]] PyObject* make_buffer(std::vector<float> values, const engine::Shape& shape);
[[nodiscard]] bool add_buffer_type();

}  // namespace runahead::engine::python
