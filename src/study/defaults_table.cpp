#include "study/defaults_table.hpp"

#include "study/defaults_entries.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kLeastShown = 0.1;  // per cent: smaller excesses are drawn there
constexpr std::array<const char*, 3> kCosted{kDefaultEntry, kMiddleWindow, kAdagradEntry};

struct BestEntry {
    std::string name;
    Real loss = kInfinity;
};

template <class Wanted>
BestEntry find_best(const ResultTable& table, const std::string& data, const Wanted& wanted,
                    const char* figure = kScore) {
    BestEntry best;
    for (const std::string& entry : table.methods()) {
        if (!wanted(entry)) continue;
        const Estimate loss = table.at(data, entry, figure);
        if (loss.count > 0 && loss.mean < best.loss) best = {entry, loss.mean};
    }
    return best;
}

Real percent_above(Real loss, Real reference) {
    return 100 * (loss / reference - 1);
}

std::string signed_percent(Real value) {
    const bool large = std::abs(value) >= 100;
    return large ? fmt::format("{:+.0f}", value) : fmt::format("{:+.1f}", value);
}

std::string three(const ThreeFigures& figures) {
    std::string text;
    for (const Real figure : figures) {
        text += text.empty() ? "" : " / ";
        text += figure == 0 ? "-" : fmt::format("{:.{}f}", figure, figure < 10 ? 1 : 0);
    }
    return text;
}

std::string_view use_text(DataUse use) {
    return use == DataUse::choices ? "yes" : use == DataUse::test ? "no" : "your data";
}

std::string_view use_heading(DataUse use) {
    return use == DataUse::choices ? "Used for choices"
           : use == DataUse::test  ? "Not used for choices"
                                   : "Your data";
}

/// Geometric mean of the ratios that are known; 0: none is.
template <class Ratio>
Real mean_ratio(std::span<const DefaultsRow> rows, DataUse use, const Ratio& ratio) {
    Real logarithms = 0;
    Index count = 0;
    for (const DefaultsRow& row : rows) {
        const Real each = row.use == use ? ratio(row) : 0;
        if (!(each > 0)) continue;
        logarithms += std::log(each);
        ++count;
    }
    return count > 0 ? std::exp(logarithms / static_cast<Real>(count)) : 0;
}

std::optional<Real> spread_of(const ResultTable& table, const std::string& data) {
    Real least = kInfinity, most = -kInfinity;
    Index count = 0;
    for (const Measurement& row : table.rows()) {
        if (row.stream != data || row.method != kDefaultEntry || row.figure != kScore) continue;
        least = std::min(least, row.value);
        most = std::max(most, row.value);
        ++count;
    }
    if (count < 2) return std::nullopt;
    return percent_above(most, least);
}

std::vector<std::string> cells_of(const DefaultsRow& row) {
    const bool close = row.over_rival <= 3;
    const std::string over = signed_percent(row.over_rival);
    return {row.name,
            std::string(use_text(row.use)),
            fmt::format("{}{}", row.rounds, row.cut ? " (cut)" : ""),
            row.best_window,
            fmt::format("{:.4g}", row.best_window_loss),
            signed_percent(row.over_window),
            row.best_rival,
            close ? "**" + over + "**" : over,
            row.over_later ? signed_percent(*row.over_later) : "",
            row.spread ? fmt::format("{:.1f}", *row.spread) : "one seed",
            three(row.gradients),
            three(row.microseconds)};
}

Panel profile(const ResultTable& table, const std::string& title, std::span<const DataFacts> facts) {
    Panel panel{title, {"per cent above the best rival", Scale::log}, {"data sets, per cent"}, {}};
    std::vector<Real> best;
    for (const DataFacts& each : facts) best.push_back(find_best(table, each.name, is_rival).loss);
    for (const char* entry : {kDefaultEntry, "window 16", kMiddleWindow, "window 1024", kAdagradEntry,
                              "re-solve", "re-solve last", "rls"}) {
        std::vector<Real> sorted;  // excess over the best rival
        for (Index i = 0; i < facts.size(); ++i) {
            const Estimate loss = table.at(facts[i].name, entry, kScore);
            if (loss.count > 0 && best[i] < kInfinity) sorted.push_back(percent_above(loss.mean, best[i]));
        }
        if (sorted.empty()) continue;
        std::sort(sorted.begin(), sorted.end());
        ChartSeries series{entry, {}};
        for (Index i = 0; i < sorted.size(); ++i) {
            series.points.push_back({std::max(sorted[i], kLeastShown),
                                     100 * static_cast<Real>(i + 1) / static_cast<Real>(facts.size())});
        }
        panel.series.push_back(std::move(series));
    }
    return panel;
}

}  // namespace

std::optional<DefaultsRow> summarise(const ResultTable& table, const DataFacts& facts) {
    const Estimate loss = table.at(facts.name, kDefaultEntry, kScore);
    const BestEntry window = find_best(table, facts.name, is_fixed_window);
    const BestEntry rival = find_best(table, facts.name, is_rival);
    if (loss.count == 0 || window.name.empty()) return std::nullopt;
    DefaultsRow row;
    row.name = facts.name;
    row.use = facts.use;
    row.rounds = static_cast<Index>(table.at(facts.name, kDefaultEntry, kRounds).mean);
    row.cut =
        facts.most_rows > 0 && row.rounds >= facts.most_rows - std::min<Index>(facts.most_rows / 10, 2000);
    row.best_window = window.name;
    row.best_window_loss = window.loss;
    row.over_window = percent_above(loss.mean, window.loss);
    row.best_rival = rival.name;
    row.over_rival = percent_above(loss.mean, rival.loss);
    row.network = facts.network;
    if (const Estimate later = table.at(facts.name, kDefaultEntry, kLateScore); later.count > 0)
        row.over_later = percent_above(later.mean, find_best(table, facts.name, is_rival, kLateScore).loss);
    row.spread = spread_of(table, facts.name);
    for (Index i = 0; i < kCosted.size(); ++i) {
        row.gradients[i] = table.at(facts.name, kCosted[i], kRoundGradients).mean;
        row.microseconds[i] = table.at(facts.name, kCosted[i], kRoundMicroseconds).mean;
    }
    return row;
}

DefaultsVerdict verdict(std::span<const DefaultsRow> rows, DataUse use) {
    DefaultsVerdict result;
    for (const DefaultsRow& row : rows) {
        if (row.use != use) continue;
        ++result.count;
        result.within_one += row.over_rival <= 1 ? 1 : 0;
        result.within_three += row.over_rival <= 3 ? 1 : 0;
        result.within_three_of_window += row.over_window <= 3 ? 1 : 0;
        if (result.count == 1 || row.over_rival > result.worst.over_rival) result.worst = row;
    }
    const auto time_over = [](Index other) {
        return [other](const DefaultsRow& row) {
            return row.microseconds[other] > 0 ? row.microseconds[0] / row.microseconds[other] : 0;
        };
    };
    result.mean_over_rival =
        100 * (mean_ratio(rows, use, [](const DefaultsRow& row) { return 1 + row.over_rival / 100; }) - 1);
    result.time_of_window = mean_ratio(rows, use, time_over(1));
    result.time_of_adagrad = mean_ratio(rows, use, time_over(2));
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
        signed_percent(verdict.worst.over_rival), verdict.worst.name, verdict.worst.best_rival,
        signed_percent(verdict.mean_over_rival), verdict.time_of_window, verdict.time_of_adagrad);
}

std::string defaults_markdown(std::span<const DefaultsRow> rows) {
    std::vector<std::vector<std::string>> lines{
        {"data, loss", "used for choices", "rounds scored", "best window", "its loss", "default over it, %",
         "best rival", "default over it, %", "after period 16, %", "seed spread, %", "gradients a round",
         "microseconds a round"}};
    for (const DefaultsRow& row : rows) lines.push_back(cells_of(row));
    std::string text = "## Verdict\n\n";
    for (const DataUse use : {DataUse::test, DataUse::choices, DataUse::user}) {
        const std::string line = to_text(verdict(rows, use));
        if (line.empty()) continue;
        text += fmt::format("- {}: {}\n", use_heading(use), line);
        for (const bool network : {false, true}) {
            std::vector<DefaultsRow> part;
            for (const DefaultsRow& row : rows)
                if (row.network == network && row.use == use) part.push_back(row);
            if (part.empty() || part.size() == verdict(rows, use).count) continue;
            text +=
                fmt::format("  - {}: {}\n", network ? "networks" : "streams", to_text(verdict(part, use)));
        }
    }
    return text + "\n## The default against the best window and the best rival\n\n" + markdown_table(lines) +
           "\nGradients and microseconds: default / window 64 / AdaGrad. Bold: within 3 %. The loss of a "
           "network is its total cost "
           "over that\nof the clairvoyant. After period 16: the default over the rival that is best "
           "then.\n\n";
}

Chart defaults_chart(const ResultTable& table, std::span<const DataFacts> facts) {
    Chart chart{"How close to the best rival in hindsight?",
                "share of the data sets on which an entry is within so many per cent; up and left is better",
                {}};
    chart.columns = 2;
    for (const bool network : {false, true}) {
        for (const DataUse use : {DataUse::test, DataUse::choices, DataUse::user}) {
            std::vector<DataFacts> wanted;
            for (const DataFacts& each : facts)
                if (each.network == network && each.use == use) wanted.push_back(each);
            if (wanted.empty()) continue;
            const std::string title = fmt::format("{}: {}", network ? "networks" : "streams",
                                                  use == DataUse::choices ? "used for choices"
                                                  : use == DataUse::test  ? "not used for choices"
                                                                          : "your data");
            chart.panels.push_back(profile(table, title, wanted));
        }
    }
    return chart;
}

}  // namespace proxstream
