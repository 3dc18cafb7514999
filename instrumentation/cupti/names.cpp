#include "instrumentation/cupti/names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::cupti {
namespace {

using trace::SliceKind;

std::string readable(const char* mangled) {
  // A name without "_Z" is a C name, which must not be demangled: __cxa_demangle() would turn "a" into
  // "signed char".
  if (!std::string_view(mangled).starts_with("_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(mangled);
}

// Removes what CUPTI appends to a call's name: the CUDA version of its interface ("cudaLaunchKernel_v7000",
// "cuMemAlloc_v2"), and the kind of its default stream ("cuLaunchKernel_ptsz").
std::string_view without_version(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last != name.npos && last + 1 < name.size() && name.substr(0, last + 1).ends_with("_v"))
    name.remove_suffix(name.size() - (last - 1));
  for (const std::string_view stream : {"_ptsz", "_ptds"}) {
    if (name.ends_with(stream)) name.remove_suffix(stream.size());
  }
  return name;
}

}  // namespace

const record::Site& Names::kernel(const char* mangled) {
  if (mangled == nullptr) return site("kernel without a name", SliceKind::kExecute);
  AtAddress& known = kernels_[mangled];
  if (known.site == nullptr || known.mangled != mangled) {
    known = {mangled, &site(readable(mangled), SliceKind::kExecute)};
    // A full cache is emptied: it may contain addresses of modules that were unloaded.
    if (kernels_.size() > kMostNames) {
      const record::Site& found = *known.site;
      kernels_.clear();
      return found;
    }
  }
  return *known.site;
}

const record::Site& Names::site(std::string_view name, SliceKind kind) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(kind)));
  key += name;
  const auto known = sites_.find(key);
  if (known != sites_.end()) return *known->second;
  if (sites_.size() >= kMostNames) return record::intern_site("one of many names", kind);
  const record::Site& made = record::intern_site(name, kind);
  sites_.emplace(std::move(key), &made);
  return made;
}

const record::Site& Names::call(const char* name) {
  const record::Site*& known = calls_[name];
  if (known == nullptr) known = &site(without_version(name), trace::kind_of_call(name));
  return *known;
}

const char* Names::size(const std::int32_t (&dimensions)[3]) {
  const Size size{dimensions[0], dimensions[1], dimensions[2]};
  const auto known = sizes_.find(size);
  if (known != sizes_.end()) return known->second;
  if (sizes_.size() >= kMostSizes) return "many sizes";
  const std::string text =
      "[" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z) + "]";
  const char* const kept = record::intern_site(text, SliceKind::kZone).name;
  sizes_.emplace(size, kept);
  return kept;
}

}  // namespace runahead::cupti
