// Notes: a person's words at a time of a trace. They are facts of the trace ("note.1234567" -> words, the
// time in ns), so that a recording keeps them and other readers find them in its metadata. Pure.
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

// The fact's name. Words of a later fact of the same name hold; empty ones take the note away.
[[nodiscard]] std::string note_key(Timestamp at);

// Of that trace, in the order of time. What only looks like a note is left out.
[[nodiscard]] std::vector<Note> notes_of(const trace::Trace& trace);

}  // namespace runahead::analysis
