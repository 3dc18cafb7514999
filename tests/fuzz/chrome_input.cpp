#include "tests/fuzz/chrome_input.h"

#include "instrumentation/base/check.h"
#include "instrumentation/import/chrome/chrome_import.h"
#include "tests/fuzz/read_everything.h"

namespace runahead::testing {

void open_as_chrome_json(std::string_view bytes) {
  files::MemorySource source(bytes);
  (void)importers::looks_like_chrome_json(source);
  const Result<trace::Trace> trace = importers::import_chrome_json(source);
  if (!trace) {
    RUNAHEAD_CHECK(!trace.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*trace);
  (void)sum;
}

}  // namespace runahead::testing
