#include "instrumentation/files/base64.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace runahead::files {
namespace {

std::string encoded(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

// The examples of RFC 4648, section 10.
TEST(Base64, IsAsTheStandardSays) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("\xff\xff\xfe"), "///+");
}

TEST(Base64, AnyBytesComeBack) {
  std::mt19937_64 random(testing::test_seed());
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    std::string back = "before ";
    ASSERT_TRUE(decode_base64(encoded(bytes), back));
    EXPECT_EQ(back, "before " + bytes);
  }
}

TEST(Base64, WhatIsNoneIsRefused) {
  for (const char* text :
       {"Zg=", "Zg", "Z", "====", "Z===", "Zm9v\n", "Zm v", "Zh==", "Zm9=", "=Zm9", "Zg==Zg==", "Zm9\xff"}) {
    std::string out = "kept";
    EXPECT_FALSE(decode_base64(text, out)) << text;
    EXPECT_EQ(out, "kept") << text;
  }
}

}  // namespace
}  // namespace runahead::files
