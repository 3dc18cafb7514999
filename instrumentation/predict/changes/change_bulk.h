// bulk=N: ops that are enqueued as one. For apply() (change.h).
#pragma once

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// bulk=N, in recordings of our engine, with the rules of Engine::set_bulk(N):
//
// - Successive ops of the frontend go into one bulk, if they go to the same queue, and if it computes. Other
//   ops are alone. A bulk is closed when it has N members, and before a wait, the begin or end of a step, and
//   an op that does not fit. It is then enqueued.
// - A bulk is one op: ready when all that its members depend on has ended. The members run one after the
//   other, and what depends on one of them waits for all.
// - A member allocates its blocks when it joins the bulk, or when it begins, and uses them until it ends.
//
// Each member takes the frontend as long as its enqueue did, since the engine links it as well. Error: ops
// were enqueued by several threads (a wait of one closes the bulks of the others); the run had bulks; a
// simulated device computed (it models a bulk as one kernel, of which only the model knows the time); no two
// ops would be in a bulk.
[[nodiscard]] Status make_bulks(const Change& change, const trace::Trace& trace, Program& program);

}  // namespace runahead::predict
