/// Bytes and lines: gzip, pipes, limits, several files, real data; standardisation and built-in streams.
#include "run/reader_support.hpp"
#include "run/standardiser.hpp"
#include "run/synthetic.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include <sys/stat.h>
#include <zlib.h>

namespace proxstream {
namespace {

using namespace testing;

std::string gzip(const std::string& bytes) {
    z_stream zlib{};
    EXPECT_EQ(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&zlib, bytes.size()) + 64, '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib.avail_in = static_cast<uInt>(bytes.size());
    zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
    zlib.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    packed.resize(zlib.total_out);
    deflateEnd(&zlib);
    return packed;
}

std::string many_rows(int count) {
    std::string text = "a,y\n";
    for (int i = 0; i < count; ++i) text += std::to_string(i) + ".25," + std::to_string(i % 7) + "\n";
    return text;
}

// ---------------------------------------------------------------- lines

std::vector<std::string> lines_of(const std::string& text, std::size_t piece) {
    LineReader lines(memory_input("t", text, piece).open());
    std::vector<std::string> all;
    std::string_view line;
    while (lines.next(line)) {
        all.emplace_back(line);
        EXPECT_EQ(lines.line(), all.size());
    }
    return all;
}

TEST(Lines, EveryEndingInEveryPiece) {
    using Lines = std::vector<std::string>;
    for (const std::size_t piece : {1U, 2U, 3U, 100U}) {
        EXPECT_EQ(lines_of("", piece), Lines{});
        EXPECT_EQ(lines_of("a", piece), Lines{"a"});
        EXPECT_EQ(lines_of("a\r\nb\n\nc\r", piece), (Lines{"a", "b", "", "c"}));
        EXPECT_EQ(lines_of("\xef\xbb\xbfx\n\xef\xbb\xbfy\n", piece), (Lines{"x", "\xef\xbb\xbfy"}));
        EXPECT_EQ(lines_of("\n", piece), Lines{""});
    }
}

TEST(Lines, LongerThanTheBufferButWithinTheLimit) {
    const std::string line(1'000'000, '7');
    EXPECT_EQ(lines_of("x\n" + line + "\ny\n", 100'000), (std::vector<std::string>{"x", line, "y"}));
}

TEST(Lines, TooLongIsRefusedWithBoundedMemoryAndTheNextIsRead) {
    const std::size_t limit = 1'000'000;
    const std::string text = "first\n" + std::string(30'000'000, 'x') + "\nlast\n";
    LineReader lines(memory_input("t", text).open(), limit);
    std::string_view line;
    ASSERT_TRUE(lines.next(line));
    expect_error<DataError>([&] { lines.next(line); }, {"t:2", "longer than the limit of 1000000 bytes"});
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, "last");
    EXPECT_EQ(lines.line(), 3U);
    EXPECT_FALSE(lines.next(line));
    EXPECT_LE(lines.capacity(), 4 * limit);
}

TEST(Lines, TheLimitDoesNotDependOnHowBytesArrive) {
    for (const std::size_t piece : {1U, 5U, 1000U}) {
        LineReader lines(memory_input("t", "12345\n123456\n12345", piece).open(), 5);
        std::string_view line;
        EXPECT_TRUE(lines.next(line));
        EXPECT_THROW(lines.next(line), DataError);
        EXPECT_TRUE(lines.next(line));
        EXPECT_EQ(lines.line(), 3U);
        EXPECT_FALSE(lines.next(line));
    }
}

TEST(Lines, BinaryIsNamedWithItsOffset) {
    LineReader lines(memory_input("t", std::string("ab\ncd\0e\nfg\n", 11)).open());
    std::string_view line;
    ASSERT_TRUE(lines.next(line));
    expect_error<DataError>([&] { lines.next(line); },
                            {"t:2", "looks like a binary file", "offset 5", "UTF-8"});
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, "fg");
    LineReader huge(memory_input("t", std::string(5000, '\0')).open(), 1000);
    expect_error<DataError>([&] { huge.next(line); }, {"looks like a binary file", "offset 0"});
}

TEST(Lines, AFloodOfBlankLinesIsRefused) {
    const std::string blanks = "\n \r\n\t\n\r\n";
    const auto read = [&](Index blank_lines, const std::string& after) {
        std::string text = "x\n";
        for (Index i = 0; i < blank_lines; i += 4) text += blanks;
        LineReader lines(memory_input("t", text + after).open());
        std::string_view line;
        std::uint64_t count = 0;
        while (lines.next(line)) ++count;
        return count;
    };
    EXPECT_EQ(read(1'000'000, "y\n"), 1'000'002U);
    expect_error<DamagedFile>(
        [&] { read(2'000'000, "y\n"); },
        {"t:1000002", "more than 1000000 blank lines follow each other; expected rows"});
    // Nothing is read behind them, so a reader that skips errors ends soon.
    LineReader lines(memory_input("t", std::string(3'000'000, '\n')).open());
    std::string_view line;
    EXPECT_THROW(while (lines.next(line)){}, DamagedFile);
    EXPECT_FALSE(lines.next(line));
}

// ---------------------------------------------------------------- gzip

TEST(Gzip, FoundByContentAndJoinedMembersAreOneStream) {
    const std::string text = many_rows(20'000);
    const std::size_t half = text.find('\n', text.size() / 2) - 3;
    const std::string padded =
        gzip(text.substr(0, half)) + gzip("") + std::string(100, '\0') + gzip(text.substr(half));
    for (const std::string& packed : {gzip(text), padded}) {
        for (const std::size_t piece : {1U, 1U << 18U}) {
            EXPECT_EQ(read_all(*open_text(packed, csv_options("y"), piece)).rows(), 20'000U);
        }
    }
    const TemporaryFile file(gzip("1 1:1\n2 5:2\n"));
    const auto reader = open_rows({file.path()}, libsvm_options());
    EXPECT_EQ(reader->features(), 5U);
    EXPECT_EQ(read_all(*reader).rows(), 2U);
}

TEST(Gzip, DamageIsReportedAfterTheIntactRows) {
    const std::string text = many_rows(200'000);
    const std::string packed = gzip(text);
    const auto read_damaged = [&](const std::string& bytes, const char* part) {
        const auto reader = open_text(bytes, csv_options("y"));
        RowBlock block;
        expect_error<DamagedFile>(
            [&] {
                while (reader->read_row(block)) {
                }
            },
            {"t: ", part, "at byte"});
        EXPECT_FALSE(reader->read_row(block));
        for (Index i = 0; i < block.rows(); ++i) EXPECT_EQ(block.values(i)[0], static_cast<Real>(i) + 0.25);
        return block.rows();
    };
    EXPECT_GT(read_damaged(packed.substr(0, packed.size() / 2), "ends in the middle"), 50'000U);
    EXPECT_GT(read_damaged(packed.substr(0, packed.size() - 1), "ends in the middle"), 150'000U);
    EXPECT_EQ(read_damaged(packed + "rest", "other bytes follow"), 200'000U);
    std::string flipped = packed;
    flipped[packed.size() - 6] = static_cast<char>(flipped[packed.size() - 6] ^ 1);  // the checksum
    read_damaged(flipped, "damaged");
    expect_error<DamagedFile>([&] { open_text(packed.substr(0, 2), csv_options("y")); },
                              {"ends in the middle"});
}

TEST(Gzip, DeliversArrivedRowsWithoutWaiting) {
    // Long runs inflate to far more than one block: all of it must come although the input is at its end.
    const std::string text = "a,y\n" + std::string(3'000'000, ' ') + "1,2\n3,4\n";
    const std::string packed = gzip(text);
    const auto rows_of = [](const std::string& bytes, std::size_t piece) {
        const auto reader = open_text(bytes, csv_options("y"), piece);
        RowBlock block;
        EXPECT_THROW(while (reader->read_row(block)){}, DamagedFile);
        return block.rows();
    };
    for (const std::size_t piece : {1U, 100'000U})
        EXPECT_EQ(rows_of(packed.substr(0, packed.size() - 8), piece), 2U);
}

TEST(Files, CutInTheMiddleOfALine) {
    const std::string text = "a,b,y\n1,2,3\n4,5,6\n7,8";
    const auto reader = open_text(text, csv_options("y"));
    RowBlock block;
    EXPECT_TRUE(reader->read_row(block) && reader->read_row(block));
    expect_error<DataError>([&] { reader->read_row(block); }, {"t:4", "the row has 2 columns", "expected 3"});
    EXPECT_FALSE(reader->read_row(block));
    EXPECT_EQ(block.rows(), 2U);
}

// ---------------------------------------------------------------- files

TEST(Files, TroubleWithTheFileItselfIsAnIoError) {
    expect_error<IoError>([] { open_rows({"/no/such/file.csv"}, csv_options("y")); },
                          {"/no/such/file.csv", "cannot open", "No such file"});
    const std::string folder = std::filesystem::temp_directory_path().string();
    expect_error<IoError>([&] { open_rows({folder}, csv_options("y")); },
                          {folder, "cannot read", "directory"});
    const TemporaryFile good("a,y\n1,2\n");
    // A missing second file is reported before the first is read.
    expect_error<IoError>([&] { open_rows({good.path(), "/no/such"}, csv_options("y")); }, {"/no/such"});
    expect_error<ConfigError>([] { open_rows({"-", "-"}, csv_options("y")); }, {"only once"});
}

TEST(Files, WithoutPermission) {
    if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read every file";
    const TemporaryFile file("a,y\n1,2\n");
    ::chmod(file.path().c_str(), 0);
    expect_error<IoError>([&] { open_rows({file.path()}, csv_options("y")); }, {"Permission denied"});
}

TEST(Files, EmptyAndHeaderOnly) {
    expect_error<DamagedFile>([] { open_text("", csv_options("y")); }, {"t: ", "no rows", "column names"});
    expect_error<DamagedFile>([] { read_text("a,y\n", csv_options("y")); }, {"t: ", "no rows"});
    expect_error<DamagedFile>([] { read_text("a,y\r\n\r\n\r\n", csv_options("y")); }, {"no rows"});
    expect_error<DamagedFile>([] { read_text("", libsvm_options()); }, {"no rows"});
    expect_error<DamagedFile>([] { read_text("# nothing\n", libsvm_options()); }, {"no rows"});
}

TEST(Files, SeveralInOrderWithOneHeader) {
    const auto open_parts = [](const std::vector<std::string>& parts, const ReaderOptions& options) {
        std::vector<Input> inputs;
        for (const std::string& part : parts)
            inputs.push_back(memory_input("f" + std::to_string(inputs.size()), part));
        return open_inputs(std::move(inputs), options);
    };
    const ReaderOptions options = csv_options("y");
    const auto reader = open_parts({"a,y\n1,2", "a;y\r\n3;4\r\n", gzip("a,y\n5,6\n")}, options);
    RowBlock block;
    ASSERT_TRUE(reader->read_row(block) && reader->read_row(block));
    EXPECT_EQ(reader->source(), "f1");
    EXPECT_EQ(reader->line(), 2U);
    ASSERT_TRUE(reader->read_row(block));
    EXPECT_FALSE(reader->read_row(block));
    EXPECT_FALSE(reader->read_row(block));
    EXPECT_EQ(block.target(2), 6);

    const auto refuse = [&](const std::string& second, const std::vector<std::string>& parts) {
        const auto broken = open_parts({"a,y\n1,2\n", second, "a,y\n3,4\n"}, options);
        RowBlock rows;
        ASSERT_TRUE(broken->read_row(rows));
        expect_error<DamagedFile>([&] { broken->read_row(rows); }, parts);
        ASSERT_TRUE(broken->read_row(rows));  // the file after it
        EXPECT_EQ(broken->source(), "f2");
        EXPECT_FALSE(broken->read_row(rows));
    };
    refuse("a,z\n1,2\n", {"f1:1, column 2", "called 'z'", "'y' as in f0"});
    refuse("a,y,z\n1,2,3\n", {"3 columns", "'z' is new", "expected 2 as in f0"});
    refuse("a\n1\n", {"1 columns", "'y' is missing"});
    refuse("", {"f1", "empty"});
    refuse("a,y\n", {"f1", "no rows"});

    EXPECT_EQ(open_parts({"1 1:1\n", "1 9:1\n"}, libsvm_options())->features(), 9U);
    ReaderOptions plain = csv_options("c2");
    plain.table.header = false;
    EXPECT_EQ(read_all(*open_parts({"1,2\n3,4\n", "5,6\n"}, plain)).rows(), 3U);
}

// ---------------------------------------------------------------- pipes

struct Pipe {
    Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
    ~Pipe() {
        finish();
        ::close(ends[0]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void write(const std::string& text) const {
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void finish() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    std::string path() const { return "/dev/fd/" + std::to_string(ends[0]); }
    std::array<int, 2> ends{};
};

TEST(Pipes, ARowArrivesBeforeTheStreamEnds) {
    Pipe pipe;
    pipe.write("a,y\n1,2\n3,");
    // Nothing else is written until the row is here: a reader that waits for a full block would hang.
    const auto reader = open_rows({pipe.path()}, csv_options("y"));
    RowBlock block;
    ASSERT_TRUE(reader->read_row(block));
    EXPECT_EQ(block.target(0), 2);
    std::thread writer([&] { pipe.write("4\n5,6\n"); });
    ASSERT_TRUE(reader->read_row(block));
    writer.join();
    EXPECT_EQ(block.target(1), 4);
    pipe.finish();
    ASSERT_TRUE(reader->read_row(block));
    EXPECT_FALSE(reader->read_row(block));
}

TEST(Pipes, LibsvmNeedsTheDimension) {
    Pipe pipe;
    pipe.write("1 1:1\n");
    expect_error<ConfigError>([&] { open_rows({pipe.path()}, libsvm_options()); },
                              {pipe.path(), "only once", "--dimension N"});
    ReaderOptions options = libsvm_options();
    options.libsvm.dimension = 3;
    const auto reader = open_rows({pipe.path()}, options);
    RowBlock block(true);
    EXPECT_TRUE(reader->read_row(block));
}

TEST(Pipes, AStopFlagEndsTheWaitAndDropsTheHalfLine) {
    Pipe pipe;
    pipe.write("a,y\n1,2\n3,4");
    std::atomic<bool> stop{false};
    ReaderOptions options = csv_options("y");
    options.stop = &stop;
    const auto reader = open_rows({pipe.path()}, options);
    RowBlock block;
    ASSERT_TRUE(reader->read_row(block));
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        stop = true;
    });
    EXPECT_FALSE(reader->read_row(block));
    stopper.join();
    EXPECT_EQ(block.rows(), 1U);
}

// ---------------------------------------------------------------- real files

std::string real_file(const std::string& name) {
    const char* folder = std::getenv("PROXSTREAM_DATA");
    return std::string(folder != nullptr ? folder : "../shared/data") + "/" + name;
}

struct RealFile {
    const char* path;
    ReaderOptions options;
    Index rows;
    Index features;
};

TEST(RealData, HasTheKnownShapes) {
    ReaderOptions etth = csv_options("OT");
    etth.table.ignore = {"date"};
    const ReaderOptions sparse = libsvm_options(TargetKind::sign);
    std::vector<RealFile> files = {
        {"streams/electricity.csv", csv_options("class", TargetKind::sign), 45'312, 6},
        {"streams/phishing.csv.gz", csv_options("is_phishing", TargetKind::sign), 1'250, 9},
        {"streams/trump_approval.csv.gz", csv_options("five_thirty_eight"), 1'001, 6},
        {"streams/ETTh1.csv", etth, 17'420, 6},
        {"offline/a9a.libsvm.gz", sparse, 32'561, 123},
    };
    for (RealFile& file : files) {
        const std::string path = real_file(file.path);
        if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here (PROXSTREAM_DATA)";
        file.options.format = RowFormat::detect;
        const auto reader = open_rows({path}, file.options);
        EXPECT_EQ(reader->features(), file.features) << path;
        EXPECT_EQ(read_all(*reader).rows(), file.rows) << path;
    }
    expect_error<DataError>([] { read_all(*open_rows({real_file("streams/ETTh1.csv")}, csv_options("OT"))); },
                            {"ETTh1.csv:2, column 1 (date)", "'2016-07-01 00:00:00'", "--text date"});
}

// ---------------------------------------------------------------- standardisation

TEST(StandardiserTest, MatchesTheTwoPassFormulaOnEveryPrefix) {
    const SyntheticReader source({.rows = 200, .features = 3, .active = 1});
    Standardiser standardiser(3);
    std::vector<std::vector<Real>> seen;
    std::vector<Real> out(3);
    for (std::uint64_t t = 1; t <= 200; ++t) {
        std::vector<Real> row(3);
        source.row(t, row);
        row[0] = 1e6 + row[0];
        row[2] = 0.1;  // constant, and not exact in binary
        seen.push_back(row);
        standardiser.update(row);
        standardiser.transform(row, out);
        for (Index i = 0; i < 3; ++i) {
            Real mean = 0;
            Real square = 0;
            for (const auto& r : seen) mean += r[i] / static_cast<Real>(t);
            for (const auto& r : seen) square += (r[i] - mean) * (r[i] - mean) / static_cast<Real>(t);
            EXPECT_NEAR(out[i], t == 1 || i == 2 ? 0 : (row[i] - mean) / std::sqrt(square), 1e-6);
        }
    }
    EXPECT_EQ(out[2], 0);
}

TEST(StandardiserTest, ContinuesFromItsState) {
    Standardiser first(2);
    first.update(std::vector<Real>{1, 5});
    first.update(std::vector<Real>{3, 5});
    const Standardiser second(first.state());
    std::vector<Real> out(2);
    second.transform(std::vector<Real>{1, 5}, out);
    EXPECT_EQ(out, (std::vector<Real>{-1, 0}));
    expect_error<DataError>(
        [&] {
            first.update(std::vector<Real>{1, 1e200});
        },
        {"column 2", "too large", "1e140"});
    EXPECT_EQ(first.state().count, 2U);
    expect_error<ConfigError>([] { Standardiser(Standardiser::State{1, {0}, {-1}}); }, {"m2"});
}

TEST(StandardiserTest, TheNextRowIsScaledAsIfItCounted) {
    Standardiser counted(1);
    for (const Real value : {0.3, -7.1, 12.9, 1e-3}) {
        const std::vector<Real> row{value};
        std::vector<Real> next(1);
        std::vector<Real> then(1);
        counted.transform_next(row, next);
        counted.update(row);
        counted.transform(row, then);
        EXPECT_EQ(next, then);
    }
}

// ---------------------------------------------------------------- built-in streams

TEST(Synthetic, IsAPureFunctionOfSeedAndRow) {
    ReaderOptions options;
    const auto reader = open_rows({"builtin:drift,rows=300,features=20,seed=4,active=4,jump=100"}, options);
    const RowBlock block = read_all(*reader);
    ASSERT_EQ(block.rows(), 300U);
    EXPECT_EQ(reader->features(), 20U);
    EXPECT_EQ(reader->source(), "builtin:drift");
    EXPECT_EQ(reader->feature_names()[19], "x20");
    const SyntheticReader same({.rows = 300, .features = 20, .seed = 4, .active = 4, .jump = 100});
    const SyntheticReader other({.rows = 300, .features = 20, .seed = 5, .active = 4, .jump = 100});
    std::vector<Real> row(20);
    EXPECT_EQ(same.row(250, row), block.target(249));
    EXPECT_TRUE(std::equal(row.begin(), row.end(), block.values(249).begin()));
    EXPECT_NE(other.row(250, row), block.target(249));
}

TEST(Synthetic, WeightsAreSparseAndMoveAsDeclared) {
    const auto support_change = [](const SyntheticReader& reader, std::uint64_t s, std::uint64_t t) {
        std::vector<Real> a(reader.features());
        std::vector<Real> b(reader.features());
        reader.weights(s, a);
        reader.weights(t, b);
        EXPECT_EQ(std::count_if(a.begin(), a.end(), [](Real w) { return w != 0; }), 6);
        int changed = 0;
        Real distance = 0;
        for (Index i = 0; i < a.size(); ++i) {
            changed += (a[i] != 0) != (b[i] != 0) ? 1 : 0;
            distance += (a[i] - b[i]) * (a[i] - b[i]);
        }
        return std::pair(changed, std::sqrt(distance));
    };
    SyntheticOptions options{.features = 600, .active = 6, .jump = 100, .period = 5000};
    const SyntheticReader drift(options);
    EXPECT_EQ(support_change(drift, 1, 100).first, 0);
    EXPECT_GT(support_change(drift, 1, 2).second, 0);
    EXPECT_LT(support_change(drift, 1, 2).second, 0.01);
    EXPECT_EQ(support_change(drift, 100, 101).first,
              6);  // three of six places change: three leave, three come
    options.kind = SyntheticKind::iid;
    EXPECT_EQ(support_change(SyntheticReader(options), 1, 4000).second, 0);
    options.kind = SyntheticKind::swap;
    EXPECT_GT(support_change(SyntheticReader(options), 100, 101).second, 1);
    EXPECT_EQ(support_change(SyntheticReader(options), 1, 201).second, 0);
    options.kind = SyntheticKind::season;
    EXPECT_EQ(support_change(SyntheticReader(options), 1, 2500).first, 0);
    EXPECT_GT(support_change(SyntheticReader(options), 1, 1250).second, 0.1);
    EXPECT_EQ(support_change(SyntheticReader(options), 1, 5001).second, 0);
}

TEST(Synthetic, NoiseIsHeavyTailed) {
    const SyntheticReader reader({.kind = SyntheticKind::iid, .rows = 4000, .features = 5, .active = 2});
    std::vector<Real> row(5);
    std::vector<Real> w(5);
    int gross = 0;
    int small = 0;
    for (std::uint64_t t = 1; t <= 4000; ++t) {
        Real gap = reader.row(t, row);
        reader.weights(t, w);
        for (Index i = 0; i < 5; ++i) gap -= w[i] * row[i];
        gross += std::abs(gap) > 2 ? 1 : 0;
        small += std::abs(gap) < 0.3 ? 1 : 0;
    }
    EXPECT_GT(gross, 40);  // 2 % of the rows have errors of scale 10
    EXPECT_LT(gross, 120);
    EXPECT_GT(small, 3400);
}

TEST(Synthetic, SignsAndRefusals) {
    ReaderOptions options;
    options.target.kind = TargetKind::sign;
    const RowBlock signs = read_all(*open_rows({"builtin:iid,rows=50"}, options));
    for (const Real y : signs.targets()) EXPECT_EQ(std::abs(y), 1);
    options = {};
    expect_error<ConfigError>([&] { open_rows({"builtin:dirft"}, options); },
                              {"unknown built-in stream 'dirft'", "did you mean 'drift'", "season"});
    expect_error<ConfigError>([&] { open_rows({"builtin:drift,row=5"}, options); }, {"'row='", "'rows='"});
    expect_error<ConfigError>([&] { open_rows({"builtin:drift,rows=-5"}, options); }, {"rows = '-5'"});
    expect_error<ConfigError>(
        [&] { open_rows({"builtin:drift,rows=0,active=9,features=3,outliers=2"}, options); },
        {"rows must be", "active must be", "outliers is a share"});
    expect_error<ConfigError>([&] { open_rows({"builtin:drift", "-"}, options); }, {"cannot be combined"});
    options.table.label = "y";
    expect_error<ConfigError>([&] { open_rows({"builtin:drift"}, options); },
                              {"--label", "no named columns"});
    options = {};
    options.target.kind = TargetKind::category;
    expect_error<ConfigError>([&] { open_rows({"builtin:drift"}, options); }, {"not a category"});
}

}  // namespace
}  // namespace proxstream
