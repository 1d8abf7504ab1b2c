#include "ledger_format.hpp"

#include "ledger_columns.hpp"
#include "ledger_pieces.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::array<StepRule, 3> kStepRules{StepRule::fixed, StepRule::backtracking, StepRule::none};
constexpr std::array<RunEnding, 4> kEndings{RunEnding::finished, RunEnding::interrupted, RunEnding::refused,
                                            RunEnding::failed};

constexpr std::array kStatuses{RoundStatus::quiet, RoundStatus::solved, RoundStatus::budget_exhausted,
                               RoundStatus::moved, RoundStatus::refused};

// A header's, a row's and a footer's keys are the same for a run and for a member of a bank; only a run may
// have members, which bounds the depth of what is read.

void append_noise(std::string& out, const NoiseFacts& noise) {
    append(out, "{{\"oracle\":{},\"variant\":{}", quoted(noise.oracle), quoted(noise.variant));
    append(out, ",\"estimator\":{},\"confirm\":{}", quoted(noise.estimator), noise.confirm);
    append_key(out, "sigma");
    noise.sigma ? append_real(out, *noise.sigma) : void(out += "null");
    append(out, ",\"bounded\":{},\"independent\":{}", noise.bounded, noise.independent);
    append(out, ",\"origin\":{}", quoted(noise.origin));
    append_field(out, "confidence", noise.confidence);
    // Only where it is so: other ledgers stay as they were.
    append(out, ",\"refereed\":{},\"losses\":{}}}", noise.refereed, noise.losses_known);
}

NoiseFacts read_noise(LineCursor& cursor) {
    const auto text = [&cursor](std::string_view key) {
        cursor.key(key);
        return cursor.string();
    };
    const auto flag = [&cursor](std::string_view key) {
        cursor.key(key);
        return cursor.boolean();
    };
    NoiseFacts noise;
    cursor.open();
    noise.oracle = text("oracle");
    noise.variant = text("variant");
    noise.estimator = text("estimator");
    noise.confirm = read_count(cursor, "confirm");
    noise.sigma = read_optional(cursor, "sigma", [&] { return cursor.real(kNonnegative); });
    noise.bounded = flag("bounded");
    noise.independent = flag("independent");
    noise.origin = text("origin");
    noise.confidence = read_field(cursor, "confidence", kNonnegative);
    noise.refereed = flag("refereed");
    noise.losses_known = flag("losses");
    cursor.expect("}");
    return noise;
}

void append_header_body(std::string& out, const RunHeader& header) {
    append(out, "\"name\":{},\"n\":{},\"w\":{}", quoted(header.name), header.dimension, header.window);
    append(out, ",\"window\":{}", quoted(header.window_text));
    append_field(out, "wa", header.effective_length);
    append(out, ",\"model\":{}", quoted(header.model));
    append_field(out, "theta", header.hysteresis);
    append_field(out, "kappa", header.switching);
    append_field(out, "mu", header.proximal);
    append_field(out, "eta", header.reference_step);
    append_key(out, "L");
    header.smoothness ? append_real(out, *header.smoothness) : void(out += "null");
    append(out, ",\"rule\":\"{}\"", name(header.step_rule));
    append_field(out, "lambda", header.acceptance);
    append_field(out, "r0", header.initial_residual);
    append_field(out, "g1", header.initial_objective);
    append_field(out, "ginf", header.regulariser_infimum);
    append_field(out, "gs", header.prox_scale);
    append(out, ",\"records\":{}", header.initial_records);
    append(out, ",\"exit_test\":{},\"measured\":{}", header.exit_test, header.measured);
    append_key(out, "max_steps");
    header.max_steps ? append(out, "{}", *header.max_steps) : void(out += "null");
    append_key(out, "max_seconds");
    header.max_seconds ? append_real(out, *header.max_seconds) : void(out += "null");
    append_list(out, "also", header.other_windows);
    append_key(out, "noise");
    header.noise ? append_noise(out, *header.noise) : void(out += "null");
    out += ",\"settings\":";
    char before = '{';
    for (const auto& [key, value] : header.settings) {
        out += before + quoted(key) + ':' + quoted(value);
        before = ',';
    }
    out += before == '{' ? "{}" : "}";
}

void read_header_body(LineCursor& cursor, RunHeader& header) {
    cursor.key("name");
    header.name = cursor.string();
    header.dimension = read_count(cursor, "n");
    header.window = read_count(cursor, "w");
    cursor.key("window");
    header.window_text = cursor.string();
    header.effective_length = read_field(cursor, "wa", kNonnegative);
    cursor.key("model");
    header.model = cursor.string();
    header.hysteresis = read_field(cursor, "theta", kNonnegative);
    header.switching = read_field(cursor, "kappa", kNonnegative);
    header.proximal = read_field(cursor, "mu", kNonnegative);
    header.reference_step = read_field(cursor, "eta", kNonnegative);
    header.smoothness = read_optional(cursor, "L", [&] { return cursor.real(kNonnegative); });
    cursor.key("rule");
    header.step_rule = read_name(cursor, kStepRules);
    header.acceptance = read_field(cursor, "lambda", kNonnegative);
    header.initial_residual = read_field(cursor, "r0", kNonnegative);
    header.initial_objective = read_field(cursor, "g1", kMaybeInfinite);
    header.regulariser_infimum = read_field(cursor, "ginf", kMaybeInfinite);
    header.prox_scale = read_field(cursor, "gs", kNonnegative);
    header.initial_records = read_count(cursor, "records");
    cursor.key("exit_test");
    header.exit_test = cursor.boolean();
    cursor.key("measured");
    header.measured = cursor.boolean();
    header.max_steps = read_optional(cursor, "max_steps", [&] { return cursor.integer(); });
    header.max_seconds = read_optional(cursor, "max_seconds", [&] { return cursor.real(kNonnegative); });
    cursor.key("also");
    cursor.integers(header.other_windows);
    header.noise = read_optional(cursor, "noise", [&] { return read_noise(cursor); });
    cursor.key("settings");
    cursor.expect("{");
    if (cursor.take("}")) return;
    do {
        std::string key = cursor.string();
        cursor.expect(":");
        header.settings.emplace_back(std::move(key), cursor.string());
    } while (cursor.take(","));
    cursor.expect("}");
}

/// From the status on; the round's number is the line's.
void append_report(std::string& out, const RoundReport& report) {
    append(out, "\"s\":\"{}\"", name(report.status));
    if (report.status != RoundStatus::refused) {
        for (const CountColumn& column : kCountColumns)
            append(out, ",\"{}\":{}", column.key, report.*column.figure);
        for (const Column& column : kColumns) append_field(out, column.key, report.*column.figure);
        for (const Column& column : kNoiseColumns) append_field(out, column.key, report.*column.figure);
    }
    append_costs(out, report.cost, report.referee_cost);
}

void read_report(LineCursor& cursor, RoundReport& report) {
    cursor.key("s");
    report.status = read_name(cursor, kStatuses);
    if (report.status != RoundStatus::refused) {
        for (const CountColumn& column : kCountColumns)
            report.*column.figure = read_count(cursor, column.key);
        const auto read = [&](const Column& column) {
            report.*column.figure = read_field(cursor, column.key, column.range);
        };
        for (const Column& column : kColumns) read(column);
        for (const Column& column : kNoiseColumns) read(column);
    }
    report.cost = read_cost(cursor, "c");
    report.referee_cost = read_cost(cursor, "cr");
}

void append_bank(std::string& out, const BankRound& bank) {
    append(out, ",\"bank\":{{\"k\":{}", bank.in_charge);
    for (const BankColumn& column : kBankColumns) append_field(out, column.key, bank.*column.figure);
    if (bank.mean_gap) append_field(out, "gap", *bank.mean_gap);
    append_list(out, "p", bank.weights);
    append_list(out, "l", bank.losses);
    if (!bank.mixer_losses.empty()) append_list(out, "z", bank.mixer_losses);
    if (!bank.slopes.empty()) append_list(out, "sl", bank.slopes);
    append_objects(out, "m", bank.members, append_report);
    out += '}';
}

void read_bank(LineCursor& cursor, LedgerRow& row) {
    cursor.key("bank");
    cursor.open();
    row.bank.in_charge = read_count(cursor, "k");
    for (const BankColumn& column : kBankColumns)
        row.bank.*column.figure = read_field(cursor, column.key, kNonnegative);
    row.bank.mean_gap.reset();
    if (cursor.at_key("gap")) row.bank.mean_gap = read_field(cursor, "gap", kNonnegative);
    cursor.key("p");
    cursor.reals(row.weights, kNonnegative);
    cursor.key("l");
    cursor.reals(row.losses, kAny);
    const auto read_list = [&cursor](std::string_view key, std::vector<Real>& out) {
        out.clear();
        if (!cursor.at_key(key)) return;
        cursor.key(key);
        cursor.reals(out, kAny);
    };
    read_list("z", row.mixer_losses);
    read_list("sl", row.slopes);
    read_objects(cursor, "m", row.members, read_report);
    for (RoundReport& member : row.members) member.round = row.report.round;
    cursor.expect("}");
    row.bank.weights = row.weights;
    row.bank.losses = row.losses;
    row.bank.mixer_losses = row.mixer_losses;
    row.bank.slopes = row.slopes;
    row.bank.members = row.members;
    row.of_bank = true;
}

void append_footer_body(std::string& out, const RunFooter& footer) {
    append(out, "\"end\":\"{}\",\"T\":{},\"refused\":{},\"N\":{}", name(footer.ending), footer.totals.rounds,
           footer.totals.refused, footer.totals.steps);
    append_costs(out, footer.totals.cost, footer.totals.referee_cost);
    append_field(out, "seconds", footer.seconds);
    append_field(out, "g", footer.final_regulariser);
    append_list(out, "last", footer.final_losses);
    append_list(out, "weights", footer.final_weights);
}

void read_footer_body(LineCursor& cursor, RunFooter& footer) {
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
    cursor.key("weights");
    cursor.reals(footer.final_weights, kNonnegative);
}

}  // namespace

void append_header(std::string& out, const RunHeader& header) {
    out += kLedgerOpening;
    append(out, "{},", kLedgerVersion);
    append_header_body(out, header);
    if (header.members.empty()) return;
    append(out, ",\"play\":{}", quoted(header.play));
    append_objects(out, "members", header.members, append_header_body);
}

void read_version(LineCursor& cursor) {
    cursor.key("ledger");
    cursor.expect("\"proxstream\"");
    const std::uint64_t version = read_count(cursor, "version");
    if (version != kLedgerVersion) {
        cursor.fail(
            fmt::format("the ledger has version {}", version),
            fmt::format("version {}, which this release reads; {}", kLedgerVersion,
                        version < kLedgerVersion ? "older ledgers lack figures of this version: run again"
                                                 : "a later release wrote this ledger"));
    }
}

RunHeader read_header(LineCursor& cursor) {
    RunHeader header;
    read_version(cursor);
    read_header_body(cursor, header);
    if (!cursor.at_key("play")) return header;
    cursor.key("play");
    header.play = cursor.string();
    read_objects(cursor, "members", header.members, read_header_body);
    return header;
}

void append_row(std::string& out, const RoundReport& report, const RowExtras& extras) {
    append(out, "{{\"t\":{},", report.round);
    append_report(out, report);
    if (report.status == RoundStatus::refused) return;
    if (!extras.other_residuals.empty()) append_list(out, "also", extras.other_residuals);
    if (extras.prediction_loss) append_field(out, "pl", *extras.prediction_loss);
    if (extras.bank != nullptr) append_bank(out, *extras.bank);
}

void read_row(LineCursor& cursor, LedgerRow& row) {
    row.report = {};
    row.other_residuals.clear();
    row.prediction_loss.reset();
    row.of_bank = false;
    row.report.round = read_count(cursor, "t");
    read_report(cursor, row.report);
    if (row.report.status == RoundStatus::refused) return;
    if (cursor.at_key("also")) {
        cursor.key("also");
        cursor.reals(row.other_residuals, kNonnegative);
    }
    if (cursor.at_key("pl")) row.prediction_loss = read_field(cursor, "pl", kAny);
    if (cursor.at_key("bank")) read_bank(cursor, row);
}

void append_footer(std::string& out, const RunFooter& footer) {
    out += '{';
    append_footer_body(out, footer);
    if (!footer.members.empty()) append_objects(out, "members", footer.members, append_footer_body);
}

RunFooter read_footer(LineCursor& cursor) {
    RunFooter footer;
    read_footer_body(cursor, footer);
    if (cursor.at_key("members")) read_objects(cursor, "members", footer.members, read_footer_body);
    return footer;
}

}  // namespace proxstream
