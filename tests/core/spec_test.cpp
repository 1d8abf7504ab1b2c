// The textual form `name:arguments`: what is understood, and how what is not is refused.
#include "proxstream/core/spec.hpp"

#include "proxstream/core/error.hpp"

#include "core/quoted_excerpt.hpp"
#include "support/refusal.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace proxstream {
namespace {

using Names = std::vector<std::string>;

using tests::refusal;

TEST(Specs, ReadNamesPositionsAndKeys) {
    const Spec plain = Spec::parse("  simplex ");
    EXPECT_EQ(plain.name(), "simplex");
    EXPECT_EQ(plain.positional_count(), 0U);
    plain.finish();

    const Spec spec = Spec::parse("group: 0.5 , 2 ,size=4,kind = soft,weights=1;2/3");
    EXPECT_EQ(spec.name(), "group");
    EXPECT_EQ(spec.positional_count(), 2U);
    EXPECT_EQ(spec.number(0, "level"), 0.5);
    EXPECT_EQ(spec.number_or(1, "other", 9), 2);
    EXPECT_EQ(spec.count("size"), 4U);
    EXPECT_EQ(spec.word_or("kind", "hard"), "soft");
    EXPECT_EQ(spec.numbers("weights"), (std::vector<Real>{1, 2, 3}));
    EXPECT_TRUE(spec.has("size"));
    EXPECT_FALSE(spec.has("level"));
    spec.finish();
}

TEST(Specs, PositionAndKeyAreTwoSpellings) {
    EXPECT_EQ(Spec::parse("l1:0.25").number(0, "level"), 0.25);
    EXPECT_EQ(Spec::parse("l1:level=0.25").number(0, "level"), 0.25);
    EXPECT_EQ(refusal([] { (void)Spec::parse("l1:1,level=2").number(0, "level"); }),
              "'l1:1,level=2': 'level' is given by position and by name");
}

TEST(Specs, MessagesStayShort) {
    const std::string flood(5'000'000, 'x');
    std::string keys = "l1:";
    for (int i = 0; i < 100'000; ++i) keys += "k" + std::to_string(i) + "=1,";
    keys += "k=1";
    const auto is_short = [](const std::string& message) {
        return !message.empty() && message.size() < 1000;
    };
    EXPECT_PRED1(is_short, refusal([&] { (void)parse_real(flood, "x"); }));
    EXPECT_PRED1(is_short, refusal([&] { (void)Spec::parse("l1:" + flood).number(0, "level"); }));
    EXPECT_PRED1(is_short, refusal([&] { Spec::parse("l1:" + flood + "=1").finish(); }));
    EXPECT_EQ(refusal([&] { (void)Spec::parse(keys); }),
              quoted_excerpt(keys, 200) + ": more than 100 arguments have a key");
    EXPECT_EQ(refusal([] { Spec::parse("l1:1,2,3,4,5,6,7,8,9,10,11,12").finish(); }),
              "'l1:1,2,3,4,5,6,7,8,9,10,11,12': not understood: '1', '2', '3', '4', '5', '6', '7', '8', '9', "
              "'10' and 2 more");
    EXPECT_PRED1(is_short, unknown_name("key", flood, {"a", "b"}));
    const std::string known = unknown_name("key", "zzzzzz", std::vector<std::string>(100'000, "column"));
    EXPECT_LT(known.size(), 5000U);
    EXPECT_NE(known.find("and 99"), std::string::npos);
}

TEST(QuotedExcerpt, KeepsCharactersWholeAndHidesControlCodes) {
    EXPECT_EQ(quoted_excerpt("plain"), "'plain'");
    EXPECT_EQ(quoted_excerpt("a\n\x1b[2J"), "'a\\x0a\\x1b[2J'");
    EXPECT_EQ(quoted_excerpt("abcdef", 3), "'abc...'");
    EXPECT_EQ(quoted_excerpt("ab\xc3\xa9z", 3), "'ab...'");
    EXPECT_EQ(quoted_excerpt("ab\xc3\xa9z", 4), "'ab\xc3\xa9...'");
    EXPECT_EQ(quoted_excerpt(std::string(10, '\x80'), 5), "'\x80\x80\x80\x80\x80...'");
}

TEST(Specs, UseDefaultsForMissingArguments) {
    const Spec spec = Spec::parse("cauchy");
    EXPECT_EQ(spec.number_or(0, "scale", 1.5), 1.5);
    EXPECT_EQ(spec.count_or("size", 3), 3U);
    EXPECT_EQ(spec.word_or("mode", "plain"), "plain");
    EXPECT_TRUE(spec.numbers("weights").empty());
    EXPECT_TRUE(spec.numbers_from(0).empty());
    spec.finish();
}

TEST(Specs, ListsTakeThePositionsThatAreLeft) {
    const Spec spec = Spec::parse("linear:1,-2,3e-1");
    EXPECT_EQ(spec.numbers_from(1), (std::vector<Real>{-2, 0.3}));
    EXPECT_EQ(refusal([&] { spec.finish(); }), "'linear:1,-2,3e-1': not understood: '1'");
}

TEST(Specs, CommasInsideParenthesesDoNotSeparate) {
    const Spec spec = Spec::parse("translated:inner=(box:-1,1),by=2");
    EXPECT_EQ(spec.word_or("inner", ""), "(box:-1,1)");
    EXPECT_EQ(split_outside_parentheses("a+b(c+d)+ e ", '+'), (Names{"a", "b(c+d)", "e"}));
    EXPECT_EQ(split_outside_parentheses("", '+'), Names{""});
    EXPECT_EQ(split_outside_parentheses("+", '+'), (Names{"", ""}));
}

TEST(Specs, MalformedTextIsRefused) {
    EXPECT_EQ(refusal([] { Spec::parse(""); }), "'': a name is missing");
    EXPECT_EQ(refusal([] { Spec::parse(" :1"); }), "':1': a name is missing");
    EXPECT_EQ(refusal([] { Spec::parse("l1:"); }), "'l1:': an argument is empty");
    EXPECT_EQ(refusal([] { Spec::parse("l1:1,,2"); }), "'l1:1,,2': an argument is empty");
    EXPECT_EQ(refusal([] { Spec::parse("l1:size="); }), "'l1:size=': an argument is empty");
    EXPECT_EQ(refusal([] { Spec::parse("l1:=3"); }), "'l1:=3': an argument has a value but no key");
    EXPECT_EQ(refusal([] { Spec::parse("l1:a=1,a=2"); }), "'l1:a=1,a=2': 'a' is given twice");
}

TEST(Specs, MissingAndWrongValuesAreNamed) {
    EXPECT_EQ(refusal([] { (void)Spec::parse("l1").number(0, "level"); }),
              "'l1': the argument 'level' is missing");
    EXPECT_EQ(refusal([] { (void)Spec::parse("group:1").count("size"); }),
              "'group:1': the argument 'size=' is missing");
    for (const char* size : {"0", "-1", "1.5", "four", "4x", "99999999999999999999999"}) {
        EXPECT_EQ(refusal([&] { (void)Spec::parse(std::string("g:size=") + size).count("size"); }),
                  std::string("'g:size=") + size + "': size = '" + size + "' is not a positive integer");
    }
    EXPECT_EQ(refusal([] { (void)Spec::parse("l1:abc").number(0, "level"); }),
              "'l1:abc': 'abc' is not a number");
    EXPECT_EQ(refusal([] { (void)Spec::parse("l1:level=1e").number(0, "level"); }),
              "'l1:level=1e', level: '1e' is not a number");
}

TEST(Specs, UnreadArgumentsAreRefusedWithTheNearestKey) {
    const Spec spec = Spec::parse("group:0.1,7,szie=4,colour=red");
    (void)spec.number(0, "level");
    (void)spec.count_or("size", 1);
    EXPECT_EQ(
        refusal([&] { spec.finish(); }),
        "'group:0.1,7,szie=4,colour=red': not understood: '7', 'szie=' (did you mean 'size='?), 'colour='");
}

TEST(Numbers, AreReadWholeOrNotAtAll) {
    EXPECT_EQ(parse_real("1.5", "x"), 1.5);
    EXPECT_EQ(parse_real(" +2e-3 ", "x"), 2e-3);
    EXPECT_EQ(parse_real("-0", "x"), 0);
    for (const char* text : {"", " ", "1,5", "1.5x", "0x10", "++1", "nan", "-nan", "1e999", "--1", "1 2"}) {
        EXPECT_EQ(refusal([&] { (void)parse_real(text, "--step"); }),
                  std::string("--step: '") + text + "' is not a number");
    }
}

RC_GTEST_PROP(Numbers, RoundTrip, (int mantissa, int exponent)) {
    const std::string text = std::to_string(mantissa) + "e" + std::to_string(exponent % 200);
    RC_ASSERT(parse_real(text, "x") == std::stod(text));
}

TEST(NearestNames, AreNearOrNone) {
    const Names names{"l1", "l2", "simplex", "box", "nonnegative"};
    EXPECT_EQ(nearest_name("simplx", names), "simplex");
    EXPECT_EQ(nearest_name("non-negative", names), "nonnegative");
    EXPECT_EQ(nearest_name("l3", names), "l1");
    EXPECT_EQ(nearest_name("SIMPLEX", names), "simplex");
    EXPECT_EQ(nearest_name("y", {"Y", "x"}), "Y");
    EXPECT_EQ(nearest_name("nuclear", names), "");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name("box", {}), "");
    // Long names are not compared: that takes the product of their lengths.
    EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), {std::string(1'000'000, 'x') + "y"}), "");
}

TEST(NearestNames, UnknownNamesListTheKnownOnes) {
    EXPECT_EQ(unknown_name("regulariser", "l3", {"l1", "box"}),
              "unknown regulariser 'l3'; did you mean 'l1'? known: l1, box");
    EXPECT_EQ(unknown_name("loss", "zzzzzz", {"squared", "huber"}),
              "unknown loss 'zzzzzz'; known: squared, huber");
}

TEST(Specs, OnlyParenthesesAroundTheWholeTextAreRemoved) {
    EXPECT_EQ(without_shield("(exp:3)"), "exp:3");
    EXPECT_EQ(without_shield(" ( exp:3 ) "), "exp:3");
    EXPECT_EQ(without_shield("(a)/(b)"), "(a)/(b)");
    EXPECT_EQ(without_shield("((a)/(b))"), "(a)/(b)");
    EXPECT_EQ(without_shield("a"), "a");
    EXPECT_EQ(without_shield("("), "(");
    EXPECT_EQ(without_shield(""), "");
    EXPECT_EQ(Spec::parse("ensemble:windows=(exp:3)/(exp:9)").word(9, "windows"), "(exp:3)/(exp:9)");
}

}  // namespace
}  // namespace proxstream
