#include "store/packed.hpp"

#include <random>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(Packed, ReturnsWhatWasPacked) {
    std::mt19937 draw(1);
    std::string noise(1000, ' ');
    for (char& each : noise) each = static_cast<char>(draw());
    for (const std::string& text :
         {std::string(), std::string("z"), std::string("zebra"), std::string(100'000, 'a'), noise,
          'z' + noise, std::string("{\"key\":1}")})
        EXPECT_EQ(unpacked(packed(text)), text);
    EXPECT_LT(packed(std::string(100'000, 'a')).size(), 1000U);
    EXPECT_EQ(packed(noise), noise);
}

TEST(Packed, DamageGivesNothingOrIsLeftToTheSeal) {
    const std::string whole = packed(std::string(5000, 'a') + "b");
    for (std::size_t size = 1; size < whole.size(); ++size) EXPECT_EQ(unpacked(whole.substr(0, size)), "");
    std::string huge = whole;
    for (int i = 1; i <= 8; ++i) huge[static_cast<std::size_t>(i)] = '\x7f';  // asks for 9 exabytes
    EXPECT_EQ(unpacked(huge), "");
}

}  // namespace
}  // namespace proxstream
