#include "studies/defaults.hpp"
#include "studies/row_streams.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::array<const char*, 3> kCosted{kDefault, kMiddleWindow, kAdagrad};

const char* text_of(DataUse use) {
    return use == DataUse::choices ? "used for choices"
           : use == DataUse::test  ? "not used for choices"
                                   : "your data";
}

const char* score_of(const DataFacts& facts) {
    return facts.network ? kCost.key : kLoss.key;
}

bool is_fixed_window(std::string_view method) {
    return method.starts_with("window ");
}

/// Neither the default nor a method with future data.
bool is_rival(std::string_view method) {
    return method != kDefault && method != kStatic && method != kClairvoyant;
}

struct Best {
    std::string name;
    Real loss = kInfinity;
};

Best find_best(const ResultTable& table, const DataFacts& facts, bool (*wanted)(std::string_view),
               const char* figure) {
    Best best;
    for (const std::string& method : table.methods()) {
        const Estimate loss = wanted(method) ? table.at(facts.name, method, figure) : Estimate{};
        if (loss.count > 0 && loss.mean < best.loss) best = {method, loss.mean};
    }
    return best;
}

Real percent_above(Real loss, Real reference) {
    return 100 * (loss / reference - 1);
}

std::string signed_percent(Real value) {
    return fmt::format("{:+.{}f}", value, std::abs(value) >= 100 ? 0 : 1);
}

std::string three(const ThreeFigures& figures) {
    std::string text;
    for (const Real figure : figures) {
        text += text.empty() ? "" : " / ";
        text += figure == 0 ? "-" : fmt::format("{:.{}f}", figure, figure < 10 ? 1 : 0);
    }
    return text;
}

/// Geometric mean of the known ratios; 0: there are none.
template <class Ratio>
Real mean_ratio(std::span<const DefaultsRow> rows, const Ratio& ratio) {
    Real logarithms = 0;
    Real count = 0;
    for (const DefaultsRow& row : rows) {
        const Real each = ratio(row);
        if (!(each > 0)) continue;
        logarithms += std::log(each);
        ++count;
    }
    return count > 0 ? std::exp(logarithms / count) : 0;
}

std::optional<Real> spread_of(const ResultTable& table, const DataFacts& facts) {
    std::vector<Real> losses;
    for (const Measurement& row : table.rows()) {
        if (row.stream == facts.name && row.method == kDefault && row.figure == score_of(facts))
            losses.push_back(row.value);
    }
    if (losses.size() < 2) return std::nullopt;
    const auto [least, most] = std::minmax_element(losses.begin(), losses.end());
    return percent_above(*most, *least);
}

std::vector<std::string> cells_of(const DefaultsRow& row) {
    const std::string over = signed_percent(row.over_rival);
    return {row.facts.name,
            text_of(row.facts.use),
            fmt::format("{}{}", row.rounds, row.cut ? " (cut)" : ""),
            row.best_window,
            fmt::format("{:.4g}", row.best_window_loss),
            signed_percent(row.over_window),
            row.best_rival,
            row.over_rival <= 3 ? "**" + over + "**" : over,
            row.over_later ? signed_percent(*row.over_later) : "",
            row.spread ? fmt::format("{:.1f}", *row.spread) : "one seed",
            three(row.gradients),
            three(row.microseconds)};
}

/// Rows of one use; of streams, of networks, or of both.
std::vector<DefaultsRow> part_of(const std::vector<DefaultsRow>& rows, DataUse use,
                                 std::optional<bool> network = {}) {
    std::vector<DefaultsRow> part;
    for (const DefaultsRow& row : rows)
        if (row.facts.use == use && (!network || row.facts.network == *network)) part.push_back(row);
    return part;
}

}  // namespace

std::optional<DefaultsRow> summarise(const ResultTable& table, const DataFacts& facts) {
    const char* score = score_of(facts);
    const Estimate loss = table.at(facts.name, kDefault, score);
    const Best window = find_best(table, facts, is_fixed_window, score);
    const Best rival = find_best(table, facts, is_rival, score);
    if (loss.count == 0 || window.name.empty()) return std::nullopt;
    DefaultsRow row;
    row.facts = facts;
    row.rounds = static_cast<Index>(table.at(facts.name, kDefault, kRounds).mean);
    row.cut =
        facts.most_rows > 0 && row.rounds >= facts.most_rows - std::min<Index>(facts.most_rows / 10, 2000);
    row.best_window = window.name;
    row.best_window_loss = window.loss;
    row.over_window = percent_above(loss.mean, window.loss);
    row.best_rival = rival.name;
    row.over_rival = percent_above(loss.mean, rival.loss);
    if (const Estimate later = table.at(facts.name, kDefault, kLateCost); later.count > 0)
        row.over_later = percent_above(later.mean, find_best(table, facts, is_rival, kLateCost.key).loss);
    row.spread = spread_of(table, facts);
    for (Index i = 0; i < kCosted.size(); ++i) {
        row.gradients[i] = table.at(facts.name, kCosted[i], kGradients).mean;
        row.microseconds[i] = table.at(facts.name, kCosted[i], kMicroseconds).mean;
    }
    return row;
}

DefaultsVerdict verdict(std::span<const DefaultsRow> rows) {
    DefaultsVerdict result;
    result.count = rows.size();
    for (const DefaultsRow& row : rows) {
        result.within_one += row.over_rival <= 1 ? 1 : 0;
        result.within_three += row.over_rival <= 3 ? 1 : 0;
        result.within_three_of_window += row.over_window <= 3 ? 1 : 0;
        if (&row == rows.data() || row.over_rival > result.worst.over_rival) result.worst = row;
    }
    const auto time_over = [&](Index other) {
        return mean_ratio(rows, [other](const DefaultsRow& row) {
            return row.microseconds[other] > 0 ? row.microseconds[0] / row.microseconds[other] : 0;
        });
    };
    result.mean_over_rival =
        100 * (mean_ratio(rows, [](const DefaultsRow& row) { return 1 + row.over_rival / 100; }) - 1);
    result.time_of_window = time_over(1);
    result.time_of_adagrad = time_over(2);
    return result;
}

std::string to_text(const DefaultsVerdict& verdict) {
    if (verdict.count == 0) return {};
    const auto share = [&](Index count) {
        return fmt::format("{} of {} ({:.0f} %)", count, verdict.count,
                           100 * static_cast<Real>(count) / static_cast<Real>(verdict.count));
    };
    return fmt::format(
        "within 1 % of the best rival in hindsight on {}, within 3 % on {}, within 3 % of the best fixed "
        "window on {}; worst {} % ({}, against {}); mean {} %; time {:.1f} x window 64, {:.1f} x AdaGrad.",
        share(verdict.within_one), share(verdict.within_three), share(verdict.within_three_of_window),
        signed_percent(verdict.worst.over_rival), verdict.worst.facts.name, verdict.worst.best_rival,
        signed_percent(verdict.mean_over_rival), verdict.time_of_window, verdict.time_of_adagrad);
}

std::string defaults_markdown(const std::vector<DefaultsRow>& rows) {
    std::vector<std::vector<std::string>> lines{
        {"data, loss", "used for choices", "rounds scored", "best window", "its loss", "default over it, %",
         "best rival", "default over it, %", "after period 16, %", "seed spread, %", "gradients a round",
         "microseconds a round"}};
    for (const DefaultsRow& row : rows) lines.push_back(cells_of(row));
    std::string text = "## Verdict\n\n";
    for (const DataUse use : {DataUse::test, DataUse::choices, DataUse::user}) {
        const auto all = part_of(rows, use);
        if (all.empty()) continue;
        text += fmt::format("- {}: {}\n", text_of(use), to_text(verdict(all)));
        for (const bool network : {false, true}) {
            const auto part = part_of(rows, use, network);
            if (!part.empty() && part.size() < all.size())
                text += fmt::format("  - {}: {}\n", network ? "networks" : "streams", to_text(verdict(part)));
        }
    }
    return text + "\n## The default against the best window and the best rival\n\n" + markdown_table(lines) +
           "\nGradients and microseconds: default / window 64 / AdaGrad. Bold: within 3 %. The loss of a "
           "network is its total cost over that\nof the clairvoyant. After period 16: the default over the "
           "rival that is best then.\n\n";
}

}  // namespace proxstream
