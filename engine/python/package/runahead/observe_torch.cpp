// The observer of PyTorch. observe_torch.py compiles this file against the installed torch at first use, and
// loads it into the program that it observes. A global callback (RecordFunction) runs at the start and the
// end of each operator, and records it with the public API (runahead.h).
//
// Recorded: a slice for each operator, each node of the backward pass and each record_function(), nested as
// they run. Its argument "line" is the line of Python that called it. An arrow from a forward operator to its
// node of the backward pass. The blocks of the CPU allocator. A step for each Optimizer.step().
//
// Threads: the callbacks run on any thread, mostly without the GIL. They take no lock except when a thread
// sees a new line or a new pair of name and line. They read the Python stack of their own thread only, which
// no other thread changes, and create no Python object.
#ifndef RUNAHEAD_WITHOUT_LINES
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX >= 0x030E0000
#define RUNAHEAD_WITHOUT_LINES  // the layout of a frame has changed
#elif PY_VERSION_HEX >= 0x030B0000
#include <internal/pycore_frame.h>
#else
#include <frameobject.h>
#endif
#endif

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runahead.h"

namespace {

// A line of Python. Places are never freed, because sites and events refer to them.
struct Place {
  std::string file;
  std::uint32_t line = 0;
};

// Guards the tables that all threads share. A fork waits for it, so that the child can use it too.
std::mutex& shared_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

// ---- the Python line ------------------------------------------------------------------------------------

// Frames in these folders are skipped: torch, the standard library, and this package.
struct SkippedFolder {
  std::string prefix;
  bool packages_count = false;  // files in site-packages or dist-packages below it are not skipped
};
std::vector<SkippedFolder>& skipped_folders() {
  static std::vector<SkippedFolder>& folders = *new std::vector<SkippedFolder>;
  return folders;
}

bool is_skipped(const std::string& file) {
  if (file.empty() || file[0] == '<') return file.rfind("<frozen", 0) == 0 || file.empty();
  for (const SkippedFolder& folder : skipped_folders()) {
    if (file.rfind(folder.prefix, 0) != 0) continue;
    const bool is_package = file.find("/site-packages/", folder.prefix.size() - 1) != std::string::npos ||
                            file.find("/dist-packages/", folder.prefix.size() - 1) != std::string::npos;
    if (!folder.packages_count || !is_package) return true;
  }
  return false;
}

// Files in this folder are named without it: the folder of the program's script.
std::string& base_folder() {
  static std::string& folder = *new std::string;
  return folder;
}

std::string shown_file(const std::string& file) {
  const std::string& base = base_folder();
  return !base.empty() && file.rfind(base, 0) == 0 ? file.substr(base.size()) : file;
}

const Place* intern_place(const std::string& file, std::uint32_t line) {
  static auto& places = *new std::map<std::pair<std::string, std::uint32_t>, Place>;
  const std::lock_guard<std::mutex> lock(shared_mutex());
  Place& place = places[{file, line}];
  if (place.line == 0) place = {file, line};
  return &place;
}

#ifdef RUNAHEAD_WITHOUT_LINES

struct Caller {
  bool operator==(const Caller&) const { return true; }
};
class PlaceFinder {
 public:
  static Caller innermost() { return {}; }
  const Place* place_of(const Caller&) { return nullptr; }
};

#else

#if PY_VERSION_HEX >= 0x030B0000
using Frame = _PyInterpreterFrame;
#else
using Frame = PyFrameObject;
#endif

Frame* innermost_frame() {
  PyThreadState* const thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  return thread->current_frame;
#elif PY_VERSION_HEX >= 0x030B0000
  return thread->cframe->current_frame;
#else
  return thread->frame;
#endif
}

Frame* caller_of(Frame* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return frame->previous;
#else
  return frame->f_back;
#endif
}

// Null: the frame runs no Python code, or has not begun.
PyCodeObject* code_of(Frame* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  if (_PyFrame_IsIncomplete(frame)) return nullptr;
#endif
#if PY_VERSION_HEX >= 0x030D0000
  return _PyFrame_GetCode(frame);
#else
  return frame->f_code;
#endif
}

// The offset of the current instruction, in bytes.
int instruction_of(Frame* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return _PyInterpreterFrame_LASTI(frame) * static_cast<int>(sizeof(_Py_CODEUNIT));
#elif PY_VERSION_HEX >= 0x030A0000
  return frame->f_lasti * 2;
#else
  return frame->f_lasti;
#endif
}

void append_utf8(std::string& out, Py_UCS4 c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xF00 >> more & 0xFF) | c >> 6 * more);
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> 6 * i & 0x3F));
}

// Reads the text without the GIL: PyUnicode_AsUTF8() would keep a copy in the object.
std::string text_of(PyObject* object) {
  std::string text;
  if (object == nullptr || !PyUnicode_Check(object)) return text;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(object);
  const auto kind = PyUnicode_KIND(object);
  const void* const characters = PyUnicode_DATA(object);
  for (Py_ssize_t i = 0; i < length; ++i) append_utf8(text, PyUnicode_READ(kind, characters, i));
  return text;
}

// A call from Python: the innermost frame, and the instruction at which it stands.
struct Caller {
  Frame* frame = nullptr;
  int instruction = -1;
  bool operator==(const Caller& other) const {
    return frame == other.frame && instruction == other.instruction;
  }
};

// Finds the nearest line outside torch. One for each thread.
class PlaceFinder {
 public:
  static Caller innermost() {
    Frame* const frame = innermost_frame();
    return {frame, frame != nullptr && code_of(frame) != nullptr ? instruction_of(frame) : -1};
  }
  const Place* place_of(const Caller& caller) {
    for (Frame* frame = caller.frame; frame != nullptr; frame = caller_of(frame)) {
      PyCodeObject* const code = code_of(frame);
      if (code == nullptr) continue;
      if (const Place* const place = place_in(code, instruction_of(frame))) return place;
    }
    return nullptr;
  }

 private:
  // What is known of an instruction. Code objects are not kept alive. A new one at the address of an old one
  // is recognised by its other members.
  struct Known {
    PyCodeObject* code = nullptr;
    int instruction = -1;
    int first_line = 0;
    const void *name = nullptr, *file = nullptr;
    const Place* place = nullptr;  // null: skipped
  };
  const Place* place_in(PyCodeObject* code, int instruction) {
    const auto hash = (reinterpret_cast<std::uintptr_t>(code) >> 4) * 0x9E3779B97F4A7C15u +
                      static_cast<unsigned>(instruction) * 0xC2B2AE3D27D4EB4Fu;
    Known& known = known_[hash >> 32 & (known_.size() - 1)];
    if (known.code != code || known.instruction != instruction || known.first_line != code->co_firstlineno ||
        known.name != code->co_name || known.file != code->co_filename) {
      known = {code, instruction, code->co_firstlineno, code->co_name, code->co_filename, nullptr};
      const std::string file = text_of(code->co_filename);
      const int line = PyCode_Addr2Line(code, instruction);
      if (line > 0 && !is_skipped(file))
        known.place = intern_place(shown_file(file), static_cast<std::uint32_t>(line));
    }
    return known.place;
  }
  std::array<Known, 2048> known_;
};

#endif

// ---- forward operators, for their nodes of the backward pass ----------------------------------------------

// A forward operator that made a node of the backward pass is found by the thread and the sequence number of
// the node. Any thread may write and read. A later operator may replace an older one: its node then has no
// line and no arrow. The key of a slot is written last, and is checked again after the value was read.
class ForwardOperators {
 public:
  // The number is also the id of the arrow; never 0.
  static std::uint64_t key_of(std::uint64_t thread, std::int64_t sequence) {
    return (thread << 44 | (static_cast<std::uint64_t>(sequence) & kSequenceMask)) + 1;
  }
  bool add(std::uint64_t key, const Place* place) {
    Slot& slot = slot_of(key);
    if (slot.key.load(std::memory_order_relaxed) == key) return false;
    slot.key.store(0, std::memory_order_relaxed);
    slot.place.store(place, std::memory_order_release);
    slot.arrow.store(true, std::memory_order_release);
    slot.key.store(key, std::memory_order_release);  // pairs with the acquire in find()
    return true;
  }
  struct Found {
    bool known = false;
    const Place* place = nullptr;
    bool arrow = false;  // the arrow has not arrived before
  };
  Found find(std::uint64_t key) {
    Slot& slot = slot_of(key);
    if (slot.key.load(std::memory_order_acquire) != key) return {};
    const Place* const place = slot.place.load(std::memory_order_acquire);
    if (slot.key.load(std::memory_order_acquire) != key) return {};
    return {true, place, slot.arrow.exchange(false, std::memory_order_acq_rel)};
  }

 private:
  static constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << 44) - 1;
  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<const Place*> place{nullptr};
    std::atomic<bool> arrow{false};
  };
  Slot& slot_of(std::uint64_t key) { return slots_[(key ^ (key >> 44) * 0x9E37) & (slots_.size() - 1)]; }
  std::array<Slot, 1u << 16> slots_;
};
ForwardOperators& forward_operators() {
  static ForwardOperators& operators = *new ForwardOperators;
  return operators;
}

// ---- sites ------------------------------------------------------------------------------------------------

constexpr std::size_t kMostSites = 20000;  // of the process; names of record_function() may be all different

const runahead_site* shared_site(const char* name, const Place* place) {
  static std::size_t made = 0;
  const std::lock_guard<std::mutex> lock(shared_mutex());
  if (made >= kMostSites) return runahead_make_site("one of many names");
  ++made;
  return place != nullptr ? runahead_make_site_at(name, place->file.c_str(), place->line)
                          : runahead_make_site(name);
}

// The sites that a thread has used, by name and place. Open addressing; the table has at least twice as many
// slots as sites.
class SiteTable {
 public:
  SiteTable() : slots_(256) {}
  const runahead_site* site(const char* name, const Place* place) {
    const std::size_t length = std::strlen(name);
    const std::uint64_t hash = hash_of(name, length) ^ reinterpret_cast<std::uintptr_t>(place) * 0x9E3779B9u;
    for (std::size_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.site == nullptr) return add(hash, name, place);
      if (slot.hash == hash && slot.place == place && slot.name == name) return slot.site;
    }
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    const Place* place = nullptr;
    const runahead_site* site = nullptr;
    std::string name;  // not that of the site, which may be "one of many names"
  };
  static std::uint64_t hash_of(const char* text, std::size_t length) {
    std::uint64_t hash = length * 0x9E3779B97F4A7C15u;
    for (; length >= 8; text += 8, length -= 8) hash = mixed(hash, text, 8);
    return length > 0 ? mixed(hash, text, length) : hash;
  }
  static std::uint64_t mixed(std::uint64_t hash, const char* text, std::size_t length) {
    std::uint64_t word = 0;
    std::memcpy(&word, text, length);
    hash = (hash ^ word) * 0xC2B2AE3D27D4EB4Fu;
    return hash ^ hash >> 29;
  }
  const runahead_site* add(std::uint64_t hash, const char* name, const Place* place) {
    if (2 * ++count_ > slots_.size()) {
      std::vector<Slot> old(slots_.size() * 2);
      old.swap(slots_);
      for (Slot& slot : old) {
        if (slot.site != nullptr) free_slot(slot.hash) = std::move(slot);
      }
    }
    Slot& slot = free_slot(hash);
    slot = {hash, place, shared_site(name, place), name};
    return slot.site;
  }
  Slot& free_slot(std::uint64_t hash) {
    std::size_t at = hash;
    while (slots_[at & (slots_.size() - 1)].site != nullptr) ++at;
    return slots_[at & (slots_.size() - 1)];
  }
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

// ---- the callbacks ----------------------------------------------------------------------------------------

struct OpenOperator {
  const at::RecordFunction* function = nullptr;
  const runahead_site* site = nullptr;
  const Place* place = nullptr;
  Caller caller;
  std::uint64_t recording = 0;  // the number of the recording in which it began
  bool runs_python = false;     // record_function(): Python code runs inside it
};

struct ThreadState {
  std::vector<OpenOperator> open;
  PlaceFinder places;
  SiteTable sites;
  runahead_frames* steps = runahead_make_frames("step");

  // The owner of a block that is allocated now: the outermost operator that Python or the backward pass has
  // called, with its line. (The innermost is aten::empty for most blocks.) Null: no operator runs.
  const runahead_site* memory_site();

 private:
  std::unordered_map<const runahead_site*, const runahead_site*> memory_sites_;
};

constexpr const char* kEngine = "autograd::engine::evaluate_function";

const runahead_site* ThreadState::memory_site() {
  const OpenOperator* owner = nullptr;
  for (std::size_t i = open.size(); i > 0 && !open[i - 1].runs_python; --i) {
    const OpenOperator& operation = open[i - 1];
    // The engine's own frame counts only for what no node below it allocates.
    if (owner == nullptr || std::strncmp(operation.site->name, kEngine, std::strlen(kEngine)) != 0)
      owner = &operation;
  }
  if (owner == nullptr) return nullptr;
  const runahead_site*& site = memory_sites_[owner->site];
  if (site == nullptr) {
    std::string name = owner->site->name;
    if (owner->place != nullptr) name += ", " + owner->place->file + ":" + std::to_string(owner->place->line);
    site = shared_site(name.c_str(), nullptr);
  }
  return site;
}

// A thread names itself, if neither Python nor the program has named it.
void name_torch_thread() {
  char name[32] = "";
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  if (std::strncmp(name, "pt_", 3) == 0) runahead_name_thread(name);
}

ThreadState& thread_state() {
  thread_local std::unique_ptr<ThreadState> state;
  if (state == nullptr) {
    state.reset(new ThreadState);
    name_torch_thread();
  }
  return *state;
}

std::uint64_t recording_now() { return __atomic_load_n(runahead_recording_now, __ATOMIC_RELAXED); }

constexpr const char* kOptimizerStep = "Optimizer.step#";

std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction& function) {
  const std::uint64_t recording = recording_now();
  if (recording == 0) return nullptr;
  ThreadState& thread = thread_state();
  OpenOperator opened;
  opened.function = &function;
  opened.recording = recording;
  opened.caller = PlaceFinder::innermost();
  opened.runs_python = function.scope() == at::RecordScope::USER_SCOPE;

  std::uint64_t arrow = 0;
  bool is_placed = false;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION && function.seqNr() >= 0) {
    const std::uint64_t key = ForwardOperators::key_of(function.forwardThreadId(), function.seqNr());
    const ForwardOperators::Found forward = forward_operators().find(key);
    is_placed = forward.place != nullptr;
    opened.place = forward.place;
    if (forward.arrow) arrow = key;
  }
  const OpenOperator* const outer = thread.open.empty() ? nullptr : &thread.open.back();
  if (!is_placed) {
    const bool same_line = outer != nullptr && !outer->runs_python && outer->caller == opened.caller;
    opened.place = same_line ? outer->place : thread.places.place_of(opened.caller);
  }
  opened.site = thread.sites.site(function.name(), opened.place);
  runahead_zone_begin(opened.site);
  if (arrow != 0) runahead_flow_in(arrow);
  thread.open.push_back(opened);
  return nullptr;
}

// An operator made a node of the backward pass if the sequence number has grown while it ran. The innermost
// such operator ends first, and gets the arrow.
void link_to_backward(const at::RecordFunction& function, const OpenOperator& ended) {
  if (function.scope() != at::RecordScope::FUNCTION || function.seqNr() < 0) return;
  if (at::sequence_number::peek() <= static_cast<std::uint64_t>(function.seqNr())) return;
  const std::uint64_t key = ForwardOperators::key_of(function.threadId(), function.seqNr());
  if (forward_operators().add(key, ended.place)) runahead_flow_out_optional(ended.site, key);
}

void end_operator(const at::RecordFunction& function, at::ObserverContext*) {
  const std::uint64_t recording = recording_now();
  if (recording == 0) return;
  ThreadState& thread = thread_state();
  // Not found: it began before the recording, or on another thread (an asynchronous operator).
  std::size_t found = thread.open.size();
  while (found > 0 && thread.open[found - 1].function != &function) --found;
  if (found == 0) return;
  while (thread.open.size() > found) {  // these ended on another thread, or never
    if (thread.open.back().recording == recording) runahead_zone_end();
    thread.open.pop_back();
  }
  const OpenOperator ended = thread.open.back();
  thread.open.pop_back();
  if (ended.recording != recording) return;  // this process is a fork of the one in which it began
  link_to_backward(function, ended);
  runahead_zone_end();
  if (ended.runs_python && std::strncmp(function.name(), kOptimizerStep, std::strlen(kOptimizerStep)) == 0)
    runahead_frame(thread.steps);
}

// ---- memory -----------------------------------------------------------------------------------------------

// Passes each call on to the allocator that was in use before, and records the blocks.
class RecordingAllocator final : public at::Allocator {
 public:
  explicit RecordingAllocator(at::Allocator* inner) : inner_(inner) { inner_free_ = inner->raw_deleter(); }
  [[nodiscard]] bool can_record() const { return inner_free_ != nullptr; }

  // Versions of torch differ in whether allocate() is const, and whether there is copy_data(). Without the
  // word override, what fits overrides, and the rest is not called.
  at::DataPtr allocate(std::size_t size) const { return allocate_recorded(size); }
  at::DataPtr allocate(std::size_t size) { return allocate_recorded(size); }
  void copy_data(void* to, const void* from, std::size_t size) const { std::memcpy(to, from, size); }
  at::DeleterFnPtr raw_deleter() const override { return &free_recorded; }
  [[nodiscard]] at::Allocator* inner() const { return inner_; }

 private:
  at::DataPtr allocate_recorded(std::size_t size) const {
    at::DataPtr block = inner_->allocate(size);
    void* const address = block.get();
    if (address == nullptr || block.get_context() != address || block.get_deleter() != inner_free_)
      return block;
    if (!block.compare_exchange_deleter(inner_free_, &free_recorded)) return block;
    if (recording_now() != 0) runahead_allocated(memory, thread_state().memory_site(), address, size);
    return block;
  }
  static void free_recorded(void* address) {
    if (recording_now() != 0) runahead_freed(memory, address);
    inner_free_(address);
  }
  at::Allocator* const inner_;
  static inline at::DeleterFnPtr inner_free_ = nullptr;
  static inline runahead_memory* const memory = runahead_make_memory("Memory", "live cpu");
};

RecordingAllocator* recording_allocator = nullptr;  // never deleted: blocks outlive the recording

void record_memory() {
  auto allocator = std::make_unique<RecordingAllocator>(c10::GetCPUAllocator());
  if (!allocator->can_record()) return;
  recording_allocator = allocator.release();
  c10::SetCPUAllocator(recording_allocator);
}

at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;

}  // namespace

extern "C" {

// Observes from now on. skipped: `count` folders, each with a '/' at its end, whose frames are not the place
// of an operator; the first `count_of_library` of them are the standard library's. base: files in this folder
// are named without it. Returns an error, or null.
__attribute__((visibility("default"))) const char* runahead_observe_torch(const char* const* skipped,
                                                                          std::size_t count,
                                                                          std::size_t count_of_library,
                                                                          const char* base) {
  static std::string error;
  try {
    base_folder() = base;
    for (std::size_t i = 0; i < count; ++i) skipped_folders().push_back({skipped[i], i < count_of_library});
    (void)forward_operators();
    const auto unlock = [] { shared_mutex().unlock(); };
    (void)::pthread_atfork([] { shared_mutex().lock(); }, unlock, unlock);
    record_memory();
    handle = at::addGlobalCallback(at::RecordFunctionCallback(&begin_operator, &end_operator));
  } catch (const std::exception& failure) {
    error = failure.what();
    return error.c_str();
  }
  return nullptr;
}

__attribute__((visibility("default"))) void runahead_stop_observing_torch() {
  if (handle == at::INVALID_CALLBACK_HANDLE) return;
  at::removeCallback(std::exchange(handle, at::INVALID_CALLBACK_HANDLE));
  if (recording_allocator != nullptr && c10::GetCPUAllocator() == recording_allocator)
    c10::SetCPUAllocator(recording_allocator->inner());
}

// False: the operators have no line.
__attribute__((visibility("default"))) bool runahead_sees_lines() {
#ifdef RUNAHEAD_WITHOUT_LINES
  return false;
#else
  return true;
#endif
}

}  // extern "C"
