// Notes: texts that the user attached to times of a trace. Each note is one entry of the metadata, so a
// recording keeps it and other readers can find it. The key is "note." and the time in ns, such as
// "note.1234567"; the value is the note's words. Pure.
#pragma once

#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct Note {
  Timestamp at{};
  std::string words;  // not empty
  friend bool operator==(const Note&, const Note&) = default;
};

// Returns the metadata key of a note at time `at`. A later value of the same key replaces an earlier value.
// An empty value deletes the note.
[[nodiscard]] std::string note_key(Timestamp at);

// The notes of the trace in time order. Skips metadata whose key only looks like a note's key.
[[nodiscard]] std::vector<Note> notes_of(const trace::Trace& trace);

}  // namespace runahead::analysis
