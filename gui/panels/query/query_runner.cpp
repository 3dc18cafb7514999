#include "gui/panels/query/query_runner.h"

#include <chrono>
#include <cstdio>
#include <span>
#include <utility>

#include "instrumentation/base/check.h"

#ifdef RUNAHEAD_HAVE_QUERY
#include "instrumentation/base/mutex.h"
#include "instrumentation/query/database.h"
#endif

namespace runahead::gui {
namespace {

#ifdef RUNAHEAD_HAVE_QUERY

using query::Field;

std::string text_of(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
  if (!std::holds_alternative<double>(field)) return "";
  char words[32];
  std::snprintf(words, sizeof words, "%.12g", std::get<double>(field));
  return words;
}

SliceRef ref_of(const trace::Trace& trace, const query::SlicePlace& place) {
  SliceRef ref{place.track, place.depth, place.row, place.open};
  if (place.open) ref.row = static_cast<std::uint64_t>(ns_from(trace.open_slices()[place.row].slice.begin));
  return ref;
}

// Receives the columns and rows of a query's result, and stores them in a QueryAnswer.
class Gatherer {
 public:
  Gatherer(const query::Database& database, const trace::Trace& trace, QueryAnswer& answer)
      : database_(database), trace_(trace), answer_(answer) {}
  void columns(const query::Columns& columns) {
    answer_.columns = columns.names;
    answer_.numeric.assign(columns.names.size(), true);
    answer_.links = columns.slice.has_value();
    slice_ = columns.slice;
  }
  bool row(std::span<const Field> fields) {
    answer_.cut = answer_.rows.size() == QueryRunner::kMostRows;
    if (answer_.cut) return false;
    QueryAnswer::Row& row = answer_.rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      row.cells.push_back(text_of(fields[i]));
      if (std::holds_alternative<std::string_view>(fields[i])) answer_.numeric[i] = false;
    }
    if (!slice_) return true;
    const auto* const id = std::get_if<std::int64_t>(&fields[*slice_]);
    if (id == nullptr) return true;
    if (const auto place = database_.slice(*id)) row.slice = ref_of(trace_, *place);
    return true;
  }

 private:
  const query::Database& database_;
  const trace::Trace& trace_;
  QueryAnswer& answer_;
  std::optional<std::size_t> slice_;
};

#endif

}  // namespace

QueryRunner::QueryRunner(std::function<void()> wake) : wake_(std::move(wake)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

// Cancels the running query. After that, the destructor of thread_ requests a stop and joins the thread. The
// stop request makes work() return from its wait for the next question.
QueryRunner::~QueryRunner() { cancel(); }

void QueryRunner::ask(Question question) {
  RUNAHEAD_CHECK(!asked_);
  asked_ = true;
  {
    const MutexLock lock(mutex_);
    question_ = std::move(question);
    cancelled_ = false;
  }
  changed_.notify_one();
}

std::optional<QueryAnswer> QueryRunner::take() {
  const MutexLock lock(mutex_);
  if (!answer_) return std::nullopt;
  asked_ = false;
  return std::exchange(answer_, std::nullopt);
}

void QueryRunner::work(const std::stop_token& stop) {
  while (true) {
    std::optional<Question> question;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock, stop, [this]() RUNAHEAD_REQUIRES(mutex_) { return question_.has_value(); }))
        return;
      question = std::exchange(question_, std::nullopt);
    }
    QueryAnswer made = answer(std::move(*question));
    {
      const MutexLock lock(mutex_);
      answer_ = std::move(made);
    }
    wake_();
  }
}

#ifdef RUNAHEAD_HAVE_QUERY

bool QueryRunner::available() { return true; }

void QueryRunner::cancel() {
  const MutexLock lock(mutex_);
  cancelled_ = true;
  if (asking_ != nullptr) asking_->cancel();
}

QueryAnswer QueryRunner::answer(Question question) {
  QueryAnswer answer{.trace_serial = question.trace_serial};
  const auto begin = std::chrono::steady_clock::now();
  const trace::Trace trace = question.snapshot.snapshot();
  const auto database = query::Database::open(std::move(question.snapshot));
  if (!database) {
    answer.error = database.error().message;
    return answer;
  }
  Gatherer gatherer(**database, trace, answer);
  // If cancel() was called before this point, `cancelled_` is true and the query is not started. A later call
  // of cancel() interrupts the database through `asking_`.
  bool cancelled = false;
  {
    const MutexLock lock(mutex_);
    asking_ = database->get();
    cancelled = cancelled_;
  }
  Status ran = Error{"cancelled"};
  if (!cancelled) {
    ran = (*database)->run(question.sql,
                           {.columns = [&](const query::Columns& columns) { gatherer.columns(columns); },
                            .row = [&](std::span<const Field> fields) { return gatherer.row(fields); }});
  }
  {
    const MutexLock lock(mutex_);
    asking_ = nullptr;
  }
  if (!ran) answer.error = ran.error().message;
  answer.cost_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

#else

bool QueryRunner::available() { return false; }
void QueryRunner::cancel() {}
QueryAnswer QueryRunner::answer(Question question) {
  return {.error = "this program was built without SQLite; install libsqlite3-dev and build again",
          .trace_serial = question.trace_serial};
}

#endif

}  // namespace runahead::gui
