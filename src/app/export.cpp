#include "store/export.hpp"

#include "proxstream/core/error.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/option_table.hpp"
#include "io/output_file.hpp"
#include "io/standard_error.hpp"

#include <array>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct ExportSettings {
    std::string run;
    std::string what = "ledger";
    std::string format = "jsonl";
    Index account = 0;
    Index first = 1;
    Index last = 0;
    std::string out = "-";

    static std::span<const OptionRow<ExportSettings>> options();
};

using Row = OptionRow<ExportSettings>;
using S = ExportSettings;

constexpr Real kLargeCount = 1e15;

const std::array kRows{
    positional(Row{"run", "", "Run", "RUN", "run store to read", &S::run}, "RUN"),
    Row{"what", "", "Content", "NAME", "ledger, decisions, figures or inputs", &S::what},
    Row{"account", "", "Content", "N", "ledger of this player or epoch, counted from 0", &S::account, 0,
        kLargeCount},
    Row{"first", "", "Content", "TURN", "from this turn on", &S::first, 1, kLargeCount},
    Row{"last", "", "Content", "TURN", "up to this turn (0: the last)", &S::last, 0, kLargeCount},
    Row{"format", "", "Output", "NAME", "jsonl, csv or npy (NumPy, columns by name)", &S::format},
    Row{"out", "o", "Output", "FILE", "write to this file (-: standard output)", &S::out},
};

std::span<const Row> ExportSettings::options() {
    return kRows;
}

ExportOptions options_of(const ExportSettings& settings) {
    ExportOptions options;
    options.what = settings.what;
    options.format = settings.format;
    options.account = settings.account;
    options.first = settings.first;
    if (settings.last > 0) options.last = settings.last;
    return options;
}

/// A ledger from which rows are missing is not a ledger that 'certify' takes.
void tell_what_is_kept(const RunStore& store, std::uint64_t account) {
    const LedgerExtent rows = store.extent(account);
    if (rows.folded == 0) return;
    const std::string sums = fmt::format(
        "{}: {} of {} ledger rows are kept as sums only, from which 'proxstream certify {}' computes the "
        "certificate",
        store.path(), rows.folded, rows.folded + rows.stored, store.path());
    if (rows.stored > 0) {
        eprint("proxstream: {}; the others are exported\n", sums);
        return;
    }
    throw ConfigError(sums +
                      "; --what figures and --what decisions have all turns, and a run that is stored with "
                      "--keep all keeps its ledger rows");
}

}  // namespace

int export_run(const std::vector<std::string>& arguments) {
    ExportSettings settings;
    const auto done = parse_command_line(
        "export",
        "Writes the content of a run store in a plain format. The run may still be active.\n"
        "  proxstream export RUN --what figures --format csv -o figures.csv",
        arguments, settings, {.checks = {[&] {
                                  Violations violations;
                                  check_rows(ExportSettings::options(), settings, violations);
                                  violations.refuse(settings.run.empty(), "run: expected a run store");
                                  violations.collect("", [&] { validate(options_of(settings)); });
                                  violations.conclude();
                              }}});
    if (done) return *done;
    const RunStore store(settings.run);
    if (settings.what == "ledger") tell_what_is_kept(store, settings.account);
    OutputFile file = OutputFile::fresh(settings.out);
    proxstream::export_run(store, options_of(settings), [&](std::string_view piece) { file.write(piece); });
    file.close();
    return kOk;
}

}  // namespace proxstream::app
