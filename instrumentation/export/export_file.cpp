#include "instrumentation/export/export_file.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/files/inflate.h"
#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::exporters {
using namespace trace;

#ifdef RUNAHEAD_HAVE_ZLIB
struct ExportFile::Gzip {
  gzFile file = nullptr;
  explicit Gzip(int fd) : file(::gzdopen(fd, "wb")) {}
  ~Gzip() {
    if (file != nullptr) ::gzclose(file);
  }
  // Returns 0 on success. On failure, returns an errno value, or -1 if zlib itself failed.
  int write(std::string_view text) {
    if (text.empty()) return 0;
    errno = 0;
    const int n = ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    return n > 0 ? 0 : errno != 0 ? errno : -1;
  }
  int close() {
    errno = 0;
    const int result = ::gzclose(std::exchange(file, nullptr));
    return result == Z_OK ? 0 : errno != 0 ? errno : -1;
  }
};
#else
struct ExportFile::Gzip {
  explicit Gzip(int) {}
  int write(std::string_view) { return -1; }
  int close() { return -1; }
};
#endif

std::string unpacked_start(std::string_view compressed) {
  files::MemorySource source(compressed);
  std::string plain;
  if (files::can_inflate()) (void)files::inflate_all(source, std::size_t{64} << 10, plain);
  return plain;
}

Result<std::unique_ptr<ExportFile>> ExportFile::create(Destination destination,
                                                       const std::filesystem::path& path, bool gzip) {
#ifndef RUNAHEAD_HAVE_ZLIB
  if (gzip) {
    return file_error(
        "export", path,
        "cannot be compressed by this build; leave the .gz away, or install zlib1g-dev and build again");
  }
#endif
  Result<TemporaryFile> file = TemporaryFile::create(destination, path, unpacked_start);
  if (!file) return file.error();
  std::unique_ptr<ExportFile> out(new ExportFile(std::move(file).value(), path));
  if (gzip) out->gzip_ = std::make_unique<Gzip>(out->fd_.release());
  return out;
}

ExportFile::ExportFile(TemporaryFile file, std::filesystem::path path)
    : file_(std::move(file)), path_(std::move(path)), fd_(file_.take_descriptor()) {}
ExportFile::~ExportFile() = default;

void ExportFile::fail(const Error& error) {
  if (error_.empty()) error_ = error.message;
}

void ExportFile::fail_to_write(std::string_view why) {
  fail(file_error("export", path_, "cannot write: " + std::string(why)));
}

void ExportFile::flush() {
  if (!failed()) {
    const int error = gzip_ != nullptr ? gzip_->write(text_) : write_all(fd_.get(), text_).error;
    if (error != 0) fail_to_write(error > 0 ? system_error_text(error) : "the compression failed");
  }
  flushed_ += text_.size();
  hash_.add(text_);
  text_.clear();
}

Status ExportFile::commit() {
  flush();
  if (gzip_ != nullptr) {
    const int error = gzip_->close();
    if (error != 0) fail_to_write(error > 0 ? system_error_text(error) : "the compression failed");
  } else if (::close(fd_.release()) != 0) {
    fail_to_write(system_error_text(errno));
  }
  if (failed()) return Error{error_};
  return file_.commit();
}

std::uint64_t exported_rows(const Trace& trace) {
  const TraceCounts counts = trace.counts();
  return counts.slices + counts.instants + counts.counter_samples + counts.flows;
}

ExportCounts::LeftOut left_out_of(const Trace& trace, const ExportCounts& counts) {
  const TraceCounts all = trace.counts();
  return {.instants = all.instants - counts.instants,
          .counter_samples = all.counter_samples - counts.counter_samples,
          .flows = all.flows - counts.flows,
          .ops = all.ops + trace.open_ops().size(),
          .dependencies = all.dependencies,
          .allocations = all.allocations};
}

bool ExportPace::look() const {
  if (file_.failed()) return false;
  return !progress_ || progress_(static_cast<double>(done_) / static_cast<double>(total_));
}

recordings::Progress part_of(const recordings::Progress& whole, double from, double to) {
  if (!whole) return {};
  return [&whole, from, to](double done) { return whole(from + (to - from) * done); };
}

Status write_export(Destination destination, const std::filesystem::path& path,
                    const std::function<bool(ExportFile& file)>& write) {
  Result<std::unique_ptr<ExportFile>> file = ExportFile::create(destination, path, path.extension() == ".gz");
  if (!file) return file.error();
  if (!write(**file) && !(*file)->failed()) return file_error("export", path, "was cancelled");
  return (*file)->commit();
}

}  // namespace runahead::exporters
