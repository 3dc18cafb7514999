#include "instrumentation/analysis/notes.h"

#include <gtest/gtest.h>

namespace runahead::analysis {
namespace {

Timestamp at(std::int64_t ns) { return Timestamp{Duration{ns}}; }

TEST(Notes, AreThoseOfTheFactsInTheOrderOfTime) {
  trace::Trace trace;
  trace.set_metadata(note_key(at(1000)), "late");
  trace.set_metadata(note_key(at(200)), "early");
  trace.set_metadata(note_key(at(-5)), "before");
  trace.set_metadata("workload", "overlap");
  const std::vector<Note> wanted{{at(-5), "before"}, {at(200), "early"}, {at(1000), "late"}};
  EXPECT_EQ(notes_of(trace), wanted);
}

TEST(Notes, AreChangedAndTakenAwayByALaterFact) {
  trace::Trace trace;
  trace.set_metadata(note_key(at(1)), "a");
  trace.set_metadata(note_key(at(2)), "b");
  trace.set_metadata(note_key(at(1)), "");
  trace.set_metadata(note_key(at(2)), "c");
  const std::vector<Note> wanted{{at(2), "c"}};
  EXPECT_EQ(notes_of(trace), wanted);
}

TEST(Notes, WhatOnlyLooksLikeOneIsLeftOut) {
  trace::Trace trace;
  for (const char* key : {"note.", "note.x", "note.1x", "note.99999999999999999999", "notes.1"})
    trace.set_metadata(key, "words");
  EXPECT_TRUE(notes_of(trace).empty());
}

}  // namespace
}  // namespace runahead::analysis
