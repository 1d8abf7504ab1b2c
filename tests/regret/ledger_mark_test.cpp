/// Ledgers that are continued after a mark.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "regret/ledger_writer.hpp"
#include "regret/naive_run.hpp"
#include "regret/temporary_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Plan;
using naive::Played;

void write_rows(LedgerWriter& writer, const Played& run, Index first, Index last) {
    for (Index row = first; row < last; ++row) writer.write(run.reports[row], run.extras(row));
}

/// Reads up to the row, header only for 0.
LedgerMark mark_after(const std::string& path, Index rows) {
    LedgerReader reader(path);
    for (Index row = 0; row < rows; ++row) reader.next();
    return reader.mark();
}

TEST(LedgerMark, AContinuedLedgerIsTheOneWrittenAtOnce) {
    Plan plan{.n = 2, .w = 3, .rounds = 12};
    plan.also = {1};
    plan.refused = {4, 7};
    const Played run = play(plan);
    TemporaryFile file;
    {
        LedgerWriter writer(file.name(), run.header);
        write_rows(writer, run, 0, run.reports.size());
        writer.finish(run.footer);
    }
    const std::string whole = file.text();
    for (Index cut = 0; cut <= run.reports.size(); ++cut) {
        LedgerWriter first(file.name(), run.header, 3);
        write_rows(first, run, 0, cut);
        const LedgerMark written = first.mark();
        first.finish(run.footer);
        const LedgerMark read = mark_after(file.name(), cut);
        EXPECT_EQ(read.bytes, written.bytes);
        EXPECT_EQ(read.lines, cut + 1);
        EXPECT_EQ(read.digest, written.digest);
        LedgerWriter second(file.name(), run.header, read);
        write_rows(second, run, cut, run.reports.size());
        second.finish(run.footer);
        EXPECT_EQ(file.text(), whole) << cut;
    }
}

TEST(LedgerMark, RoundsHaveToFollow) {
    const Played run = play(Plan{.n = 2, .w = 3, .rounds = 6});
    TemporaryFile file;
    LedgerWriter first(file.name(), run.header);
    write_rows(first, run, 0, 3);
    first.finish(run.footer);
    LedgerWriter second(file.name(), run.header, mark_after(file.name(), 3));
    EXPECT_THROW(second.write(run.reports[4], run.extras(4)), DataError);
    EXPECT_NO_THROW(second.write(run.reports[3], run.extras(3)));
}

TEST(LedgerMark, AChangedFileIsNotContinued) {
    const Played run = play(Plan{.n = 2, .w = 3, .rounds = 6});
    TemporaryFile file;
    {
        LedgerWriter writer(file.name(), run.header);
        write_rows(writer, run, 0, 6);
        writer.finish(run.footer);
    }
    const LedgerMark mark = mark_after(file.name(), 5);
    std::string text = file.text();
    text[text.size() / 3] = '#';
    std::ofstream(file.name(), std::ios::binary) << text;
    EXPECT_THROW(LedgerWriter(file.name(), run.header, mark), DataError);
    EXPECT_EQ(file.text(), text);
    std::ofstream(file.name(), std::ios::binary) << text.substr(0, mark.bytes / 2);
    EXPECT_THROW(LedgerWriter(file.name(), run.header, mark), DataError);
    EXPECT_EQ(file.text().size(), mark.bytes / 2);
    EXPECT_THROW(LedgerWriter(file.name() + ".none", run.header, mark), IoError);
}

}  // namespace
}  // namespace proxstream
