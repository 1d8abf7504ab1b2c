#include "ledger_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proxstream {
namespace {

struct Column {
    std::string_view key;
    Real RoundReport::*figure;
    Range range;
};

constexpr Range kAny{};
constexpr Range kNonnegative{.nonnegative = true, .infinite = false};
constexpr Range kMaybeInfinite{.nonnegative = false, .infinite = true};

constexpr std::array<Column, 17> kColumns{{
    {"tol", &RoundReport::tolerance, kNonnegative},
    {"R", &RoundReport::entry_residual, kNonnegative},
    {"r", &RoundReport::exit_residual, kNonnegative},
    {"d", &RoundReport::variation, kNonnegative},
    {"B", &RoundReport::firm_bound, kNonnegative},
    {"f", &RoundReport::loss, kAny},
    {"fo", &RoundReport::outgoing_loss, kAny},
    {"g", &RoundReport::regulariser, kMaybeInfinite},
    {"Pe", &RoundReport::objective_entry, kMaybeInfinite},
    {"Px", &RoundReport::objective_exit, kMaybeInfinite},
    {"dec", &RoundReport::certified_decrease, kAny},
    {"P2", &RoundReport::squared_residuals, kNonnegative},
    {"e0", &RoundReport::smallest_step, kNonnegative},
    {"e1", &RoundReport::largest_step, kNonnegative},
    {"mv", &RoundReport::movement, kNonnegative},
    {"er", &RoundReport::residual_rounding, kNonnegative},
    {"eo", &RoundReport::objective_rounding, kNonnegative},
}};

constexpr std::array<StepRule, 3> kStepRules{StepRule::fixed, StepRule::backtracking, StepRule::none};
constexpr std::array<RunEnding, 4> kEndings{RunEnding::finished, RunEnding::interrupted, RunEnding::refused,
                                            RunEnding::failed};

template <class... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Values>(values)...);
}

void append_real(std::string& out, Real value) {
    if (std::isinf(value)) {
        out += value > 0 ? "\"inf\"" : "\"-inf\"";
    } else {
        append(out, "{}", value);
    }
}

void append_key(std::string& out, std::string_view key) {
    out += ",\"";
    out += key;
    out += "\":";
}

void append_field(std::string& out, std::string_view key, Real value) {
    append_key(out, key);
    append_real(out, value);
}

template <class Values>
void append_list(std::string& out, std::string_view key, const Values& values) {
    append_key(out, key);
    char before = '[';
    for (const auto& value : values) {
        out += before;
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
            append_real(out, value);
        } else {
            append(out, "{}", value);
        }
        before = ',';
    }
    if (before == '[') out += '[';
    out += ']';
}

std::array<std::uint64_t, 4> numbers_of(const Cost& cost) {
    return {cost.record_gradients, cost.record_values, cost.passes, cost.prox};
}

void append_costs(std::string& out, const Cost& cost, const Cost& referee_cost) {
    append_list(out, "c", numbers_of(cost));
    append_list(out, "cr", numbers_of(referee_cost));
}

Cost read_cost(LineCursor& cursor, std::string_view key) {
    std::array<std::uint64_t, 4> numbers{};
    cursor.key(key);
    cursor.integers(numbers);
    return {.record_gradients = numbers[0],
            .record_values = numbers[1],
            .passes = numbers[2],
            .prox = numbers[3]};
}

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The value among `values` whose name stands at the cursor.
template <class Values>
auto read_name(LineCursor& cursor, const Values& values) {
    for (const auto value : values) {
        if (cursor.take_quoted(name(value))) return value;
    }
    std::string known;
    for (const auto value : values) known += (known.empty() ? "one of " : ", ") + std::string(name(value));
    cursor.fail(known);
}

template <class Read>
auto read_optional(LineCursor& cursor, std::string_view key, Read read) {
    cursor.key(key);
    std::optional<decltype(read())> value;
    if (!cursor.take("null")) value = read();
    return value;
}

Real read_field(LineCursor& cursor, std::string_view key, Range range) {
    cursor.key(key);
    return cursor.real(range);
}

std::uint64_t read_count(LineCursor& cursor, std::string_view key) {
    cursor.key(key);
    return cursor.integer();
}

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

}  // namespace

void append_header(std::string& out, const RunHeader& header) {
    out += kLedgerOpening;
    append(out, "{},\"n\":{},\"w\":{}", header.version, header.dimension, header.window);
    append_field(out, "eta", header.reference_step);
    append_key(out, "L");
    header.smoothness ? append_real(out, *header.smoothness) : void(out += "null");
    append(out, ",\"rule\":\"{}\"", name(header.step_rule));
    append_field(out, "lambda", header.acceptance);
    append_field(out, "r0", header.initial_residual);
    append_field(out, "g1", header.initial_regulariser);
    append_field(out, "ginf", header.regulariser_infimum);
    append(out, ",\"exit_test\":{}", header.exit_test);
    append_key(out, "max_steps");
    header.max_steps ? append(out, "{}", *header.max_steps) : void(out += "null");
    append_key(out, "max_seconds");
    header.max_seconds ? append_real(out, *header.max_seconds) : void(out += "null");
    append_list(out, "also", header.other_windows);
    out += ",\"settings\":";
    char before = '{';
    for (const auto& [key, value] : header.settings) {
        out += before + quoted(key) + ':' + quoted(value);
        before = ',';
    }
    out += before == '{' ? "{}" : "}";
}

std::uint64_t read_version(LineCursor& cursor) {
    cursor.key("ledger");
    cursor.expect("\"proxstream\"");
    const std::uint64_t version = read_count(cursor, "version");
    if (version == 0 || version > kLedgerVersion) {
        cursor.fail(fmt::format("the ledger has version {}", version),
                    fmt::format("1..{}, the versions this release reads", kLedgerVersion));
    }
    return version;
}

RunHeader read_header(LineCursor& cursor) {
    RunHeader header;
    header.version = read_version(cursor);
    header.dimension = read_count(cursor, "n");
    header.window = read_count(cursor, "w");
    header.reference_step = read_field(cursor, "eta", kNonnegative);
    header.smoothness = read_optional(cursor, "L", [&] { return cursor.real(kNonnegative); });
    cursor.key("rule");
    header.step_rule = read_name(cursor, kStepRules);
    header.acceptance = read_field(cursor, "lambda", kNonnegative);
    header.initial_residual = read_field(cursor, "r0", kNonnegative);
    header.initial_regulariser = read_field(cursor, "g1", kMaybeInfinite);
    header.regulariser_infimum = read_field(cursor, "ginf", kMaybeInfinite);
    cursor.key("exit_test");
    header.exit_test = cursor.boolean();
    header.max_steps = read_optional(cursor, "max_steps", [&] { return cursor.integer(); });
    header.max_seconds = read_optional(cursor, "max_seconds", [&] { return cursor.real(kNonnegative); });
    cursor.key("also");
    cursor.integers(header.other_windows);
    cursor.key("settings");
    cursor.expect("{");
    if (!cursor.take("}")) {
        do {
            std::string key = cursor.string();
            cursor.expect(":");
            header.settings.emplace_back(std::move(key), cursor.string());
        } while (cursor.take(","));
        cursor.expect("}");
    }
    return header;
}

void append_row(std::string& out, const RoundReport& report, const RowExtras& extras) {
    append(out, "{{\"t\":{},\"s\":\"{}\"", report.round, name(report.status));
    if (report.status != RoundStatus::refused) {
        append(out, ",\"N\":{}", report.steps);
        for (const Column& column : kColumns) append_field(out, column.key, report.*column.figure);
    }
    append_costs(out, report.cost, report.referee_cost);
    if (report.status == RoundStatus::refused) return;
    if (!extras.other_residuals.empty()) append_list(out, "also", extras.other_residuals);
    if (extras.prediction_loss) append_field(out, "pl", *extras.prediction_loss);
}

void read_row(LineCursor& cursor, LedgerRow& row) {
    constexpr std::array kStatuses{RoundStatus::quiet, RoundStatus::solved, RoundStatus::budget_exhausted,
                                   RoundStatus::moved, RoundStatus::refused};
    row.report = {};
    row.other_residuals.clear();
    row.prediction_loss.reset();
    row.report.round = read_count(cursor, "t");
    cursor.key("s");
    row.report.status = read_name(cursor, kStatuses);
    const bool refused = row.report.status == RoundStatus::refused;
    if (!refused) {
        row.report.steps = read_count(cursor, "N");
        for (const Column& column : kColumns) {
            row.report.*column.figure = read_field(cursor, column.key, column.range);
        }
    }
    row.report.cost = read_cost(cursor, "c");
    row.report.referee_cost = read_cost(cursor, "cr");
    if (refused) return;
    if (cursor.at_key("also")) {
        cursor.key("also");
        cursor.reals(row.other_residuals, kNonnegative);
    }
    if (cursor.at_key("pl")) row.prediction_loss = read_field(cursor, "pl", kAny);
}

void append_footer(std::string& out, const RunFooter& footer) {
    out += kFooterOpening;
    append(out, "\"{}\",\"T\":{},\"refused\":{},\"N\":{}", name(footer.ending), footer.totals.rounds,
           footer.totals.refused, footer.totals.steps);
    append_costs(out, footer.totals.cost, footer.totals.referee_cost);
    append_field(out, "seconds", footer.seconds);
    append_field(out, "g", footer.final_regulariser);
    append_list(out, "last", footer.final_losses);
}

RunFooter read_footer(LineCursor& cursor) {
    RunFooter footer;
    cursor.key("end");
    footer.ending = read_name(cursor, kEndings);
    footer.totals.rounds = read_count(cursor, "T");
    footer.totals.refused = read_count(cursor, "refused");
    footer.totals.steps = read_count(cursor, "N");
    footer.totals.cost = read_cost(cursor, "c");
    footer.totals.referee_cost = read_cost(cursor, "cr");
    footer.seconds = read_field(cursor, "seconds", kNonnegative);
    footer.final_regulariser = read_field(cursor, "g", kMaybeInfinite);
    cursor.key("last");
    cursor.reals(footer.final_losses, kAny);
    return footer;
}

void check_row(const RunHeader& header, const RoundReport& report, const RowExtras& extras,
               std::string_view source, std::uint64_t line) {
    if (report.status == RoundStatus::refused) return;
    const Place place{source, line};
    for (const Column& column : kColumns) place.check(column.key, report.*column.figure, column.range);
    for (const Real residual : extras.other_residuals) place.check("also", residual, kNonnegative);
    if (extras.prediction_loss) place.check("pl", *extras.prediction_loss, kAny);
    if (extras.other_residuals.size() != header.other_windows.size()) {
        place.refuse("also", fmt::format("{} residuals", extras.other_residuals.size()),
                     fmt::format("one for each of the {} other windows", header.other_windows.size()));
    }
}

void check_footer(const RunHeader& header, const RunFooter& footer, std::string_view source,
                  std::uint64_t line) {
    const Place place{source, line};
    place.check("seconds", footer.seconds, kNonnegative);
    place.check("g", footer.final_regulariser, kMaybeInfinite);
    for (const Real loss : footer.final_losses) place.check("last", loss, kAny);
    const std::uint64_t in_window = std::min<std::uint64_t>(footer.totals.rounds, header.window);
    if (footer.final_losses.size() != in_window) {
        place.refuse(
            "last", fmt::format("{} losses", footer.final_losses.size()),
            fmt::format("{}, the records in the window after {} rounds", in_window, footer.totals.rounds));
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
