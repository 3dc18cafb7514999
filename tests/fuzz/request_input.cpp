#include "tests/fuzz/request_input.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gui/serve/request.h"
#include "instrumentation/base/check.h"

namespace runahead::testing {
namespace {

std::string_view cut_at(std::string_view& text, std::string_view mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return before;
}

}  // namespace

void decide_about(std::string_view bytes) {
  std::string_view first = cut_at(bytes, "\n");
  gui::HttpRequest request;
  request.method = cut_at(first, " ");
  request.target = first;
  std::vector<gui::HttpField> fields;
  while (!bytes.empty()) {
    std::string_view line = cut_at(bytes, "\n");
    const std::string_view name = cut_at(line, ": ");
    fields.push_back({name, line});
  }
  request.fields = fields;
  const gui::Decision decision = gui::decide(request, kFuzzToken);
  RUNAHEAD_CHECK((decision.status == 200) == (decision.asked != gui::Asked::kNothing));
  if (decision.asked == gui::Asked::kNothing) return;
  RUNAHEAD_CHECK(request.method == "GET" || request.method == "HEAD");
  const std::string begin = "/" + std::string(kFuzzToken) + "/";
  RUNAHEAD_CHECK(request.target.starts_with(begin));
  // The rest is one of the known forms, with nothing in it but digits and these words.
  std::string expected = begin;
  if (decision.asked != gui::Asked::kList) expected += std::to_string(decision.file) + "/";
  if (decision.asked == gui::Asked::kState) expected += "state";
  if (decision.asked == gui::Asked::kRecording) expected += "recording";
  if (decision.asked == gui::Asked::kGrowth)
    expected += "growth/" + std::to_string(decision.stream) + "/" + std::to_string(decision.from);
  RUNAHEAD_CHECK(request.target == expected);
  const auto host = std::ranges::find_if(
      fields, [](const gui::HttpField& field) { return gui::is_loopback_host(field.value); });
  RUNAHEAD_CHECK(host != fields.end());
}

}  // namespace runahead::testing
