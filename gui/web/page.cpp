#include "gui/web/page.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gui/web/lesson_page.h"
#include "gui/web/packed_recording.h"
#include "gui/web/page_file.h"
#include "gui/web/report/report.h"
#include "gui/web/viewer_files.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/files/byte_source.h"

namespace runahead::gui {

#if defined(RUNAHEAD_HAVE_VIEWER) && defined(RUNAHEAD_HAVE_ZLIB)
namespace {

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

// The recordings of a page. `b`: of side B, if that is another trace.
struct PageRecordings {
  PackedRecording a, b;
};

// What a page consists of.
struct PageParts {
  const std::filesystem::path& path;
  const PageOptions& options;
  const std::string& report;
  const PageRecordings& recordings;
};

void put_packed(PageFile& page, const PackedRecording& recording) {
  if (recording.text == nullptr) return;
  Result<std::unique_ptr<files::FileSource>> text = files::FileSource::open("page", recording.text->path());
  if (!text) return page.fail(text.error());
  copy_into(page, **text);
}

// The bytes of an unpacked recording, in digits; empty: it is not packed yet.
std::string bytes_words(const PackedRecording& recording) {
  return recording.text == nullptr ? "" : std::to_string(recording.bytes);
}

// The element with the sides of a comparison (compare.js).
void put_compared(PageFile& page, const PageComparison& compared, const PackedRecording& b) {
  const auto side = [&page](const std::string& key, const std::string& name, TimeRange range) {
    page.write(" data-" + key + "=\"" + std::to_string(ns_from(range.begin)) + " " +
               std::to_string(ns_from(range.end)) + "\" data-" + key + "-name=\"" + html_text(name) +
               "\" data-" + key + "-time=\"" + html_text(side_time(range)) + "\"");
  };
  page.write("<script type=\"application/octet-stream\" id=\"compared\"");
  side("a", compared.a, compared.comparison.a_range);
  side("b", compared.b, compared.comparison.b_range);
  // Without bytes, B is in the trace of A.
  page.write(" data-bytes=\"" + (compared.b_trace ? bytes_words(b) : "0") + "\">");
  put_packed(page, b);
  page.write("</script>\n");
}

// What `put(NAME)` writes for the parts that only some pages have.
void put_option(PageFile& page, const PageOptions& options, std::string_view name) {
  const bool lesson = !options.lesson.empty();
  if (name == "LESSON_SEAL") page.write(lesson_seal(options.lesson));
  if (name == "LESSON") page.write(lesson_elements(options.lesson));
  if (name == "LESSON_STYLE" && lesson) page.write(lesson_style());
  if (name == "LESSON_SCRIPT" && lesson) page.write(lesson_script());
  if (name == "COMPARE_STYLE" && options.compared) page.write(compare_style());
  if (name == "COMPARE_SCRIPT" && options.compared) page.write(compare_script());
  if (!options.followed) return;
  if (name == "CONNECT") page.write("; connect-src 'self'");
  if (name == "FOLLOW") {
    page.write("<script id=\"follow\" data-version=\"" + html_text(options.followed->version) +
               "\" data-stream=\"" + std::to_string(options.followed->stream) + "\">");
    page.write(follow_script());
    page.write("</script>\n");
  }
}

void put_page(PageFile& page, const PageParts& parts) {
  const PageOptions& options = parts.options;
  const PageRecordings& recordings = parts.recordings;
  files::MemorySource wasm(viewer_wasm()), told(parts.report);
  fill(page, page_form(), [&](std::string_view name) {
    put_option(page, options, name);
    if (name == "TITLE") page.write(html_text(options.title));
    if (name == "STYLE") page.write(std::string(viewer_style()) + std::string(report_style()));
    if (name == "SCRIPT") page.write(std::string(report_script()) + std::string(viewer_script()));
    if (name == "REPORT_BYTES") page.write(std::to_string(told.size()));
    if (name == "REPORT") pack_into(page, told);
    if (name == "WASM_BYTES") page.write(std::to_string(wasm.size()));
    if (name == "WASM") pack_into(page, wasm);
    if (name == "COMPARED" && options.compared) put_compared(page, *options.compared, recordings.b);
    if (name == "RECORDING_BYTES") page.write(bytes_words(recordings.a));
    if (name == "RECORDING") put_packed(page, recordings.a);
  });
}

// Writes the page into a temporary file, and its size into `bytes`.
Result<TemporaryFile> make_page(const PageParts& parts, std::uint64_t& bytes) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kPage, parts.path);
  if (!file) return file;
  PageFile page(file->take_descriptor(), parts.path, 0);
  put_page(page, parts);
  if (!page.status()) return page.status().error();
  bytes = page.bytes();
  return file;
}

Error no_page_fits(const PageParts& parts) {
  return file_error("page", parts.path,
                    "no page fits in " + std::to_string(parts.options.most_bytes) +
                        " bytes, not even with one block for each lane: allow a larger size" +
                        (parts.options.compared ? "" : ", or give a range"));
}

// How many bytes each recording of the page may have. 0: as many as it needs.
Result<std::uint64_t> share_of_each(const PageParts& parts, std::uint64_t recordings) {
  const std::uint64_t most = parts.options.most_bytes;
  if (most == 0) return std::uint64_t{0};
  std::uint64_t others = 0;  // what the page has beside the recordings
  const Result<TemporaryFile> without = make_page(parts, others);
  if (!without) return without.error();
  if (others + recordings > most) return no_page_fits(parts);
  return (most - others) / recordings;
}

// Packs the recordings of the page.
Result<PageRecordings> pack_recordings(const trace::Trace& trace, const PageParts& parts,
                                       const recordings::Progress& progress) {
  const PageOptions& options = parts.options;
  const trace::Trace* const other = options.compared ? options.compared->b_trace.get() : nullptr;
  const Result<std::uint64_t> share = share_of_each(parts, other != nullptr ? 2 : 1);
  if (!share) return share.error();
  const PackedForm form{parts.path, options.range, *share};
  const bool has_blocks = options.followed && !options.followed->blocks.empty();
  const double end_of_a = other != nullptr ? 0.5 : 1;
  PageRecordings out;
  Result<PackedRecording> a = has_blocks ? pack_blocks(options.followed->blocks, form)
                                         : pack_recording(trace, form, part_of(progress, 0, end_of_a));
  if (!a) return a.error();
  out.a = std::move(*a);
  if (other != nullptr) {
    Result<PackedRecording> b = pack_recording(*other, form, part_of(progress, end_of_a, 1));
    if (!b) return b.error();
    out.b = std::move(*b);
  }
  if (out.a.text == nullptr || (other != nullptr && out.b.text == nullptr)) return no_page_fits(parts);
  return out;
}

}  // namespace

bool pages_supported() { return true; }

Result<WrittenPage> write_page(const trace::Trace& trace, const std::filesystem::path& path,
                               const PageOptions& options, const recordings::Progress& progress) {
  const std::optional<std::string> report =
      page_report(trace, part_of(progress, 0, kShareOfReport), {.range = options.range},
                  options.compared ? &*options.compared : nullptr);
  if (!report) return Error{"saving was cancelled"};
  const recordings::Progress writing = part_of(progress, kShareOfReport, 1);
  const Result<PageRecordings> recordings =
      pack_recordings(trace, {path, options, *report, PageRecordings{}}, writing);
  if (!recordings) return recordings.error();
  WrittenPage written{.bytes = 0,
                      .joined_below = std::max(recordings->a.joined_below, recordings->b.joined_below)};
  Result<TemporaryFile> page = make_page({path, options, *report, *recordings}, written.bytes);
  if (!page) return page.error();
  if (Status committed = page->commit(); !committed) return committed.error();
  return written;
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
