#include "engine/python/module/operations.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/checked/checked.h"
#include "engine/python/module/array_type.h"
#include "engine/python/module/array_values.h"
#include "engine/python/module/enqueue.h"
#include "engine/python/module/script_line.h"

namespace runahead::engine::python {
namespace {

namespace checked = engine::checked;
using engine::Array;
using engine::Shape;
using engine::Where;

// The positional arguments of a call. The conversions set an exception, and then `ok` is false: check it
// once, after all conversions.
class Arguments {
 public:
  Arguments(const char* function, PyObject* const* objects, Py_ssize_t count, Py_ssize_t least,
            Py_ssize_t most)
      : function_(function), objects_(objects), count_(count) {
    if (count >= least && count <= most) return;
    PyErr_Format(PyExc_TypeError, "%s() takes %zd to %zd arguments, not %zd", function, least, most, count);
    ok_ = false;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] PyObject* object(Py_ssize_t i) const { return i < count_ ? objects_[i] : Py_None; }

  const Array& array(Py_ssize_t i) {
    static const Array none;
    const Array* const found = ok_ ? as_array(object(i), function_) : nullptr;
    ok_ = found != nullptr;
    return ok_ ? *found : none;
  }
  double number(Py_ssize_t i) {
    const double value = ok_ ? PyFloat_AsDouble(object(i)) : 0;
    return check(value);
  }
  std::int64_t integer(Py_ssize_t i) {
    const std::int64_t value = ok_ ? PyLong_AsLongLong(object(i)) : 0;
    return check(value);
  }
  std::uint64_t bits(Py_ssize_t i) {  // a seed: any integer, of which 64 bits count
    const std::uint64_t value = ok_ ? PyLong_AsUnsignedLongLongMask(object(i)) : 0;
    return check(value);
  }
  bool boolean(Py_ssize_t i) {
    const int value = ok_ ? PyObject_IsTrue(object(i)) : 0;
    ok_ = ok_ && value >= 0;
    return value > 0;
  }
  std::optional<checked::Value> operand(Py_ssize_t i) {
    if (!ok_) return std::nullopt;
    std::optional<checked::Value> value = as_operand(object(i));
    if (!value && PyErr_Occurred() == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s: an Array or a number is needed, not '%s'", function_,
                   Py_TYPE(object(i))->tp_name);
    }
    ok_ = value.has_value();
    return value;
  }
  std::string_view text(Py_ssize_t i) {
    const char* const value = ok_ ? PyUnicode_AsUTF8(object(i)) : nullptr;
    ok_ = value != nullptr;
    return ok_ ? value : "";
  }
  // A tuple or list of integers.
  std::vector<std::int64_t> integers(Py_ssize_t i) {
    std::vector<std::int64_t> result;
    const Ref items(ok_ ? PySequence_Fast(object(i), "a tuple of integers is needed") : nullptr);
    ok_ = static_cast<bool>(items);
    for (Py_ssize_t k = 0; ok_ && k < PySequence_Fast_GET_SIZE(items.get()); ++k) {
      result.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), k)));
      check(result.back());
    }
    return result;
  }
  std::vector<checked::SliceRange> ranges(Py_ssize_t i) {
    std::vector<checked::SliceRange> result;
    const Ref items(ok_ ? PySequence_Fast(object(i), "a sequence of ranges is needed") : nullptr);
    ok_ = static_cast<bool>(items);
    for (Py_ssize_t k = 0; ok_ && k < PySequence_Fast_GET_SIZE(items.get()); ++k) {
      long long start = 0, stop = 0, step = 1;
      ok_ = PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), k), "LLL", &start, &stop, &step) != 0;
      result.push_back({start, stop, step});
    }
    return result;
  }
  engine::Context context(Py_ssize_t i) {
    engine::Device* const device = ok_ ? as_device(object(i)) : nullptr;
    Runtime* const runtime = device != nullptr ? Runtime::get() : nullptr;
    ok_ = runtime != nullptr;
    return ok_ ? engine::Context{&runtime->engine(), device} : engine::Context{};
  }
  PyTypeObject* array_class(Py_ssize_t i) {
    if (ok_ && !is_array_class(object(i))) {
      PyErr_Format(PyExc_TypeError, "%s: a subclass of Array is needed", function_);
      ok_ = false;
    }
    return reinterpret_cast<PyTypeObject*>(object(i));
  }

 private:
  template <typename T>
  T check(T value) {
    if (PyErr_Occurred() != nullptr) ok_ = false;
    return value;
  }
  const char* const function_;
  PyObject* const* const objects_;
  const Py_ssize_t count_;
  bool ok_ = true;
};

// ---- creation ---------------------------------------------------------------------------------------------
constexpr engine::MemoryCategory kOther = engine::MemoryCategory::kOther;

PyObject* full(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("full", objects, count, 4, 4);
  PyTypeObject* const type = args.array_class(0);
  const Shape shape = args.integers(1);
  const auto value = static_cast<float>(args.number(2));
  const engine::Context context = args.context(3);
  if (!args.ok()) return nullptr;
  const Where where = here(value == 0 ? "zeros" : value == 1 ? "ones" : "full");
  return made(type, [&] { return checked::full(context, shape, value, kOther, where); });
}

PyObject* from_values(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("from_values", objects, count, 4, 4);
  PyTypeObject* const type = args.array_class(0);
  const engine::Context context = args.context(3);
  HostValues read;
  if (!args.ok() || !read_values(args.object(1), read)) return nullptr;
  const Shape shape = args.object(2) == Py_None ? read.shape : args.integers(2);
  if (!args.ok()) return nullptr;
  const Where where = here("from_values", checked::from_host_kind(context));
  return made(type, [&] { return checked::from_host(context, shape, read.values, where); });
}

PyObject* arange(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("arange", objects, count, 5, 5);
  PyTypeObject* const type = args.array_class(0);
  const double start = args.number(1), stop = args.number(2), step = args.number(3);
  const engine::Context context = args.context(4);
  if (!args.ok()) return nullptr;
  const Where where = here("arange", checked::from_host_kind(context));
  return made(type, [&] { return checked::arange(context, start, stop, step, where); });
}

PyObject* eye(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("eye", objects, count, 4, 4);
  PyTypeObject* const type = args.array_class(0);
  const std::int64_t rows = args.integer(1), columns = args.integer(2);
  const engine::Context context = args.context(3);
  if (!args.ok()) return nullptr;
  const Where where = here("eye", checked::from_host_kind(context));
  return made(type, [&] { return checked::eye(context, rows, columns, where); });
}

// uniform and normal: (cls, shape, two numbers, seed, stream, device)
template <typename Function>
PyObject* random(const char* name, PyObject* const* objects, Py_ssize_t count, Function function) {
  Arguments args(name, objects, count, 7, 7);
  PyTypeObject* const type = args.array_class(0);
  const Shape shape = args.integers(1);
  const auto first = static_cast<float>(args.number(2)), second = static_cast<float>(args.number(3));
  const engine::RandomKey key{args.bits(4), args.bits(5)};
  const engine::Context context = args.context(6);
  if (!args.ok()) return nullptr;
  const Where where = here(name);
  return made(type, [&] { return function(context, shape, key, first, second, kOther, where); });
}
PyObject* uniform(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return random("uniform", objects, count, checked::uniform);
}
PyObject* normal(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return random("normal", objects, count, checked::normal);
}

PyObject* alias(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("alias", objects, count, 1, 2);
  const Array& array = args.array(0);
  PyTypeObject* const type = args.object(1) == Py_None ? Py_TYPE(args.object(0)) : args.array_class(1);
  return args.ok() ? wrap(type, array) : nullptr;
}

// ---- elementwise ------------------------------------------------------------------------------------------
PyObject* unknown(const char* function, std::string_view name) {
  return raise(PyExc_ValueError,
               std::string(function) + ": there is no operation '" + std::string(name) + "'");
}

PyObject* binary(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("binary", objects, count, 3, 3);
  const std::string_view text = args.text(0);
  const auto a = args.operand(1), b = args.operand(2);
  if (!args.ok()) return nullptr;
  const auto op = checked::binary_named(text);
  if (!op) return unknown("binary", text);
  PyObject* const of_class = is_array(args.object(1)) ? args.object(1) : args.object(2);
  if (!is_array(of_class)) return raise(PyExc_TypeError, "binary: one operand must be an Array");
  const char* const name = checked::name_of(*op);
  const Where where = here(name);
  return told(name, {objects + 1, 2},
              made(Py_TYPE(of_class), [&] { return checked::binary(*op, *a, *b, where); }));
}

// A frontend in C++: what the script's `for _ in range(times): a = a + 1` does. Other threads of the script
// run meanwhile, so both can enqueue into the engine at the same time.
PyObject* increment_in_cpp(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("increment_in_cpp", objects, count, 2, 2);
  const Array& a = args.array(0);
  const std::int64_t times = args.integer(1);
  if (!args.ok()) return nullptr;
  if (times < 1 || times > 10'000'000)
    return raise(PyExc_ValueError, "increment_in_cpp: times must be 1 to 10,000,000");
  if (tape_wants({objects, 1}))
    return raise(PyExc_ValueError, "increment_in_cpp: gradients are not recorded");
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  runtime->before_op();
  const Where where = here("add");
  Result<Array> result = a;
  {
    const Waits waits;
    for (std::int64_t i = 0; i < times && result.ok(); ++i)
      result = checked::binary(checked::Binary::kAdd, *result, 1.0f, where);
  }
  if (!result.ok()) return raise_value_error(result.error());
  if (!check_signals()) return nullptr;
  return wrap(Py_TYPE(objects[0]), std::move(*result));
}

PyObject* unary(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("unary", objects, count, 2, 2);
  const std::string_view text = args.text(0);
  const Array& a = args.array(1);
  if (!args.ok()) return nullptr;
  const auto op = checked::unary_named(text);
  if (!op) return unknown("unary", text);
  const char* const name = checked::name_of(*op);
  const Where where = here(name);
  return told(name, {objects + 1, 1},
              made(Py_TYPE(objects[1]), [&] { return checked::unary(*op, a, where); }));
}

// A function of two arrays whose result has the class of the first.
using OfArrays = Result<Array> (*)(const Array&, const Array&, Where);
template <OfArrays function>
PyObject* of_two(const char* name, PyObject* const* objects, Py_ssize_t count) {
  Arguments args(name, objects, count, 2, 2);
  const Array &a = args.array(0), &b = args.array(1);
  if (!args.ok()) return nullptr;
  const Where where = here(name);
  return told(name, {objects, 2}, made(Py_TYPE(objects[0]), [&] { return function(a, b, where); }));
}
PyObject* relu_gradient(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return of_two<checked::relu_gradient>("relu_gradient", objects, count);
}
PyObject* pick(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return of_two<checked::pick>("pick", objects, count);
}
PyObject* l2_loss(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return of_two<checked::l2_loss>("l2_loss", objects, count);
}
PyObject* l2_loss_gradient(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return of_two<checked::l2_loss_gradient>("l2_loss_gradient", objects, count);
}

PyObject* clip(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("clip", objects, count, 3, 3);
  const Array& a = args.array(0);
  const auto low = static_cast<float>(args.number(1)), high = static_cast<float>(args.number(2));
  if (!args.ok()) return nullptr;
  const Where where = here("clip");
  return told("clip", {objects, 1},
              made(Py_TYPE(objects[0]), [&] { return checked::clip(a, low, high, where); }),
              [&] { return PyTuple_Pack(2, objects[1], objects[2]); });
}

PyObject* select(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("where", objects, count, 3, 3);
  const Array& condition = args.array(0);
  const auto a = args.operand(1), b = args.operand(2);
  if (!args.ok()) return nullptr;
  const Where where = here("where");
  return told("where", {objects, 3},
              made(Py_TYPE(objects[0]), [&] { return checked::select(condition, *a, *b, where); }));
}

// ---- reductions -------------------------------------------------------------------------------------------
// The name that the tape gets, such as "reduce:sum".
const char* tape_name(checked::Reduction op) {
  static constexpr const char* kNames[] = {"reduce:sum", "reduce:mean", "reduce:max",
                                           "reduce:min", "reduce:prod", "reduce:norm"};
  return kNames[static_cast<std::size_t>(op)];
}

PyObject* reduce(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("reduce", objects, count, 4, 4);
  const std::string_view text = args.text(0);
  const Array& a = args.array(1);
  const bool all = args.object(2) == Py_None;
  const std::vector<std::int64_t> list = all ? std::vector<std::int64_t>() : args.integers(2);
  const bool keep_dims = args.boolean(3);
  if (!args.ok()) return nullptr;
  const auto op = checked::reduction_named(text);
  if (!op) return unknown("reduce", text);
  const Where where = here(checked::name_of(*op));
  const checked::Axes axes = all ? checked::Axes() : checked::Axes(list);
  return told(tape_name(*op), {objects + 1, 1},
              made(Py_TYPE(objects[1]), [&] { return checked::reduce(*op, a, axes, keep_dims, where); }),
              [&] { return PyTuple_Pack(2, objects[2], objects[3]); });
}

PyObject* argmax(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("argmax", objects, count, 2, 2);
  const Array& a = args.array(0);
  std::optional<std::int64_t> axis;
  if (args.object(1) != Py_None) axis = args.integer(1);
  if (!args.ok()) return nullptr;
  const Where where = here("argmax");
  return made(Py_TYPE(objects[0]), [&] { return checked::argmax(a, axis, where); });
}

using AlongAxis = Result<Array> (*)(const Array&, std::int64_t, Where);
template <AlongAxis function>
PyObject* along_axis(const char* name, PyObject* const* objects, Py_ssize_t count) {
  Arguments args(name, objects, count, 2, 2);
  const Array& a = args.array(0);
  const std::int64_t number = args.integer(1);
  if (!args.ok()) return nullptr;
  const Where where = here(name);
  return told(name, {objects, 1}, made(Py_TYPE(objects[0]), [&] { return function(a, number, where); }),
              [&] { return PyTuple_Pack(1, objects[1]); });
}
PyObject* softmax(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return along_axis<checked::softmax>("softmax", objects, count);
}
PyObject* log_softmax(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return along_axis<checked::log_softmax>("log_softmax", objects, count);
}
PyObject* one_hot(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return along_axis<checked::one_hot>("one_hot", objects, count);
}

// ---- layout -----------------------------------------------------------------------------------------------
using ToShape = Result<Array> (*)(const Array&, const Shape&, Where);
template <ToShape function>
PyObject* to_shape(const char* name, PyObject* const* objects, Py_ssize_t count) {
  Arguments args(name, objects, count, 2, 2);
  const Array& a = args.array(0);
  const Shape shape = args.integers(1);
  if (!args.ok()) return nullptr;
  const Where where = here(name);
  return told(name, {objects, 1}, made(Py_TYPE(objects[0]), [&] { return function(a, shape, where); }),
              [&] { return PyTuple_Pack(1, objects[1]); });
}
PyObject* reshape(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return to_shape<checked::reshape>("reshape", objects, count);
}
PyObject* broadcast_to(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return to_shape<checked::broadcast_to>("broadcast_to", objects, count);
}
PyObject* sum_to(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  return to_shape<checked::sum_to>("sum_to", objects, count);
}

PyObject* transpose(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("transpose", objects, count, 2, 2);
  const Array& a = args.array(0);
  const bool all = args.object(1) == Py_None;
  const std::vector<std::int64_t> list = all ? std::vector<std::int64_t>() : args.integers(1);
  if (!args.ok()) return nullptr;
  const checked::Axes axes = all ? checked::Axes() : checked::Axes(list);
  const Where where = here("transpose");
  return told("transpose", {objects, 1},
              made(Py_TYPE(objects[0]), [&] { return checked::transpose(a, axes, where); }),
              [&] { return PyTuple_Pack(1, objects[1]); });
}

PyObject* slice(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("slice", objects, count, 2, 2);
  const Array& a = args.array(0);
  const std::vector<checked::SliceRange> ranges = args.ranges(1);
  if (!args.ok()) return nullptr;
  const Where where = here("slice");
  return told("slice", {objects, 1},
              made(Py_TYPE(objects[0]), [&] { return checked::slice(a, ranges, where); }),
              [&] { return PyTuple_Pack(1, objects[1]); });
}

PyObject* assign_slice(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("assign_slice", objects, count, 3, 3);
  const Array& a = args.array(0);
  const std::vector<checked::SliceRange> ranges = args.ranges(1);
  const auto value = args.operand(2);
  if (!args.ok()) return nullptr;
  const Where where = here("assign_slice");
  return changed(Py_None, [&] { return checked::assign_slice(a, ranges, *value, where); });
}

PyObject* concat(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("concat", objects, count, 2, 2);
  const std::int64_t axis = args.integer(1);
  const Ref sequence(args.ok() ? PySequence_Fast(objects[0], "concat: a sequence of Arrays is needed")
                               : nullptr);
  // A tuple: another thread may change a list while the op is enqueued.
  const Ref items(sequence ? PySequence_Tuple(sequence.get()) : nullptr);
  if (!items) return nullptr;
  const auto number = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.get()));
  PyObject* const* const inputs = PySequence_Fast_ITEMS(items.get());
  if (number == 0) return raise(PyExc_ValueError, "concat: there is no array");
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < number; ++i) {
    const Array* const one = as_array(inputs[i], "concat");
    if (one == nullptr) return nullptr;
    arrays.push_back(*one);
  }
  const Where where = here("concat");
  return told("concat", {inputs, number},
              made(Py_TYPE(inputs[0]), [&] { return checked::concat(arrays, axis, where); }),
              [&] { return PyTuple_Pack(1, objects[1]); });
}

PyObject* take(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("take", objects, count, 3, 3);
  const Array &a = args.array(0), &indices = args.array(1);
  const std::int64_t axis = args.integer(2);
  if (!args.ok()) return nullptr;
  const Where where = here("take");
  return told("take", {objects, 2},
              made(Py_TYPE(objects[0]), [&] { return checked::take(a, indices, axis, where); }),
              [&] { return PyTuple_Pack(1, objects[2]); });
}

// ---- products, training, copies ---------------------------------------------------------------------------
PyObject* matmul(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("matmul", objects, count, 2, 4);
  const Array &a = args.array(0), &b = args.array(1);
  const bool turn_a = count > 2 && args.boolean(2), turn_b = count > 3 && args.boolean(3);
  if (!args.ok()) return nullptr;
  const auto transpose = [](bool turn) { return turn ? engine::Transpose::kYes : engine::Transpose::kNo; };
  const Where where = here("matmul");
  return told("matmul", {objects, 2},
              made(Py_TYPE(objects[0]),
                   [&] { return checked::matmul(a, b, transpose(turn_a), transpose(turn_b), where); }),
              [&] { return PyTuple_Pack(2, turn_a ? Py_True : Py_False, turn_b ? Py_True : Py_False); });
}

PyObject* dense(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("dense", objects, count, 3, 3);
  const Array &x = args.array(0), &weight = args.array(1);
  const Array* const bias = args.object(2) == Py_None ? nullptr : &args.array(2);
  if (!args.ok()) return nullptr;
  const Where where = here("dense");
  return told("dense", {objects, bias == nullptr ? 2U : 3U},
              made(Py_TYPE(objects[0]), [&] { return checked::dense(x, weight, bias, where); }));
}

PyObject* sgd_update(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("sgd_update", objects, count, 4, 4);
  const Array &parameter = args.array(0), &gradient = args.array(1);
  const double rate = args.number(2), batch = args.number(3);
  if (!args.ok()) return nullptr;
  if (!(batch >= 1 && batch < 0x1p63 && batch == std::trunc(batch)))
    return raise(PyExc_ValueError, "sgd_update: the batch must be a whole number of at least 1");
  const Where where = here("sgd_update");
  return changed(Py_None, [&] {
    return checked::sgd_update(parameter, gradient, static_cast<float>(rate),
                               static_cast<std::int64_t>(batch), where);
  });
}

PyObject* assign(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("assign", objects, count, 2, 2);
  const Array& to = args.array(0);
  const auto from = args.operand(1);
  if (!args.ok()) return nullptr;
  const Where where = here("assign", checked::assign_kind(*from));
  return changed(Py_None, [&] { return checked::assign(to, *from, where); });
}

const char* name_of_copy(trace::SliceKind kind) {
  switch (kind) {
    case trace::SliceKind::kCopyToDevice:
      return "copy to device";
    case trace::SliceKind::kCopyToHost:
      return "copy to host";
    default:
      return "copy";
  }
}

PyObject* copy_to(PyObject*, PyObject* const* objects, Py_ssize_t count) {
  Arguments args("copy_to", objects, count, 2, 3);
  const Array& a = args.array(0);
  const engine::Context to = args.context(1);
  const bool pinned = count < 3 || args.boolean(2);
  if (!args.ok()) return nullptr;
  const trace::SliceKind kind = checked::copy_kind(a.context(), to);
  const Where where = here(name_of_copy(kind), kind);
  const engine::HostMemory memory = pinned ? engine::HostMemory::kPinned : engine::HostMemory::kPageable;
  return told("copy_to", {objects, 1},
              made(Py_TYPE(objects[0]), [&] { return checked::copy_to(a, to, memory, where); }),
              [&] { return PyTuple_Pack(2, objects[1], pinned ? Py_True : Py_False); });
}

using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
PyMethodDef method(const char* name, Fast function, const char* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, text};
}

}  // namespace

bool add_operations(PyObject* module) {
  static PyMethodDef methods[] = {
      method("full", full, "full(cls, shape, value, device)"),
      method("from_values", from_values, "from_values(cls, values, shape, device)"),
      method("arange", arange, "arange(cls, start, stop, step, device)"),
      method("eye", eye, "eye(cls, n, m, device)"),
      method("uniform", uniform, "uniform(cls, shape, low, high, seed, stream, device)"),
      method("normal", normal, "normal(cls, shape, mean, deviation, seed, stream, device)"),
      method("alias", alias, "alias(a, cls=None): another object for the same array; no op"),
      method("binary", binary, "binary(name, a, b)"),
      method("increment_in_cpp", increment_in_cpp, "increment_in_cpp(a, times): a loop of a = a + 1, in C++"),
      method("unary", unary, "unary(name, a)"),
      method("relu_gradient", relu_gradient, "relu_gradient(gradient, input)"),
      method("clip", clip, "clip(a, low, high)"),
      method("where", select, "where(condition, a, b)"),
      method("reduce", reduce, "reduce(name, a, axes, keepdims)"),
      method("argmax", argmax, "argmax(a, axis)"),
      method("softmax", softmax, "softmax(a, axis)"),
      method("log_softmax", log_softmax, "log_softmax(a, axis)"),
      method("one_hot", one_hot, "one_hot(a, depth)"),
      method("pick", pick, "pick(a, indices)"),
      method("reshape", reshape, "reshape(a, shape): a copy"),
      method("broadcast_to", broadcast_to, "broadcast_to(a, shape)"),
      method("sum_to", sum_to, "sum_to(a, shape)"),
      method("transpose", transpose, "transpose(a, axes)"),
      method("slice", slice, "slice(a, ranges)"),
      method("assign_slice", assign_slice, "assign_slice(a, ranges, value)"),
      method("concat", concat, "concat(arrays, axis)"),
      method("take", take, "take(a, indices, axis)"),
      method("matmul", matmul, "matmul(a, b, transpose_a=False, transpose_b=False)"),
      method("dense", dense, "dense(x, weight, bias)"),
      method("l2_loss", l2_loss, "l2_loss(prediction, label)"),
      method("l2_loss_gradient", l2_loss_gradient, "l2_loss_gradient(prediction, label)"),
      method("sgd_update", sgd_update, "sgd_update(parameter, gradient, rate, batch)"),
      method("assign", assign, "assign(to, source)"),
      method("copy_to", copy_to, "copy_to(a, device, pinned=True)"),
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, methods) == 0;
}

}  // namespace runahead::engine::python
