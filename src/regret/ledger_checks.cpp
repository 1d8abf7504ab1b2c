/// What a row and a footer must be, whether they come from a learner or from a file.
#include "ledger_columns.hpp"
#include "ledger_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Weights are written as they were used, so they add up to 1 but for rounding.
constexpr Real kWeightSum = 1e-9;

/// A line of a ledger, or what stands for it in a live run. Made into an error's location only when needed.
struct Place {
    std::string_view source;
    std::uint64_t line;

    [[noreturn]] void refuse(std::string_view key, const std::string& problem,
                             std::string_view expected) const {
        throw DataError({std::string(source), line, 0, "key " + std::string(key)}, problem,
                        std::string(expected));
    }
    void check(std::string_view key, Real value, Range range) const {
        const std::string_view expected = expectation(value, range);
        if (!expected.empty()) refuse(key, fmt::format("{} cannot stand here", value), expected);
    }
};

/// The bits of a number, without its sign where that does not matter: in this order finite numbers come
/// first, infinities and NaNs after them, and negative ones where the sign matters last.
std::uint64_t order(Real value, Range range) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return range.nonnegative ? bits : bits & (~std::uint64_t{0} >> 1U);
}

/// Whether every figure may stand, at a few instructions each: this is asked of every round, and the answer
/// is yes. A no may be wrong (of -0, and of infinities that may stand), and is looked into.
template <const auto& kTable, std::size_t... kPlaces>
bool all_fit(const RoundReport& report, std::index_sequence<kPlaces...> /*places*/) {
    constexpr auto kBeyond = std::bit_cast<std::uint64_t>(kInfinity);
    std::uint64_t last = 0;
    ((last = std::max(last, order(report.*kTable[kPlaces].figure, kTable[kPlaces].range))), ...);
    return last < kBeyond;
}
template <const auto& kTable>
bool all_fit(const RoundReport& report) {
    return all_fit<kTable>(report, std::make_index_sequence<kTable.size()>());
}

void check_figures(const RoundReport& report, const Place& place) {
    if (!all_fit<kColumns>(report) || !all_fit<kNoiseColumns>(report)) {
        for (const Column& column : kColumns) place.check(column.key, report.*column.figure, column.range);
        for (const Column& column : kNoiseColumns)
            place.check(column.key, report.*column.figure, column.range);
    }
    if (report.failed_confirmations > report.confirmations) {
        place.refuse("ff", fmt::format("{} failed confirmations", report.failed_confirmations),
                     fmt::format("at most {}, the confirmations made", report.confirmations));
    }
}

void check_bank(const RunHeader& header, const RoundReport& report, const BankRound* bank,
                const Place& place) {
    const Index members = header.members.size();
    if (members == 0 && bank == nullptr) return;
    if (members == 0) place.refuse("bank", "the round of a bank", "none: the header names no members");
    if (bank == nullptr)
        place.refuse("bank", "no round of a bank", fmt::format("one of {} members", members));
    const Index points = header.points();
    if (bank->members.size() != members - points) {
        place.refuse("m", fmt::format("{} members", bank->members.size()),
                     fmt::format("the {} of the header that have a window", members - points));
    }
    const auto check_list = [&](std::string_view key, ConstView values) {
        if (values.size() != members) {
            place.refuse(key, fmt::format("{} numbers", values.size()),
                         fmt::format("one for each of the {} members", members));
        }
        for (const Real value : values) place.check(key, value, kAny);
    };
    check_list("p", bank->weights);
    check_list("l", bank->losses);
    if (!bank->slopes.empty()) check_list("sl", bank->slopes);
    for (const Real loss : bank->mixer_losses) place.check("z", loss, kAny);
    if (bank->mean_gap) place.check("gap", *bank->mean_gap, kNonnegative);
    if (bank->in_charge < points || bank->in_charge >= members) {
        place.refuse("k", fmt::format("member {}", bank->in_charge),
                     fmt::format("{}..{}", points, members - 1));
    }
    for (const BankColumn& column : kBankColumns) place.check(column.key, bank->*column.figure, kNonnegative);
    if (bank->share > 1) place.refuse("al", fmt::format("{} cannot stand here", bank->share), "at most 1");
    for (const Real weight : bank->weights) place.check("p", weight, kNonnegative);
    const Real sum = std::accumulate(bank->weights.begin(), bank->weights.end(), Real{0});
    if (!(std::abs(sum - 1) <= kWeightSum))
        place.refuse("p", fmt::format("the weights sum to {}", sum), "a sum of 1");
    for (const RoundReport& member : bank->members) {
        if (member.round != report.round) {
            place.refuse("m", fmt::format("round {} of a member", member.round),
                         fmt::format("round {}, the ensemble's", report.round));
        }
        if (member.status != RoundStatus::refused) check_figures(member, place);
    }
}

}  // namespace

void check_row(const RunHeader& header, const RoundReport& report, const RowExtras& extras,
               std::string_view source, std::uint64_t line) {
    if (report.status == RoundStatus::refused) return;
    const Place place{source, line};
    check_figures(report, place);
    for (const Real residual : extras.other_residuals) place.check("also", residual, kNonnegative);
    if (extras.prediction_loss) place.check("pl", *extras.prediction_loss, kAny);
    if (extras.other_residuals.size() != header.other_windows.size()) {
        place.refuse("also", fmt::format("{} residuals", extras.other_residuals.size()),
                     fmt::format("one for each of the {} other windows", header.other_windows.size()));
    }
    check_bank(header, report, extras.bank, place);
}

void check_footer(const RunHeader& header, const RunFooter& footer, std::string_view source,
                  std::uint64_t line) {
    const Place place{source, line};
    place.check("seconds", footer.seconds, kNonnegative);
    place.check("g", footer.final_regulariser, kMaybeInfinite);
    for (const Real loss : footer.final_losses) place.check("last", loss, kAny);
    for (const Real weight : footer.final_weights) place.check("weights", weight, kNonnegative);
    if (footer.final_losses.size() != footer.final_weights.size()) {
        place.refuse("weights", fmt::format("{} weights", footer.final_weights.size()),
                     fmt::format("one for each of the {} last losses", footer.final_losses.size()));
    }
    // The forecast of a round that was never played may stand beside the records that came.
    const Round came = header.initial_records + footer.totals.rounds;
    if (footer.final_losses.size() > came + 1) {
        place.refuse("last", fmt::format("{} losses", footer.final_losses.size()),
                     fmt::format("no more than {} rounds can leave in a model", came));
    }
    const Index points = header.points();
    if (footer.members.size() != header.members.size() - points) {
        place.refuse("members", fmt::format("{} members", footer.members.size()),
                     fmt::format("the {} of the header that have a window", header.members.size() - points));
    }
    for (Index k = 0; k < footer.members.size(); ++k) {
        check_footer(header.members[points + k], footer.members[k], source, line);
    }
}

void RoundOrder::check(const RoundReport& report, std::string_view source, std::uint64_t line) {
    const bool follows = report.round == last_ + 1 || (refused_ && report.round == last_);
    if (!follows)
        Place{source, line}.refuse("t", fmt::format("round {}", report.round),
                                   fmt::format("round {}", last_ + 1));
    last_ = report.round;
    refused_ = report.status == RoundStatus::refused;
}

}  // namespace proxstream
