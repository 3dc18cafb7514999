// AppCore: opening, saving, recording.
#include <algorithm>
#include <system_error>
#include <utility>

#include "gui/core/app_core.h"
#include "gui/text/text.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/trace/io/csv.h"
#include "instrumentation/trace/io/export_file.h"

namespace runahead::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostRecent = 10;

std::string proposed_name(FilePurpose purpose, const std::string& workload, const fs::path& opened) {
  if (purpose == FilePurpose::kOpen || purpose == FilePurpose::kCompare) return {};
  const char* const ending = purpose == FilePurpose::kPicture ? ".png" : ".runahead";
  return (opened.empty() ? workload : opened.stem().string()) + ending;
}

std::string comma_separated(const TableRows& rows) {
  std::string words;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) words += ',';
      trace::io::append_csv_field(words, row[i]);
    }
    words += "\r\n";
  }
  return words;
}

// By the name's end. What was there stays until all is written.
Status write_table(const TableRows& rows, const fs::path& path) {
  return trace::io::write_export(Destination::kTable, path, [&](trace::io::ExportFile& file) {
    file.text() = path.extension() == ".tsv" ? tab_separated(rows) : comma_separated(rows);
    return true;
  });
}

Error range_misses(const fs::path& path, TimeRange extent) {
  const auto from_zero = [](Timestamp time) { return format_duration(time.time_since_epoch()); };
  return file_error("trace", path,
                    "has nothing in the --range: it lasts from " + from_zero(extent.begin) + " to " +
                        from_zero(extent.end));
}

}  // namespace

void AppCore::ask_for_file(FilePurpose purpose) {
  if (purpose == FilePurpose::kSaveAs && trace().extent().empty()) {
    fail(text(Text::kNothingToSave));
    return;
  }
  open_dialog(purpose, proposed_name(purpose, choice_.workload, opened_path_));
}

void AppCore::open_dialog(FilePurpose purpose, std::string name) {
  std::error_code code;
  const fs::path folder = settings_.folder.empty() ? fs::current_path(code) : fs::path(settings_.folder);
  dialog_ = open_file_dialog(purpose, folder, std::move(name));
}

void AppCore::ask_where_to_save(const SaveTable& table) {
  table_to_save_ = table.rows;
  const std::string of = opened_path_.empty() ? choice_.workload : opened_path_.stem().string();
  open_dialog(FilePurpose::kTable, of + "-" + table.name + ".csv");
}

void AppCore::file_chosen(FilePurpose purpose, const fs::path& path) {
  dialog_.reset();
  error_.clear();
  notice_.clear();
  if (!first_file_ && path.has_parent_path()) settings_.folder = path.parent_path().string();
  const bool writes = purpose != FilePurpose::kOpen && purpose != FilePurpose::kCompare;
  if (writes && opened_ && is_same_file(path, opened_path_))
    return fail(filled(Text::kIsTheOpenTrace, {path.filename().string()}));
  if (purpose == FilePurpose::kPicture) {
    picture_wanted_ = path;
    return;
  }
  if (purpose == FilePurpose::kTable) {
    tell_saved(path, write_table(std::exchange(table_to_save_, {}), path));
    return;
  }
  if (purpose == FilePurpose::kRecord) {
    if (joining_)
      return fail(
          filled(Text::kStillJoining, {path.filename().string(), joining_->path().filename().string()}));
    const Status begun = session_->start_recording(path, limits_of(settings_.record_keep));
    if (!begun.ok()) fail(begun.error().message);
    return;
  }
  if (job_) {
    fail(filled(Text::kOtherWork, {path.filename().string()}));
    return;
  }
  job_for_comparison_ = purpose == FilePurpose::kCompare;
  if (purpose == FilePurpose::kOpen || job_for_comparison_) {
    job_ = Job::open(path, open_options_, wake_);
    return;
  }
  const Result<FileFormat> format = format_of_name(path);
  if (!format.ok()) {
    fail(format.error().message);
    return;
  }
  if (!opened_) session_->settle();
  job_ = Job::save(trace().snapshot(), path, *format, wake_);
}

void AppCore::tell_saved(const fs::path& path, const Status& saved) {
  if (!saved.ok()) return fail(saved.error().message);
  std::error_code code;
  const std::uintmax_t size = fs::file_size(path, code);
  notice_ = std::string(text(Text::kSaved)) + " " + path.filename().string() + ", " +
            format_bytes(code ? 0.0 : static_cast<double>(size));
}

// The newest first, each once.
void AppCore::note_recent(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::absolute(path, code);
  const std::string name = code ? path.string() : whole.lexically_normal().string();
  std::vector<std::string>& recent = settings_.recent;
  std::erase(recent, name);
  recent.insert(recent.begin(), name);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

void AppCore::stop_recording() {
  if (session_->recording_to_file()) recording_ended();
}

void AppCore::begin_session() {
  const bool recorded = session_->live() && session_->recording_to_file();
  session_->stop();
  if (recorded) recording_ended();
  was_recording_ = false;
  session_ = std::make_unique<Session>(session_options());
}

void AppCore::recording_ended() {
  const Status ended = session_->stop_recording();
  was_recording_ = false;
  joined_keeps_ = limits_words(session_->recording_limits());
  if (std::optional<record::EndedFile> parts = session_->take_unjoined()) {
    joining_ = Job::join(*std::move(parts), wake_);
  } else {
    tell_recorded(session_->recording_path(), ended);
  }
}

void AppCore::tell_recorded(const fs::path& path, const Status& ended) {
  if (!ended.ok()) {
    if (closing_) closing_failure_ = ended.error();
    return fail(ended.error().message);
  }
  notice_ = std::string(text(Text::kRecorded)) + " " + path.string() +
            (joined_keeps_.empty() ? "" : " (" + joined_keeps_ + ")");
}

bool AppCore::poll_joining() {
  if (!joining_->finished()) return !job_;  // then its progress is shown
  const std::unique_ptr<Job> job = std::move(joining_);
  if (job->cancelled() && !job->status().ok() && !closing_) {
    notice_ = job->status().error().message;  // where all of it is
  } else {
    tell_recorded(job->path(), job->status());
  }
  return true;
}

bool AppCore::ready_to_close() {
  closing_ = true;
  if (session_->live() && session_->recording_to_file()) recording_ended();
  return !joining_;
}

// What the file says it ran is chosen, so that lesson and barriers speak of it, and Run runs the same.
void AppCore::choose_as_recorded() {
  const auto fact = [this](const char* key) {
    const auto found = trace().metadata().find(key);
    return found != trace().metadata().end() ? found->second : std::string();
  };
  const std::string workload = fact("workload");
  if (samples::find_workload(workload) == nullptr) return;
  choose_workload(workload);
  const std::string device = fact("device");
  const bool here =
      std::ranges::any_of(devices_, [&](const auto& d) { return d.name == device && d.available; });
  if (here) choice_.devices = {device};
  const Result<engine::BarrierPolicy> barrier = engine::parse_barrier(fact("barrier"));
  if (barrier.ok()) choice_.barrier = *barrier;
}

bool AppCore::poll_job() {
  if (!job_->finished()) return true;  // the progress moves
  const std::unique_ptr<Job> job = std::move(job_);
  const bool first = first_file_;
  first_file_ = false;
  if (!job->status().ok()) {
    if (job->cancelled()) {
      notice_ = job->path().filename().string() + ": " + text(Text::kCancelled);
    } else {
      fail(job->status().error().message);
      if (first) first_failure_ = job->status().error();
    }
    return true;
  }
  if (job->kind() == Job::Kind::kSave) {
    tell_saved(job->path(), Ok{});
    return true;
  }
  if (job_for_comparison_) {
    comparing_.take_other(*job->take_trace(), job->path());
    share_memory();
    return true;
  }
  begin_session();
  opened_ = job->take_trace();
  opened_path_ = job->path();
  note_recent(opened_path_);
  loader_ = opened_->store() != nullptr ? std::make_unique<BlockLoader>(opened_->store(), wake_) : nullptr;
  new_trace();
  choose_as_recorded();
  recorded_lesson_ = recorded_lesson(opened_->metadata());
  const TimeRange extent = opened_->extent();
  if (first && first_range_ && (first_range_->end <= extent.begin || first_range_->begin >= extent.end))
    first_failure_ = range_misses(opened_path_, extent);
  show_opened(first ? first_range_ : std::nullopt);
  return true;
}

}  // namespace runahead::gui
