#include "engine/python/module/array_values.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "engine/array/array_state.h"
#include "engine/python/module/array_type.h"
#include "engine/python/module/runtime.h"
#include "engine/python/module/script_line.h"

namespace runahead::engine::python {
namespace {

using engine::Shape;

// Shape and strides in the types that Py_buffer and DLPack need.
struct Layout {
  std::vector<Py_ssize_t> shape, strides_bytes;
  std::vector<std::int64_t> extents;
  explicit Layout(const Shape& from)
      : shape(from.begin(), from.end()), strides_bytes(from.size()), extents(from) {
    Py_ssize_t stride = sizeof(float);
    for (std::size_t i = from.size(); i-- > 0;) {
      strides_bytes[i] = stride;
      stride *= shape[i];
    }
  }
};

void fill_view(Py_buffer* view, PyObject* owner, const void* data, std::int64_t count, Layout* layout,
               int flags) {
  static char format[] = "f";
  static float nothing = 0;  // an array without elements has no memory
  view->obj = Py_NewRef(owner);
  view->buf = const_cast<void*>(data != nullptr ? data : &nothing);
  view->len = static_cast<Py_ssize_t>(count * static_cast<std::int64_t>(sizeof(float)));
  view->readonly = 1;
  view->itemsize = sizeof(float);
  view->format = (flags & PyBUF_FORMAT) != 0 ? format : nullptr;
  view->ndim = static_cast<int>(layout->shape.size());
  view->shape = layout->shape.data();
  view->strides = layout->strides_bytes.data();
  view->suboffsets = nullptr;
  view->internal = layout;
}

// Waits until the values are there. False after an exception.
bool wait_for_values(const engine::Array& array, const char* name) {
  if (Runtime::get() == nullptr) return false;
  engine::Device& device = *array.context().device;
  if (!array.state()->refusal.empty()) return raise(engine_error(), array.state()->refusal) != nullptr;
  if (!array.state()->has_values) {
    raise(engine_error(),
          std::string(name) + ": " + device.name() + " models times only, so there are no values");
    return false;
  }
  if (device.arithmetic(engine::StreamKind::kCompute) != nullptr) {
    raise(PyExc_BufferError, std::string(name) + ": the memory of " + device.name() +
                                 " is not the host's; copy the array to the cpu first");
    return false;
  }
  const record::Site& site = site_here(name, trace::SliceKind::kWait);
  const Status waited = [&] {
    const Waits waits;
    return array.context().engine->wait_to_read(array.var(), site);
  }();
  if (!waited) return raise_engine_error(waited.error()) != nullptr;
  return check_signals();
}

// ---- numbers of Python ------------------------------------------------------------------------------------
template <typename T>
float read_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<float>(value);
}

using Reader = float (*)(const char*);
// The reader of a format of the module struct, in native byte order. Null: unknown.
Reader reader_of(const char* format, Py_ssize_t size) {
  if (format == nullptr) return read_as<unsigned char>;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (*format == '\0' || format[1] != '\0') return nullptr;
  switch (*format) {
    case 'f':
      return read_as<float>;
    case 'd':
      return read_as<double>;
    case '?':
      return read_as<bool>;
    case 'b':
      return read_as<signed char>;
    case 'B':
      return read_as<unsigned char>;
    case 'h':
      return read_as<std::int16_t>;
    case 'H':
      return read_as<std::uint16_t>;
    case 'i':
    case 'l':
    case 'q':
      return size == 8 ? read_as<std::int64_t> : read_as<std::int32_t>;
    case 'I':
    case 'L':
    case 'Q':
      return size == 8 ? read_as<std::uint64_t> : read_as<std::uint32_t>;
    default:
      return nullptr;
  }
}

void read_axis(const Py_buffer& view, int axis, const char* at, Reader reader, std::vector<float>& values) {
  if (axis == view.ndim) return values.push_back(reader(at));
  for (Py_ssize_t i = 0; i < view.shape[axis]; ++i)
    read_axis(view, axis + 1, at + i * view.strides[axis], reader, values);
}

bool read_buffer(PyObject* object, HostValues& result) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) return false;
  const Reader reader = reader_of(view.format, view.itemsize);
  if (reader == nullptr) {
    PyErr_Format(PyExc_TypeError, "values of the format '%s' are not real numbers", view.format);
  } else {
    result.shape.assign(view.shape, view.shape + view.ndim);
    read_axis(view, 0, static_cast<const char*>(view.buf), reader, result.values);
  }
  PyBuffer_Release(&view);
  return reader != nullptr;
}

bool read_nested(PyObject* object, std::size_t depth, HostValues& result) {
  const bool sequence = PySequence_Check(object) != 0 && PyUnicode_Check(object) == 0;
  if (!sequence) {
    if (result.values.empty() && result.shape.size() > depth) result.shape.resize(depth);
    if (depth != result.shape.size()) {
      raise(PyExc_ValueError, "the rows have different lengths or depths");
      return false;
    }
    const double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred() != nullptr) return false;
    result.values.push_back(static_cast<float>(value));
    return true;
  }
  const Ref items(PySequence_Fast(object, "a sequence of numbers is needed"));
  if (!items) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  if (depth == result.shape.size() && result.values.empty()) result.shape.push_back(count);
  if (depth >= result.shape.size() || result.shape[depth] != count) {
    raise(PyExc_ValueError, "the rows have different lengths or depths");
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!read_nested(PySequence_Fast_GET_ITEM(items.get(), i), depth + 1, result)) return false;
  }
  return true;
}

// ---- the object of values() -------------------------------------------------------------------------------
struct BufferObject {
  PyObject_HEAD std::vector<float> values;
  Layout* layout;
};
PyTypeObject buffer_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

void buffer_dealloc(PyObject* self) {
  auto* const object = reinterpret_cast<BufferObject*>(self);
  std::destroy_at(&object->values);
  delete object->layout;
  Py_TYPE(self)->tp_free(self);
}
int buffer_get(PyObject* self, Py_buffer* view, int flags) {
  auto* const object = reinterpret_cast<BufferObject*>(self);
  fill_view(view, self, object->values.data(), static_cast<std::int64_t>(object->values.size()),
            object->layout, flags);
  view->readonly = 0;  // nobody else has these values
  return 0;
}
PyBufferProcs buffer_procs{buffer_get, nullptr};

// ---- DLPack: the structures of its specification (dmlc/dlpack, version 0.8) -------------------------------
struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  std::int64_t* shape;
  std::int64_t* strides;  // null: dense, row-major
  std::uint64_t byte_offset;
};
struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};
constexpr std::int32_t kDlCpu = 1;
constexpr std::uint8_t kDlFloat = 2;
struct DlOwned {
  DlManaged managed;
  engine::Array array;
  Layout layout;
};
void delete_managed(DlManaged* managed) { delete static_cast<DlOwned*>(managed->context); }
void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0)
    return;  // the consumer has renamed it, and owns the tensor
  auto* const managed = static_cast<DlManaged*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if ((flags & PyBUF_WRITABLE) != 0) {
    raise(PyExc_BufferError, "the memory of an Array is read-only outside of the engine");
    return -1;
  }
  const engine::Array& array = reinterpret_cast<ArrayObject*>(self)->array;
  if (!wait_for_values(array, "buffer")) return -1;
  fill_view(view, self, array.state()->storage->values(), array.size(), new Layout(array.shape()), flags);
  return 0;
}
void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Layout*>(view->internal); }

PyObject* to_dlpack(PyObject* self, PyObject*, PyObject*) {
  const engine::Array& array = reinterpret_cast<ArrayObject*>(self)->array;
  if (!wait_for_values(array, "__dlpack__")) return nullptr;
  auto owned = std::make_unique<DlOwned>(DlOwned{{}, array, Layout(array.shape())});
  DlTensor& tensor = owned->managed.tensor;
  tensor = {array.state()->storage->values(),
            kDlCpu,
            0,
            static_cast<std::int32_t>(array.shape().size()),
            kDlFloat,
            32,
            1,
            owned->layout.extents.data(),
            nullptr,
            0};
  owned->managed.context = owned.get();
  owned->managed.deleter = delete_managed;
  PyObject* const capsule = PyCapsule_New(&owned->managed, "dltensor", delete_capsule);
  if (capsule != nullptr) (void)owned.release();  // the capsule owns it now
  return capsule;
}
PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", kDlCpu, 0); }

bool read_values(PyObject* object, HostValues& result) {
  if (PyObject_CheckBuffer(object) != 0) return read_buffer(object, result);
  return read_nested(object, 0, result);
}

PyObject* make_buffer(std::vector<float> values, const Shape& shape) {
  PyObject* const object = buffer_type.tp_alloc(&buffer_type, 0);
  if (object == nullptr) return nullptr;
  auto* const buffer = reinterpret_cast<BufferObject*>(object);
  new (&buffer->values) std::vector<float>(std::move(values));
  buffer->layout = new Layout(shape);
  return object;
}

bool add_buffer_type() {
  buffer_type.tp_name = "runahead.Values";
  buffer_type.tp_basicsize = sizeof(BufferObject);
  buffer_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  buffer_type.tp_doc = "A copy of the values of an Array, with the buffer protocol.";
  buffer_type.tp_dealloc = buffer_dealloc;
  buffer_type.tp_as_buffer = &buffer_procs;
  return PyType_Ready(&buffer_type) == 0;
}

}  // namespace runahead::engine::python
