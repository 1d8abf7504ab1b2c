#include "ledger_format.hpp"

#include "ledger_fields.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace proxstream {
namespace {

void append_ensemble(LineWriter& line, const EnsembleRound& round) {
    kEnsembleFields(line, round, round);
    line.objects("m", round.members, kReportFields);
}

void read_ensemble(LineCursor& line, LedgerRow& row) {
    kEnsembleFields(line, row.ensemble, row);
    line.objects("m", row.members, kReportFields);
    for (RoundReport& member : row.members) member.round = row.report.round;
    row.ensemble.weights = row.weights;
    row.ensemble.losses = row.losses;
    row.ensemble.mixer_losses = row.mixer_losses;
    row.ensemble.slopes = row.slopes;
    row.ensemble.members = row.members;
    row.of_ensemble = true;
}

/// Checks the ranges of figures, of a line of a ledger or of a round of a live run.
class FigureCheck {
  public:
    FigureCheck(std::string_view source, std::uint64_t line) : source_(source), line_(line) {}

    // Inlined, because a round checks some twenty figures.
    [[gnu::always_inline]] void operator()(Key key, Real value, const Range& range) const {
        if (!range.holds(value)) refuse_value(key, value, range);
    }
    void operator()(Key key, std::span<const Real> values, const Range& range) const {
        for (const Real value : values) (*this)(key, value, range);
    }
    template <class Other>  // counts and costs may be anything
    void operator()(Key /*key*/, const Other& /*value*/) const {}
    template <class Value, class Values>
    void named(Key /*key*/, Value /*value*/, const Values& /*values*/) const {}
    void if_there(Key key, const std::optional<Real>& value, const Range& range) const {
        if (value) (*this)(key, *value, range);
    }
    void if_there(Key key, std::span<const Real> values, const Range& range) const {
        (*this)(key, values, range);
    }

    [[noreturn, gnu::noinline]] void refuse_value(Key key, Real value, const Range& range) const {
        refuse(key, fmt::format("{} is out of range", value), std::string(range.words));
    }
    [[noreturn]] void refuse(Key key, const std::string& problem, const std::string& expected) const {
        throw DataError({std::string(source_), line_, 0, "key " + std::string(key.ledger)}, problem,
                        expected);
    }
    /// Refuses a list of another length.
    void count(Key key, Index found, Index expected, std::string_view what) const {
        if (found != expected)
            refuse(key, fmt::format("there are {}", found),
                   fmt::format("one for each of {} {}", expected, what));
    }

  private:
    std::string_view source_;
    std::uint64_t line_;
};

void check_figures(const FigureCheck& check, const RoundReport& report) {
    if (report.status == RoundStatus::refused) return;
    kFigureFields(check, report);
    if (report.failed_confirmations > report.confirmations) {
        check.refuse("ff", fmt::format("{} failed confirmations", report.failed_confirmations),
                     fmt::format("at most {}, the confirmations made", report.confirmations));
    }
}

void check_ensemble(const FigureCheck& check, const RunHeader& header, const RoundReport& report,
                    const EnsembleRound& round) {
    constexpr Real kRounding =
        1e-9;  // weights are written as they were used, so they sum to 1 up to rounding
    const Index members = header.members.size();
    const Index points = header.points();
    check.count("m", round.members.size(), members - points, "members of the header with a window");
    check.count("p", round.weights.size(), members, "members");
    check.count("l", round.losses.size(), members, "members");
    if (!round.slopes.empty()) check.count("sl", round.slopes.size(), members, "members");
    kEnsembleFields(check, round, round);
    if (round.active_member < points || round.active_member >= members)
        check.refuse("k", fmt::format("member {}", round.active_member),
                     fmt::format("{}..{}", points, members - 1));
    const Real sum = std::accumulate(round.weights.begin(), round.weights.end(), Real{0});
    if (!(std::abs(sum - 1) <= kRounding))
        check.refuse("p", fmt::format("the weights sum to {}", sum), "a sum of 1");
    for (const RoundReport& member : round.members) {
        if (member.round != report.round)
            check.refuse("m", fmt::format("round {} of a member", member.round),
                         fmt::format("round {}, the ensemble's", report.round));
        check_figures(check, member);
    }
}

template <class Value, class Append, class Read>
void serialise_text(StateArchive& archive, std::string_view name, Value& value, Append append, Read read) {
    const std::string source = "saved state";
    std::string text;
    if (!archive.reading()) append(text, value);
    archive.field(name, text);
    if (!archive.reading()) return;
    LineCursor line(text, source, 0);
    value = read(line);
    archive.require(line.rest().empty(), "a whole record");
}

}  // namespace

void append_header(std::string& out, const RunHeader& header) {
    LineWriter line(out);
    line("ledger", kLedgerName);
    line("version", kLedgerVersion);
    kHeaderFields(line, header);
    if (header.members.empty()) return;
    line("selection", header.selection);
    line.objects("members", header.members, kHeaderFields);
}

void read_version(LineCursor& line) {
    std::string name;
    std::uint64_t version = 0;
    line("ledger", name);
    if (name != kLedgerName) line.fail("another name", kLedgerName);
    line("version", version);
    if (version != kLedgerVersion) {
        line.fail(
            fmt::format("the ledger has version {}", version),
            fmt::format("version {}, which this release reads; {}", kLedgerVersion,
                        version < kLedgerVersion ? "older ledgers lack figures of this version: run again"
                                                 : "a later release wrote this ledger"));
    }
}

RunHeader read_header(LineCursor& line) {
    RunHeader header;
    read_version(line);
    kHeaderFields(line, header);
    if (!line.at_key("selection")) return header;
    line("selection", header.selection);
    line.objects("members", header.members, kHeaderFields);
    return header;
}

void append_row(std::string& out, const RoundReport& report, const RowExtras& extras) {
    LineWriter line(out);
    line("t", report.round);
    kReportFields(line, report);
    if (report.status == RoundStatus::refused) return;
    kExtrasFields(line, extras);
    if (extras.ensemble == nullptr) return;
    line.put_key("ensemble");
    line.braces(*extras.ensemble, append_ensemble);
}

void read_row(LineCursor& line, LedgerRow& row) {
    row.report = {};
    row.other_gaps.clear();
    row.prediction_loss.reset();
    row.of_ensemble = false;
    line("t", row.report.round);
    kReportFields(line, row.report);
    if (row.report.status == RoundStatus::refused) return;
    kExtrasFields(line, row);
    if (!line.at_key("ensemble")) return;
    line.take_key("ensemble");
    line.braces(row, read_ensemble);
}

void append_footer(std::string& out, const RunFooter& footer) {
    LineWriter line(out);
    kFooterFields(line, footer);
    if (!footer.members.empty()) line.objects("members", footer.members, kFooterFields);
}

RunFooter read_footer(LineCursor& line) {
    RunFooter footer;
    kFooterFields(line, footer);
    if (line.at_key("members")) line.objects("members", footer.members, kFooterFields);
    return footer;
}

void check_row(const RunHeader& header, const RoundReport& report, const RowExtras& extras,
               std::string_view source, std::uint64_t line) {
    if (report.status == RoundStatus::refused) return;
    const FigureCheck check(source, line);
    check_figures(check, report);
    kExtrasFields(check, extras);
    check.count("also", extras.other_gaps.size(), header.other_windows.size(), "other windows");
    if (header.members.empty() && extras.ensemble != nullptr)
        check.refuse("ensemble", "the round of an ensemble", "none: the header names no members");
    if (header.members.empty()) return;
    if (extras.ensemble == nullptr)
        check.refuse("ensemble", "no round of an ensemble",
                     fmt::format("one of {} members", header.members.size()));
    check_ensemble(check, header, report, *extras.ensemble);
}

void check_footer(const RunHeader& header, const RunFooter& footer, std::string_view source,
                  std::uint64_t line) {
    const FigureCheck check(source, line);
    kFooterFields(check, footer);
    check.count("weights", footer.final_weights.size(), footer.final_losses.size(), "last losses");
    // The forecast of a round that was never played may stand beside the records that came.
    const Round came = header.initial_records + footer.totals.rounds;
    if (footer.final_losses.size() > came + 1) {
        check.refuse("last", fmt::format("{} losses", footer.final_losses.size()),
                     fmt::format("no more than {} rounds can leave in a forecast", came));
    }
    const Index points = header.points();
    check.count("members", footer.members.size(), header.members.size() - points,
                "members of the header with a window");
    for (Index k = 0; k < footer.members.size(); ++k) {
        check_footer(header.members[points + k], footer.members[k], source, line);
    }
}

void RoundOrder::check(const RoundReport& report, std::string_view source, std::uint64_t line) {
    const bool follows = report.round == last_ + 1 || (refused_ && report.round == last_);
    if (!follows)
        FigureCheck(source, line)
            .refuse("t", fmt::format("round {}", report.round), fmt::format("round {}", last_ + 1));
    last_ = report.round;
    refused_ = report.status == RoundStatus::refused;
}

void serialise(StateArchive& archive, std::string_view name, RunHeader& header) {
    serialise_text(archive, name, header, append_header, read_header);
}

void serialise(StateArchive& archive, std::string_view name, RunFooter& footer) {
    serialise_text(archive, name, footer, append_footer, read_footer);
}

}  // namespace proxstream
