// Keys of many parts are refused before the TOML library sees them, and nothing else is.
#include "run/toml_keys.hpp"

#include "proxstream/core/error.hpp"

#include "run/settings_table.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::string dotted(int parts) {
    std::string key = "a";
    for (int part = 1; part < parts; ++part) key += part % 2 == 0 ? " . a" : ".a";
    return key;
}

std::string refusal_of(const std::string& text) {
    try {
        check_key_parts(text, "t.toml");
        return "";
    } catch (const DataError& error) {
        return error.what();
    }
}

TEST(TomlKeys, LongOnesAreRefusedWhereverTheyStand) {
    const std::string key = dotted(50'000);
    for (const std::string& text : {
             key + " = 1",
             "[" + key + "]",
             "[[" + key + "]]",
             "x = {" + key + " = 1}",
             "x = {y = 1, " + key + " = 1}",
             "x = [1, 2, {" + key + " = 1}]",
             "x = \"\"\"two quotes at its end\"\"\"\"\"\n" + key + " = 1",
             "x = {y = '''one quote at its end'''', " + key + " = 1}",
             "x = \"escaped \\\" quote\" # comment ' with a quote\n" + key + " = 1",
             "x = 'literal \\'\n" + key + " = 1",
             "\"\".''." + key + " = 1",
         }) {
        EXPECT_NE(refusal_of(text).find("a key has more than 32 parts between dots; expected at most 32"),
                  std::string::npos)
            << text.substr(0, 60);
    }
    EXPECT_EQ(refusal_of("a = 1\n\n" + key + " = 1").substr(0, 10), "t.toml:3: ");
    EXPECT_EQ(refusal_of(dotted(33) + " = 1").empty(), false);
    // A DataError, not the end of the program.
    EXPECT_THROW(parse_toml(key + " = 1", "t.toml"), DataError);
}

TEST(TomlKeys, OtherDotsAreNotCounted) {
    std::string numbers = "x = [";
    for (int i = 0; i < 1000; ++i) numbers += "1.5, -0.25, 2024-01-01T00:00:00.5Z,\n";
    const std::string dots(1000, '.');
    for (const std::string& text : {
             dotted(32) + " = 1",
             numbers + "]",
             "x = \"" + dots + "\"",
             "x = '" + dots + "'",
             "\"" + dots + "\" = 1",
             "'" + dots + "'.b = 1",
             "x = \"\"\"\n" + dots + "\n\"" + dots + "\"\n\\\"\"\"" + dots + "\"\"\"",
             "x = '''\n" + dots + "\n'" + dots + "\n'''",
             "# " + dots + "\nx = 1 # \" " + dots,
             "x = \"\" # " + dots,
         }) {
        EXPECT_EQ(refusal_of(text), "") << text.substr(0, 60);
        EXPECT_NO_THROW(parse_toml(text, "t.toml")) << text.substr(0, 60);
    }
}

}  // namespace
}  // namespace proxstream
