#include "proxstream/online/learner_table.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/find_row.hpp"
#include "proxstream/online/bank.hpp"
#include "proxstream/online/time_smoothed.hpp"
#include "proxstream/online/update_rules.hpp"
#include "proxstream/window/shared_batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace proxstream {
namespace {

using Batch = AnyBatch<RowBlock>;

constexpr Index kByNameOnly = ~Index{0};

bool is_auto(std::string_view window) {
    return Spec::parse(window).name() == "auto";
}

std::unique_ptr<RowLearner> make_auto(LearnerParts parts);

void require(const Spec& spec, bool holds, const char* what) {
    if (!holds) throw ConfigError("'" + spec.text() + "': " + what);
}

Real positive_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value > 0, (std::string(key) + " must be positive").c_str());
    return value;
}

Real fraction_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value >= 0 && value < 1, (std::string(key) + " must lie in [0, 1)").c_str());
    return value;
}

/// Rules that read `window=auto` as a length to measure by take the usual one.
WindowWeights measured_by(const LearnerParts& parts) {
    return is_auto(parts.window) ? WindowWeights(kMeasured) : WindowWeights::parse(parts.window);
}

/// The arguments every learner that solves windows takes, whatever its kind.
void read_solver_arguments(const Spec& spec, LearnerParts& parts) {
    if (spec.has("model")) parts.model = ModelRule::parse(spec.word(kByNameOnly, "model"));
    parts.hysteresis = spec.number_or(kByNameOnly, "hysteresis", parts.hysteresis);
    parts.switching = spec.number_or(kByNameOnly, "switching", parts.switching);
    parts.effort = spec.number_or(kByNameOnly, "effort", parts.effort);
    require(spec, parts.effort > 0, "effort must be positive");
    if (spec.has("tolerance")) parts.tolerance = Tolerance::parse(spec.word(kByNameOnly, "tolerance"));
    require(spec, parts.hysteresis > 0 && parts.hysteresis <= 1, "hysteresis must lie in (0, 1]");
    require(spec, parts.switching >= 0 && parts.switching < kInfinity,
            "switching must be finite and not negative");
    if (parts.switching > 0 && !supports_switching(parts.g)) {
        throw ConfigError(
            "'" + spec.text() +
            "': this regulariser has no known prox together with a switching penalty; separable ones and "
            "simplices have");
    }
}

std::unique_ptr<RowLearner> smoothed(LearnerParts parts, AnyInner inner) {
    const WindowWeights window = measured_by(parts);
    const Index reach = std::max(window.length(), window.model(parts.model).length());
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(reach));
    auto learner = std::make_unique<TimeSmoothed<AnyRegulariser, Batch, AnyInner>>(
        std::move(parts.g), std::move(batch), std::move(parts.start),
        TimeSmoothedOptions{window, parts.model, parts.step, std::move(parts.tolerance), parts.hysteresis,
                            parts.switching, parts.budget, parts.effort},
        std::move(inner));
    if (parts.model.kind == ModelRule::Kind::record) learner->attach_forecasts(parts.make_forecasts());
    return learner;
}

template <class Rule>
std::unique_ptr<RowLearner> first_order(LearnerParts parts, Rule rule) {
    const WindowWeights window = measured_by(parts);
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(window.length()));
    return std::make_unique<GradientLearner<AnyRegulariser, Batch, Rule>>(
        std::move(parts.g), std::move(batch), std::move(parts.start), window, parts.step, std::move(rule));
}

std::unique_ptr<RowLearner> make_time_smoothed(const Spec& spec, LearnerParts parts) {
    read_solver_arguments(spec, parts);
    if (is_auto(parts.window)) return make_auto(std::move(parts));
    AnyInner inner = parts.inner;
    return smoothed(std::move(parts), std::move(inner));
}

/// A fixed number of inner steps a round and no exit test.
std::unique_ptr<RowLearner> fixed_effort(LearnerParts parts, std::uint64_t steps, AnyInner inner) {
    parts.tolerance = Tolerance::none();
    parts.budget.max_steps = steps;
    return smoothed(std::move(parts), std::move(inner));
}

std::unique_ptr<RowLearner> make_window_steps(const Spec& spec, LearnerParts parts) {
    read_solver_arguments(spec, parts);
    AnyInner inner(ProxGrad{parts.smoothness});
    return fixed_effort(std::move(parts), spec.count_or("steps", 1), std::move(inner));
}

std::unique_ptr<RowLearner> make_re_solve(const Spec& spec, LearnerParts parts) {
    read_solver_arguments(spec, parts);
    return fixed_effort(std::move(parts), spec.count_or("steps", 25), AnyInner(Backtracking{}));
}

std::unique_ptr<RowLearner> make_prox_gradient(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    return first_order(std::move(parts), ScheduledGradient({.step = step}));
}

Replay replay_of(const Spec& spec, const LearnerParts& parts) {
    return {.steps = spec.has("replay") ? spec.count("replay") : 0, .seed = parts.seed};
}

std::unique_ptr<RowLearner> make_prox_sgd(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    const Real power = spec.number_or(1, "power", 0.5);
    require(spec, power >= 0 && power <= 1, "power must lie in [0, 1]");
    const Real horizon = positive_or(spec, 2, "horizon", 100);
    const Replay replay = replay_of(spec, parts);
    return first_order(std::move(parts), ScheduledGradient({step, power, horizon}, replay));
}

std::unique_ptr<RowLearner> make_momentum(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    const Real decay = fraction_or(spec, 1, "decay", 0.9);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), Momentum(dimension, step, decay));
}

std::unique_ptr<RowLearner> make_adam(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", 0.01);
    const Real first_decay = fraction_or(spec, 1, "beta1", 0.9);
    const Real second_decay = fraction_or(spec, 2, "beta2", 0.999);
    const Real floor = positive_or(spec, 3, "floor", 1e-8);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), Adam(dimension, {step, first_decay, second_decay, floor}));
}

std::unique_ptr<RowLearner> make_adagrad(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", 0.1);
    const Real floor = positive_or(spec, 1, "floor", 1e-8);
    const Replay replay = replay_of(spec, parts);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), AdaGrad(dimension, {step, floor}, replay));
}

std::unique_ptr<RowLearner> make_full_history(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    FullHistory<Batch> rule(step, [make = parts.make_batch] { return make(FullHistory<Batch>::kChunk); });
    return first_order(std::move(parts), std::move(rule));
}

/// What a bank is made of unless its text says otherwise.
constexpr Index kLongestMember = 1024;
constexpr Index kRatio = 4;
constexpr std::uint64_t kMemberSteps = 4;  // about one pass a round is where windows pay best
constexpr Real kMemberEffort = 128;        // record gradients a round, saved up: long windows work less often
constexpr std::string_view kCheapMembers = "adagrad:0.1/adagrad:1";

bool yes_or_no(const Spec& spec, const char* key, bool fallback) {
    const std::string text = spec.word_or(key, fallback ? "yes" : "no");
    require(spec, text == "yes" || text == "no", (std::string(key) + " is yes or no").c_str());
    return text == "yes";
}

std::string without_parentheses(const std::string& text) {
    const bool shielded = text.size() >= 2 && text.front() == '(' && text.back() == ')';
    return shielded ? text.substr(1, text.size() - 2) : text;
}

/// The members' window texts, by length.
std::vector<std::string> member_windows(const Spec& spec) {
    std::vector<std::string> texts;
    if (spec.has("windows")) {
        require(spec, !spec.has("longest") && !spec.has("ratio"),
                "give the windows, or the longest one and the ratio");
        for (const std::string& text : split_outside_parentheses(spec.word(kByNameOnly, "windows"), '/')) {
            if (!text.empty()) texts.push_back(without_parentheses(text));
        }
        require(spec, !texts.empty(), "a bank needs at least one window");
    } else {
        const Index ratio = spec.count_or("ratio", kRatio);
        require(spec, ratio >= 2, "ratio must be at least 2");
        for (Index length = spec.count_or("longest", kLongestMember); length > 0; length /= ratio) {
            texts.insert(texts.begin(), std::to_string(length));
        }
    }
    std::vector<WindowWeights> windows;
    for (const std::string& text : texts) {
        require(spec, !is_auto(text), "a bank cannot hold a bank");
        windows.push_back(WindowWeights::parse(text));
        for (Index i = 0; i + 1 < windows.size(); ++i) {
            require(spec, windows[i].text() != windows.back().text(),
                    ("the window " + text + " is there twice; equal members tell nothing apart").c_str());
        }
    }
    std::stable_sort(texts.begin(), texts.end(), [](const std::string& a, const std::string& b) {
        return WindowWeights::parse(a).effective_length() < WindowWeights::parse(b).effective_length();
    });
    return texts;
}

std::vector<std::string> cheap_members(const Spec& spec) {
    std::vector<std::string> texts;
    const std::string list = spec.word_or("also", kCheapMembers);
    if (list == "none") return texts;
    for (const std::string& each : split_outside_parentheses(list, '/')) {
        const std::string text = without_parentheses(each);
        require(spec, std::find(texts.begin(), texts.end(), text) == texts.end(),
                ("the member " + text + " is there twice; equal members tell nothing apart").c_str());
        require(spec, text.rfind("bank", 0) != 0, "a bank cannot hold a bank");
        texts.push_back(text);
    }
    return texts;
}

std::unique_ptr<RowLearner> make_bank(const Spec& spec, LearnerParts parts) {
    read_solver_arguments(spec, parts);
    const std::vector<std::string> windows = member_windows(spec);
    const std::vector<std::string> cheap = cheap_members(spec);
    BankOptions options;
    if (spec.has("play")) options.play = spec.word(kByNameOnly, "play");
    options.selector = Selector::parse(options.play);
    options.cross_start = yes_or_no(spec, "cross", true);
    options.smoothness = parts.smoothness;
    options.seed = parts.seed;
    if (parts.effort == kInfinity && !spec.has("effort")) parts.effort = kMemberEffort;
    parts.budget.max_steps =
        std::min<std::uint64_t>(parts.budget.max_steps, spec.count_or("steps", kMemberSteps));

    Index reach = 1;
    for (const std::string& text : windows) {
        const WindowWeights window = WindowWeights::parse(text);
        reach = std::max({reach, window.length(), window.model(parts.model).length()});
    }
    auto store = std::make_shared<Batch>(parts.make_batch(CarriedWindow<Batch>::slots(reach)));
    parts.make_batch = [store](Index /*capacity*/) { return Batch(SharedBatch<Batch>(store)); };
    Bank<RowBlock>::Members members;
    std::vector<std::string> names;
    const auto add = [&](const std::string& text, const std::string& window, const std::string& name) {
        LearnerParts own = parts;
        own.window = window;
        members.push_back(make_learner(text, std::move(own)));
        names.push_back(name);
    };
    // First-order members see the newest loss only, so that is what they are measured by.
    for (const std::string& text : cheap) add(text, "1", text);
    for (const std::string& window : windows) add("time-smoothed", window, window);
    return std::make_unique<Bank<RowBlock>>(std::move(parts.g), std::move(store), std::move(members),
                                            std::move(names), std::move(options));
}

/// The bank that a window text `auto[:arguments]` stands for.
std::unique_ptr<RowLearner> make_auto(LearnerParts parts) {
    const Spec spec = Spec::parse(parts.window);
    auto learner = make_bank(spec, std::move(parts));
    spec.finish();
    return learner;
}

constexpr std::array kLearners{
    LearnerRow{
        "time-smoothed", "time-smoothed[:model=M,hysteresis=1,switching=0,tolerance=auto,effort=inf]",
        "the exact learner: keeps a window of losses stationary up to tolerance/w; window=auto is a bank",
        make_time_smoothed},
    LearnerRow{"bank",
               "bank[:windows=1/4/16/64/256/1024,also=A/B,play=adashare,cross=yes,steps=4,effort=128]",
               "several windows and cheap learners on one store; realised loss decides who plays", make_bank},
    LearnerRow{"prox-gradient", "prox-gradient[:step]",
               "online prox-gradient on the newest loss alone (w = 1)", make_prox_gradient},
    LearnerRow{"prox-sgd", "prox-sgd[:step,power=0.5,horizon=100,replay=K]",
               "online prox-SGD with step / (1 + t/horizon)^power, and K more steps on losses of the window",
               make_prox_sgd},
    LearnerRow{"momentum", "momentum[:step,decay=0.9]", "heavy averaging of past gradients, then a prox step",
               make_momentum},
    LearnerRow{"adam", "adam[:step=0.01,beta1=0.9,beta2=0.999,floor=1e-8]",
               "Adam's direction, then a prox step", make_adam},
    LearnerRow{"adagrad", "adagrad[:step=0.1,floor=1e-8,replay=K]",
               "gradients over the root of the squares gathered so far, then a prox step; K more as prox-sgd",
               make_adagrad},
    LearnerRow{
        "window-steps", "window-steps[:steps=1]",
        "K fixed prox-gradient steps on the window a round; K = 1 is the single-step method of Hazan et al.",
        make_window_steps},
    LearnerRow{"full-history", "full-history[:step]",
               "one prox-gradient step a round on the mean of all losses so far (memory and time grow)",
               make_full_history},
    LearnerRow{"re-solve", "re-solve[:steps=25]",
               "warm-started re-solve of the window every round, a fixed effort", make_re_solve},
};

}  // namespace

std::span<const LearnerRow> learners() {
    return kLearners;
}

std::unique_ptr<RowLearner> make_learner(std::string_view text, LearnerParts parts) {
    const Spec spec = Spec::parse(text);
    const LearnerRow& row = find_row(kLearners, "learner", spec.name());
    if (spec.has("window")) parts.window = spec.word(kByNameOnly, "window");
    if (!is_auto(parts.window)) WindowWeights::parse(parts.window);  // refused here, whoever would use it
    auto learner = row.make(spec, std::move(parts));
    spec.finish();
    return learner;
}

namespace {

/// A store that never holds anything: the smallest one a learner can be built on, whatever its window.
struct NoRecords {
    using Record = RowBlock;
    void push(const RowBlock& /*record*/) {}
    void drop_newest() {}
    Index size() const { return 0; }
    Index capacity() const { return ~Index{0}; }
    Real value(Index /*age*/, ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real value_and_gradient(Index /*age*/, ConstView /*x*/, View gradient, Scratch& /*scratch*/) const {
        fill(gradient, 0);
        return 0;
    }
    Real weighted_value(std::span<const Real> /*weights*/, ConstView /*x*/, Scratch& /*scratch*/) const {
        return 0;
    }
    Real weighted_value_and_gradient(std::span<const Real> /*weights*/, ConstView /*x*/, View gradient,
                                     Scratch& /*scratch*/) const {
        fill(gradient, 0);
        return 0;
    }
};

struct NoRegulariser {
    Real value(ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real prox(ConstView v, Real /*step*/, View out, Scratch& /*scratch*/) const {
        if (out.data() != v.data()) copy(v, out);
        return 0;
    }
};

}  // namespace

Index measured_window(std::string_view window) {
    if (is_auto(window)) return kMeasured;
    return static_cast<Index>(std::max<Real>(1, std::round(WindowWeights::parse(window).effective_length())));
}

void check_learner(std::string_view text, const std::string& window, const ModelRule& model) {
    LearnerParts parts{.g = AnyRegulariser(NoRegulariser{}),
                       .make_batch = [](Index) { return AnyBatch<RowBlock>(NoRecords{}); },
                       .make_forecasts = [] { return AnyBatch<RowBlock>(NoRecords{}); },
                       .start = {0},
                       .window = window,
                       .model = model,
                       .budget = {},
                       .inner = AnyInner(Backtracking{})};
    make_learner(text, std::move(parts));
}

}  // namespace proxstream
