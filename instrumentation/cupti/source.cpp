#include "instrumentation/cupti/source.h"

#include <atomic>
#include <map>
#include <utility>

#include "instrumentation/base/module_file.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/cupti/decoder.h"
#include "instrumentation/record/hooks/device_activity.h"

namespace runahead::cupti {
namespace {

constexpr const char* kModuleFile = "librunahead_cupti.so";
constexpr const char* kNoModule =
    "built without CUPTI: librunahead_cupti.so is not beside the program; install the CUDA Toolkit 13 and "
    "build "
    "again";
constexpr const char* kWhatToDo =
    "install CUPTI of the CUDA Toolkit, or set LD_LIBRARY_PATH to the folder of its libcupti.so";

Result<const RunaheadCuptiModule*> load_module() {
  const auto file = find_beside_program(kModuleFile, RUNAHEAD_BUILD_FOLDER);
  if (!file) {
    return Error{kNoModule};
  }
  const Result<void*> symbol = open_module(*file, kRunaheadCuptiModuleSymbol, kWhatToDo);
  if (!symbol) return symbol.error();
  const RunaheadCuptiModule* const module = reinterpret_cast<RunaheadCuptiModuleOf>(*symbol)();
  if (module->module_version != kRunaheadCuptiModuleVersion)
    return Error{file->string() + " belongs to another version of this program; build it again"};
  return module;
}

std::uint64_t clock_now_ns() { return static_cast<std::uint64_t>(TickClock::get().now_ns()); }

RunaheadCuptiOptions for_module(const SourceOptions& options) {
  const auto period = std::chrono::duration_cast<std::chrono::milliseconds>(options.flush_period);
  return {.buffer_bytes = options.buffer_bytes,
          .most_bytes = options.most_bytes,
          .flush_period_ms = static_cast<std::uint32_t>(period.count()),
          .now_ns = clock_now_ns};
}

// The CUPTI module that the functions of kHooks call. Written before kHooks is passed to
// set_device_activity().
constinit std::atomic<const RunaheadCuptiModule*> hooked{nullptr};

}  // namespace

Result<const RunaheadCuptiModule*> find_module() {
  static const Result<const RunaheadCuptiModule*> module = load_module();
  return module;
}

Availability availability() {
  const Result<const RunaheadCuptiModule*> module = find_module();
  if (!module) return {.reason = module.error().message};
  RunaheadCuptiStatus status{};
  const RunaheadCuptiOptions options = for_module({});
  (*module)->probe(&options, &status);
  return {status.reason[0] == '\0', status.cupti_version, status.reason};
}

class ActivityRows final : public record::RowSource {
 public:
  explicit ActivityRows(std::size_t most_rows) : most_rows_(most_rows) {}

  [[nodiscard]] bool take(record::SourceRows& rows) override {
    const MutexLock lock(mutex_);
    decoder_.take(rows);
    return !finished_;
  }
  void add(const Record& record) {
    const MutexLock lock(mutex_);
    if (decoder_.rows() >= most_rows_) return lose(1);  // the collector has not taken the earlier rows
    decoder_.add(record);
  }
  void delivered(std::uint64_t lost, std::int64_t complete_ns, std::int64_t clock_error_ns) {
    const MutexLock lock(mutex_);
    if (lost != 0) lose(lost);
    decoder_.note_clock_error(clock_error_ns);
    decoder_.commit(complete_ns);
  }
  void finish() {
    const MutexLock lock(mutex_);
    if (!finished_) decoder_.close(TickClock::get().now_ns());
    finished_ = true;
  }
  [[nodiscard]] bool finished() const {
    const MutexLock lock(mutex_);
    return finished_;
  }
  void name_stream(const RunaheadCuptiStream& stream, const std::string& name) {
    const MutexLock lock(mutex_);
    decoder_.name_stream(stream.device, stream.stream, name);
  }
  [[nodiscard]] std::pair<std::int64_t, std::uint64_t> clock_error_and_lost() const {
    const MutexLock lock(mutex_);
    return {decoder_.clock_error_ns(), lost_};
  }
  // Used by the functions of the sink. Set before the module starts.
  const RunaheadCuptiModule* module = nullptr;

 private:
  void lose(std::uint64_t count) RUNAHEAD_REQUIRES(mutex_) {
    lost_ += count;
    decoder_.lose_records(count);
  }

  const std::size_t most_rows_;
  mutable Mutex mutex_;  // lock order: after current_mutex
  Decoder decoder_ RUNAHEAD_GUARDED_BY(mutex_);
  std::uint64_t lost_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  bool finished_ RUNAHEAD_GUARDED_BY(mutex_) = false;
};

namespace {

// Guards `current`, so that only one source runs. Lock order: before ActivityRows::mutex_.
Mutex current_mutex;
std::shared_ptr<ActivityRows> current RUNAHEAD_GUARDED_BY(current_mutex);
// Keeps all stream names that an engine ever gave. The engine's streams continue to exist when one source
// stops, and the next source needs their names.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>& stream_names()
    RUNAHEAD_REQUIRES(current_mutex) {
  static auto& names = *new std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;
  return names;
}

void push_op(std::uint64_t op) {
  if (const auto* module = hooked.load(std::memory_order_acquire)) module->push_op(op);
}
void pop_op() {
  if (const auto* module = hooked.load(std::memory_order_acquire)) module->pop_op();
}
void name_stream(void* stream, const char* name) {
  const auto* module = hooked.load(std::memory_order_acquire);
  RunaheadCuptiStream found{};
  if (module == nullptr || module->find_stream(stream, &found) == 0) return;
  const MutexLock lock(current_mutex);
  stream_names()[{found.device, found.stream}] = name;
  if (current != nullptr) current->name_stream(found, name);
}
constexpr record::DeviceActivity kHooks{.push_op = push_op, .pop_op = pop_op, .name_stream = name_stream};

}  // namespace

Result<std::unique_ptr<Source>> Source::start(record::Recorder& recorder, const SourceOptions& options) {
  const Result<const RunaheadCuptiModule*> module = find_module();
  if (!module) return module.error();
  return start(recorder, **module, options);
}

Result<std::unique_ptr<Source>> Source::start(record::Recorder& recorder, const RunaheadCuptiModule& module,
                                              const SourceOptions& options) {
  const MutexLock lock(current_mutex);
  if (current != nullptr) return Error{"CUPTI records already in this process; stop that first"};
  auto rows = std::make_shared<ActivityRows>(options.most_rows);
  rows->module = &module;
  for (const auto& [stream, name] : stream_names()) rows->name_stream({stream.first, stream.second}, name);
  const RunaheadCuptiSink sink{
      .user = rows.get(),
      .take = [](void* user, const Record* record) { static_cast<ActivityRows*>(user)->add(*record); },
      .delivered =
          [](void* user, std::uint64_t lost, std::int64_t complete_ns) {
            auto* const to = static_cast<ActivityRows*>(user);
            RunaheadCuptiStatus status{};
            to->module->status(&status);
            to->delivered(lost, complete_ns, status.clock_error_ns);
          }};
  const RunaheadCuptiOptions asked = for_module(options);
  RunaheadCuptiStatus status{};
  if (module.start(&sink, &asked, &status) == 0) return Error{status.reason};
  current = rows;
  recorder.add(rows);
  hooked.store(&module, std::memory_order_release);
  record::set_device_activity(&kHooks);
  return std::unique_ptr<Source>(new Source(module, std::move(rows)));
}

Source::Source(const RunaheadCuptiModule& module, std::shared_ptr<ActivityRows> rows)
    : module_(module), rows_(std::move(rows)) {}

Source::~Source() { stop(); }

void Source::stop() {
  if (rows_->finished()) return;
  record::set_device_activity(nullptr);
  module_.stop();
  rows_->finish();
  const MutexLock lock(current_mutex);
  if (current == rows_) current.reset();
}

Source::Status Source::status() const {
  RunaheadCuptiStatus status{};
  module_.status(&status);
  const auto [clock_error_ns, lost] = rows_->clock_error_and_lost();
  return {status.cupti_version, status.refused, Duration{clock_error_ns}, lost,
          static_cast<std::size_t>(status.buffer_bytes)};
}

}  // namespace runahead::cupti
