#include "instrumentation/record/files/file_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "instrumentation/base/parse_number.h"

namespace runahead::record {
namespace {

constexpr std::size_t kDigits = 4;

// Returns the number for which part_name(path, number) gives this file name; nullopt: there is no such
// number.
std::optional<int> part_number(const std::filesystem::path& path, const std::string& name) {
  const std::string start = path.stem().string() + ".", end = path.extension().string();
  if (name.size() < start.size() + kDigits + end.size() || !name.starts_with(start) || !name.ends_with(end))
    return std::nullopt;
  std::string digits = name.substr(start.size(), name.size() - start.size() - end.size());
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const std::optional<std::int64_t> number = parse_positive(digits);
  if (!number || *number > 1'000'000'000) return std::nullopt;
  const int found = static_cast<int>(*number);
  return part_name(path, found).filename() == name ? std::optional(found) : std::nullopt;
}

std::map<int, std::filesystem::path> parts_by_number(const std::filesystem::path& path) {
  std::map<int, std::filesystem::path> parts;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code none;
  std::filesystem::directory_iterator entry(folder, none);
  for (const std::filesystem::directory_iterator end; !none && entry != end; entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    if (const std::optional<int> number = part_number(path, name))
      parts.emplace(*number, path.parent_path() / name);
  }
  return parts;
}

}  // namespace

std::filesystem::path name_beside(const std::filesystem::path& path, std::string_view word) {
  std::filesystem::path name = path.stem();
  name += ".";
  name += word;
  name += path.extension();
  return path.parent_path() / name;
}

std::filesystem::path part_name(const std::filesystem::path& path, int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
  return name_beside(path, digits);
}

std::vector<std::filesystem::path> part_files(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  for (auto& [number, file] : parts_by_number(path)) files.push_back(file);
  return files;
}

int last_part_number(const std::filesystem::path& path) {
  const std::map<int, std::filesystem::path> parts = parts_by_number(path);
  return parts.empty() ? 0 : parts.rbegin()->first;
}

}  // namespace runahead::record
