// CSV out: one row a slice (track, depth, begin_ns, duration_ns, name, kind, op, step, bytes, flags), RFC
// 4180.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/io/recording.h"

namespace runahead::trace::io {

Status export_csv(const Trace& trace, const std::filesystem::path& path, const Progress& progress = {});

}  // namespace runahead::trace::io
