#include "app/advice_table.hpp"

#include "online/noisy_test.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

/// Four digits, with "-" for what is not proved.
std::string figure(Real value) {
    return value == kInfinity ? "-" : fmt::format("{:.4g}", value);
}

/// An estimate and its confirmations draw fewer rows than there are.
bool sampling_pays(const AdviceRow& row) {
    return row.input.rows == 0 || row.advice.batch * row.advice.confirm < row.input.rows;
}

struct Column {
    std::string_view title;
    int width;
    bool words = false;
};
constexpr std::array kColumns{
    Column{"w", 7},      Column{"b ", 7},     Column{"sigma", 8},   Column{"delta >", 9},  Column{"delta", 9},
    Column{"rho", 9},    Column{"m", 2},      Column{"updates", 9}, Column{"by", 6, true}, Column{"fresh", 9},
    Column{"S(s/w)", 9}, Column{"spider", 9}, Column{"regret", 9},  Column{"by", 6, true}, Column{"(23)", 9},
};
using Cells = std::array<std::string, kColumns.size()>;

void print_line(const Cells& cells) {
    for (Index i = 0; i < cells.size(); ++i) {
        const int width = kColumns[i].width;
        fmt::print("{}{}", i == 0 ? "" : " ",
                   kColumns[i].words ? fmt::format("{:<{}}", cells[i], width)
                                     : fmt::format("{:>{}}", cells[i], width));
    }
    fmt::print("\n");
}

void print_legend(const AdviceRow& row) {
    fmt::print(
        "\nb: base samples a record and call. m: estimates that have to pass at one point before a round "
        "ends.\n"
        "delta >: above it the number of updates has a proved bound. updates; fresh, S(s/w) and spider, "
        "which are\n"
        "base samples; regret: bounds a round over a long run, '-' where none is proved. 'by' names the "
        "theorem.\n"
        "fresh draws every estimate anew; S(s/w) makes each call as exact as the paper asks; spider uses\n"
        "differences, and is counted without confirmations.\n");
    const PaperCondition& paper = row.advice.paper;
    fmt::print("(23): the delta that the paper's condition needs at eta = {:.4g}", paper.step);
    if (paper.step != row.advice.step) fmt::print(" (at eta >= 1/L it has none)");
    const Real needed = stopping_delta({.smoothness = row.input.smoothness,
                                        .step = paper.step,
                                        .sigma = row.advice.sigma,
                                        .confirm = 1,
                                        .bounded = false});
    if (!paper.sound) {
        fmt::print("; too small there: rounds need not end");
    } else if (row.advice.sigma > 0) {
        fmt::print("; {:.3g} times what is needed there", paper.delta / needed);
    }
    fmt::print(".\n");
}

/// As a shell has to be given it.
std::string quoted(const std::string& text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string shell = "'";
    for (const char c : text) shell += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return shell + "'";
}

/// The options that describe data and model, as they were given.
std::string problem_options(const LearnSettings& settings) {
    const LearnSettings defaults;
    std::string command;
    for (const std::string& file : settings.data) command += " " + quoted(file);
    if (settings.data.empty()) command += " DATA --batch ROWS";
    for (const auto& row : LearnSettings::options()) {
        const std::string text = present(row, settings);
        if (!describes_problem(row) || row.name == "data" || text == present(row, defaults)) continue;
        if (std::holds_alternative<bool LearnSettings::*>(row.member)) {
            command += fmt::format(" --{}{}", text == "true" ? "" : "no-", row.name);
        } else {
            command += fmt::format(" --{} {}", row.name, quoted(text));
        }
    }
    return command;
}

/// Rows drawn from records; noise that those cannot have is put on exact gradients.
std::string oracle_options(const AdviceRow& row) {
    const auto& [input, advice] = row;
    const bool bounded = input.tail == NoiseTail::bounded;
    if (input.independent && !bounded) {
        return fmt::format("minibatch:{} --noise {:.6g}", advice.batch, input.base_noise);
    }
    return fmt::format("{}:{:.6g},samples={},noise={}", bounded ? "sphere" : "gaussian", input.base_noise,
                       advice.batch, input.independent ? "independent" : "shared");
}

}  // namespace

bool describes_problem(const OptionRow<LearnSettings>& row) {
    return row.group == "Data" || row.group == "Model";
}

void print_advice(const std::vector<AdviceRow>& table) {
    Cells titles;
    std::transform(kColumns.begin(), kColumns.end(), titles.begin(),
                   [](const Column& column) { return std::string(column.title); });
    print_line(titles);
    bool marked = false;
    for (const AdviceRow& row : table) {
        const Advice& advice = row.advice;
        const bool pays = sampling_pays(row);
        marked = marked || !pays;
        print_line({std::to_string(row.input.window), std::to_string(advice.batch) + (pays ? " " : "*"),
                    figure(advice.sigma), figure(advice.smallest_delta), figure(advice.delta),
                    figure(advice.tolerance), std::to_string(advice.confirm), figure(advice.updates),
                    std::string(advice.updates_rule), figure(advice.fresh_samples),
                    figure(advice.paper_samples), figure(advice.spider.base_samples), figure(advice.regret),
                    std::string(advice.regret_rule), figure(advice.paper.delta)});
    }
    print_legend(table.front());
    if (marked) {
        fmt::print(
            "*: with its confirmations an estimate draws the {} rows a record has: exact gradients cost "
            "less.\n",
            table.front().input.rows);
    }
}

void print_command(const std::vector<AdviceRow>& table, const LearnSettings& settings) {
    const AdviceRow* best = nullptr;
    for (const AdviceRow& row : table) {
        if (!sampling_pays(row)) continue;
        if (best == nullptr || row.advice.regret < best->advice.regret) best = &row;
    }
    if (best == nullptr) {
        fmt::print(
            "\nNo window here can do with samples: learn from exact gradients, with more rows a record, or "
            "with "
            "longer windows.\n");
        return;
    }
    const Advice& advice = best->advice;
    fmt::print("\nwith the smallest of these regret bounds, w = {}:\n  proxstream learn{}",
               best->input.window, problem_options(settings));
    fmt::print(" --window {} --oracle {} --step {:.6g} --smoothness {:.6g} --tolerance {:.6g} --confirm {}\n",
               best->input.window, oracle_options(*best), advice.step, best->input.smoothness, advice.delta,
               advice.confirm);
}

}  // namespace proxstream::app
