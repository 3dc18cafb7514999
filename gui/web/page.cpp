#include "gui/web/page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gui/web/fit_page.h"
#include "gui/web/lesson_page.h"
#include "gui/web/reduced_recording.h"
#include "gui/web/report.h"
#include "gui/web/viewer_files.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/files/base64.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/trace_saver.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::gui {

#if defined(RUNAHEAD_HAVE_VIEWER) && defined(RUNAHEAD_HAVE_ZLIB)
namespace {

// Writes a page part by part, and keeps the first error.
class PageFile {
 public:
  // most_bytes: a larger page fails. 0: no limit.
  PageFile(FileDescriptor fd, std::filesystem::path path, std::uint64_t most_bytes)
      : fd_(std::move(fd)), path_(std::move(path)), most_bytes_(most_bytes) {}

  void write(std::string_view text) {
    if (!status_) return;
    bytes_ += text.size();
    too_large_ = most_bytes_ != 0 && bytes_ > most_bytes_;
    if (too_large_) return fail(Error{"the page is too large"});
    const WriteOutcome outcome = write_all(fd_.get(), text);
    if (outcome.error != 0) status_ = file_error("page", path_, system_error_text(outcome.error));
  }
  void fail(Error error) {
    if (status_) status_ = std::move(error);
  }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] bool too_large() const { return too_large_; }

 private:
  FileDescriptor fd_;
  std::filesystem::path path_;
  std::uint64_t most_bytes_ = 0, bytes_ = 0;
  bool too_large_ = false;
  Status status_ = Ok{};
};

// Packs bytes by deflate (without a header) and base64, and writes them to a page.
class Packer {
 public:
  explicit Packer(PageFile& page) : page_(page) {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      page.fail(Error{"the page needs more memory than there is"});
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { deflateEnd(&stream_); }

  void add(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }
  void finish() {
    run({}, Z_FINISH);
    put_base64(true);
  }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 1u << 16> out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = out.size();
      deflate(&stream_, flush);
      packed_.append(out.data(), out.size() - stream_.avail_out);
      put_base64(false);
    } while (stream_.avail_out == 0 && page_.status());
  }

  // Base64 has a text for three bytes, so one or two bytes wait for the next ones.
  void put_base64(bool last) {
    const std::size_t whole = last ? packed_.size() : packed_.size() / 3 * 3;
    std::string text;
    files::append_base64(text, std::string_view(packed_).substr(0, whole));
    packed_.erase(0, whole);
    page_.write(text);
  }

  PageFile& page_;
  z_stream stream_{};
  std::string packed_;
};

void pack(PageFile& page, files::ByteSource& bytes) {
  constexpr std::size_t kChunk = 1u << 20;
  Packer packer(page);
  for (std::uint64_t at = 0; at < bytes.size() && page.status(); at += kChunk) {
    const std::string_view chunk = bytes.view(at, kChunk);
    if (chunk.size() < std::min<std::uint64_t>(kChunk, bytes.size() - at))
      page.fail(Error{"the page cannot read what was written beside it"});
    packer.add(chunk);
  }
  packer.finish();
}

// Writes the template. Each @NAME@ in it is replaced by what `put(NAME)` writes.
void fill(PageFile& page, std::string_view form, const std::function<void(std::string_view name)>& put) {
  while (!form.empty()) {
    const std::size_t begin = form.find('@');
    const std::size_t end = begin == form.npos ? form.npos : form.find('@', begin + 1);
    page.write(form.substr(0, begin));
    if (end == form.npos) return;
    put(form.substr(begin + 1, end - begin - 1));
    form.remove_prefix(end + 1);
  }
}

// The report takes most of the time of a usual trace.
constexpr double kShareOfReport = 0.8;

// The progress of work that takes [from, to) of the whole.
recordings::Progress part_of(const recordings::Progress& progress, double from, double to) {
  return [&progress, from, to](double done) { return !progress || progress(from + (to - from) * done); };
}

// What a page consists of.
struct PageParts {
  const trace::Trace& trace;
  const std::filesystem::path& path;
  const PageOptions& options;
  const std::string& report;
};

// What `put(NAME)` writes for the parts that only some pages have.
void put_option(PageFile& page, const PageOptions& options, std::string_view name) {
  const bool lesson = !options.lesson.empty();
  if (name == "LESSON_SEAL") page.write(lesson_seal(options.lesson));
  if (name == "LESSON") page.write(lesson_elements(options.lesson));
  if (name == "LESSON_STYLE" && lesson) page.write(lesson_style());
  if (name == "LESSON_SCRIPT" && lesson) page.write(lesson_script());
  if (!options.followed) return;
  if (name == "CONNECT") page.write("; connect-src 'self'");
  if (name == "FOLLOW") {
    page.write("<script id=\"follow\" data-version=\"" + html_text(options.followed->version) +
               "\" data-stream=\"" + std::to_string(options.followed->stream) + "\">");
    page.write(follow_script());
    page.write("</script>\n");
  }
}

// Writes the page with this reduction into a temporary file. An empty pointer: it is larger than allowed.
Result<std::unique_ptr<TemporaryFile>> make_page(const PageParts& parts, const Reduction& reduction,
                                                 const recordings::Progress& progress) {
  const PageOptions& options = parts.options;
  Result<TemporaryFile> saved = TemporaryFile::beside(Destination::kRecording, parts.path);
  if (!saved) return saved.error();
  const recordings::SavedForm form{.opening = false, .compression = false};
  const bool has_blocks = options.followed && !options.followed->blocks.empty();
  const Status status = has_blocks ? Status(Ok{})
                        : reduction.none()
                            ? recordings::save_into(*saved, parts.path, parts.trace, progress, form)
                            : save_reduced(*saved, parts.path, parts.trace, reduction, progress);
  if (!status) return status.error();
  Result<std::unique_ptr<files::FileSource>> recording = files::FileSource::open(
      "page", has_blocks ? options.followed->blocks : std::filesystem::path(saved->path()));
  if (!recording) return recording.error();

  Result<TemporaryFile> file = TemporaryFile::create(Destination::kPage, parts.path);
  if (!file) return file.error();
  PageFile page(file->take_descriptor(), parts.path, options.most_bytes);
  files::MemorySource wasm(viewer_wasm()), told(parts.report);
  fill(page, page_form(), [&](std::string_view name) {
    put_option(page, options, name);
    if (name == "TITLE") page.write(html_text(options.title));
    if (name == "STYLE") page.write(std::string(viewer_style()) + std::string(report_style()));
    if (name == "SCRIPT") page.write(std::string(report_script()) + std::string(viewer_script()));
    if (name == "REPORT_BYTES") page.write(std::to_string(told.size()));
    if (name == "REPORT") pack(page, told);
    if (name == "WASM_BYTES") page.write(std::to_string(wasm.size()));
    if (name == "WASM") pack(page, wasm);
    if (name == "RECORDING_BYTES") page.write(std::to_string((*recording)->size()));
    if (name == "RECORDING") pack(page, **recording);
  });
  if (page.too_large()) return std::unique_ptr<TemporaryFile>();
  if (!page.status()) return page.status().error();
  return std::make_unique<TemporaryFile>(std::move(*file));
}

}  // namespace

bool pages_supported() { return true; }

Result<WrittenPage> write_page(const trace::Trace& trace, const std::filesystem::path& path,
                               const PageOptions& options, const recordings::Progress& progress) {
  std::optional<std::string> report = std::string();
  if (!options.range)
    report = page_report(trace, part_of(progress, 0, kShareOfReport), {},
                         options.compared ? &*options.compared : nullptr);
  if (!report) return Error{"saving was cancelled"};
  const recordings::Progress writing = part_of(progress, options.range ? 0 : kShareOfReport, 1);
  const PageParts parts{trace, path, options, *report};
  std::unique_ptr<TemporaryFile> best;
  WrittenPage written;
  const auto attempt = [&](const Reduction& reduction) -> Result<bool> {
    Result<std::unique_ptr<TemporaryFile>> made = make_page(parts, reduction, writing);
    if (!made) return made.error();
    const bool fits_now = *made != nullptr;
    if (!fits_now) return false;
    best = std::move(*made);
    written.joined_below = reduction.joined_below;
    return true;
  };
  const Result<bool> fits = options.most_bytes == 0 ? attempt({.range = options.range, .joined_below = {}})
                                                    : fit_page(trace, options.range, attempt);
  if (!fits) return fits.error();
  if (best) {
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(best->path(), ignored);
    written.bytes = ignored ? 0 : bytes;
    if (Status committed = best->commit(); !committed) return committed.error();
    return written;
  }
  return file_error(
      "page", path,
      "no page fits in " + std::to_string(options.most_bytes) +
          " bytes, not even with one block for each lane: allow a larger size, or give a range");
}

#else

bool pages_supported() { return false; }

Result<WrittenPage> write_page(const trace::Trace&, const std::filesystem::path& path, const PageOptions&,
                               const recordings::Progress&) {
  return file_error("page", path,
                    "this build has no viewer for pages: build it with clang-16, lld-16, wasi-libc, "
                    "libc++-16-dev-wasm32, libclang-rt-16-dev-wasm32 and zlib1g-dev installed");
}

#endif

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace runahead::gui
