// The line of the script that calls us. Each enqueue and each wait of the recording carries it.
#pragma once

#include "engine/python/module/python_object.h"
#include "engine/where.h"
#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::engine::python {

// The site `name` at the line that runs now: that of the nearest Python function whose file is not part of a
// package that was left out by leave_out(). name: static storage. The first call at a line takes a lock and
// some microseconds, later ones some tens of nanoseconds. The GIL must be held.
[[nodiscard]] const record::Site& site_here(const char* name, trace::SliceKind kind);
[[nodiscard]] inline engine::Where here(const char* name,
                                        trace::SliceKind kind = trace::SliceKind::kExecute) {
  return engine::Where::at(site_here(name, kind));
}
// Files whose names begin with `prefix` are not the script. The GIL must be held.
void leave_out(const std::string& prefix);

// Calls function(file) once for each function of the script, with the name of its file. A string that it
// returns takes the place of the file's name in recordings. None: no such function. The GIL must be held.
void name_files(PyObject* function);

}  // namespace runahead::engine::python
