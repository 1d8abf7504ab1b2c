#include "route/reconcile.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "route/check_list.hpp"
#include "route/csv_table.hpp"
#include "route/route_tables.hpp"
#include "route/small_run.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using testing::SmallRun;

/// A table as text, cell by cell.
struct TextCells {
    std::vector<std::vector<std::string>> rows;

    TextCells(const std::string& path, std::span<const std::string_view> columns) {
        rows.emplace_back(columns.begin(), columns.end());
        CsvTable table(path, columns);
        while (table.next()) {
            rows.emplace_back();
            for (Index i = 0; i < columns.size(); ++i) rows.back().emplace_back(table.text(i));
        }
    }
    std::string text() const {
        std::string all;
        for (const auto& row : rows) {
            for (Index i = 0; i < row.size(); ++i) {
                std::string field = row[i];
                if (field.find_first_of(",\"") != std::string::npos) {
                    std::string escaped = "\"";
                    for (const char c : field) escaped += c == '"' ? "\"\"" : std::string(1, c);
                    field = escaped + "\"";
                }
                all += (i == 0 ? "" : ",") + field;
            }
            all += "\n";
        }
        return all;
    }
};

/// What is wrong with a folder, or nothing.
std::string find_fault(const std::string& folder) {
    try {
        const ReconcileResult result = reconcile(folder);
        for (const ReconcileCheck& check : result.checks) {
            if (!check.holds) return check.name + ": " + check.where;
        }
        return "";
    } catch (const DataError& error) {
        return error.what();
    }
}

bool is_number(const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789.e+-") == std::string::npos &&
           cell.find_first_of("0123456789") != std::string::npos;
}

std::string another(const std::string& cell, bool whole) {
    if (whole) return std::to_string(std::stoull(cell) + 1);
    std::ostringstream out;
    out.precision(17);
    out << std::stod(cell) * 1.001 + 0.01;
    return out.str();
}

struct Table {
    std::string_view file;
    std::span<const std::string_view> columns;
    std::set<std::string_view> whole;        // columns of whole numbers
    std::set<std::string_view> informative;  // columns that nothing else in the folder says anything about
};

std::vector<Table> all_tables() {
    using namespace route_tables;
    return {
        // How the learner got there: the ledger says it again, and has a check of its own.
        {kPeriods.file,
         kPeriods.columns,
         {"period", "overloaded", "paths_used", "paths_changed", "steps", "epoch", "alarms_open"},
         {"entry_residual", "exit_residual", "tolerance", "steps"}},
        {kFlows.file, kFlows.columns, {"period", "link"}, {}},
        {kSplits.file, kSplits.columns, {"period", "path"}, {}},
        {kDemand.file, kDemand.columns, {"period", "pair"}, {}},
        // Times follow from costs, which the folder only names.
        {kLinks.file, kLinks.columns, {"link"}, {"free_time"}},
        {kPairs.file, kPairs.columns, {"pair"}, {}},
        // Slots are where the program keeps a path.
        {kPaths.file, kPaths.columns, {"path", "slot", "pair", "epoch"}, {"slot"}},
        {kEvents.file, kEvents.columns, {"period", "link"}, {}},
        {kAlarms.file, kAlarms.columns, {"alarm", "period"}, {"value"}},
        {kMethods.file, kMethods.columns, {}, {"gradients"}},
    };
}

TEST(Reconcile, FolderOfARunAddsUpAtEveryDetail) {
    Index before = 0;
    for (const RouteDetail detail : {RouteDetail::periods, RouteDetail::links, RouteDetail::all}) {
        const TemporaryFolder folder;
        SmallRun().play(folder.path("run"), detail);
        const ReconcileResult result = reconcile(folder.path("run"));
        EXPECT_TRUE(result.sound()) << to_text(result);
        EXPECT_EQ(result.periods, SmallRun::kPeriods);
        EXPECT_EQ(result.detail, detail);
        const auto made = static_cast<Index>(std::count_if(
            result.checks.begin(), result.checks.end(), [](const auto& check) { return check.checked > 0; }));
        EXPECT_GT(made, before) << "more detail, more checks";
        before = made;
    }
    EXPECT_EQ(before, kChecks) << "at full detail nothing is left unchecked";
}

TEST(Reconcile, EveryObjectiveAddsUp) {
    for (const auto& [cost, objective] :
         {std::pair{"bpr", "user"}, {"queue", "delay"}, {"bpr", "utilisation"}, {"bpr", "unweighted"}}) {
        const TemporaryFolder folder;
        SmallRun(cost, objective).play(folder.path("run"), RouteDetail::all);
        EXPECT_EQ(find_fault(folder.path("run")), "") << objective;
    }
}

TEST(Reconcile, FindsEveryNumberThatIsChanged) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    Index changes = 0;
    for (const Table& table : all_tables()) {
        const std::string path = run + "/" + std::string(table.file);
        const std::string original = read_whole_file(path);
        const TextCells cells(path, table.columns);
        ASSERT_EQ(cells.text(), original) << "the twin writes the same";
        ASSERT_GT(cells.rows.size(), 1U) << table.file;
        for (Index row = 1; row < cells.rows.size(); ++row) {
            if (table.file == route_tables::kMethods.file && row > 1)
                continue;  // rivals are not in the folder
            for (Index column = 0; column < table.columns.size(); ++column) {
                const std::string& cell = cells.rows[row][column];
                if (!is_number(cell) || table.informative.count(table.columns[column]) > 0) continue;
                ++changes;
                TextCells changed = cells;
                changed.rows[row][column] = another(cell, table.whole.count(table.columns[column]) > 0);
                folder.file("run/" + std::string(table.file), changed.text());
                EXPECT_NE(find_fault(run), "")
                    << table.file << ", row " << row << ", " << table.columns[column] << ": " << cell
                    << " -> " << changed.rows[row][column];
            }
        }
        folder.file("run/" + std::string(table.file), original);
    }
    EXPECT_EQ(find_fault(run), "");
    EXPECT_GT(changes, 600U);
}

TEST(Reconcile, FindsEveryRowThatIsMissingOrTwice) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    for (const Table& table : all_tables()) {
        const std::string path = run + "/" + std::string(table.file);
        const std::string original = read_whole_file(path);
        const TextCells cells(path, table.columns);
        for (Index row = 1; row < cells.rows.size(); ++row) {
            const auto at = static_cast<std::ptrdiff_t>(row);
            if (table.file == route_tables::kMethods.file && row > 1) continue;
            TextCells shorter = cells;
            shorter.rows.erase(shorter.rows.begin() + at);
            folder.file("run/" + std::string(table.file), shorter.text());
            EXPECT_NE(find_fault(run), "") << table.file << " without row " << row;
            TextCells longer = cells;
            longer.rows.insert(longer.rows.begin() + at, cells.rows[row]);
            folder.file("run/" + std::string(table.file), longer.text());
            // The same thing happening twice in a period is the same as once.
            if (table.file != route_tables::kEvents.file) {
                EXPECT_NE(find_fault(run), "") << table.file << " with row " << row << " twice";
            }
        }
        folder.file("run/" + std::string(table.file), original);
    }
}

TEST(Reconcile, ReportsATornLineWithFileAndLine) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    for (const Table& table : all_tables()) {
        const std::string path = run + "/" + std::string(table.file);
        const std::string original = read_whole_file(path);
        const auto lines = static_cast<std::uint64_t>(std::count(original.begin(), original.end(), '\n'));
        folder.file("run/" + std::string(table.file), original.substr(0, original.size() - 2));
        try {
            reconcile(run);
            ADD_FAILURE() << table.file << " is torn and nobody says so";
        } catch (const DataError& error) {
            EXPECT_EQ(error.where().source, path);
            EXPECT_EQ(error.where().line, lines) << table.file;
        }
        folder.file("run/" + std::string(table.file), original);
    }
}

TEST(Reconcile, NamesFileLineAndField) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    TextCells cells(run + "/link_flows.csv", route_tables::kFlows.columns);
    cells.rows[3][4] = "0x1p3";
    folder.file("run/link_flows.csv", cells.text());
    try {
        reconcile(run);
        FAIL();
    } catch (const DataError& error) {
        EXPECT_EQ(error.where().line, 4U);
        EXPECT_EQ(error.where().column, 5U);
        EXPECT_EQ(error.where().field, "utilisation");
    }
    EXPECT_THROW(reconcile(folder.path("nowhere")), IoError);
}

TEST(Reconcile, KilledRunIsWholeUpToItsLastPeriodAndSaysItDidNotEnd) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all, 5);
    ReconcileResult result = reconcile(run);
    EXPECT_EQ(result.periods, 5U);
    for (const ReconcileCheck& check : result.checks) {
        EXPECT_EQ(check.holds, check.name.find("came to its end") == std::string::npos) << check.name;
    }
    // Killed within the next one: details are there, its row is not.
    TextCells cells(run + "/periods.csv", route_tables::kPeriods.columns);
    cells.rows.pop_back();
    folder.file("run/periods.csv", cells.text());
    result = reconcile(run);
    EXPECT_EQ(result.periods, 4U);
    for (const ReconcileCheck& check : result.checks) {
        EXPECT_EQ(check.holds, check.name.find("came to its end") == std::string::npos)
            << check.name << ": " << check.where;
    }
}

TEST(Reconcile, CountsThePeriodsThatWereMeasured) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    const TextCells cells(run + "/periods.csv", route_tables::kPeriods.columns);
    // Without demand nothing is measured.
    const auto held =
        std::count_if(cells.rows.begin(), cells.rows.end(), [](const auto& row) { return row[3].empty(); });
    EXPECT_GT(held, 0);
    EXPECT_EQ(reconcile(run).measured, cells.rows.size() - 1 - static_cast<Index>(held));
}

TEST(Reconcile, MissesALedgerAndKnowsOneThatIsThereTwice) {
    ReconcileResult tables;
    tables.measured = 5;
    std::vector<Certificate> ledgers(2);
    ledgers[0].summary.totals.rounds = 2;
    ledgers[1].summary.totals.rounds = 2;
    ledgers[1].summary.totals.refused = 1;
    EXPECT_EQ(ledger_mismatch(tables, ledgers), "");
    ledgers.pop_back();
    EXPECT_NE(ledger_mismatch(tables, ledgers), "");
    tables.measured = 4;
    ledgers.push_back(ledgers.front());
    EXPECT_NE(ledger_mismatch(tables, ledgers), "");
}

TEST(Reconcile, TextAndJsonSayWhatIsBroken) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    EXPECT_NE(to_text(reconcile(run)).find("The files add up"), std::string::npos);
    TextCells cells(run + "/splits.csv", route_tables::kSplits.columns);
    cells.rows[1][2] = "0.75";
    folder.file("run/splits.csv", cells.text());
    const ReconcileResult result = reconcile(run);
    EXPECT_FALSE(result.sound());
    EXPECT_NE(to_text(result).find("BROKEN  splits of every pair sum to 1"), std::string::npos)
        << to_text(result);
    EXPECT_NE(to_json(result).find("\"sound\": false"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
