/// CSV and LIBSVM rows: what is accepted, and the message for every kind of bad input.
#include "io/parse_number.hpp"
#include "run/csv_reader.hpp"
#include "run/reader_support.hpp"

#include <bit>
#include <cmath>
#include <random>

namespace proxstream {
namespace {

using namespace testing;

// ---------------------------------------------------------------- CSV

TEST(Csv, ReadsNamedColumnsInEveryLineEnding) {
    for (const char* text :
         {"a,y,b\n1,2,3\n4,5,6\n", "a,y,b\r\n1,2,3\r\n4,5,6\r\n", "a,y,b\n1,2,3\n4,5,6",
          "\xef\xbb\xbf"
          "a,y,b\n\n1,2,3\n  \n4,5,6\n\n",
          "a;y;b\n1;2;3\n4;5;6\n", "a\ty\tb\n1\t2\t3\n4\t5\t6\n", " a , y , b \n 1 ,\t2 , 3 \n4, 5,6 \n",
          "\"a\",\"y\",b\n\"1\",2,\" 3 \"\n4,\"5\",6\n", "a,y,b\n+1,2e0,3.\n.4e1,5.0,+6\n"}) {
        for (const std::size_t piece : {1U, 7U, 1000U}) {
            const auto reader = open_text(text, csv_options("y"), piece);
            EXPECT_EQ(reader->feature_names(), (std::vector<std::string>{"a", "b"}));
            const RowBlock block = read_all(*reader);
            ASSERT_EQ(block.rows(), 2U) << text;
            EXPECT_EQ(row_of(block, 0), (std::vector<Real>{1, 3}));
            EXPECT_EQ(row_of(block, 1), (std::vector<Real>{4, 6}));
            EXPECT_EQ(block.target(0), 2);
            EXPECT_EQ(block.target(1), 5);
        }
    }
}

TEST(Csv, SelectsAndOrdersFeatures) {
    ReaderOptions options = csv_options("y");
    options.table.features = {"c", "a"};
    options.table.ignore = {"b"};
    const RowBlock block = read_text("a,b,c,y\n1,text,3,4\n", options);
    EXPECT_EQ(row_of(block, 0), (std::vector<Real>{3, 1}));
}

TEST(Csv, NamesColumnsByNumberWithoutHeaderAndWhereTheHeaderIsEmpty) {
    ReaderOptions options = csv_options("c3");
    options.table.header = false;
    const auto reader = open_text("1,2,3\n4,5,6\n", options);
    EXPECT_EQ(reader->feature_names(), (std::vector<std::string>{"c1", "c2"}));
    EXPECT_EQ(read_all(*reader).rows(), 2U);
    options = csv_options("y");
    options.table.ignore = {"c1"};
    EXPECT_EQ(row_of(read_text(",a,y\n0,7,8\n", options), 0), (std::vector<Real>{7}));
}

TEST(Csv, QuotedFieldsHoldSeparatorsQuotesAndLineBreaks) {
    ReaderOptions options = csv_options("y");
    options.table.ignore = {"the \"note\", long"};
    const std::string text =
        "a,\"the \"\"note\"\", long\",y\n1,\"x, \"\"y\"\"\r\nsecond line\n\nthird\",2\n3,plain \" quote,4\n";
    for (const std::size_t piece : {1U, 5U, 4096U}) {
        const auto reader = open_text(text, options, piece);
        RowBlock block;
        ASSERT_TRUE(reader->read_row(block));
        EXPECT_EQ(reader->line(), 2U);
        ASSERT_TRUE(reader->read_row(block));
        EXPECT_EQ(reader->line(), 6U);
        EXPECT_FALSE(reader->read_row(block));
        EXPECT_EQ(block.target(0), 2);
        EXPECT_EQ(block.target(1), 4);
    }
}

TEST(Csv, ClassNamesMayBeQuoted) {
    ReaderOptions options = csv_options("y", TargetKind::category);
    options.target.classes = {"red", "light, blue"};
    const RowBlock block = read_text("a,y\n1,red\n2,\"light, blue\"\n3, red \n", options);
    EXPECT_EQ(std::vector<Real>(block.targets().begin(), block.targets().end()),
              (std::vector<Real>{0, 1, 0}));
}

struct BadCsv {
    const char* text;
    std::vector<std::string> parts;
};

TEST(Csv, ReportsEveryBadRowAndReadsTheNext) {
    const std::vector<BadCsv> cases = {
        {"1,,3", {"t:3", "column 2 (b)", "the field is empty", "expected a finite number"}},
        {"1,abc,3", {"t:3, column 2 (b)", "'abc' is not a number", "--text b"}},
        {"1,2,abc", {"column 3 (y)", "'abc' is not a number", "expected a finite number"}},
        {"1,2,", {"column 3 (y)", "the field is empty"}},
        {"1,nan,3", {"'nan' is not a number"}},
        {"1,NA,3", {"'NA' is not a number"}},
        {"1,inf,3", {"'inf' is not a number"}},
        {"-Infinity,1,3", {"'-Infinity' is not a number"}},
        {"1,0x10,3", {"'0x10' is not a number"}},
        {"1,1e400,3", {"'1e400' is too large"}},
        {"1,-1e400,3", {"'-1e400' is too large"}},
        {"1,2 3,3", {"'2 3' is not a number"}},
        {"1,1.5.2,3", {"'1.5.2' is not a number"}},
        {"1,--5,3", {"'--5' is not a number"}},
        {"1,+-5,3", {"'+-5' is not a number"}},
        {"1,1e,3", {"'1e' is not a number"}},
        {"1,.,3", {"'.' is not a number"}},
        {"1,\"2\"x,3", {"column 2", "text follows the closing quote", "\"\""}},
        {"1,2", {"t:3", "the row has 2 columns", "expected 3"}},
        {"1,2,3,4", {"the row has 4 columns", "expected 3"}},
        {"1,2,3,", {"the row has 4 columns", "expected 3"}},
        {"abc", {"the row has 1 columns", "expected 3"}},
        {"1,a\x01\x7fz,3", {"'a\\x01\\x7fz' is not a number"}},
        {"1,aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee,3",
         {"'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...'"}},
    };
    for (const BadCsv& bad : cases) {
        const auto reader =
            open_text(std::string("a,b,y\n1,2,3\n") + bad.text + "\n7,8,9\n", csv_options("y"));
        RowBlock block;
        ASSERT_TRUE(reader->read_row(block));
        expect_error<DataError>([&] { reader->read_row(block); }, bad.parts);
        EXPECT_EQ(block.rows(), 1U) << bad.text;
        EXPECT_EQ(block.all_values().size(), 2U) << bad.text;
        ASSERT_TRUE(reader->read_row(block)) << bad.text;
        EXPECT_EQ(row_of(block, 1), (std::vector<Real>{7, 8})) << bad.text;
        EXPECT_EQ(reader->line(), 4U);
        EXPECT_FALSE(reader->read_row(block));
    }
}

TEST(Csv, AnUnclosedQuoteLosesOneLineOnly) {
    std::string text = "a,y\n1,2\n\"3,4\n";
    for (int i = 0; i < 5; ++i) text += "5,6\n";
    const auto reader = open_text(text, csv_options("y"), 3);
    RowBlock block;
    ASSERT_TRUE(reader->read_row(block));
    expect_error<DataError>([&] { reader->read_row(block); },
                            {"t:3, column 1", "not closed", "within 1000 lines"});
    EXPECT_EQ(read_all(*reader).rows(), 5U);
}

TEST(Csv, DecisionsAboutColumnsAreRefusedTogether) {
    ReaderOptions options = csv_options("lable");
    options.table.features = {"a", "twice", "x"};
    options.table.ignore = {"dat"};
    expect_error<ConfigError>(
        [&] { open_text("a,date,twice,twice,label\n1,2,3,4,5\n", options); },
        {"--label: no column is called 'lable'; did you mean 'label'?",
         "--ignore: no column is called 'dat'; did you mean 'date'?",
         "--features: 2 columns are called 'twice' (number 3 and 4)", "--features: no column is called 'x'",
         "columns of t are: a, date, twice, twice, label"});
    options = csv_options("a");
    options.table.features = {"a"};
    expect_error<ConfigError>([&] { open_text("a,b\n1,2\n", options); }, {"'a' is already the label"});
    options = csv_options("");
    options.table.features = {"a", "b"};
    expect_error<ConfigError>([&] { open_text("a,b\n1,2\n", options); },
                              {"--label: no column is left", "are: a, b"});
    expect_error<ConfigError>([] { open_text("y\n1\n", csv_options("y")); }, {"no column is left"});
    expect_error<ConfigError>([] { open_text("1,2\n3,4\n", csv_options("y")); }, {"--no-header"});
    options = csv_options("y");
    options.table.delimiter = '/';
    expect_error<ConfigError>([&] { open_text("a/y\n1/2\n", options); }, {"--delimiter", "'/'", "semicolon"});
    expect_error<ConfigError>([&] { open_text("a,b,a,y\n1,2,3,4\n", csv_options("y")); },
                              {"2 columns are called 'a' (number 1 and 3)", "--ignore a"});
    // Names that occur twice do not matter in columns that are not read.
    options = csv_options("y");
    options.table.ignore = {"a"};
    EXPECT_EQ(read_text("a,b,a,y\n1,2,3,4\n", options).values(0).size(), 1U);
}

TEST(Csv, BarsAndBlanksDelimitFieldsWhereTheyAreGiven) {
    ReaderOptions options = csv_options("y");
    options.format = RowFormat::detect;
    options.table.delimiter = '|';
    const RowBlock bars = read_text("a|b|y\n1|2|3\n4|5|6\n", options);
    options.table.delimiter = ' ';
    const RowBlock blanks = read_text("a b  y\n 1 2  3\n4   5 6 \n", options);
    for (Index row = 0; row < 2; ++row) {
        EXPECT_EQ(blanks.target(row), bars.target(row));
        EXPECT_EQ(blanks.values(row)[1], bars.values(row)[1]);
    }
    EXPECT_EQ(bars.target(1), 6);
}

TEST(Csv, LongColumnListsAreCut) {
    std::string header = "y";
    for (int i = 0; i < 100; ++i) header += ",x" + std::to_string(i);
    expect_error<ConfigError>([&] { open_text(header + "\n", csv_options("z")); }, {"x38, ... (61 more)"});
}

TEST(Csv, TheLabelIsTheLastColumnUnlessNamed) {
    EXPECT_EQ(read_text("a,b\n1,2\n", csv_options("")).target(0), 2);
    ReaderOptions options = csv_options("");
    options.table.ignore = {"note"};
    EXPECT_EQ(read_text("a,y,note\n1,2,x\n", options).target(0), 2);
}

TEST(Csv, NoTargetNeedsNoLabel) {
    EXPECT_EQ(read_text("a,b\n1,2\n", csv_options("", TargetKind::none)).values(0).size(), 2U);
    EXPECT_EQ(read_text("a,b,y\n1,2,?\n", csv_options("y", TargetKind::none)).values(0).size(), 2U);
    EXPECT_EQ(read_text("a,b\n1,2\n", csv_options("y", TargetKind::none)).target(0), 0);
}

// ---------------------------------------------------------------- targets

TEST(Targets, SignsInBothSpellingsButNotMixed) {
    const auto sign = csv_options("y", TargetKind::sign);
    EXPECT_EQ(read_text("a,y\n1,0\n1,1\n", sign).target(0), -1);
    EXPECT_EQ(read_text("a,y\n1,-1\n1,+1\n", sign).target(1), 1);
    EXPECT_EQ(read_text("a,y\n1,1.0\n1,0.0\n", sign).target(1), -1);
    expect_error<DataError>([&] { read_text("a,y\n1,0\n1,-1\n", sign); },
                            {"t:3, column 2 (y)", "unknown label '-1'", "0 or 1, as in the rows before"});
    expect_error<DataError>([&] { read_text("a,y\n1,2\n", sign); },
                            {"unknown label '2'", "-1 or 1", "--classes"});
    expect_error<DataError>([&] { read_text("a,y\n1,\n", sign); }, {"the label is empty"});
    ReaderOptions named = sign;
    named.target.classes = {"DOWN", "UP"};
    EXPECT_EQ(read_text("a,y\n1,UP\n1,DOWN\n", named).target(0), 1);
    expect_error<DataError>([&] { read_text("a,y\n1,up\n", named); },
                            {"unknown label 'up'", "one of the classes DOWN, UP"});
}

TEST(Targets, CategoriesByNameOrNumber) {
    ReaderOptions options = csv_options("y", TargetKind::category);
    options.target.class_count = 3;
    EXPECT_EQ(read_text("a,y\n1,2\n", options).target(0), 2);
    for (const char* bad : {"3", "-1", "1.5", "x"}) {
        expect_error<DataError>([&] { read_text(std::string("a,y\n1,") + bad + "\n", options); },
                                {"unknown label", "an integer from 0 to 2"});
    }
    options.target.classes = {"1", "5"};
    EXPECT_EQ(read_text("a,y\n1,5.0\n", options).target(0), 1);
}

TEST(Targets, UnusableRulesAreRefused) {
    ReaderOptions options = csv_options("y", TargetKind::sign);
    options.target.classes = {"a", "b", "a"};
    expect_error<ConfigError>([&] { open_text("a,y\n", options); },
                              {"3 names", "exactly 2", "'a' is named twice"});
    options.target = {TargetKind::category, {}, 0};
    expect_error<ConfigError>([&] { open_text("a,y\n", options); }, {"--classes: name the classes"});
    options.target = {TargetKind::number, {"a", "b"}, 0};
    expect_error<ConfigError>([&] { open_text("a,y\n", options); }, {"has no classes"});
}

// ---------------------------------------------------------------- LIBSVM

TEST(Libsvm, ReadsSparseRows) {
    const std::string text = "# made by hand\n+1 1:0.5 3:-2 # tail\r\n\n-1\n2.5 qid:7 2:1e-3\t4:+4 \n";
    for (const std::size_t piece : {1U, 1000U}) {
        const auto reader = open_text(text, libsvm_options(), piece);
        EXPECT_EQ(reader->features(), 4U);
        EXPECT_TRUE(reader->feature_names().empty());
        const RowBlock block = read_all(*reader);
        ASSERT_EQ(block.rows(), 3U);
        EXPECT_EQ(row_of(block, 0), (std::vector<Real>{0.5, -2}));
        EXPECT_EQ(block.indices(0)[1], 2U);
        EXPECT_EQ(block.values(1).size(), 0U);
        EXPECT_EQ(block.target(2), 2.5);
        EXPECT_EQ(block.indices(2)[0], 1U);
    }
    ReaderOptions zero = libsvm_options();
    zero.libsvm.zero_based = true;
    const auto reader = open_text("1 0:1 3:1\n", zero);
    EXPECT_EQ(reader->features(), 4U);
    EXPECT_EQ(read_all(*reader).indices(0)[0], 0U);
    EXPECT_EQ(read_text("1:5 2:6\n", libsvm_options(TargetKind::none)).values(0).size(), 2U);
}

TEST(Libsvm, ReportsEveryBadRowAndReadsTheNext) {
    const std::vector<BadCsv> cases = {
        {"1 0:1", {"t:2, column 2", "the index is 0", "from 1 on", "--zero-based"}},
        {"1 3:1 2:1", {"column 3", "index 2 follows 3", "ascend"}},
        {"1 2:1 2:1", {"index 2 is given twice", "ascend"}},
        {"1 2", {"'2' has no ':'", "index:value"}},
        {"1 a:1", {"'a:1' has no whole number in front of ':'"}},
        {"1 -2:1", {"'-2:1' has no whole number"}},
        {"1 :1", {"':1' has no whole number"}},
        {"1 2:", {"the field is empty (index 2)"}},
        {"1 2: 3:4", {"the field is empty (index 2)"}},
        {"1 2:x", {"'x' is not a number (index 2)", "a finite number"}},
        {"1 2:nan", {"'nan' is not a number"}},
        {"1 2:1,5", {"'1,5' is not a number"}},
        {"1 2:1e999", {"too large"}},
        {"1 6:1", {"index 6 is too large", "at most 5", "--dimension 5"}},
        {"1 99999999999999999999999:1", {"index 99999999999999999999 is too large"}},
        {"x 1:1", {"column 1", "'x' is not a number"}},
        {"1:1 2:1", {"starts with '1:1'", "a label first"}},
    };
    ReaderOptions options = libsvm_options();
    options.libsvm.dimension = 5;
    for (const BadCsv& bad : cases) {
        const auto reader = open_text(std::string("1 1:1\n") + bad.text + "\n3 5:7\n", options);
        RowBlock block(true);
        ASSERT_TRUE(reader->read_row(block));
        expect_error<DataError>([&] { reader->read_row(block); }, bad.parts);
        EXPECT_EQ(block.rows(), 1U) << bad.text;
        EXPECT_EQ(block.all_values().size(), 1U);
        ASSERT_TRUE(reader->read_row(block));
        EXPECT_EQ(block.target(1), 3);
        EXPECT_FALSE(reader->read_row(block));
    }
    expect_error<DataError>([&] { read_text("2 1:1\n", libsvm_options(TargetKind::sign)); },
                            {"unknown label '2'", "-1 or 1"});
}

TEST(Libsvm, AFoundDimensionHasALimitThatTheOptionRaises) {
    const std::string text = "1 1:1\n1 1000001:1\n1 3:1\n";
    const auto reader = open_text(text, libsvm_options());
    EXPECT_EQ(reader->features(), 3U);
    RowBlock block(true);
    ASSERT_TRUE(reader->read_row(block));
    expect_error<DataError>([&] { reader->read_row(block); }, {"t:2, column 2: index 1000001 is too large",
                                                               "at most 1000000 where", "--dimension N"});
    ASSERT_TRUE(reader->read_row(block));

    ReaderOptions given = libsvm_options();
    given.libsvm.dimension = 1'000'001;
    EXPECT_EQ(read_text(text, given).rows(), 3U);
    EXPECT_EQ(open_text("1 1000000:1\n", libsvm_options())->features(), 1'000'000U);
    ReaderOptions zero = libsvm_options();
    zero.libsvm.zero_based = true;
    EXPECT_EQ(open_text("1 999999:1\n", zero)->features(), 1'000'000U);
    expect_error<DataError>([&] { read_text("1 1000000:1\n", zero); }, {"at most 999999 where"});
}

TEST(Libsvm, ColumnNamesDoNotApply) {
    ReaderOptions options = libsvm_options();
    options.table.label = "y";
    options.table.ignore = {"z"};
    expect_error<ConfigError>([&] { open_text("1 1:1\n", options); },
                              {"--label: LIBSVM has no named columns", "--ignore"});
    options = libsvm_options();
    options.libsvm.dimension = Index{1} << 40U;
    expect_error<ConfigError>([&] { open_text("1 1:1\n", options); }, {"--dimension", "above the limit"});
}

// ---------------------------------------------------------------- format detection

TEST(Detect, ByContent) {
    ReaderOptions options;
    options.target.kind = TargetKind::none;
    for (const char* text : {"1 1:2\n", "# c\n\n-1 qid:1 2:3\n", "  +1\t3:4 5:6", "1.5 10:1"}) {
        EXPECT_TRUE(open_text(text, options)->sparse()) << text;
    }
    for (const char* text : {"a,b\n1,2\n", "a;b\n1;2\n", "time a\tb\n1\t2\n", "when 12:30,b\n1,2\n"}) {
        EXPECT_EQ(read_text(text, options).rows(), 1U) << text;
    }
    EXPECT_EQ(open_text("#id,b\n1,2\n", csv_options("b"))->feature_names()[0], "#id");
    expect_error<DataError>(
        [&] { open_text("hello world\n1 2\n", options); },
        {"t:1", "cannot tell the format from the line 'hello world'", "--format csv|json|libsvm"});
    expect_error<DataError>([&] { open_text("", options); }, {"t: ", "no rows"});
    expect_error<DataError>([&] { open_text("\n# only this\n", options); }, {"no rows"});
}

// ---------------------------------------------------------------- numbers

TEST(Numbers, AgreeWithStrtodToTheLastBit) {
    std::mt19937_64 random(7);
    char text[512];
    const auto check = [&](const std::string& number) {
        Real value = 0;
        ASSERT_TRUE(parse_whole_number(number, value)) << number;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(value),
                  std::bit_cast<std::uint64_t>(std::strtod(number.c_str(), nullptr)))
            << number;
    };
    for (int i = 0; i < 100'000; ++i) {
        const Real uniform = static_cast<Real>(random()) / 1.8e19;
        const int digits = static_cast<int>(random() % 20);
        switch (random() % 5) {
            case 0:
                std::snprintf(text, sizeof text, "%.*f", digits, (uniform - 0.5) * std::pow(10, digits % 9));
                break;
            case 1:
                std::snprintf(text, sizeof text, "%.*e", digits, uniform - 0.5);
                break;
            case 2: {
                const Real any = std::bit_cast<Real>(random());
                if (!std::isfinite(any)) continue;
                std::snprintf(text, sizeof text, "%.17g", any);
                break;
            }
            case 3:
                std::snprintf(text, sizeof text, "%llu.%llu",
                              static_cast<unsigned long long>(random() % 1000000),
                              static_cast<unsigned long long>(random()));
                break;
            default:
                std::snprintf(text, sizeof text, "%llu",
                              static_cast<unsigned long long>(random() >> random() % 64));
        }
        check(text);
    }
    for (const char* edge :
         {"0", "-0", "+0.0", "9007199254740993", "999999999999999", "1000000000000000", ".5", "5.",
          "000000000000000000000001.5", "0.000000000000000000000000000001", "2.2250738585072011e-308",
          "5e-324", "2e-324", "1e-400", "-1e-400", "1.7976931348623157e308", "123456789012345e-330"}) {
        check(edge);
    }
    check("0." + std::string(400, '0') + "1");
    check(std::string(300, '9'));
    check("0." + std::string(400, '0') + "1e390");
    Real value = 0;
    for (const std::string& bad :
         {std::string(400, '9'), std::string("1e309"), std::string("-1e99999999999")}) {
        EXPECT_FALSE(parse_whole_number(bad, value)) << bad;
    }
}

}  // namespace
}  // namespace proxstream
