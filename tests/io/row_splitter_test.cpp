/// Rows cut into fields, and fields written: a character at a time by the definition, and by RowSplitter.
#include "io/row_splitter.hpp"

#include <optional>
#include <random>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Fields = std::vector<std::string>;

/// Reads `text` to its end, each record with `max_lines`; an error is a record of one field.
std::vector<Fields> split_all(const std::string& text, char delimiter, Index max_lines = 1) {
    LineReader lines(memory_input("t", text, 3).open());
    RowSplitter splitter(delimiter);
    std::vector<Fields> records;
    std::string_view record;
    while (lines.next(record)) {
        try {
            const auto& fields = splitter.split(record, lines, max_lines);
            records.emplace_back(fields.begin(), fields.end());
        } catch (const DataError& error) {
            records.push_back({error.what()});
        }
    }
    return records;
}

bool blank(char c, char delimiter) {
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

void skip_blanks(const std::string& record, char delimiter, std::size_t& at) {
    while (at < record.size() && blank(record[at], delimiter)) ++at;
}

/// The field whose opening quote stands at `at`, which moves behind the closing one; nothing if there is
/// none.
std::optional<std::string> naive_quoted(const std::string& record, std::size_t& at) {
    std::string field;
    for (++at; at < record.size(); ++at) {
        if (record[at] == '"') {
            if (at + 1 == record.size() || record[at + 1] != '"') {
                ++at;
                return field;
            }
            ++at;
        }
        field += record[at];
    }
    return std::nullopt;
}

/// The field up to the delimiter or the end, to which `at` moves; blanks behind it do not belong to it.
template <class Ends>
std::string naive_plain(const std::string& record, const Ends& ends, std::size_t& at) {
    std::string field;
    while (at < record.size() && !ends(record[at])) field += record[at++];
    while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.pop_back();
    return field;
}

/// The definition, a character at a time; nothing for a record that is refused.
std::optional<Fields> naive_split(const std::string& record, char delimiter) {
    Fields fields;
    std::size_t at = 0;
    const auto ends = [&](char c) { return delimiter == ' ' ? blank(c, delimiter) : c == delimiter; };
    for (;;) {
        skip_blanks(record, delimiter, at);
        if (at == record.size() && delimiter == ' ') return fields;
        std::string field;
        if (at < record.size() && record[at] == '"') {
            const auto quoted = naive_quoted(record, at);
            if (!quoted) return std::nullopt;
            field = *quoted;
            if (delimiter != ' ') skip_blanks(record, delimiter, at);
            if (at < record.size() && !ends(record[at])) return std::nullopt;
        } else {
            field = naive_plain(record, ends, at);
        }
        fields.push_back(field);
        if (at == record.size()) return fields;
        ++at;
    }
}

TEST(RowSplitter, AgreesWithTheDefinitionOnRandomRecords) {
    std::mt19937_64 random(7);
    constexpr std::string_view kLetters = "ab\"\"  \t,,;";
    Index refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string record = "x";  // no record is blank
        for (std::size_t size = random() % 12; size > 0; --size)
            record += kLetters[random() % kLetters.size()];
        if (random() % 2 == 0) record = record.substr(1) + "x";
        for (const char delimiter : {',', ';', '\t', ' '}) {
            const auto expected = naive_split(record, delimiter);
            const std::vector<Fields> found = split_all(record, delimiter);
            ASSERT_EQ(found.size(), 1U);
            if (expected) {
                EXPECT_EQ(found[0], *expected) << record << " at '" << delimiter << "'";
            } else {
                ++refused;
                EXPECT_NE(found[0][0].find("quote"), std::string::npos) << record;
            }
        }
    }
    EXPECT_GT(refused, 1000U);
}

TEST(RowSplitter, LineBreaksInQuotesJoinLines) {
    EXPECT_EQ(split_all("a,\"b\nc\"\nd,e\n", ',', 3), (std::vector<Fields>{{"a", "b\nc"}, {"d", "e"}}));
    // After a quote that stays open for too long, the lines below it are read as rows.
    const std::vector<Fields> found = split_all("a,\"b\nc\nd\n\"e\"\n", ',', 3);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(
        found[0][0],
        "t:1, column 2: the quote that opens here is not closed; expected a closing quote within 3 lines");
    EXPECT_EQ(found[1], Fields{"c"});
    EXPECT_EQ(found[3], Fields{"e"});
}

TEST(RowSplitter, ErrorsNameLineAndColumn) {
    EXPECT_EQ(
        split_all("a,\"b\nc\n", ','),
        (std::vector<Fields>{
            {"t:1, column 2: the quote that opens here is not closed; expected a closing quote"}, {"c"}}));
    EXPECT_EQ(
        split_all("a\n\"b\" c,\"d\"e\n", ',')[1],
        (Fields{"t:2, column 1: text follows the closing quote; expected a delimiter there, and \"\" for a "
                "quote inside a quoted field"}));
}

TEST(RowSplitter, TheMostFrequentCandidateOutsideQuotesIsTheDelimiter) {
    EXPECT_EQ(find_delimiter("a;b;c,d", ' '), ';');
    EXPECT_EQ(find_delimiter("\"a;b;c\",d", ' '), ',');
    EXPECT_EQ(find_delimiter("a\tb", ' '), '\t');
    EXPECT_EQ(find_delimiter("a b", ' '), ' ');
    EXPECT_EQ(find_delimiter("a", ','), ',');
}

TEST(CsvField, RoundTrips) {
    std::mt19937_64 random(8);
    constexpr std::string_view kLetters = "ab\"\n\r ,;\t";
    for (int i = 0; i < 5'000; ++i) {
        Fields fields;
        std::string line;
        for (std::size_t count = 1 + random() % 4; count > 0; --count) {
            std::string& field = fields.emplace_back();
            for (std::size_t size = random() % 6; size > 0; --size)
                field += kLetters[random() % kLetters.size()];
            if (!line.empty() || fields.size() > 1) line += ',';
            append_csv_field(line, field);
        }
        if (line.empty()) continue;
        EXPECT_EQ(split_all(line + "\n", ',', 100), std::vector<Fields>{fields}) << line;
    }
    std::string plain;
    append_csv_field(plain, "a b;c");
    EXPECT_EQ(plain, "a b;c");
}

}  // namespace
}  // namespace proxstream
