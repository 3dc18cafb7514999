#include "gui/web/page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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
  PageFile(FileDescriptor fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  void write(std::string_view text) {
    if (!status_) return;
    const WriteOutcome outcome = write_all(fd_.get(), text);
    if (outcome.error != 0) status_ = file_error("page", path_, system_error_text(outcome.error));
  }
  void fail(Error error) {
    if (status_) status_ = std::move(error);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  FileDescriptor fd_;
  std::filesystem::path path_;
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

}  // namespace

bool pages_supported() { return true; }

Status write_page(const trace::Trace& trace, const std::filesystem::path& path, const PageOptions& options,
                  const recordings::Progress& progress) {
  const std::optional<std::string> report = page_report(trace, part_of(progress, 0, kShareOfReport));
  if (!report) return Error{"saving was cancelled"};
  Result<TemporaryFile> saved = TemporaryFile::beside(Destination::kRecording, path);
  if (!saved) return saved.error();
  const recordings::SavedForm form{.opening = false, .compression = false};
  if (Status status = recordings::save_into(*saved, path, trace, part_of(progress, kShareOfReport, 1), form);
      !status)
    return status;
  Result<std::unique_ptr<files::FileSource>> recording = files::FileSource::open("page", saved->path());
  if (!recording) return recording.error();

  Result<TemporaryFile> file = TemporaryFile::create(Destination::kPage, path);
  if (!file) return file.error();
  PageFile page(file->take_descriptor(), path);
  files::MemorySource wasm(viewer_wasm()), told(*report);
  const bool followed = !options.followed_version.empty();
  fill(page, page_form(), [&](std::string_view name) {
    if (name == "TITLE") page.write(html_text(options.title));
    if (name == "STYLE") page.write(std::string(viewer_style()) + std::string(report_style()));
    if (name == "SCRIPT") page.write(std::string(report_script()) + std::string(viewer_script()));
    if (name == "CONNECT" && followed) page.write("; connect-src 'self'");
    if (name == "FOLLOW" && followed) {
      page.write("<script id=\"follow\" data-version=\"" + html_text(options.followed_version) + "\">");
      page.write(follow_script());
      page.write("</script>\n");
    }
    if (name == "REPORT_BYTES") page.write(std::to_string(told.size()));
    if (name == "REPORT") pack(page, told);
    if (name == "WASM_BYTES") page.write(std::to_string(wasm.size()));
    if (name == "WASM") pack(page, wasm);
    if (name == "RECORDING_BYTES") page.write(std::to_string((*recording)->size()));
    if (name == "RECORDING") pack(page, **recording);
  });
  if (!page.status()) return page.status();
  return file->commit();
}

#else

bool pages_supported() { return false; }

Status write_page(const trace::Trace&, const std::filesystem::path& path, const PageOptions&,
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
