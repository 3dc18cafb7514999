#include "gui/core/files_part.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "gui/background/page_opener.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/export/csv.h"
#include "instrumentation/export/export_file.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/program_link.h"

namespace runahead::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostRecent = 10;

std::string proposed_name(FilePurpose purpose, const std::string& workload, const fs::path& opened) {
  if (purpose == FilePurpose::kOpen || purpose == FilePurpose::kCompare) return {};
  const char* const ending = purpose == FilePurpose::kPicture ? ".png"
                             : purpose == FilePurpose::kPage  ? ".html"
                                                              : ".runahead";
  return (opened.empty() ? workload : opened.stem().string()) + ending;
}

// The comparison on the screen, as a page has it; nullopt: there is none.
std::optional<PageComparison> page_comparison(const CompareFacts& facts) {
  const CompareAnswer* const answer = facts.answer;
  if (answer == nullptr || answer->problem != CompareAnswer::Problem::kNone) return std::nullopt;
  const bool one_trace = answer->asked.mode != CompareMode::kRecording;
  PageComparison out{facts.a_name, one_trace ? facts.a_name : facts.b_name, answer->comparison};
  if (!one_trace) out.b_trace = std::make_shared<const trace::Trace>(facts.other->snapshot());
  if (answer->change && *answer->change < answer->changes.size()) {
    const std::string& label = answer->changes[*answer->change].change.label;
    out.a += " (" + std::string(analysis::barrier_before(label)) + ")";
    out.b += " (" + std::string(analysis::barrier_after(label)) + ")";
  }
  return out;
}

std::string comma_separated(const TableRows& rows) {
  std::string words;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) words += ',';
      exporters::append_csv_field(words, row[i]);
    }
    words += "\r\n";
  }
  return words;
}

// The extension of `path` selects the format. An existing file stays until the new file is complete.
Status write_table(const TableRows& rows, const fs::path& path) {
  return exporters::write_export(Destination::kTable, path, [&](exporters::ExportFile& file) {
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

Text verb_of(Job::Kind kind) {
  switch (kind) {
    case Job::Kind::kOpen:
      return Text::kOpening;
    case Job::Kind::kSave:
      return Text::kSaving;
    case Job::Kind::kExport:
      return Text::kExporting;
    case Job::Kind::kJoin:
      break;
  }
  return Text::kJoining;
}

}  // namespace

void Files::apply(const FileCommand& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

void Files::on(const AskForFile& c) {
  const FilePurpose purpose = c.purpose;
  const bool writes_trace = purpose == FilePurpose::kSaveAs || purpose == FilePurpose::kPage;
  if (writes_trace && screen_.trace().extent().empty()) {
    screen_.fail(text(Text::kNothingToSave));
    return;
  }
  open_dialog(purpose, proposed_name(purpose, running_.choice().workload, screen_.opened_path));
  dialog_->page.lesson = c.lesson;
}

void Files::open_dialog(FilePurpose purpose, std::string name) {
  std::error_code code;
  fs::path folder =
      screen_.settings.folder.empty() ? fs::current_path(code) : fs::path(screen_.settings.folder);
  // A page lies beside its trace.
  if (purpose == FilePurpose::kPage && screen_.opened && !joined_)
    folder = fs::absolute(screen_.opened_path, code).parent_path();
  dialog_ = open_file_dialog(purpose, folder, std::move(name));
  if (purpose == FilePurpose::kOpen && !programs_.busy()) programs_.ask({});
}

Files::ProgramFinder::Work Files::find_programs() {
  return [](const NoQuestion&, const auto&) {
    std::vector<RunningProgram> found;
    for (link::Program& program : link::list_programs())
      found.push_back(
          {std::to_string(program.pid), std::move(program.command), std::move(program.recording)});
    return found;
  };
}

bool Files::take_programs() {
  std::optional<std::vector<RunningProgram>> found = programs_.take();
  if (!found || !dialog_ || dialog_->purpose != FilePurpose::kOpen) return false;
  dialog_->programs = std::move(*found);
  return true;
}

void Files::on(const SaveTable& table) {
  table_to_save_ = table.rows;
  const std::string of =
      screen_.opened_path.empty() ? running_.choice().workload : screen_.opened_path.stem().string();
  open_dialog(FilePurpose::kTable, of + "-" + table.name + ".csv");
}

void Files::chosen(FilePurpose purpose, const fs::path& path, const std::vector<fs::path>& more) {
  dialog_.reset();
  screen_.tell_nothing();
  if (!first_file_ && path.has_parent_path()) screen_.settings.folder = path.parent_path().string();
  const bool writes = purpose != FilePurpose::kOpen && purpose != FilePurpose::kCompare;
  if (writes && screen_.opened && is_same_file(path, screen_.opened_path))
    return screen_.fail(filled(Text::kIsTheOpenTrace, {path.filename().string()}));
  if (purpose == FilePurpose::kPicture) {
    picture_wanted_ = path;
    return;
  }
  if (purpose == FilePurpose::kTable) {
    tell_saved(path, write_table(std::exchange(table_to_save_, {}), path));
    return;
  }
  if (purpose == FilePurpose::kRecord) return recording_.start(path);
  if (job_) {
    screen_.fail(filled(Text::kOtherWork, {path.filename().string()}));
    return;
  }
  if (purpose == FilePurpose::kOpen) {
    if (!more.empty()) return open_together(path, more);
    if (is_script(path)) return run_script(path);
    script_.close();
    if (follow(path)) return;
  }
  job_for_comparison_ = purpose == FilePurpose::kCompare;
  if (purpose == FilePurpose::kOpen || job_for_comparison_) {
    job_ = Job::open(path, screen_.open_options, screen_.wake);
    return;
  }
  const Result<FileFormat> format = format_of_name(path);
  if (!format.ok()) {
    screen_.fail(format.error().message);
    return;
  }
  if (!screen_.opened) screen_.session->settle();
  job_ = Job::save(screen_.trace().snapshot(), path, *format, screen_.wake);
}

// A live run goes on. The page has what is recorded until now.
void Files::on(const ExportPage& c) {
  dialog_.reset();
  page_.reset();
  screen_.tell_nothing();
  const std::string name = c.path.filename().string();
  if (screen_.opened && is_same_file(c.path, screen_.opened_path))
    return screen_.fail(filled(Text::kIsTheOpenTrace, {name}));
  if (job_) return screen_.fail(filled(Text::kOtherWork, {name}));
  PageLimits limits{.range = {}, .most_bytes = c.choice.most_bytes};
  if (c.choice.range) limits.range = screen_.timeline.range;
  if (c.choice.compared) {
    limits.compared = page_comparison(comparing_.facts(
        {screen_.trace(), screen_.serial, screen_.timeline, viewing_.choices(),
         screen_.opened ? screen_.opened_path.filename().string() : running_.choice().workload}));
  }
  if (!screen_.opened) screen_.session->settle();
  const samples::Lesson* const lesson = c.choice.lesson ? lessons_.facts().lesson : nullptr;
  job_ = Job::export_page(screen_.trace().snapshot(), c.path, limits, lesson, screen_.wake);
}

void Files::on(const ShowPage&) {
  if (!page_) return;
  const Status shown = show_page(page_->path);
  if (!shown) screen_.fail(filled(Text::kCannotOpenPage, {page_->path, shown.error().message}));
}

void Files::tell_exported(const Job& job) {
  const WrittenPage& page = job.written_page();
  const std::string what = page.joined_below == Duration::zero()
                               ? text(Text::kExportExact)
                               : filled(Text::kExportSummary, {format_duration(page.joined_below)});
  page_ = PageFacts{
      filled(Text::kExported, {job.path().string(), format_bytes(static_cast<double>(page.bytes)), what}),
      job.path().string(), can_show_pages()};
}

// The trace gets the name of the first file and the number of the others. No file has this name.
void Files::open_together(const fs::path& path, const std::vector<fs::path>& more) {
  std::vector<fs::path> all{path};
  all.insert(all.end(), more.begin(), more.end());
  script_.close();
  job_for_comparison_ = false;
  const std::string name = filled(Text::kJoinedName, {path.filename().string(), std::to_string(more.size())});
  job_ = Job::open_joined(std::move(all), path.parent_path() / name, screen_.open_options, screen_.wake);
}

// A script of the command line runs in the working directory of the command line, other scripts in their own
// folder.
void Files::run_script(const fs::path& path) {
  script_.start(path, first_file_ ? ScriptProgram::WorkingFolder::kOfThisProcess
                                  : ScriptProgram::WorkingFolder::kOfScript);
  if (!first_file_ || screen_.error.empty()) return;
  first_file_ = false;
  screen_.first_failure = Error{screen_.error};
}

bool Files::poll_script() {
  const bool told = job_ == nullptr && script_.poll();
  const std::optional<fs::path> recording = script_.to_open();
  if (!recording || job_) return told;
  if (!follow(*recording)) {
    if (!script_.ended()) return told;  // its first bytes are not complete
    job_for_comparison_ = false;
    job_ = Job::open(*recording, screen_.open_options, screen_.wake);
    screen_.tell_nothing();
  }
  script_.opened();
  return true;
}

void Files::on(const FilesDropped& c) {
  if (c.paths.empty()) return;
  chosen(FilePurpose::kOpen, c.paths.front(), {c.paths.begin() + 1, c.paths.end()});
}

void Files::on(const CancelJob&) {
  if (Job* const shown = shown_job()) shown->cancel();
}

void Files::open_first(const std::vector<fs::path>& paths, const std::optional<TimeRange>& range) {
  first_file_ = true;
  first_range_ = range;
  chosen(FilePurpose::kOpen, paths.front(), {paths.begin() + 1, paths.end()});
}

void Files::stop_opening() {
  if (job_ && job_->kind() == Job::Kind::kOpen) job_->cancel();
}

void Files::add_words(std::vector<std::string_view>& words) const {
  if (page_) words.push_back(page_->words);
  if (!dialog_) return;
  words.insert(words.end(), {dialog_->name, dialog_->problem, dialog_->folder.native()});
  for (const FolderEntry& entry : dialog_->entries) words.push_back(entry.name);
  for (const RunningProgram& program : dialog_->programs) words.push_back(program.command);
}

FileFacts Files::facts() const {
  FileFacts facts{.opened = screen_.opened_path,
                  .followed = screen_.following(),
                  .trace_mode = screen_.trace_mode,
                  .compares = screen_.compares,
                  .controls = {},
                  .script = script_.facts(),
                  .recent = screen_.settings.recent};
  facts.page = page_;
  if (const Job* const job = shown_job()) {
    const std::string label = std::string(text(verb_of(job->kind()))) + " " + job->path().filename().string();
    facts.job = JobFacts{label, job->done()};
  }
  return facts;
}

void Files::tell_saved(const fs::path& path, const Status& saved) {
  if (!saved.ok()) return screen_.fail(saved.error().message);
  std::error_code code;
  const std::uintmax_t size = fs::file_size(path, code);
  screen_.notice = std::string(text(Text::kSaved)) + " " + path.filename().string() + ", " +
                   format_bytes(code ? 0.0 : static_cast<double>(size));
}

// Adds a file to the list of recent files. The list is newest first and has no duplicates.
void Files::note_recent(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::absolute(path, code);
  const std::string name = code ? path.string() : whole.lexically_normal().string();
  std::vector<std::string>& recent = screen_.settings.recent;
  std::erase(recent, name);
  recent.insert(recent.begin(), name);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

bool Files::follow(const fs::path& path) {
  if (!link::is_being_written(path)) return false;
  Result<std::unique_ptr<link::FileFollower>> follower = link::FileFollower::open(path);
  if (!follower) return false;  // the file is of another tool
  const bool first = std::exchange(first_file_, false);
  recording_.begin_session();
  screen_.show_followed(std::move(*follower), path);
  joined_ = false;
  show_recorded();
  screen_.timeline = TimelineState{};
  if (first && first_range_) viewing_.show_range(first_range_);
  return true;
}

// The rest of the window changes with the trace that was opened.
void Files::show_recorded() {
  if (!joined_) note_recent(script_.records_into(screen_.opened_path) ? script_.path() : screen_.opened_path);
  running_.choose_as_recorded(screen_.trace());
  lessons_.take_recorded();
}

bool Files::poll() {
  const bool programs = poll_script() || take_programs();
  if (!job_) return programs;
  if (!job_->finished()) return true;  // the progress bar must be drawn again
  const std::unique_ptr<Job> job = std::move(job_);
  const bool first = first_file_;
  first_file_ = false;
  if (!job->status().ok()) {
    if (job->cancelled()) {
      screen_.notice = job->path().filename().string() + ": " + text(Text::kCancelled);
    } else {
      screen_.fail(job->status().error().message);
      if (first) screen_.first_failure = job->status().error();
    }
    return true;
  }
  if (job->kind() == Job::Kind::kExport) {
    tell_exported(*job);
    return true;
  }
  if (job->kind() == Job::Kind::kSave) {
    tell_saved(job->path(), Ok{});
    return true;
  }
  if (job_for_comparison_) {
    comparing_.take_other(*job->take_trace(), job->path());
    screen_.share_memory(comparing_.other_store());
    return true;
  }
  recording_.begin_session();
  screen_.show_file(*job->take_trace(), job->path());
  joined_ = job->joins();
  show_recorded();
  const TimeRange extent = screen_.trace().extent();
  if (first && first_range_ && (first_range_->end <= extent.begin || first_range_->begin >= extent.end))
    screen_.first_failure = range_misses(screen_.opened_path, extent);
  viewing_.show_range(first ? first_range_ : std::nullopt);
  return true;
}

}  // namespace runahead::gui
