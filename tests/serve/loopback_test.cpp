#include "serve/loopback.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(Loopback, IsAnAddressAndNoName) {
    for (const char* address : {"127.0.0.1", "127.1.2.3", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1",
                                "::ffff:127.0.0.1", "::ffff:7f01:203"})
        EXPECT_TRUE(is_loopback(address)) << address;
    for (const char* address :
         {"", "0.0.0.0", "128.0.0.1", "192.168.1.1", "::", "::2", "::ffff:10.0.0.1", "localhost", "127.",
          "127.0.0.1.evil.example", "127.evil.example", "127.0.0.1evil.com", "127.0.0.1x", "127.0.0.1:80",
          "127.1", "0x7f.0.0.1", "127.0.0.1 ", "[::1]"})
        EXPECT_FALSE(is_loopback(address)) << address;
    EXPECT_FALSE(is_loopback(std::string("127.0.0.1\0.evil.example", 23)));
}

TEST(Loopback, AuthoritiesOfThisMachine) {
    for (const char* text : {"127.0.0.1", "127.0.0.1:8390", "[::1]", "[::1]:8390", "[::ffff:127.0.0.1]:1",
                             "localhost", "LOCALHOST:8390", "localhost.", "LocalHost.:65535", "127.9.9.9."}) {
        const auto authority = parse_authority(text);
        ASSERT_TRUE(authority) << text;
        EXPECT_TRUE(authority->is_local) << text;
    }
    for (const char* text : {"evil.example", "127.0.0.1.evil.example:8390", "127.evil.example",
                             "127.0.0.1evil.com", "127.0.0.1x", "localhost.evil.example", "localhost..",
                             "notlocalhost", "0.0.0.0", "10.0.0.1", "[::2]", "2130706433", "0x7f000001"}) {
        const auto authority = parse_authority(text);
        ASSERT_TRUE(authority) << text;
        EXPECT_FALSE(authority->is_local) << text;
    }
    for (const char* text : {"", ":80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1",
                             "[::1", "[::1]x", "[::1].evil", "[evil]", "[]", "localhost@evil",
                             "user@127.0.0.1", "127.0.0.1, 127.0.0.1", "127.0.0.1/", "a b", "[::1%lo]"})
        EXPECT_FALSE(parse_authority(text)) << text;
}

TEST(Loopback, OriginsAreComparedWhole) {
    EXPECT_EQ(parse_origin("http://127.0.0.1:8390"), parse_authority("127.0.0.1:8390"));
    EXPECT_EQ(parse_origin("http://Localhost"), parse_authority("localhost:80"));
    EXPECT_NE(parse_origin("http://127.0.0.1:8391"), parse_authority("127.0.0.1:8390"));
    EXPECT_NE(parse_origin("http://localhost:8390"), parse_authority("127.0.0.1:8390"));
    for (const char* text :
         {"", "null", "https://127.0.0.1:8390", "127.0.0.1:8390", "http://", "http://127.0.0.1:8390/"})
        EXPECT_FALSE(parse_origin(text)) << text;
}

}  // namespace
}  // namespace proxstream
