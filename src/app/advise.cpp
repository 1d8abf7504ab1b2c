#include "proxstream/online/advice.hpp"

#include "app/advice_table.hpp"
#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"
#include "core/violations.hpp"
#include "run/noise_estimate.hpp"
#include "run/problem.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

/// Records looked at for the estimates.
constexpr Index kPeek = 64;
constexpr const char* kDefaultWindows = "8,16,32,64,128";

struct AdviseTexts {
    std::string windows = kDefaultWindows;
    std::string noise;
    std::string tail = "variance";
    std::string across = "independent";
    std::string oscillation;
    std::string variation;
    std::string delta;
    std::string batch;
    std::string confirm;
    std::string confidence = "0.95";
};

/// The same, read.
struct Wanted {
    AdviceInput input;  // but for the window
    std::vector<Index> windows;
    std::optional<Real> noise;
    std::optional<Real> oscillation;
    std::optional<Real> variation;
    std::optional<Real> tolerance;  // rho, the same for all windows, where nothing else says
    Real confidence = 0;
};

template <class T>
struct Choice {
    std::string_view name;
    T value;
};
constexpr std::array kTails{Choice<NoiseTail>{"variance", NoiseTail::variance},
                            Choice<NoiseTail>{"subgaussian", NoiseTail::subgaussian},
                            Choice<NoiseTail>{"bounded", NoiseTail::bounded}};
constexpr std::array kAcross{Choice<bool>{"independent", true}, Choice<bool>{"shared", false}};

std::optional<Real> read_number(std::string_view name, const std::string& text, bool zero_allowed) {
    if (text.empty()) return std::nullopt;
    const Real value = parse_real(text, name);
    if (value > kInfinity / 2 || value < 0 || (value == 0 && !zero_allowed)) {
        throw ConfigError(fmt::format("{} = {}: must be finite and {}", name, text,
                                      zero_allowed ? "0 or more" : "positive"));
    }
    return value;
}

std::optional<Index> read_count(std::string_view name, const std::string& text) {
    if (text.empty()) return std::nullopt;
    Index value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || value == 0) {
        throw ConfigError(fmt::format("{} = '{}': expected a whole number, 1 or more", name, text));
    }
    return value;
}

/// Throws ConfigError with every violation.
Wanted read_texts(const AdviseTexts& texts, const LearnSettings& settings) {
    Wanted wanted;
    Violations violations;
    const auto collect = [&](const auto& read) { violations.collect("", read); };
    for (const std::string& text : split_outside_parentheses(texts.windows, ',')) {
        collect([&] {
            if (const auto window = read_count("windows", text)) wanted.windows.push_back(*window);
        });
    }
    collect([&] { wanted.noise = read_number("noise", texts.noise, true); });
    collect([&] { wanted.oscillation = read_number("swing", texts.oscillation, true); });
    collect([&] { wanted.variation = read_number("variation", texts.variation, true); });
    collect([&] { wanted.input.delta = read_number("delta", texts.delta, false); });
    collect([&] { wanted.input.batch = read_count("oracle-batch", texts.batch); });
    collect([&] { wanted.input.confirm = read_count("confirm", texts.confirm); });
    collect([&] { wanted.input.tail = find_row(kTails, "tail", texts.tail).value; });
    collect(
        [&] { wanted.input.independent = find_row(kAcross, "noise across records", texts.across).value; });
    collect([&] {
        wanted.confidence = parse_real(texts.confidence, "confidence");
        if (!(wanted.confidence >= 0.5 && wanted.confidence < 1)) {
            throw ConfigError("confidence = " + texts.confidence + ": must be at least 0.5 and below 1");
        }
    });
    const auto need = [&](bool there, const char* name) {
        violations.require(there || !settings.data.empty(), "{}: give it, or data to estimate it from", name);
    };
    need(settings.smoothness != 0, "smoothness");
    need(!texts.noise.empty(), "noise");
    need(!texts.oscillation.empty(), "swing");
    violations.conclude();
    return wanted;
}

void print_figure(std::string_view name, Real value, std::string_view origin) {
    fmt::print("  {:<18}{:<11.6g} {}\n", name, value, origin);
}

/// Fills in what was not given, and says where each figure comes from.
void settle_figures(const LearnSettings& settings, Wanted& wanted) {
    std::optional<NoiseEstimate> estimate;
    if (!settings.data.empty()) {
        Problem problem(settings, stop_requested());
        const std::vector<RowBlock> records = problem.stream().peek(kPeek);
        estimate = estimate_noise(
            records, problem.family(), problem.g(), problem.start(),
            {.confidence = wanted.confidence, .smoothness = settings.smoothness, .seed = settings.seed});
        wanted.input.mean_squared_smoothness = estimate->mean_squared_smoothness;
        if (!estimate->exact()) wanted.input.rows = estimate->most_rows;
    }
    AdviceInput& input = wanted.input;
    input.smoothness = estimate ? estimate->smoothness : settings.smoothness;
    input.base_noise = wanted.noise.value_or(estimate ? estimate->base_noise_limit : 0);
    input.oscillation = wanted.oscillation.value_or(estimate ? estimate->oscillation_limit : 0);
    input.variation = wanted.variation.value_or(estimate ? estimate->variation : 0);
    input.step = number_or_auto("step", settings.step);

    print_figure("smoothness L", input.smoothness, estimate ? estimate->smoothness_origin() : "given");
    print_figure("noise sigma_0", input.base_noise,
                 wanted.noise ? "given" : estimate->base_noise_origin(wanted.confidence));
    print_figure("swing", input.oscillation,
                 wanted.oscillation ? "given" : estimate->oscillation_origin(wanted.confidence));
    print_figure("variation", input.variation,
                 wanted.variation ? "given"
                 : estimate       ? estimate->variation_origin()
                                  : "not given: the stream's own share is left out of the regret");
    // Samples have to resolve what there is to learn at the start, or every round is quiet.
    if (estimate && estimate->gap > 0 && !input.delta && !input.batch && input.tail != NoiseTail::bounded) {
        wanted.tolerance = estimate->gap / 4;
        print_figure("tolerance rho", *wanted.tolerance, "a quarter of the stationarity gap at the start");
    }
}

/// The windows that can do with what was asked for. Throws ConfigError if there are none.
std::vector<AdviceRow> advise_windows(const Wanted& wanted, std::vector<std::string>& refused) {
    std::vector<AdviceRow> table;
    std::vector<std::pair<std::string, std::string>> reasons;  // each once, with its windows
    for (const Index window : wanted.windows) {
        AdviceRow row{.input = wanted.input, .advice = {}};
        row.input.window = window;
        if (wanted.tolerance) row.input.delta = *wanted.tolerance * static_cast<Real>(window);
        try {
            row.advice = proxstream::advise(row.input);
            table.push_back(row);
        } catch (const ConfigError& error) {
            for (const std::string& text : error.violations()) {
                const auto same = std::find_if(reasons.begin(), reasons.end(),
                                               [&](const auto& reason) { return reason.first == text; });
                if (same == reasons.end()) {
                    reasons.emplace_back(text, std::to_string(window));
                } else {
                    same->second += ", " + std::to_string(window);
                }
            }
        }
    }
    for (const auto& [text, windows] : reasons) refused.push_back("w = " + windows + ": " + text);
    if (table.empty()) throw ConfigError(refused);
    return table;
}

}  // namespace

int advise(const std::vector<std::string>& arguments) {
    if (!arguments.empty() && arguments.front() == "game")
        return advise_game({arguments.begin() + 1, arguments.end()});
    LearnSettings settings;
    AdviseTexts texts;
    std::optional<Wanted> wanted;
    const auto done = parse_command_line(
        "advise",
        "Computes, for each window, the step, tolerance, samples and confirmations that sampled gradients "
        "need,\nand bounds on updates, base samples and regret. Figures that are not given are estimated "
        "from the first\nrecords of the data. For games: 'proxstream advise game --help'.",
        arguments, settings,
        {.extras = {{"windows", "A,B,..", fmt::format("windows to advise on [{}]", kDefaultWindows),
                     &texts.windows},
                    {"noise", "SIGMA0", "deviation of one sample of a record's gradient", &texts.noise},
                    {"tail", "KIND",
                     "what is known of the noise: variance, subgaussian or bounded [variance]", &texts.tail},
                    {"across", "KIND", "noise of different records: independent or shared [independent]",
                     &texts.across},
                    {"swing", "OSC", "largest fall of a loss while it is in the window", &texts.oscillation},
                    {"variation", "V", "deviation of the gradients of losses a window apart",
                     &texts.variation},
                    {"delta", "DELTA", "tolerance; a round ends at DELTA/W [from the noise]", &texts.delta},
                    {"oracle-batch", "B", "samples a record and call [1, or as many as the tolerance needs]",
                     &texts.batch},
                    {"confirm", "M", "end a round when M estimates pass [as many as the tail needs]",
                     &texts.confirm},
                    {"confidence", "P", "confidence level of upper limits on estimates [0.95]",
                     &texts.confidence}},
         .takes =
             [](const OptionRow<LearnSettings>& row) {
                 return describes_problem(row) || row.name == "step" || row.name == "smoothness";
             },
         .checks = {[&] { validate(settings); }, [&] { wanted = read_texts(texts, settings); }}});
    if (done) return *done;

    settle_figures(settings, *wanted);
    if (wanted->input.base_noise == 0 && !wanted->input.delta) {
        fmt::print(
            "\nThere is no noise to advise on: gradients are exact. Put several rows into a record with "
            "--batch "
            "to sample from them.\n");
        return kOk;
    }
    std::vector<std::string> refused;
    const std::vector<AdviceRow> table = advise_windows(*wanted, refused);
    const Advice& first = table.front().advice;
    print_figure("step eta", first.step,
                 fmt::format("{}, c = 1 - eta L/2 = {:.4g}", wanted->input.step ? "given" : "1/(2L)",
                             first.contraction));
    fmt::print("\n");
    print_advice(table);
    for (const std::string& text : refused) fmt::print("refused: {}\n", text);
    print_command(table, settings);
    return kOk;
}

}  // namespace proxstream::app
