#include "instrumentation/import/perfetto/perfetto_binder.h"

#include <utility>

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Flow ids of binder start here. The decoder numbers its own flows from 0 and never reaches this number.
constexpr std::uint64_t kFirstBinderFlow = std::uint64_t{1} << 62;

constexpr std::string_view kCall = "binder transaction", kAnswer = "binder reply";

}  // namespace

std::uint64_t BinderBook::make_events(Decoded& out) {
  const auto add = [&](EventKind kind, NodeId thread, std::string_view name, ClockTime time) -> Event& {
    Event event{.time = time, .track = thread, .kind = kind, .name = out.intern(name)};
    event.by_name = kind == EventKind::kEnd;
    event.first_flow = static_cast<std::uint32_t>(out.flows.size());
    return out.events.emplace_back(event);
  };
  const auto mark = [&](Event& event, FlowMark::Step step, std::int32_t id) {
    out.flows.push_back({step, kFirstBinderFlow + static_cast<std::uint32_t>(id)});
    event.flow_count = 1;
  };
  std::unordered_map<std::int32_t, const Sent*> by_id;
  for (const Sent& sent : sent_) {
    by_id[sent.id] = &sent;
    if (sent.reply) {
      add(EventKind::kEnd, sent.thread, kAnswer, sent.time);
      continue;
    }
    Event& event = sent.one_way ? add(EventKind::kInstant, sent.thread, "binder transaction async", sent.time)
                                : add(EventKind::kBegin, sent.thread, kCall, sent.time);
    event.args = out.intern(ArgSet{{out.intern("code"), std::int64_t{sent.code}},
                                   {out.intern("to process"), std::int64_t{sent.to_process}}});
    mark(event, FlowMark::Step::kBegins, sent.id);
  }
  std::uint64_t unknown = 0;
  for (const Received& received : received_) {
    const auto sent = by_id.find(received.id);
    if (sent == by_id.end()) {
      ++unknown;
    } else if (sent->second->reply) {
      add(EventKind::kEnd, received.thread, kCall, received.time);
    } else {
      Event& event = sent->second->one_way
                         ? add(EventKind::kInstant, received.thread, "binder async rcv", received.time)
                         : add(EventKind::kBegin, received.thread, kAnswer, received.time);
      mark(event, FlowMark::Step::kEnds, received.id);
    }
  }
  sent_ = {};
  received_ = {};
  return unknown;
}

}  // namespace runahead::importers::perfetto
