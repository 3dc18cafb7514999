#include "instrumentation/api/api_recording.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "instrumentation/base/mutex.h"
#include "instrumentation/cupti/source.h"
#include "instrumentation/link/program_port.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/files/record_request.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"

struct runahead_recording {
  runahead::record::Recorder recorder;
  std::unique_ptr<runahead::record::Collector> collector;
  std::unique_ptr<runahead::cupti::Source> cuda;      // null: the GPU's activity is not recorded
  std::unique_ptr<runahead::link::ProgramPort> port;  // null: watchers cannot find this recording
};

namespace runahead::api {
namespace {

constinit Mutex mutex;
constinit runahead_recording* current RUNAHEAD_GUARDED_BY(mutex) = nullptr;
constinit bool current_is_own RUNAHEAD_GUARDED_BY(mutex) = false;
// In a forked child: the recording of the parent process. The child does not use it, and the child's hooks
// are off. The pointer is only for leak checkers: without it, they would report this recording as a leak.
// It is volatile, because a compiler could otherwise remove a pointer that nothing reads.
constinit runahead_recording* volatile of_parent = nullptr;
// True in a child process that was forked while the environment recording (which RUNAHEAD_RECORD starts) was
// on. Needs no lock: the child sets it right after the fork, when it has only one thread.
constinit bool forgotten = false;

// Watchers find the recording through the port. Without a port (the folder of the sockets cannot be used),
// the recording is complete, but `runahead attach` needs its file's name.
void open_port(runahead_recording& recording, const std::string& path) {
  std::error_code none;
  Result<std::unique_ptr<link::ProgramPort>> port = link::ProgramPort::open(
      {::getpid(), command_line(), std::filesystem::absolute(path, none)},
      [&collector = *recording.collector](bool watched) { collector.set_watched(watched); });
  if (port) recording.port = std::move(*port);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The rank of this process, from the variables of torchrun, Open MPI, MPICH and Intel MPI, PMIx, MVAPICH and
// Slurm; empty: it has none. Slurm or MPI may start torchrun, which starts the ranks. RANK is a common name,
// so it counts only beside another variable of torchrun. Slurm sets its variables also where it starts one
// process.
std::string rank_of_environment() {
  if (!variable("RANK").empty() && !variable("LOCAL_RANK").empty()) return variable("RANK");
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK"}) {
    if (std::string rank = variable(name); !rank.empty()) return rank;
  }
  const std::string tasks = variable("SLURM_NTASKS");
  return tasks.empty() || tasks == "1" ? "" : variable("SLURM_PROCID");
}

std::map<std::string, std::string> process_facts() {
  std::map<std::string, std::string> facts{
      {"format", "runahead"}, {"command", command_line()}, {"pid", std::to_string(::getpid())}};
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) == 0) facts["host"] = host;
  if (const std::string rank = rank_of_environment(); !rank.empty()) facts["process.rank"] = rank;
  return facts;
}

Error refusal(const std::string& path, const char* why) { return Error{"recording '" + path + "': " + why}; }

// pthread_atfork() registers three handlers: one runs before a fork, one after it in the parent, and one
// after it in the child. The child has no collector thread. Its copy of the recording belongs to the parent,
// so the child does not touch it. The recorder itself switches the child's hooks off.
void follow_forks() {
  static const int registered = ::pthread_atfork([]() RUNAHEAD_NOT_ANALYSED { mutex.lock(); },
                                                 []() RUNAHEAD_NOT_ANALYSED { mutex.unlock(); },
                                                 []() RUNAHEAD_NOT_ANALYSED {  // `mutex` is still locked
                                                   forgotten = current != nullptr && current_is_own;
                                                   if (current != nullptr) of_parent = current;
                                                   if (current != nullptr && current->port != nullptr)
                                                     current->port->close_in_child();
                                                   current = nullptr;
                                                   current_is_own = false;
                                                   mutex.unlock();
                                                 });
  // The registration fails only if no memory is left. Then no handler runs at a fork.
  (void)registered;
}

Result<runahead_recording*> start(const std::string& path, const record::FileLimits& limits)
    RUNAHEAD_REQUIRES(mutex) {
  if (current != nullptr || record::recording())
    return refusal(path, "this process records already; stop that first");
  try {
    auto recording = std::make_unique<runahead_recording>();
    // The recorder has already registered its fork handlers. Before a fork, the handlers that were registered
    // last run first. So our mutex is locked before the recorder's mutex. This is the same order as in
    // start() and stop().
    follow_forks();
    recording->collector =
        std::make_unique<record::Collector>(recording->recorder, record::CollectorOptions{.to_owner = false});
    if (Status opened = recording->collector->start_file(path, process_facts(), limits); !opened)
      return opened.error();
    recording->recorder.start();
    recording->collector->add_metadata(recording->recorder.clock_facts());
    open_port(*recording, path);
    return current = recording.release();
  } catch (const std::exception& failure) {
    return refusal(path, failure.what());
  }
}

Status stop() RUNAHEAD_REQUIRES(mutex) {
  const std::unique_ptr<runahead_recording> owned(std::exchange(current, nullptr));
  current_is_own = false;
  owned->port.reset();
  if (owned->cuda) owned->cuda->stop();
  owned->recorder.stop();
  return owned->collector->stop_file();
}

}  // namespace

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(in), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  for (char& c : words) {
    if (c == '\0') c = ' ';
  }
  return words;
}

Result<runahead_recording*> start_recording(const std::string& path, const record::FileLimits& limits) {
  const MutexLock lock(mutex);
  if (!current_is_own) return start(path, limits);
  record::leave_note(record::NoteKind::kOwnFile, path);
  return current;
}

Status stop_recording(runahead_recording* recording) {
  const MutexLock lock(mutex);
  if (recording == nullptr || recording != current || current_is_own) return Ok{};
  return stop();
}

bool records_environment() noexcept {
  const MutexLock lock(mutex);
  return current_is_own;
}

std::uint64_t lost_events(const runahead_recording* recording) noexcept {
  const MutexLock lock(mutex);
  return recording != nullptr && recording == current ? current->recorder.stats().lost : 0;
}

Status start_own_recording(const std::string& path, const record::FileLimits& limits,
                           const std::string& process_name) {
  const MutexLock lock(mutex);
  const Result<runahead_recording*> started = start(path, limits);
  if (!started) return started.error();
  if (!process_name.empty()) current->collector->add_metadata({{"process.name", process_name}});
  current_is_own = true;
  forgotten = false;
  return Ok{};
}

void add_own_facts(const std::map<std::string, std::string>& facts) {
  const MutexLock lock(mutex);
  if (current_is_own) current->collector->add_metadata(facts);
}

Result<std::optional<std::string>> start_own_cuda() {
  using Refused = std::optional<std::string>;
  const MutexLock lock(mutex);
  if (!current_is_own || current->cuda != nullptr) return Refused();
  Result<std::unique_ptr<cupti::Source>> source = cupti::Source::start(current->recorder);
  if (!source) return source.error();
  current->cuda = std::move(*source);
  return Refused(current->cuda->status().refused);
}

void stop_own_cuda() {
  const MutexLock lock(mutex);
  if (current_is_own && current->cuda != nullptr) current->cuda->stop();
}

Status stop_own_recording() {
  const MutexLock lock(mutex);
  return current_is_own ? stop() : Status(Ok{});
}

bool forgotten_by_fork() noexcept { return forgotten; }

}  // namespace runahead::api
