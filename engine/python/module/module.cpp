// runahead._runahead: the C extension of the Python package. See package/runahead/_runahead.pyi for its
// functions.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/array_copies.h"
#include "engine/array/array_state.h"
#include "engine/device/device_registry.h"
#include "engine/python/module/array_type.h"
#include "engine/python/module/array_values.h"
#include "engine/python/module/cell_recording.h"
#include "engine/python/module/operations.h"
#include "engine/python/module/python_object.h"
#include "engine/python/module/runtime.h"
#include "engine/python/module/script_line.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine::python {
namespace {

using engine::Array;
using trace::SliceKind;

// A name that a script gives, with static storage: sites have its address.
const char* interned(std::string_view name) { return record::intern_site(name, SliceKind::kZone).name; }

// ---- waits ------------------------------------------------------------------------------------------------
// Calls wait(site) while other threads run. null after an exception.
template <typename Wait>
auto waited(const char* name, Wait wait) {
  const record::Site& site = site_here(interned(name), SliceKind::kWait);
  const Waits waits;
  return wait(site);
}

PyObject* none_or(const Status& status) {
  if (!status) return raise_engine_error(status.error());
  if (!check_signals()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* wait(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(args, "Os", &object, &name) == 0 || Runtime::get() == nullptr) return nullptr;
  const Array* const array = as_array(object, "wait");
  if (array == nullptr) return nullptr;
  if (!array->state()->refusal.empty()) return raise(engine_error(), array->state()->refusal);
  return none_or(waited(name, [&](const record::Site& site) {
    return array->context().engine->wait_to_read(array->var(), site);
  }));
}

// The values, or an exception.
bool read(PyObject* args, const char* function, std::vector<float>& values, const Array*& array) {
  PyObject* object = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(args, "Os", &object, &name) == 0 || Runtime::get() == nullptr) return false;
  array = as_array(object, function);
  if (array == nullptr) return false;
  Result<std::vector<float>> result =
      waited(name, [&](const record::Site& site) { return engine::read_to_host(*array, site); });
  if (!result.ok()) return raise_engine_error(result.error()) != nullptr;
  if (!check_signals()) return false;
  values = std::move(*result);
  return true;
}

PyObject* values(PyObject*, PyObject* args) {
  std::vector<float> result;
  const Array* array = nullptr;
  if (!read(args, "values", result, array)) return nullptr;
  return make_buffer(std::move(result), array->shape());
}

PyObject* item(PyObject*, PyObject* args) {
  PyObject* const object = PyTuple_Size(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (object != nullptr && is_array(object)) {
    const Array* const array = as_array(object, "item");
    if (array->size() != 1)
      return raise(PyExc_ValueError,
                   "item: the array has shape " + engine::to_string(array->shape()) + ", not one element");
  }
  std::vector<float> result;
  const Array* array = nullptr;
  if (!read(args, "item", result, array)) return nullptr;
  return PyFloat_FromDouble(static_cast<double>(result.front()));
}

PyObject* wait_all(PyObject*, PyObject* name_object) {
  const char* const name = PyUnicode_AsUTF8(name_object);
  Runtime* const runtime = name != nullptr ? Runtime::get() : nullptr;
  if (runtime == nullptr) return nullptr;
  return none_or(waited(name, [&](const record::Site& site) { return runtime->engine().wait_all(site); }));
}

// The engine waits for arrays or for everything. Waiting for everything includes the device.
PyObject* wait_device(PyObject*, PyObject* args) {
  PyObject* device = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(args, "Os", &device, &name) == 0 || as_device(device) == nullptr) return nullptr;
  const Ref text(PyUnicode_FromString(name));
  return text ? wait_all(nullptr, text.get()) : nullptr;
}

// ---- the engine -------------------------------------------------------------------------------------------
PyObject* device(PyObject*, PyObject* name_object) {
  const char* const name = PyUnicode_AsUTF8(name_object);
  Runtime* const runtime = name != nullptr ? Runtime::get() : nullptr;
  engine::Device* const found = runtime != nullptr ? runtime->device(name) : nullptr;
  return found != nullptr ? wrap_device(found) : nullptr;
}

PyObject* device_names(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const engine::DeviceEntry& entry : engine::list_devices()) {
    if (!entry.available) continue;
    const Ref name(PyUnicode_FromString(entry.name.c_str()));
    if (!name || PyList_Append(list.get(), name.get()) != 0) return nullptr;
  }
  return list.release();
}

// Reads the options of configure(). False after an exception.
class Options {
 public:
  explicit Options(PyObject* keywords) : keywords_(keywords) {}
  [[nodiscard]] bool ok() const { return ok_; }

  void number(const char* name, double least, double most, auto set) {
    PyObject* const object = take(name);
    if (object == nullptr) return;
    const double value = PyFloat_AsDouble(object);
    if (PyErr_Occurred() != nullptr) return fail();
    if (!(value >= least && value <= most)) return refuse(name, "is out of range");
    set(value);
  }
  void word(const char* name, auto set) {
    PyObject* const object = take(name);
    if (object == nullptr) return;
    const char* const text = PyUnicode_AsUTF8(object);
    if (text == nullptr) return fail();
    if (!set(std::string_view(text))) refuse(name, "has no value '" + std::string(text) + "'");
  }
  // Refuses an option that nobody has taken.
  void end() {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (ok_ && keywords_ != nullptr && PyDict_Next(keywords_, &at, &key, &value) != 0) {
      const char* const name = PyUnicode_AsUTF8(key);
      if (name == nullptr) return fail();
      bool known = false;
      for (const std::string& one : names_) known = known || one == name;
      if (!known) refuse(name, "is unknown");
    }
  }

 private:
  PyObject* take(const char* name) {
    names_.emplace_back(name);
    PyObject* const object = ok_ && keywords_ != nullptr ? PyDict_GetItemString(keywords_, name) : nullptr;
    return object == Py_None ? nullptr : object;
  }
  void fail() { ok_ = false; }
  void refuse(const std::string& name, const std::string& why) {
    raise(PyExc_ValueError, "configure: option '" + name + "' " + why);
    fail();
  }
  PyObject* const keywords_;
  std::vector<std::string> names_;
  bool ok_ = true;
};

PyObject* configure(PyObject*, PyObject*, PyObject* keywords) {
  RuntimeOptions wanted;
  engine::EngineOptions& e = wanted.engine;
  Options options(keywords);
  options.number("workers", 1, 256, [&](double v) { e.cpu_workers = static_cast<int>(v); });
  options.number("copy_workers", 0, 256, [&](double v) { e.cpu_copy_workers = static_cast<int>(v); });
  options.number("blas_threads", 1, 256, [&](double v) { wanted.blas_threads = static_cast<int>(v); });
  options.number("bulk", 0, 100'000, [&](double v) { e.bulk = static_cast<int>(v); });
  options.number("spin_us", 0, 1e6,
                 [&](double v) { e.spin = Duration(static_cast<std::int64_t>(v * 1000)); });
  options.number("limit_ops", 1, 1e12, [&](double v) { e.limit_ops = static_cast<std::int64_t>(v); });
  options.number("limit_bytes", 1, 1e18, [&](double v) { e.limit_bytes = static_cast<std::int64_t>(v); });
  options.number("capacity_bytes", 0, 1e18,
                 [&](double v) { e.capacity_bytes = static_cast<std::size_t>(v); });
  options.number("waiter_helps", 0, 1, [&](double v) { e.waiter_helps = v != 0; });
  // Sets `to` to the first or the second of two values.
  const auto one_of = [](auto& to, std::string_view text, std::string_view first, auto a,
                         std::string_view second, auto b) {
    if (text != first && text != second) return false;
    to = text == first ? a : b;
    return true;
  };
  options.word("engine", [&](std::string_view text) {
    return one_of(e.kind, text, "threaded", engine::EngineKind::kThreaded, "naive",
                  engine::EngineKind::kNaive);
  });
  options.word("alloc", [&](std::string_view text) {
    return one_of(e.allocation, text, "enqueue", engine::AllocationTime::kAtEnqueue, "execute",
                  engine::AllocationTime::kAtExecution);
  });
  options.word("order", [&](std::string_view text) {
    return one_of(e.order, text, "fifo", engine::ReadyOrder::kFifo, "oldest", engine::ReadyOrder::kOldest);
  });
  options.word("barrier", [&](std::string_view text) {
    const Result<BarrierPolicy> policy = parse_barrier(text);
    if (policy.ok()) wanted.barrier = *policy;
    return policy.ok();
  });
  options.end();
  if (!options.ok() || !Runtime::configure(wanted)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* step(PyObject*, PyObject* args) {
  PyObject* object = Py_None;
  if (PyArg_ParseTuple(args, "|O", &object) == 0) return nullptr;
  const Array* const array = object == Py_None ? nullptr : as_array(object, "step");
  if (array == nullptr && object != Py_None) return nullptr;
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || !runtime->end_step(array)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* begin_steps(PyObject*, PyObject*) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  runtime->begin_steps();
  Py_RETURN_NONE;
}

PyObject* set_barrier(PyObject*, PyObject* text) {
  const char* const name = PyUnicode_AsUTF8(text);
  if (name == nullptr) return nullptr;
  const Result<BarrierPolicy> policy = parse_barrier(name);
  if (!policy.ok()) return raise_value_error(policy.error());
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  runtime->set_barrier(*policy);
  Py_RETURN_NONE;
}

PyObject* barrier(PyObject*, PyObject*) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return nullptr;
  return PyUnicode_FromString(to_string(runtime->barrier()).c_str());
}

PyObject* stats(PyObject*, PyObject*) {
  Runtime* const runtime = Runtime::get();
  return runtime != nullptr ? runtime->stats() : nullptr;
}

// False after an exception.
bool is_function_or_none(const char* name, PyObject* object) {
  if (object == Py_None || PyCallable_Check(object) != 0) return true;
  PyErr_Format(PyExc_TypeError, "%s: a function or None is needed", name);
  return false;
}

PyObject* python_set_tape(PyObject*, PyObject* function) {
  if (!is_function_or_none("set_tape", function)) return nullptr;
  set_tape(function);
  Py_RETURN_NONE;
}

PyObject* end_of_process(PyObject*, PyObject*) {
  Runtime::end_of_process();
  Py_RETURN_NONE;
}

// ---- the timeline -----------------------------------------------------------------------------------------
PyObject* instant(PyObject*, PyObject* text) {
  const char* const name = PyUnicode_AsUTF8(text);
  if (name == nullptr) return nullptr;
  if (!record::recording()) Py_RETURN_NONE;
  name_first_thread();
  record::instant_here(site_here(interned(name), SliceKind::kZone), record::now_ticks());
  Py_RETURN_NONE;
}

PyObject* zone_begin(PyObject*, PyObject* text) {
  const char* const name = PyUnicode_AsUTF8(text);
  if (name == nullptr) return nullptr;
  if (!record::recording()) Py_RETURN_FALSE;
  name_first_thread();
  record::zone_begin(site_here(interned(name), SliceKind::kZone), record::now_ticks());
  Py_RETURN_TRUE;
}
PyObject* zone_end(PyObject*, PyObject*) {
  record::zone_end(record::now_ticks());
  Py_RETURN_NONE;
}

PyObject* place(PyObject*, PyObject* text) {
  const char* const prefix = PyUnicode_AsUTF8(text);
  if (prefix == nullptr) return nullptr;
  leave_out(prefix);
  Py_RETURN_NONE;
}

PyObject* python_name_files(PyObject*, PyObject* function) {
  if (!is_function_or_none("name_files", function)) return nullptr;
  name_files(function);
  Py_RETURN_NONE;
}

PyObject* unfinish_step(PyObject*, PyObject*) {
  Runtime::unfinish_step();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"wait", wait, METH_VARARGS, "wait(a, name)"},
    {"values", values, METH_VARARGS, "values(a, name): a copy, with the buffer protocol"},
    {"item", item, METH_VARARGS, "item(a, name): the value of an array with one element"},
    {"wait_all", wait_all, METH_O, "wait_all(name)"},
    {"wait_device", wait_device, METH_VARARGS, "wait_device(device, name): waits for all ops of all devices"},
    {"device", device, METH_O, "device(name)"},
    {"device_names", device_names, METH_NOARGS, "The devices that are available."},
    {"configure", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(configure)),
     METH_VARARGS | METH_KEYWORDS, "Sets the engine's options, before its first use."},
    {"step", step, METH_VARARGS, "step(a=None): ends a step; the barrier waits for `a`, or for all ops"},
    {"begin_steps", begin_steps, METH_NOARGS, "The next op begins the first step."},
    {"set_barrier", set_barrier, METH_O, "set_barrier(text)"},
    {"barrier", barrier, METH_NOARGS, "The barrier, as text."},
    {"stats", stats, METH_NOARGS, "The figures of the run so far, with the names of `runahead run --json`."},
    {"set_tape", python_set_tape, METH_O, "set_tape(function or None)"},
    {"instant", instant, METH_O, "instant(name): a point in time on the thread's track"},
    {"_zone_begin", zone_begin, METH_O, nullptr},
    {"_zone_end", zone_end, METH_NOARGS, nullptr},
    {"_end_of_process", end_of_process, METH_NOARGS, nullptr},
    {"place", place, METH_O, "place(prefix): files below it are not the script"},
    {"name_files", python_name_files, METH_O,
     "name_files(function or None): function(file) returns what the recording calls this file, or None"},
    {"start_recording", start_recording, METH_O, "start_recording(path): False if RUNAHEAD_RECORD is on"},
    {"stop_recording", stop_recording, METH_NOARGS, "Ends what start_recording() has started."},
    {"recording_figures", recording_figures, METH_O, "recording_figures(path): the figures of a recording"},
    {"unfinish_step", unfinish_step, METH_NOARGS, "Ends an open step, as one that is not complete."},
    {nullptr, nullptr, 0, nullptr}};

// The class `zone` needs no speed, so Python defines it.
constexpr const char* kZoneClass = R"(
class zone:
    """A slice on the thread's track, as long as the scope."""
    __slots__ = ("_name", "_begun")

    def __init__(self, name):
        self._name = name
        self._begun = False

    def __enter__(self):
        self._begun = _zone_begin(self._name)
        return self

    def __exit__(self, *error):
        if self._begun:
            _zone_end()
        self._begun = False
)";

bool add_zone(PyObject* module) {
  PyObject* const dict = PyModule_GetDict(module);  // borrowed
  const Ref code(Py_CompileString(kZoneClass, "<frozen runahead>", Py_file_input));
  if (!code || PyDict_SetItemString(dict, "__builtins__", PyEval_GetBuiltins()) != 0) return false;
  return static_cast<bool>(Ref(PyEval_EvalCode(code.get(), dict, dict)));
}

// The engine's threads must not run ops while Python ends.
bool stop_at_exit(PyObject* module) {
  const Ref atexit(PyImport_ImportModule("atexit"));
  const Ref stop(PyObject_GetAttrString(module, "_end_of_process"));
  if (!atexit || !stop) return false;
  return static_cast<bool>(Ref(PyObject_CallMethod(atexit.get(), "register", "O", stop.get())));
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "runahead._runahead",
                          "Arrays on Runahead's engine. Operations enqueue an op and return at once.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace runahead::engine::python

PyMODINIT_FUNC PyInit__runahead() {
  using namespace runahead::engine::python;
  Ref module(PyModule_Create(&definition));
  if (!module || engine_error() == nullptr) return nullptr;
  const bool complete = add_types(module.get()) && add_buffer_type() && add_operations(module.get()) &&
                        PyModule_AddObjectRef(module.get(), "EngineError", engine_error()) == 0 &&
                        add_zone(module.get()) && stop_at_exit(module.get());
  if (!complete) return nullptr;
  // The package's own files are not the script.
  const Ref package(PyImport_ImportModule("runahead"));
  const Ref file(package ? PyObject_GetAttrString(package.get(), "__file__") : nullptr);
  const char* const text = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
  PyErr_Clear();
  if (text != nullptr) leave_out((std::filesystem::path(text).parent_path() / "").string());
  return module.release();
}
