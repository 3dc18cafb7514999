// Recordings that start and end while the process runs, such as that of a notebook's cell, and their figures.
#pragma once

#include "engine/python/module/python_object.h"

namespace runahead::engine::python {

// start_recording(path): True, or False if RUNAHEAD_RECORD is on: that recording has everything, and the file
// is not written. RuntimeError: another recording is on, or the file cannot be written.
PyObject* start_recording(PyObject*, PyObject* path);
// stop_recording(): ends what start_recording() has started. RuntimeError: a write failed.
PyObject* stop_recording(PyObject*, PyObject*);
// recording_figures(path): what the script's threads did, and the most bytes of live memory by device:
//   {"rows": [(line, name, kind, count, ns)], "peaks": {device: bytes}}
// kind is "enqueue" or "wait"; line is empty if none is known. Reads the whole recording.
PyObject* recording_figures(PyObject*, PyObject* path);

}  // namespace runahead::engine::python
