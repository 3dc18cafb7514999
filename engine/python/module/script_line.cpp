#include "engine/python/module/script_line.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/api/api_recording.h"

namespace runahead::engine::python {
namespace {

// What is known about a code object, which is one function of a file.
struct Code {
  bool left_out = false;
  std::string file;  // as the recording shows it
};

struct Place {
  const PyCodeObject* code = nullptr;
  int instruction = -1;
  const char* name = nullptr;
  trace::SliceKind kind = trace::SliceKind::kZone;
  friend bool operator==(const Place&, const Place&) = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    const auto mix = [](std::uintptr_t bits) { return bits * 0x9e3779b97f4a7c15U; };
    return mix(reinterpret_cast<std::uintptr_t>(place.code) ^
               mix(reinterpret_cast<std::uintptr_t>(place.name)) ^
               static_cast<std::uintptr_t>(place.instruction) << 8U) ^
           static_cast<std::size_t>(place.kind);
  }
};

// Guarded by the GIL. The code objects are kept for the life of the process: their addresses are keys.
struct Tables {
  std::vector<std::string> left_out;
  std::unordered_map<const PyCodeObject*, Code> codes;
  std::unordered_map<Place, const record::Site*, PlaceHash> sites;
  std::string script_folder;
  PyObject* name_file = nullptr;          // of name_files()
  std::string script_given, script_name;  // the script as the command line names it, and without a folder
  bool script_known = false;
};
Tables& tables() {
  static Tables& all = *new Tables;
  return all;
}

// The folder of the script, with a slash at its end. Files inside it are named without it.
const std::string& script_folder() {
  Tables& all = tables();
  if (all.script_known) return all.script_folder;
  all.script_known = true;
  PyObject* const main = PyImport_AddModule("__main__");  // borrowed
  const Ref file(main == nullptr ? nullptr : PyObject_GetAttrString(main, "__file__"));
  PyErr_Clear();
  const char* const text = file && PyUnicode_Check(file.get()) ? PyUnicode_AsUTF8(file.get()) : nullptr;
  PyErr_Clear();
  if (text == nullptr) return all.script_folder;
  std::error_code error;
  const std::filesystem::path script = std::filesystem::absolute(text, error).lexically_normal();
  if (error || !script.has_parent_path()) return all.script_folder;
  all.script_folder = (script.parent_path() / "").string();
  all.script_given = text;
  all.script_name = script.filename().string();
  api::add_own_facts({{"process.script", script.string()}});  // the window shows the text of the script
  return all.script_folder;
}

// What name_files()'s function says about a file; empty: nothing.
std::string given_name(PyObject* file) {
  if (tables().name_file == nullptr) return {};
  const Ref name(PyObject_CallOneArg(tables().name_file, file));
  const char* const text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  std::string result = text == nullptr ? "" : text;
  PyErr_Clear();
  return result;
}

Code describe(const PyCodeObject* code) {
  Code result;
  const char* const name = PyUnicode_AsUTF8(code->co_filename);
  if (name == nullptr) {
    PyErr_Clear();
    result.file = "?";
    return result;
  }
  const std::string_view file = name;
  for (const std::string& prefix : tables().left_out) result.left_out |= file.starts_with(prefix);
  result.left_out |= file.starts_with("<frozen ");
  if (result.left_out) return result;
  result.file = given_name(code->co_filename);
  if (!result.file.empty()) return result;
  const std::string& folder = script_folder();
  if (!folder.empty() && file == tables().script_given) {
    result.file = tables().script_name;
  } else {
    result.file = !folder.empty() && file.starts_with(folder) ? file.substr(folder.size()) : file;
  }
  return result;
}

const Code& known(PyCodeObject* code) {
  auto& codes = tables().codes;
  if (const auto at = codes.find(code); at != codes.end()) return at->second;
  Code description = describe(code);  // may call Python, so another thread may add it meanwhile
  const auto [at, added] = codes.try_emplace(code, std::move(description));
  if (added) Py_INCREF(code);
  return at->second;
}

}  // namespace

const record::Site& site_here(const char* name, trace::SliceKind kind) {
  Ref frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  const auto as_frame = [&] { return reinterpret_cast<PyFrameObject*>(frame.get()); };
  while (frame) {
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame())));
    auto* const code_object = reinterpret_cast<PyCodeObject*>(code.get());
    const Code& description = known(code_object);
    if (!description.left_out) {
      const Place place{code_object, PyFrame_GetLasti(as_frame()), name, kind};
      const record::Site*& site = tables().sites[place];
      if (site == nullptr) {
        site = &record::intern_site(name, kind, description.file,
                                    static_cast<std::uint32_t>(PyFrame_GetLineNumber(as_frame())));
      }
      return *site;
    }
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(as_frame())));
  }
  return record::intern_site(name, kind);
}

void name_files(PyObject* function) {
  Py_INCREF(function);
  const Ref before(std::exchange(tables().name_file, function == Py_None ? nullptr : function));
}

void leave_out(const std::string& prefix) {
  tables().left_out.push_back(prefix);
  tables().codes.clear();  // the references stay: sites have the addresses as keys
}

}  // namespace runahead::engine::python
