#include "gui/background/job.h"

#include <memory>
#include <utility>

#include "gui/session/lesson_pages.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/merge/join_traces.h"

namespace runahead::gui {

std::unique_ptr<Job> Job::open(std::filesystem::path path, const recordings::OpenOptions& options,
                               std::function<void()> wake) {
  std::unique_ptr<Job> job(new Job(Kind::kOpen, std::move(path), std::move(wake)));
  job->thread_ = std::jthread([job = job.get(), options] {
    Result<trace::Trace> loaded = importers::load_any(
        job->path_, [job](double done) { return job->progress(done); }, options);
    if (loaded.ok()) job->trace_ = std::move(*loaded);
    job->finish(loaded.ok() ? Status(Ok{}) : Status(loaded.error()));
  });
  return job;
}

std::unique_ptr<Job> Job::open_joined(std::vector<std::filesystem::path> paths, std::filesystem::path name,
                                      const recordings::OpenOptions& options, std::function<void()> wake) {
  std::unique_ptr<Job> job(new Job(Kind::kOpen, std::move(name), std::move(wake)));
  job->joins_ = true;
  job->thread_ = std::jthread([job = job.get(), paths = std::move(paths), options] {
    Result<trace::Trace> joined = merge::open_joined(
        paths, [job](double done) { return job->progress(done); }, options);
    if (joined.ok()) job->trace_ = std::move(*joined);
    job->finish(joined.ok() ? Status(Ok{}) : Status(joined.error()));
  });
  return job;
}

std::unique_ptr<Job> Job::save(trace::Trace snapshot, std::filesystem::path path, FileFormat format,
                               std::function<void()> wake) {
  std::unique_ptr<Job> job(new Job(Kind::kSave, std::move(path), std::move(wake)));
  job->thread_ = std::jthread([job = job.get(), format, trace = std::move(snapshot)] {
    job->finish(write_trace(trace, job->path_, format, [job](double done) { return job->progress(done); }));
  });
  return job;
}

std::unique_ptr<Job> Job::export_page(trace::Trace snapshot, std::filesystem::path path,
                                      const PageLimits& limits, const samples::Lesson* lesson,
                                      std::function<void()> wake) {
  std::unique_ptr<Job> job(new Job(Kind::kExport, std::move(path), std::move(wake)));
  job->thread_ = std::jthread([job = job.get(), limits, lesson, trace = std::move(snapshot)] {
    const recordings::Progress progress = [job](double done) { return job->progress(done); };
    const Result<WrittenPage> written = lesson != nullptr
                                            ? write_lesson_page(trace, *lesson, job->path_, limits, progress)
                                            : write_trace_page(trace, job->path_, limits, progress);
    if (written) job->page_ = *written;
    job->finish(written ? Status(Ok{}) : Status(written.error()));
  });
  return job;
}

std::unique_ptr<Job> Job::join(record::EndedFile ended, std::function<void()> wake) {
  std::unique_ptr<Job> job(new Job(Kind::kJoin, ended.join_into, std::move(wake)));
  job->thread_ = std::jthread([job = job.get(), ended = std::move(ended)]() mutable {
    job->finish(record::settle(ended, [job](double done) { return job->progress(done); }));
  });
  return job;
}

bool Job::progress(double done) {
  done_.store(done, std::memory_order_relaxed);
  wake_();
  return !cancelled();
}

void Job::finish(Status status) {
  status_ = std::move(status);
  finished_.store(true, std::memory_order_release);  // pairs with the acquire in finished()
  wake_();
}

}  // namespace runahead::gui
