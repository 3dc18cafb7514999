#include "gui/serve/request.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace runahead::gui {
namespace {

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

std::string under_token(std::string_view rest) { return "/" + std::string(kToken) + std::string(rest); }

Decision ask(std::string_view target, std::vector<HttpField> fields = {{"Host", "127.0.0.1:8000"}},
             std::string_view method = "GET") {
  return decide({method, target, fields}, kToken);
}

TEST(ServeRequest, TheListAPageItsStateAndItsRecordingAreAskedFor) {
  EXPECT_EQ(ask(under_token("/")).asked, Asked::kList);
  EXPECT_EQ(ask(under_token("/12/")).asked, Asked::kPage);
  EXPECT_EQ(ask(under_token("/12/")).file, 12u);
  EXPECT_EQ(ask(under_token("/0/state")).asked, Asked::kState);
  EXPECT_EQ(ask(under_token("/3/recording")).asked, Asked::kRecording);
  EXPECT_EQ(ask(under_token("/")).status, 200);
}

TEST(ServeRequest, WhatWasAddedIsAskedForByItsStreamAndItsFirstByte) {
  const Decision decision = ask(under_token("/12/growth/3/123456789012345"));
  EXPECT_EQ(decision.asked, Asked::kGrowth);
  EXPECT_EQ(decision.file, 12u);
  EXPECT_EQ(decision.stream, 3u);
  EXPECT_EQ(decision.from, 123456789012345u);
  EXPECT_EQ(ask(under_token("/12/growth/0/0")).asked, Asked::kGrowth);
  for (const char* rest : {"/12/growth", "/12/growth/", "/12/growth/1", "/12/growth/1/", "/12/growth/01/2",
                           "/12/growth/1/2/", "/12/growth/-1/2", "/12/growth/1/1234567890123456"})
    EXPECT_EQ(ask(under_token(rest)).status, 404) << rest;
}

TEST(ServeRequest, TheListIsInTheLanguageThatTheBrowserPrefers) {
  EXPECT_EQ(preferred_language(""), Language::kEnglish);
  EXPECT_EQ(preferred_language("ja"), Language::kJapanese);
  EXPECT_EQ(preferred_language("zh-CN,zh;q=0.9,en;q=0.8"), Language::kChinese);
  EXPECT_EQ(preferred_language("de, JA-jp; q=0.8, en;q=0.5"), Language::kJapanese);
  EXPECT_EQ(preferred_language("en;q=0.9, zh;q=0.95"), Language::kChinese);
  EXPECT_EQ(preferred_language("zh;q=0, fr"), Language::kEnglish);
  EXPECT_EQ(preferred_language(";;,,q=,zh;q=x,=\xff"), Language::kEnglish);
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"accept-language", "ja"}}).language,
            Language::kJapanese);
}

TEST(ServeRequest, AWrongTokenIsRefusedWhateverFollows) {
  std::string near(kToken);
  near.back() = '0';
  for (const std::string& target :
       {std::string("/"), std::string("/favicon.ico"), "/" + near + "/", "/" + near + "/0/",
        under_token("").substr(0, 20) + "/", under_token("0/"), std::string("//"), std::string(),
        std::string(kToken) + "/", "http://127.0.0.1" + under_token("/"), "//" + std::string(kToken) + "/",
        "/./" + std::string(kToken) + "/"}) {
    EXPECT_EQ(ask(target).status, 403) << target;
    EXPECT_EQ(ask(target).asked, Asked::kNothing) << target;
  }
}

TEST(ServeRequest, NoPathBesideTheNumbersIsKnown) {
  for (const std::string_view rest :
       std::initializer_list<std::string_view>{"",
                                               "//",
                                               "/..",
                                               "/../",
                                               "/../../etc/passwd",
                                               "/%2e%2e/",
                                               "/0/%2e%2e/state",
                                               "/0/../1/",
                                               "/etc/passwd",
                                               "/0",
                                               "/-1/",
                                               "/+1/",
                                               "/01/",
                                               "/100000/",
                                               "/99999999999999999999/",
                                               "/0x1/",
                                               "/0/state/",
                                               "/0/State",
                                               "/0/?a",
                                               "/?a",
                                               std::string_view("/0/\0", 4),
                                               std::string_view("/\0/", 3),
                                               "/ 0/",
                                               std::string_view("/0/state\0", 9),
                                               "/%30/",
                                               "/0\\/",
                                               "/\xef\xbc\x90/",
                                               "/0/recording.html"}) {
    const std::string target = under_token(rest);
    EXPECT_EQ(ask(target).status, 404) << target;
    EXPECT_EQ(ask(target).asked, Asked::kNothing) << target;
  }
}

TEST(ServeRequest, OnlyGetAndHead) {
  EXPECT_TRUE(ask(under_token("/"), {{"Host", "localhost"}}, "HEAD").head);
  for (const std::string_view method :
       {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "", "GET "})
    EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}}, method).status, 405) << method;
}

TEST(ServeRequest, TheHostIsALoopbackName) {
  for (const std::string_view host :
       {"127.0.0.1", "127.0.0.1:1", "localhost:65535", "LocalHost", "[::1]", "[::1]:80"})
    EXPECT_EQ(ask(under_token("/"), {{"host", host}}).status, 200) << host;
  for (const std::string_view host : {"",
                                      "evil.example",
                                      "evil.example:8000",
                                      "127.0.0.1.evil.example",
                                      "localhost.evil.example",
                                      "127.0.0.2",
                                      "0.0.0.0",
                                      "::1",
                                      "[::1",
                                      "[::]",
                                      "127.0.0.1:",
                                      "127.0.0.1:0",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:99999999999",
                                      "127.0.0.1:8a",
                                      "127.0.0.1 ",
                                      " localhost",
                                      "localhost,evil.example",
                                      "2130706433",
                                      "user@127.0.0.1",
                                      "127.0.0.1:80:80"})
    EXPECT_EQ(ask(under_token("/"), {{"Host", host}}).status, 421) << host;
  EXPECT_EQ(ask(under_token("/"), {}).status, 421);
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"HOST", "localhost"}}).status, 421);
}

TEST(ServeRequest, AnotherOriginIsRefused) {
  const auto with = [](std::string_view origin) {
    return ask(under_token("/0/state"), {{"Host", "localhost:80"}, {"Origin", origin}}).status;
  };
  EXPECT_EQ(with("http://localhost:80"), 200);
  for (const std::string_view origin :
       {"null", "", "http://evil.example", "https://localhost:80", "http://localhost:81",
        "http://127.0.0.1:80", "http://localhost:80/", "http://localhost"})
    EXPECT_EQ(with(origin), 403) << origin;
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"Origin", "http://localhost"}, {"origin", "null"}})
                .status,
            403);
}

TEST(ServeRequest, BodiesAndLargeHeadsAreRefused) {
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"Content-Length", "0"}}).status, 200);
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"Content-Length", "1"}}).status, 400);
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"transfer-encoding", "chunked"}}).status, 400);
  const std::string large(kMostFieldBytes, 'x');
  EXPECT_EQ(ask(under_token("/"), {{"Host", "localhost"}, {"A", large}}).status, 431);
  EXPECT_EQ(ask(under_token("/") + std::string(kMostTargetBytes, 'a')).status, 414);
  std::vector<HttpField> many(kMostFields, {"A", "b"});
  many.push_back({"Host", "localhost"});
  EXPECT_EQ(ask(under_token("/"), many).status, 431);
}

}  // namespace
}  // namespace runahead::gui
