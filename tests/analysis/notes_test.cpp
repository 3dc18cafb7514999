#include "instrumentation/analysis/notes.h"

#include <gtest/gtest.h>

namespace runahead::analysis {
namespace {

Timestamp note_time(std::int64_t ns) { return Timestamp{Duration{ns}}; }

TEST(Notes, AreThoseOfTheFactsInTheOrderOfTime) {
  trace::Trace trace;
  trace.set_metadata(note_key(note_time(1000)), "late");
  trace.set_metadata(note_key(note_time(200)), "early");
  trace.set_metadata(note_key(note_time(-5)), "before");
  trace.set_metadata("workload", "overlap");
  const std::vector<Note> wanted{
      {note_time(-5), "before"}, {note_time(200), "early"}, {note_time(1000), "late"}};
  EXPECT_EQ(notes_of(trace), wanted);
}

TEST(Notes, AreChangedAndTakenAwayByALaterFact) {
  trace::Trace trace;
  trace.set_metadata(note_key(note_time(1)), "a");
  trace.set_metadata(note_key(note_time(2)), "b");
  trace.set_metadata(note_key(note_time(1)), "");
  trace.set_metadata(note_key(note_time(2)), "c");
  const std::vector<Note> wanted{{note_time(2), "c"}};
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
