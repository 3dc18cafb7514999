// Queues and events of the simulated driver: one mutex guards all of them.
#include <algorithm>
#include <chrono>

#include "tests/host_opencl/objects.h"

namespace {

using runahead::host_opencl::Callback;
using runahead::host_opencl::controls;
using runahead::host_opencl::Shared;

std::mutex& mutex() {
  static std::mutex only;
  return only;
}
// A command was added, or an event has ended.
std::condition_variable& changed() {
  static std::condition_variable only;
  return only;
}

cl_ulong now_ns() {
  return static_cast<cl_ulong>(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool is_done(const Shared<_cl_event>& event) { return event->status <= CL_COMPLETE; }

// Gives an event its next status, and makes the callbacks that were asked for at this status.
void set_status(_cl_event& event, cl_int status) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex());
    event.status = status;
    (status == CL_RUNNING ? event.start_ns : event.end_ns) = now_ns();
    const auto first = std::ranges::partition(
        event.callbacks, [status](const Callback& callback) { return callback.at < status; });
    callbacks.assign(first.begin(), first.end());
    event.callbacks.erase(first.begin(), first.end());
    if (status < CL_COMPLETE && status == controls().silent_error) callbacks.clear();
  }
  changed().notify_all();
  for (const Callback& callback : callbacks) callback.function(&event, status, callback.data);
}

}  // namespace

_cl_event::_cl_event(bool by_user) : Object(controls().events), status(by_user ? CL_SUBMITTED : CL_QUEUED) {}

_cl_command_queue::_cl_command_queue(cl_context its_context)
    : Object(controls().queues), context(its_context), thread_([this] { run(); }) {}

_cl_command_queue::~_cl_command_queue() {
  {
    const std::lock_guard lock(mutex());
    stopping_ = true;
  }
  changed().notify_all();
  thread_.join();
}

cl_int _cl_command_queue::enqueue(std::function<void()> work, cl_uint waits_count, const cl_event* waits,
                                  cl_event* event) {
  if (context->device->lost != CL_SUCCESS) return context->device->lost;
  const std::int64_t number = ++controls().commands;
  if (number == controls().refuse_command) return controls().refuse_error;
  auto* const made = new _cl_event(false);
  Command command{.work = std::move(work), .event = Shared<_cl_event>(made), .waits = {}};
  for (cl_uint i = 0; i < waits_count; ++i) command.waits.emplace_back(waits[i]);
  if (number == controls().break_command) command.breaks_with = controls().break_error;
  {
    const std::lock_guard lock(mutex());
    made->queued_ns = now_ns();
    commands_.push_back(std::move(command));
  }
  changed().notify_all();
  if (event != nullptr) {
    *event = made;
  } else {
    runahead::host_opencl::release(made);
  }
  return CL_SUCCESS;
}

cl_int _cl_command_queue::finish() {
  std::unique_lock lock(mutex());
  changed().wait(lock, [this] { return commands_.empty(); });
  return context->device->lost;
}

void _cl_command_queue::run() {
  std::unique_lock lock(mutex());
  for (;;) {
    changed().wait(lock, [this] { return stopping_ || !commands_.empty(); });
    if (commands_.empty()) return;
    const Command& command = commands_.front();
    command.event->submitted_ns = now_ns();
    command.event->status = CL_SUBMITTED;
    changed().wait(lock, [&] { return std::ranges::all_of(command.waits, is_done); });
    const bool after_error = std::ranges::any_of(
        command.waits, [](const Shared<_cl_event>& wait) { return wait->status < CL_COMPLETE; });
    lock.unlock();
    if (command.work) controls().start_gate.pass();
    execute(command, after_error);
    lock.lock();
    Command ended = std::move(commands_.front());
    commands_.pop_front();
    lock.unlock();
    changed().notify_all();
    { const Command last_references = std::move(ended); }
    lock.lock();
  }
}

cl_int _cl_command_queue::error_of(const Command& command, bool after_error) const {
  if (after_error) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (command.work && controls().silent_error != CL_SUCCESS) return controls().silent_error;
  if (command.breaks_with != CL_SUCCESS && controls().break_loses_device)
    context->device->lost = command.breaks_with;
  return context->device->lost != CL_SUCCESS ? context->device->lost.load() : command.breaks_with;
}

void _cl_command_queue::execute(const Command& command, bool after_error) const {
  const cl_int error = error_of(command, after_error);
  if (error == CL_SUCCESS || error != controls().silent_error) set_status(*command.event.get(), CL_RUNNING);
  if (command.work && !after_error) controls().gate.pass();
  if (command.work && error == CL_SUCCESS) command.work();
  set_status(*command.event.get(), error);
}

namespace runahead::host_opencl {

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  std::unique_lock lock(mutex());
  cl_int result = CL_SUCCESS;
  for (cl_uint i = 0; i < count; ++i) {
    changed().wait(lock, [&] { return events[i]->status <= CL_COMPLETE; });
    if (events[i]->status < CL_COMPLETE) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return result;
}

cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info, std::size_t, void* out, std::size_t*) {
  const std::lock_guard lock(mutex());
  *static_cast<cl_int*>(out) = event->status;
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_event_profiling_info(cl_event event, cl_profiling_info what, std::size_t, void* out,
                                            std::size_t*) {
  const std::lock_guard lock(mutex());
  auto& ns = *static_cast<cl_ulong*>(out);
  if (event->status != CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
  switch (what) {
    case CL_PROFILING_COMMAND_QUEUED:
      ns = controls().no_queue_times ? 0 : event->queued_ns;
      return CL_SUCCESS;
    case CL_PROFILING_COMMAND_SUBMIT:
      ns = controls().no_queue_times ? 0 : event->submitted_ns;
      return CL_SUCCESS;
    case CL_PROFILING_COMMAND_START:
      ns = event->start_ns;
      return CL_SUCCESS;
    default:
      ns = event->end_ns;
      return CL_SUCCESS;
  }
}

cl_event CL_API_CALL create_user_event(cl_context, cl_int* error) {
  *error = CL_SUCCESS;
  return new _cl_event(true);
}

cl_int CL_API_CALL set_user_event_status(cl_event event, cl_int status) {
  set_status(*event, status);
  return CL_SUCCESS;
}

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int at,
                                      void(CL_CALLBACK* function)(cl_event, cl_int, void*), void* data) {
  std::unique_lock lock(mutex());
  const cl_int status = event->status;
  if (status > at) event->callbacks.push_back({.function = function, .data = data, .at = at});
  lock.unlock();
  if (status <= at) function(event, status, data);
  if (at == CL_RUNNING) ++controls().start_callbacks;
  return CL_SUCCESS;
}

}  // namespace runahead::host_opencl
