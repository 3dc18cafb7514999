// Tests Chrome traces that are compressed, cut off or damaged, and the exact times of events.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "instrumentation/export/chrome_json.h"
#include "instrumentation/import/chrome/chrome_import.h"
#include "instrumentation/import/chrome/event_scanner.h"
#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/import/common/exact_time.h"
#include "instrumentation/recording/format/block.h"
#include "tests/import/import_support.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::importers {
using namespace trace;
using namespace exporters;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

constexpr std::string_view kA = R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"})";
constexpr std::string_view kB = R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"b"})";
constexpr std::string_view kBoth = "process 1/thread 1 0: a@0+1000 b@2000+1000\n";

std::string a_and_b(std::string_view before, std::string_view between, std::string_view behind) {
  std::string out(before);
  out.append(kA).append(between).append(kB).append(behind);
  return out;
}

TEST(ImportContainer, AnArrayOrAnObjectWithTraceEvents) {
  EXPECT_EQ(trace_text(imported(a_and_b("[", ",", "]"))), kBoth);
  EXPECT_EQ(trace_text(imported(
                a_and_b(" \n{\"displayTimeUnit\" : \"ns\", \"traceEvents\" :\t[", " ,\n", "], \"x\":[{}]}"))),
            kBoth);
}

TEST(ImportContainer, AByteOrderMarkIsNoHindrance) {
  EXPECT_EQ(trace_text(imported("\xef\xbb\xbf" + a_and_b("[", ",", "]"))), kBoth);
  const std::string marked = "\xef\xbb\xbf" + a_and_b("[", ",", "]");
  MemorySource source(marked);
  EXPECT_TRUE(looks_like_chrome_json(source));
}

TEST(ImportContainer, CommasMayBeMissingOrTooMany) {
  EXPECT_EQ(trace_text(imported(a_and_b("[", "\n", ",]"))), kBoth);
  EXPECT_EQ(trace_text(imported(a_and_b("[,", ",,", ",\n\n]"))), kBoth);
  EXPECT_EQ(trace_text(imported(a_and_b("{\"traceEvents\":[", "", ",],}"))), kBoth);
}

TEST(ImportContainer, TheEndMayBeMissing) {
  for (const char* behind : {"", ",", "\n", ",\n"}) {
    const Trace trace = imported(a_and_b("[", ",", behind));
    EXPECT_EQ(trace_text(trace), kBoth);
    EXPECT_TRUE(trace.metadata().contains("import.closed"));
  }
  EXPECT_EQ(trace_text(imported(a_and_b("{\"traceEvents\":[", ",", ""))), kBoth);
  EXPECT_EQ(trace_text(imported(a_and_b("{\"traceEvents\":[", ",", "}"))), kBoth);
  EXPECT_EQ(trace_text(imported(a_and_b("{\"traceEvents\":[", ",", "],\"more\":{\"a\":"))), kBoth);
  EXPECT_FALSE(imported(a_and_b("[", ",", "]")).metadata().contains("import.closed"));
}

TEST(ImportContainer, AfterACutAtAnyByteWhatIsWholeIsThereAndTheRestIsCounted) {
  const std::string whole = a_and_b("{\"traceEvents\":[", ",", "]}");
  const std::size_t first_end = whole.find(kA) + kA.size(), second_end = whole.find(kB) + kB.size();
  for (std::size_t size = whole.find(kA) + 1; size < whole.size(); ++size) {
    const Trace trace = imported(std::string_view(whole).substr(0, size));
    const std::uint64_t expected = size >= second_end ? 2 : size >= first_end ? 1 : 0;
    ASSERT_EQ(trace.counts().slices, expected) << size;
    const bool within = size < first_end || (size > first_end + 1 && size < second_end);
    ASSERT_EQ(trace.losses().of(LossCause::kImportCut) > 0, within) << size;
  }
}

TEST(ImportContainer, AnEventWithoutItsEndInTheMidstCostsOnlyItself) {
  const Trace trace =
      imported("[" + std::string(kA) + ",\n{\"ph\":\"X\",\"name\":\"torn\",\"args\":{\"k\":1,\n" +
               std::string(kB) + "]");
  EXPECT_EQ(lines_of(trace, "process"), " 1/thread 1 0: a@0+1000 b@2000+1000");
  EXPECT_GT(trace.losses().of(LossCause::kImportCut), 0u);
}

TEST(ImportContainer, WhatIsNoEventIsCounted) {
  EXPECT_EQ(lines_of(imported(a_and_b("[1,", ",[2],null,\"x\",", "]")), "lost "), "import_broken: 4");
  EXPECT_EQ(lines_of(imported(a_and_b("[", ",{\"ph\":\"X\" \"ts\"},{\"a\":1}, ", "]")), "lost "),
            "import_broken: 2");
}

TEST(ImportContainer, AnEmptyObjectSaysNothingAndIsNoLoss) {
  EXPECT_EQ(trace_text(imported(a_and_b("[{},", ",{ \n},", ",{}]"))), kBoth);
}

TEST(ImportContainer, RawLineBreaksAndLatin1InStringsAreMended) {
  const Trace trace = imported(
      "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1,\"name\":\"caf\xe9\",\"args\":{\"k\":"
      "\"one\ntwo\t\\\"\xc3\xa9\"}}]");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 0: "), "caf\xc3\xa9@0+1000{k='one\ntwo\t\"\xc3\xa9'}");
}

TEST(ImportContainer, EscapesAreUndone) {
  std::string out;
  unescape_json(R"(\u0041\u00e9\ud83d\ude00 \ud83d \q \/ \\)", out);
  EXPECT_EQ(out, "A\xc3\xa9\xf0\x9f\x98\x80 \xef\xbf\xbd \\q / \\");
  unescape_json("ends in \\", out);
  EXPECT_EQ(out, "ends in \\");
}

TEST(ImportContainer, BracesAndQuotesInStringsAreText) {
  const Trace trace = imported(
      R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"}{]\"[\\"},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"\\\\\"{"}])");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 0: "), R"(}{]"[\@0+1000 \\"{@2000+1000)");
}

TEST(ImportContainer, OtherMembersBecomeMetadata) {
  const Trace trace = imported(a_and_b(
      R"({"traceName":"a \"b\"","schemaVersion":1,"device":{"id":0},"systemTraceEvents":{"a":1},"traceEvents":[)",
      ",", R"(],"late":true})"));
  EXPECT_EQ(trace.metadata().at("chrome.traceName"), "a \"b\"");
  EXPECT_EQ(trace.metadata().at("chrome.schemaVersion"), "1");
  EXPECT_EQ(trace.metadata().at("chrome.device"), "{\"id\":0}");
  EXPECT_EQ(trace.metadata().at("chrome.late"), "true");
  EXPECT_EQ(lines_of(trace, "lost "), "import_skipped: 1");
}

TEST(ImportContainer, WhatHoldsNoEventsIsRefused) {
  EXPECT_NE(refusal(R"({"name":"a package"})").find("without a list of events"), std::string::npos);
  EXPECT_NE(refusal("").find("without a list of events"), std::string::npos);
  EXPECT_EQ(imported("[]").counts().slices, 0u);
}

TEST(ImportContainer, EventsAreFoundWhateverTheirSizeAndPlace) {
  // The scanner reads the file through a window of limited size, in blocks of 64 bytes. Some events are about
  // as large as the window or a block. The strings are full of the characters that the scanner looks for.
  Random random;
  std::string file = "[";
  std::uint64_t count = 0;
  while (file.size() < (5u << 20)) {
    const std::int64_t size = random.chance(0.01) ? random.magnitude(2 << 20) : random.magnitude(300);
    std::string filler;
    for (std::int64_t i = 0; i < size; ++i) {
      static constexpr std::string_view kChunks[]{"{", "}", "[", "]", "\\\"", "\\\\", "a", ",", ":"};
      filler += kChunks[random.integer(0, 8)];
    }
    file += (count == 0 ? "" : ",") + std::string(R"({"ph":"X","pid":1,"tid":1,"dur":0,"ts":)") +
            std::to_string(count) + R"(,"name":"n","args":{"k":")" + filler + "\"}}";
    ++count;
  }
  const Trace trace = imported(file + "]");
  EXPECT_EQ(trace.counts().slices, count);
  EXPECT_TRUE(trace.losses().none());
}

TEST(ImportContainer, ManyEventsAreImportedThroughTheWindow) {
  std::string file = "{\"traceEvents\":[";
  for (int i = 0; i < 100'000; ++i) {
    file += (i == 0 ? "" : ",") +
            (R"({"ph":"X","pid":1,"tid":1,"dur":1,"ts":)" + std::to_string(i) + R"(,"name":"n"})");
  }
  EXPECT_EQ(imported(file + "]}").counts().slices, 100'000u);
}

TEST(ImportContainer, ImportingCanBeCancelled) {
  std::string file = "[";
  for (int i = 0; i < 40'000; ++i) file += std::string(kA) + ",";
  MemorySource source(file);
  int calls = 0;
  const Result<Trace> trace = import_chrome_json(source, [&](double done) {
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
    return ++calls < 2;
  });
  EXPECT_FALSE(trace.ok());
  EXPECT_EQ(calls, 2);
}

// ---- compression ------------------------------------------------------------------------------------------

#ifdef RUNAHEAD_HAVE_ZLIB

std::string packed(std::string_view text, int window_bits) {
  z_stream zlib{};
  deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

// A zip's local header and data. `streamed`: the sizes come after the data, as in a zip that a program writes
// to a pipe.
std::string zip_member(const std::string& name, const std::string& data, int method, bool streamed = false) {
  const std::uint64_t size = streamed ? 0 : data.size();
  return std::string("PK\x03\x04") + little(20, 2) + little(streamed ? 8 : 0, 2) +
         little(static_cast<std::uint64_t>(method), 2) + little(0, 8) + little(size, 4) + little(size, 4) +
         little(name.size(), 2) + little(0, 2) + name + data;
}

TEST(ImportCompressed, Gzip) {
  const Trace trace = imported(packed(a_and_b("[", ",", "]"), 15 + 16));
  EXPECT_EQ(trace_text(trace), kBoth);
  EXPECT_EQ(trace.metadata().at("format"), "chrome json, gzip");
}

TEST(ImportCompressed, GzipOfSeveralMembers) {
  const std::string text = a_and_b("[", ",", "]");
  EXPECT_EQ(
      trace_text(imported(packed(text.substr(0, 20), 31) + packed("", 31) + packed(text.substr(20), 31))),
      kBoth);
}

TEST(ImportCompressed, GzipFilesOneBehindTheOtherAreReadWhole) {
  // The file has three gzip members (complete gzip streams), one after the other. They are so large that the
  // importer needs several reads. Therefore a member ends in the middle of a read.
  std::string file;
  for (int part = 0; part < 3; ++part) {
    std::string text = "[";
    for (int i = 0; i < 30'000; ++i) {
      text += R"({"ph":"X","pid":1,"tid":1,"dur":0,"ts":)" + std::to_string(part * 30'000 + i) +
              R"(,"name":"n"},)";
    }
    file += packed(text + "]", 31);
  }
  const Trace trace = imported(file);
  EXPECT_EQ(trace.counts().slices, 90'000u);
  EXPECT_TRUE(trace.losses().none());
}

TEST(ImportCompressed, ACutGzipGivesWhatIsWholeAndSaysSo) {
  std::string text = "[";
  Random random;
  for (int i = 0; i < 20'000; ++i) {
    text += R"({"ph":"X","pid":1,"tid":1,"dur":1,"ts":)" + std::to_string(random.integer(0, 1 << 30)) +
            R"(,"name":"n"},)";
  }
  const std::string whole = packed(text, 31);
  const Trace trace = imported(std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_GT(trace.counts().slices, 5'000u);
  EXPECT_LT(trace.counts().slices, 15'000u);
  EXPECT_GT(trace.losses().of(LossCause::kImportCut), 0u);
}

TEST(ImportCompressed, ZipStoredDeflatedAndStreamed) {
  const std::string text = a_and_b("[", ",", "]");
  const std::string folder = zip_member("traces/", "", 0);
  EXPECT_EQ(trace_text(imported(zip_member("a.json", text, 0))), kBoth);
  EXPECT_EQ(trace_text(imported(folder + zip_member("traces/a.json", packed(text, -15), 8))), kBoth);
  const Trace streamed =
      imported(zip_member("a.json", packed(text, -15), 8, true) + "PK\x07\x08 and a directory");
  EXPECT_EQ(trace_text(streamed), kBoth);
  EXPECT_EQ(streamed.metadata().at("format"), "chrome json, zip");
}

// A zip with its directory, as zip programs write it. `method`: 0 (stored) or 8 (deflated).
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files, int method = 8) {
  std::string out, directory;
  for (const auto& [name, text] : files) {
    const std::string data = method == 8 ? packed(text, -15) : text;
    const std::string begin = little(out.size(), 4);
    // The sizes come after the data, as from a program that writes to a pipe. The directory has the sizes
    // too.
    const std::string member = zip_member(name, data, method, true);
    out += member + "PK\x07\x08" + little(0, 4) + little(data.size(), 4) + little(text.size(), 4);
    directory += std::string("PK\x01\x02") + little(20, 2) + little(20, 2) + little(8, 2) +
                 little(static_cast<std::uint64_t>(method), 2) + little(0, 8) + little(data.size(), 4) +
                 little(text.size(), 4) + little(name.size(), 2) + std::string(12, '\0') + begin + name;
  }
  const std::string end = std::string("PK\x05\x06") + little(0, 4) + little(files.size(), 2) +
                          little(files.size(), 2) + little(directory.size(), 4) + little(out.size(), 4) +
                          little(0, 2);
  return out + directory + end;
}

TEST(ImportZip, TheTraceAmongOtherFilesIsOpenedAndNothingIsLost) {
  for (const int method : {0, 8}) {
    const Trace trace = imported(zip_of({{"README.md", "[see] the trace"},
                                         {"notes.txt", "a line"},
                                         {"package.json", R"({"name":"a package"})"},
                                         {"run/", ""},
                                         {"run/a.json", a_and_b("{\"traceEvents\":[", ",", "]}")}},
                                        method));
    EXPECT_EQ(trace_text(trace), kBoth);
    EXPECT_EQ(trace.metadata().at("import.file"), "run/a.json");
  }
}

TEST(ImportZip, OfSeveralTracesTheFirstIsOpenedAndTheOthersAreCounted) {
  const std::string text = a_and_b("[", ",", "]");
  for (const std::string& zip : {zip_of({{"rank0.json", text}, {"rank1.json", text}, {"rank2.json", text}}),
                                 zip_member("rank0.json", text, 0) + zip_member("rank1.json", text, 0) +
                                     zip_member("rank2.json", packed(text, -15), 8)}) {
    const Trace trace = imported(zip);
    EXPECT_EQ(lines_of(trace, "process"), " 1/thread 1 0: a@0+1000 b@2000+1000");
    EXPECT_EQ(lines_of(trace, "lost "), "import_files: 2");
    EXPECT_EQ(trace.metadata().at("import.file"), "rank0.json");
  }
}

TEST(ImportZip, OfVeryManyFilesTheFirstThousandsAreLookedAt) {
  std::vector<std::pair<std::string, std::string>> files(5000, {"a.txt", "a line"});
  files[2000] = {"trace.json", a_and_b("[", ",", "]")};
  EXPECT_EQ(trace_text(imported(zip_of(files, 0))), kBoth);
}

TEST(ImportZip, ATraceIsPreferredToOtherJsonBeforeIt) {
  const Trace trace =
      imported(zip_of({{"config.json", "{\"a\":[1]}"}, {"trace.json", a_and_b("[", ",", "]")}}));
  EXPECT_EQ(trace_text(trace), kBoth);
}

TEST(ImportZip, ACompressedTraceInItIsOpened) {
  for (const int method : {0, 8}) {
    const Trace trace = imported(zip_of({{"a.json.gz", packed(a_and_b("[", ",", "]"), 31)}}, method));
    EXPECT_EQ(trace_text(trace), kBoth);
    EXPECT_EQ(trace.metadata().at("format"), "chrome json, zip");
  }
}

TEST(ImportZip, AfterACutAtAnyByteItIsReadOrRefused) {
  const std::string whole = zip_of({{"a.json", a_and_b("[", ",", "]")}, {"b.json", a_and_b("[", ",", "]")}});
  for (std::size_t size = 4; size < whole.size(); ++size) {
    MemorySource source(std::string_view(whole).substr(0, size));
    const Result<Trace> trace = import_chrome_json(source);
    EXPECT_TRUE(!trace.ok() || trace->counts().slices <= 2u) << size;
  }
}

TEST(ImportZip, OurExportInItGivesItsRecordingAndTheOthersAreCounted) {
  const ScratchFolder folder;
  const Trace trace =
      TraceBuilder{}.track("t").slice("a", 0_ns, 5_ns).op(OpId{1}, "a", {.ended = 5_ns}).build();
  ASSERT_TRUE(export_chrome_json(trace, folder / "a.json").ok());
  const Trace back =
      imported(zip_of({{"a.json", file_bytes(folder / "a.json")}, {"b.json", a_and_b("[", ",", "]")}}));
  EXPECT_EQ(back.counts().ops, recordings_supported() ? 1u : 0u);
  EXPECT_EQ(lines_of(back, "lost "), "import_files: 1");
  EXPECT_EQ(back.metadata().at("import.file"), "a.json");
}

TEST(ImportZip, OneThatCannotBeReadSaysWhy) {
  EXPECT_NE(refusal(zip_member("a.json", "x", 12)).find("unpack it first"), std::string::npos);
  EXPECT_NE(refusal(zip_member("folder/", "", 0)).find("without a file"), std::string::npos);
  EXPECT_NE(refusal(zip_of({{"a.txt", "text"}})).find("without a trace in JSON"), std::string::npos);
}

#endif

// ---- times ------------------------------------------------------------------------------------------------

TEST(ImportTimes, AreExactToTheNanosecond) {
  EXPECT_EQ(ns_from_us_text("0"), 0);
  EXPECT_EQ(ns_from_us_text("12"), 12'000);
  EXPECT_EQ(ns_from_us_text("-1.5"), -1'500);
  EXPECT_EQ(ns_from_us_text("1683564901548726.125"), 1'683'564'901'548'726'125);
  EXPECT_EQ(ns_from_us_text("4203669604595.407"), 4'203'669'604'595'407);
  EXPECT_EQ(ns_from_us_text("0.001"), 1);
  EXPECT_EQ(ns_from_us_text("0.0005"), 1);
  EXPECT_EQ(ns_from_us_text("0.00049999999999999999999999999999999999999999999"), 0);
  EXPECT_EQ(ns_from_us_text("1.0004999"), 1'000);
  EXPECT_EQ(ns_from_us_text("1.5e3"), 1'500'000);
  EXPECT_EQ(ns_from_us_text("1683564901548726125e-3"), 1'683'564'901'548'726'125);
  EXPECT_EQ(ns_from_us_text("1.683564901548726125E+15"), 1'683'564'901'548'726'125);
  EXPECT_EQ(ns_from_us_text("00012.0000000000"), 12'000);
}

TEST(ImportTimes, WhatIsNoTimeOrBeyondAllIsRefused) {
  for (const char* text : {"", "-", ".", "x", "1x", "1e", "1e+", "1.2.3", "NaN", "Infinity",
                           "4611686018427388", "1e16", "99999999999999999999", "1e999999999999"}) {
    EXPECT_FALSE(ns_from_us_text(text).has_value()) << text;
  }
  EXPECT_EQ(ns_from_us_text("4611686018427387.903"), kMostTimeNs - 1);
  EXPECT_EQ(ns_from_us_text("1e-999999999999"), 0);
}

TEST(ImportTimes, RandomOnesComeBack) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t ns = random.magnitude(kMostTimeNs - 1);
    std::string fraction = std::to_string(ns % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    EXPECT_EQ(ns_from_us_text(std::to_string(ns / 1000) + "." + fraction), ns);
    EXPECT_EQ(ns_from_us_text("-" + std::to_string(ns) + "e-3"), -ns);
  }
}

TEST(ImportTimes, NeighboursAtAnEpochStayApart) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":1683564901548726.001,"dur":0.001,"name":"a"},
      {"ph":"X","pid":1,"tid":1,"ts":"1683564901548726.002","dur":"0.001","name":"b"})"));
  EXPECT_EQ(trace_text(trace), "process 1/thread 1 0: a@0+1 b@1+1\n");
  EXPECT_EQ(trace.metadata().at("import.first_us"), "1683564901548726.001");
  EXPECT_EQ(trace.metadata().at("started_at"), "2023-05-08T16:55:01Z");
}

}  // namespace
}  // namespace runahead::importers
