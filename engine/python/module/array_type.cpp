#include "engine/python/module/array_type.h"

#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "engine/array/array_state.h"
#include "engine/python/module/array_values.h"
#include "engine/python/module/enqueue.h"
#include "engine/python/module/script_line.h"

namespace runahead::engine::python {
namespace {

namespace checked = engine::checked;
using checked::Binary;
using checked::Unary;

PyObject* tape = nullptr;  // guarded by the GIL

ArrayObject* as_object(PyObject* object) { return reinterpret_cast<ArrayObject*>(object); }

// ---- Device -----------------------------------------------------------------------------------------------
struct DeviceObject {
  PyObject_HEAD engine::Device* device;
};
engine::Device* device_of(PyObject* object) { return reinterpret_cast<DeviceObject*>(object)->device; }

PyObject* device_name(PyObject* self, void*) { return PyUnicode_FromString(device_of(self)->name().c_str()); }
PyObject* device_simulated(PyObject* self, void*) { return PyBool_FromLong(device_of(self)->simulated()); }
PyObject* device_holds_values(PyObject* self, void*) {
  return PyBool_FromLong(device_of(self)->holds_values());
}
PyObject* device_index(PyObject* self, void*) {
  const std::string& name = device_of(self)->name();
  const std::size_t colon = name.find(':');
  return PyLong_FromLong(colon == std::string::npos ? 0 : std::strtol(name.c_str() + colon + 1, nullptr, 10));
}
PyObject* device_repr(PyObject* self) {
  return PyUnicode_FromFormat("Device('%s')", device_of(self)->name().c_str());
}
Py_hash_t device_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(device_of(self)) >> 4U);
}
PyObject* device_compare(PyObject* a, PyObject* b, int op);

PyGetSetDef device_fields[] = {
    {"name", device_name, nullptr, "such as 'virtual:0'", nullptr},
    {"simulated", device_simulated, nullptr, "True for a virtual device", nullptr},
    {"holds_values", device_holds_values, nullptr, "False for a device that models times only", nullptr},
    {"index", device_index, nullptr, "the number in its name", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject device_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(b, &device_type)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((device_of(a) == device_of(b)) == (op == Py_EQ));
}

// ---- Array ------------------------------------------------------------------------------------------------
PyTypeObject array_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

void array_dealloc(PyObject* self) {
  ArrayObject* const object = as_object(self);
  std::destroy_at(&object->array);
  Py_XDECREF(object->grad);
  Py_XDECREF(object->node);
  Py_TYPE(self)->tp_free(self);
}

PyObject* array_shape(PyObject* self, void*) {
  const engine::Shape& shape = as_object(self)->array.shape();
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!tuple) return nullptr;
  for (std::size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  return tuple.release();
}
PyObject* array_size(PyObject* self, void*) { return PyLong_FromLongLong(as_object(self)->array.size()); }
PyObject* array_ndim(PyObject* self, void*) {
  return PyLong_FromSize_t(as_object(self)->array.shape().size());
}
PyObject* array_device(PyObject* self, void*) { return wrap_device(as_object(self)->array.context().device); }
PyObject* array_version(PyObject* self, void*) {
  const engine::Array& array = as_object(self)->array;
  return PyLong_FromUnsignedLongLong(array.context().engine->version(array.var()));
}
// The arrays that alias() makes share the count.
PyObject* array_changes(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(as_object(self)->array.state()->changes);
}

// The Array whose class the result has.
PyTypeObject* class_of(PyObject* a, PyObject* b) { return is_array(a) ? Py_TYPE(a) : Py_TYPE(b); }

PyObject* binary(Binary op, PyObject* a, PyObject* b) {
  const auto left = as_operand(a), right = as_operand(b);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (!left || !right) Py_RETURN_NOTIMPLEMENTED;
  const char* const name = checked::name_of(op);
  const engine::Where where = here(name);
  PyObject* const inputs[] = {a, b};
  return told(name, inputs, made(class_of(a, b), [&] { return checked::binary(op, *left, *right, where); }));
}

PyObject* in_place(Binary op, PyObject* a, PyObject* b) {
  const auto right = as_operand(b);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (!right) Py_RETURN_NOTIMPLEMENTED;
  const engine::Where where = here(checked::name_of(op));
  return changed(a, [&] { return checked::binary_in_place(op, as_object(a)->array, *right, where); });
}

PyObject* unary(Unary op, PyObject* a) {
  const char* const name = checked::name_of(op);
  const engine::Where where = here(name);
  return told(name, {&a, 1},
              made(Py_TYPE(a), [&] { return checked::unary(op, as_object(a)->array, where); }));
}

template <Binary op>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  return binary(op, a, b);
}
template <Binary op>
PyObject* in_place_slot(PyObject* a, PyObject* b) {
  return in_place(op, a, b);
}
PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary(Binary::kPower, a, b);
}
PyObject* matmul_slot(PyObject* a, PyObject* b) {
  if (!is_array(a) || !is_array(b)) Py_RETURN_NOTIMPLEMENTED;
  const engine::Where where = here("matmul");
  PyObject* const inputs[] = {a, b};
  return told("matmul", inputs,
              made(Py_TYPE(a),
                   [&] {
                     return checked::matmul(as_object(a)->array, as_object(b)->array, engine::Transpose::kNo,
                                            engine::Transpose::kNo, where);
                   }),
              [] { return PyTuple_Pack(2, Py_False, Py_False); });
}

PyObject* array_compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_EQ:
      return binary(Binary::kEqual, a, b);
    case Py_NE:
      return binary(Binary::kNotEqual, a, b);
    case Py_LT:
      return binary(Binary::kLess, a, b);
    case Py_LE:
      return binary(Binary::kLessEqual, a, b);
    case Py_GT:
      return binary(Binary::kGreater, a, b);
    default:
      return binary(Binary::kGreaterEqual, a, b);
  }
}

// By identity: == computes an array.
Py_hash_t array_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self) >> 4U);
}

PyNumberMethods array_numbers;
PyBufferProcs array_buffer{get_buffer, release_buffer};

PyGetSetDef array_fields[] = {
    {"shape", array_shape, nullptr, "tuple of the extents", nullptr},
    {"size", array_size, nullptr, "number of elements", nullptr},
    {"ndim", array_ndim, nullptr, "number of axes", nullptr},
    {"device", array_device, nullptr, "where the values are", nullptr},
    {"changes", array_changes, nullptr, "number of ops in place that were enqueued for it", nullptr},
    {"version", array_version, nullptr, "number of completed writes", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef array_members[] = {
    {"grad", T_OBJECT, offsetof(ArrayObject, grad), 0, "the gradient that backward() has computed, or None"},
    {"_node", T_OBJECT, offsetof(ArrayObject, node), 0, "for autograd"},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef array_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(to_dlpack)),
     METH_VARARGS | METH_KEYWORDS, "Waits, and gives the array's own memory to another library."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "(1, 0): the memory is the host's."},
    {nullptr, nullptr, 0, nullptr}};

void fill_numbers() {
  PyNumberMethods& n = array_numbers;
  n.nb_add = binary_slot<Binary::kAdd>;
  n.nb_subtract = binary_slot<Binary::kSubtract>;
  n.nb_multiply = binary_slot<Binary::kMultiply>;
  n.nb_true_divide = binary_slot<Binary::kDivide>;
  n.nb_power = power_slot;
  n.nb_matrix_multiply = matmul_slot;
  n.nb_inplace_add = in_place_slot<Binary::kAdd>;
  n.nb_inplace_subtract = in_place_slot<Binary::kSubtract>;
  n.nb_inplace_multiply = in_place_slot<Binary::kMultiply>;
  n.nb_inplace_true_divide = in_place_slot<Binary::kDivide>;
  n.nb_negative = [](PyObject* a) { return unary(Unary::kNegative, a); };
  n.nb_absolute = [](PyObject* a) { return unary(Unary::kAbs, a); };
}

}  // namespace

bool add_types(PyObject* module) {
  device_type.tp_name = "runahead.Device";
  device_type.tp_basicsize = sizeof(DeviceObject);
  device_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  device_type.tp_doc = "A device of the engine. Devices are equal if their names are.";
  device_type.tp_getset = device_fields;
  device_type.tp_repr = device_repr;
  device_type.tp_hash = device_hash;
  device_type.tp_richcompare = device_compare;

  fill_numbers();
  array_type.tp_name = "runahead.Array";
  array_type.tp_basicsize = sizeof(ArrayObject);
  array_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  array_type.tp_doc =
      "float32 values on one device. The result of an operation has the class of its first Array.";
  array_type.tp_dealloc = array_dealloc;
  array_type.tp_getset = array_fields;
  array_type.tp_members = array_members;
  array_type.tp_methods = array_methods;
  array_type.tp_as_number = &array_numbers;
  array_type.tp_as_buffer = &array_buffer;
  array_type.tp_richcompare = array_compare;
  array_type.tp_hash = array_hash;
  for (PyTypeObject* type : {&device_type, &array_type}) {
    if (PyType_Ready(type) < 0) return false;
  }
  return PyModule_AddObjectRef(module, "Device", reinterpret_cast<PyObject*>(&device_type)) == 0 &&
         PyModule_AddObjectRef(module, "Array", reinterpret_cast<PyObject*>(&array_type)) == 0;
}

bool is_array(PyObject* object) { return PyObject_TypeCheck(object, &array_type) != 0; }
bool is_array_class(PyObject* object) {
  return PyType_Check(object) != 0 &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), &array_type) != 0;
}

const engine::Array* as_array(PyObject* object, const char* name) {
  if (is_array(object)) return &as_object(object)->array;
  PyErr_Format(PyExc_TypeError, "%s: an Array is needed, not '%s'", name, Py_TYPE(object)->tp_name);
  return nullptr;
}

PyObject* wrap(PyTypeObject* type, engine::Array array) {
  PyObject* const object = type->tp_alloc(type, 0);
  if (object == nullptr) return nullptr;
  new (&as_object(object)->array) engine::Array(std::move(array));
  as_object(object)->grad = Py_NewRef(Py_None);
  as_object(object)->node = Py_NewRef(Py_None);
  return object;
}

PyObject* wrap_device(engine::Device* device) {
  PyObject* const object = device_type.tp_alloc(&device_type, 0);
  if (object != nullptr) reinterpret_cast<DeviceObject*>(object)->device = device;
  return object;
}

engine::Device* as_device(PyObject* object) {
  if (Py_IS_TYPE(object, &device_type)) return device_of(object);
  PyErr_Format(PyExc_TypeError, "a Device is needed, not '%s'", Py_TYPE(object)->tp_name);
  return nullptr;
}

std::optional<checked::Value> as_operand(PyObject* object) {
  if (is_array(object)) return as_object(object)->array;
  if (PyFloat_CheckExact(object) != 0) return static_cast<float>(PyFloat_AS_DOUBLE(object));
  // Numbers of other libraries, such as numpy.float64, are numbers too; their arrays are not.
  const bool number = PyLong_Check(object) != 0 || PyFloat_Check(object) != 0 ||
                      (PyObject_CheckBuffer(object) == 0 && PyIndex_Check(object) != 0);
  const PyNumberMethods* const methods = Py_TYPE(object)->tp_as_number;
  if (!number && (methods == nullptr || methods->nb_float == nullptr || PySequence_Check(object) != 0))
    return std::nullopt;
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) return std::nullopt;
  return static_cast<float>(value);
}

void set_tape(PyObject* function) {
  PyObject* const before = tape;
  tape = function == nullptr || function == Py_None ? nullptr : Py_NewRef(function);
  Py_XDECREF(before);
}

bool tape_wants(std::span<PyObject* const> inputs) {
  if (tape == nullptr) return false;
  for (PyObject* const input : inputs) {
    if (is_array(input) && as_object(input)->node != Py_None) return true;
  }
  return false;
}

PyObject* report(const char* name, std::span<PyObject* const> inputs, PyObject* output,
                 PyObject* attributes) {
  Ref result(output), others(attributes != nullptr ? attributes : PyTuple_New(0));
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(inputs.size())));
  const Ref text(PyUnicode_InternFromString(name));
  if (!others || !tuple || !text) return nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(inputs[i]));
  const Ref function(Py_NewRef(tape));
  const Ref answer(PyObject_CallFunctionObjArgs(function.get(), text.get(), tuple.get(), result.get(),
                                                others.get(), nullptr));
  return answer ? result.release() : nullptr;
}

}  // namespace runahead::engine::python
