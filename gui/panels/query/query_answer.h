// What a question to the trace was answered with, as the window shows it. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/timeline/scene.h"

namespace runahead::gui {

struct QueryAnswer {
  std::string error;  // one line; empty: it was answered
  std::vector<std::string> columns;
  std::vector<bool> numeric;  // by column: all it has are numbers
  struct Row {
    std::vector<std::string> cells;
    std::optional<SliceRef> slice;  // where a click leads
  };
  std::vector<Row> rows;
  bool cut = false;    // there are more than are kept
  bool links = false;  // one of the columns holds slices
  double cost_ms = 0;
  std::uint64_t trace_serial = 0;  // of the trace that was asked
  std::uint64_t number = 0;        // of the answer: each has columns of its own width
};

// For the panel, each frame.
struct QueryFacts {
  bool available = false;  // this program was built with SQLite
  bool running = false;
  const QueryAnswer* answer = nullptr;  // the last one, of the trace on the screen; null: none yet
};

}  // namespace runahead::gui
