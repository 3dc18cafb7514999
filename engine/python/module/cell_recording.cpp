#include "engine/python/module/cell_recording.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "instrumentation/api/api_recording.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/columns/counter_block.h"
#include "instrumentation/trace/lane.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"
#include "instrumentation/trace/trace.h"

namespace runahead::engine::python {
namespace {

using trace::SliceKind;

// Guarded by the GIL. The recording that start_recording() has started; null: none.
runahead_recording* started = nullptr;

std::string_view line_of(const trace::Trace& trace, const trace::Slice& slice) {
  for (const trace::Arg& arg : trace.args(slice.args)) {
    const auto* const text = std::get_if<StringId>(&arg.value);
    if (text != nullptr && trace.string(arg.key) == "line") return trace.string(*text);
  }
  return {};
}

struct Sum {
  std::int64_t count = 0, ns = 0;
};
struct Figures {
  std::map<std::tuple<std::string, std::string, SliceKind>, Sum> rows;  // by line, name and kind
  std::map<std::string, double> peaks;                                  // bytes, by device
};

void add_lane(const trace::Trace& trace, const trace::Lane& lane, Figures& out) {
  trace::LaneReader reader(lane);
  for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
    const trace::Slice slice = reader.slice(row);
    if (slice.kind != SliceKind::kEnqueue && slice.kind != SliceKind::kWait) continue;
    Sum& sum =
        out.rows[{std::string(line_of(trace, slice)), std::string(trace.string(slice.name)), slice.kind}];
    ++sum.count;
    sum.ns += slice.duration().count();
  }
}

Figures figures_of(const trace::Trace& trace) {
  Figures figures;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind == trace::TrackKind::kFrontend || track.info.kind == trace::TrackKind::kThread) {
      for (const trace::Lane& lane : track.lanes) add_lane(trace, lane, figures);
    } else if (track.info.role == trace::CounterRole::kLiveBytes) {
      const trace::GrowingExtremes& all = track.counter.all_extremes();
      if (all.empty() || all.max <= 0) continue;
      figures.peaks[track.info.device + (track.info.simulated ? " (simulated)" : "")] = all.max;
    }
  }
  return figures;
}

PyObject* as_python(const Figures& figures) {
  Ref rows(PyList_New(0)), peaks(PyDict_New());
  if (!rows || !peaks) return nullptr;
  for (const auto& [key, sum] : figures.rows) {
    const auto& [line, name, kind] = key;
    const Ref row(Py_BuildValue("(sssLL)", line.c_str(), name.c_str(),
                                kind == SliceKind::kWait ? "wait" : "enqueue",
                                static_cast<long long>(sum.count), static_cast<long long>(sum.ns)));
    if (!row || PyList_Append(rows.get(), row.get()) != 0) return nullptr;
  }
  for (const auto& [device, bytes] : figures.peaks) {
    const Ref value(PyFloat_FromDouble(bytes));
    if (!value || PyDict_SetItemString(peaks.get(), device.c_str(), value.get()) != 0) return nullptr;
  }
  return Py_BuildValue("{sOsO}", "rows", rows.get(), "peaks", peaks.get());
}

}  // namespace

PyObject* start_recording(PyObject*, PyObject* path) {
  const char* const file = PyUnicode_AsUTF8(path);
  if (file == nullptr) return nullptr;
  if (started != nullptr) return raise(PyExc_RuntimeError, "start_recording: a recording is on already");
  const Result<runahead_recording*> result = api::start_recording(file);
  if (!result.ok()) return raise(PyExc_RuntimeError, result.error().message);
  // The environment recording ends with the process: stopping it does nothing. It is not ours.
  if (api::records_environment()) Py_RETURN_FALSE;
  started = *result;
  Py_RETURN_TRUE;
}

PyObject* stop_recording(PyObject*, PyObject*) {
  if (started == nullptr) Py_RETURN_NONE;
  runahead_recording* const recording = started;
  started = nullptr;
  const Status status = [&] {
    const OthersRun others;
    return api::stop_recording(recording);
  }();
  if (!status) return raise(PyExc_RuntimeError, status.error().message);
  Py_RETURN_NONE;
}

PyObject* recording_figures(PyObject*, PyObject* path) {
  const char* const file = PyUnicode_AsUTF8(path);
  if (file == nullptr) return nullptr;
  const Result<Figures> figures = [&]() -> Result<Figures> {
    const OthersRun others;
    const Result<trace::Trace> trace = recordings::load_recording(file);
    if (!trace.ok()) return trace.error();
    return figures_of(*trace);
  }();
  if (!figures.ok()) return raise(PyExc_RuntimeError, figures.error().message);
  return as_python(*figures);
}

}  // namespace runahead::engine::python
