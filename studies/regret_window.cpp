/// The regret as a function of the window: upper bounds, the regret for other windows, and lower bounds.
#include "proxstream/core/draw.hpp"

#include "core/find_row.hpp"
#include "run/synthetic.hpp"
#include "studies/learners.hpp"
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kPathBound{"path_bound", "C3a"};  // over T
constexpr StudyFigure kBound{"bound", "C3c"};           // over T: proved beforehand
constexpr StudyFigure kAttained{"attained", "Reg_w / C3a"};
constexpr StudyFigure kMeterOff{"referee_differs", "difference to the referee"};  // of Reg_w, relative
constexpr StudyFigure kOverOwn{"over_own", "Reg of the shortest window / Reg_w"};
constexpr StudyFigure kOverLower{"over_lower", "Reg_w/T / lower bound"};

constexpr const char* kCoin = "coin";
constexpr const char* kHazan = "Hazan";
constexpr const char* kCoinText =
    "g = indicator of [-1, 1]; coin: f_t = x or -x with probability 1/2 each; Hazan: segments of 2w rounds, "
    "first half: the coin in odd rounds, f_t = -f_{t-1} in even ones, second half: f_t = 0";

constexpr Real kRegretDelta = 0.3;

/// Makes the rows of a stream, which may depend on the next decision.
using RowMaker = std::function<void(Round t, ConstView x, RowBlock& record)>;
struct ChasedStream {
    const char* name;
    const char* formula;
    bool random;
    Setting (*setting)();
    RowMaker (*rows)(std::uint64_t seed);
    Real steepest, flattest;  // of the slope
};

/// The newest loss always has its steepest slope at x_t, and the slope of the loss that leaves the window has
/// the other sign or is 0.
RowMaker chase(std::uint64_t /*seed*/) {
    return [](Round /*t*/, ConstView x, RowBlock& record) {
        constexpr Real kAhead = 0.4472135954999579;  // 1/sqrt 5
        const Real one = 1;
        record.add_dense({&one, 1}, x[0] + kAhead);
    };
}

RowMaker drift(std::uint64_t seed) {
    SyntheticOptions options = SyntheticOptions::parse("drift,features=4,active=4,period=20000");
    options.jump = options.rows = std::uint64_t{1} << 40U;  // never
    options.seed = seed;
    const auto reader = std::make_shared<const SyntheticReader>(options);
    return [reader](Round t, ConstView /*x*/, RowBlock& record) {
        std::array<Real, 4> features{};
        const Real target = reader->row(t, features);
        record.add_dense(features, target);
    };
}

constexpr std::array kChased{
    ChasedStream{"chase", "f_t = tukey(x - x_t - 1/sqrt 5) on the line, eta = 0.5", false,
                 [] { return Setting{.loss = "tukey", .step = 0.5, .smoothness = 1}; }, chase, -2.1, -1.75},
    ChasedStream{"drift",
                 "builtin:drift,features=4,active=4,period=20000 without jumps, cauchy + l1:0.01, eta = 0.1",
                 true,
                 [] {
                     return Setting{.loss = "cauchy",
                                    .reg = "l1:0.01",
                                    .start = std::vector<Real>(4),
                                    .step = 0.1,
                                    .smoothness = 10};
                 },
                 drift, -2.2, -1.8},
};

/// Runs a window on the stream; Reg_{w'}/T for each of the windows, and the certificate.
std::pair<std::vector<Real>, Certificate> run_chased(const ChasedStream& stream, const std::string& text,
                                                     const std::vector<Index>& windows, Round rounds,
                                                     Cell& cell) {
    const Setting setting = stream.setting();
    const auto learner = make_learner(setting, text, cell.seed);
    auto meter = make_meter(setting, windows);
    const RowMaker rows = stream.rows(cell.seed);
    std::vector<Real> regrets(windows.size());
    RowBlock record;
    const auto reveal = [&](Round t, ConstView x) -> const RowBlock& {
        record.clear();
        rows(t, x, record);
        meter.measure(record, x);
        for (Index i = 0; i < regrets.size(); ++i)
            regrets[i] += meter.gaps()[i] * meter.gaps()[i] / static_cast<Real>(rounds);
        return record;
    };
    Certificate certificate = play(*learner, rounds, cell, reveal);
    return {regrets, std::move(certificate)};
}

/// Exact gradients, and noise of length sigma/w as Assumption 3 of the paper has it.
std::string chased_learner(Index window, bool noisy) {
    const std::string exact =
        fmt::format("time-smoothed:window={},model=previous,tolerance={}", window, kRegretDelta);
    return noisy ? fmt::format("{},oracle=(sphere:{:.17g},noise=shared)", exact,
                               0.1 / static_cast<Real>(window))
                 : exact;
}

StudyStream chased_stream(const ChasedStream& row, const std::vector<Index>& windows, Round rounds) {
    StudyStream stream{.name = row.name, .text = row.formula, .x = {"window w", Scale::log2}};
    for (const bool noisy : {false, true}) {
        const std::string line = noisy ? "bounded noise" : "exact";
        for (const Index w : windows)
            stream.methods.push_back(
                {fmt::format("{} {}", line, w), chased_learner(w, noisy), line, static_cast<Real>(w), noisy});
    }
    stream.random = row.random;
    stream.run = [&row, windows, rounds](Cell& cell) {
        const auto [regrets, certificate] = run_chased(row, cell.method().text, windows, rounds, cell);
        const Real t = static_cast<Real>(rounds);
        const Real w = cell.method().x;
        const Real regret = certificate.summary.regret / t;
        const Real path_bound = certificate.at("C3a").right / t;
        const auto own = static_cast<Index>(std::find(windows.begin(), windows.end(), static_cast<Index>(w)) -
                                            windows.begin());
        cell.add(kRegret, regret);
        cell.add(kScaledRegret, w * w * regret);
        cell.add(kPathBound, path_bound);
        cell.add(kBound, certificate.at("C3c").right / t);
        cell.add(kAttained, regret / path_bound);
        cell.add(kSteps, static_cast<Real>(certificate.summary.totals.steps) / t);
        cell.add(kMeterOff, std::abs(regrets[own] / regret - 1));
        cell.add(kOverOwn, regrets.front() / regret);
    };
    return stream;
}

/// The same exact runs, measured by other windows: a line for each own window, x is the other one.
StudyStream judged_stream(const ChasedStream& row, const std::vector<Index>& windows, Round rounds) {
    StudyStream stream{.name = fmt::format("{}, other windows", row.name),
                       .text = row.formula,
                       .x = {"measured by window w'", Scale::log2}};
    for (const Index own : windows) {
        for (const Index other : windows)
            stream.methods.push_back({fmt::format("w = {}, w' = {}", own, other), "",
                                      fmt::format("w = {}", own), static_cast<Real>(other)});
    }
    stream.random = row.random;
    stream.together = true;
    stream.run = [&row, windows, rounds](Cell& cell) {
        Index next = 0;
        for (const Index own : windows) {
            const auto run = run_chased(row, chased_learner(own, false), windows, rounds, cell);
            for (const Real regret : run.first) cell.add(cell.methods[next++].name, kRegret, regret);
        }
    };
    return stream;
}

/// On [-1, 1] with lines; a policy decides before the loss is revealed. With a huge tolerance the
/// learner never moves.
struct Policy {
    const char* name;
    std::string (*learner)(Index window);
    Real start = 0;
};

std::string stay(Index window) {
    return paper_learner(window, 1e9);
}

constexpr std::array kPolicies{
    Policy{"time-smoothed", [](Index w) { return paper_learner(w, 0.5); }},
    Policy{"time-smoothed, model zero",
           [](Index w) {
               return fmt::format("time-smoothed:window={},model=zero,tolerance=0.5,proximal=0", w);
           }},
    Policy{"time-smoothed, w = 1", [](Index) { return paper_learner(1, 0.5); }},
    Policy{"prox-gradient", [](Index w) { return fmt::format("prox-gradient:window={}", w); }},
    Policy{"stays at 0", stay},
    Policy{"stays at 1", stay, 1},
};

Real fair_sign(std::uint64_t seed, Round t) {
    return uniform({.seed = seed, .round = t}) < 0.5 ? -1 : 1;
}

/// Hazan, Singh and Zhang (2017), Theorem 2.7: segments of 2w rounds. In the first half f_t = +-x with a fair
/// coin in odd rounds, and its opposite in the next; zero in the second half. So in every odd round of a
/// first half the window holds f_t and pairs that cancel: S_t = f_t/w, with a sign that is not known
/// beforehand. With w = 1 the paper's example: a fair coin every round.
Real adversary_slope(Index window, std::uint64_t seed, Round t) {
    if (window == 1) return fair_sign(seed, t);
    const Round place = (t - 1) % (2 * window);
    if (place >= window) return 0;
    return place % 2 == 0 ? fair_sign(seed, t) : -fair_sign(seed, t - 1);
}

/// The regret's window, eta and T.
struct Coin {
    Index window = 1;
    Real step = 1;
    Round rounds = 0;

    /// Of the mean of Reg_w/T. A quarter of Hazan's rounds are drawn, and each costs at least 1/(2 w^2).
    Real lower_bound() const {
        const auto w = static_cast<Real>(window);
        return window == 1 ? std::min<Real>(0.5, 1 / (step * step)) : 1 / (8 * w * w);
    }
};

void run_policy(const Policy& policy, const Coin& coin, Cell& cell) {
    constexpr Index kLongWindow = 16;  // of policies where the regret's window is 1
    const Setting setting{.reg = "box:-1,1", .start = {policy.start}, .step = coin.step};
    const Index own = coin.window == 1 ? kLongWindow : coin.window;
    const auto learner = make_learner(setting, policy.learner(own), cell.seed);
    auto meter = make_meter(setting, {coin.window});
    Real regret = 0;
    play(*learner, coin.rounds, cell, [&](Round t, ConstView x) {
        LossFunction loss = line(adversary_slope(coin.window, cell.seed, t));
        meter.measure(loss, x);
        regret += meter.gaps()[0] * meter.gaps()[0];
        return loss;
    });
    const Real mean = regret / static_cast<Real>(coin.rounds);
    cell.add(kRegret, mean);
    cell.add(kOverLower, mean / coin.lower_bound());
}

StudyStream coin_stream(const std::string& name, const Axis& x, const std::vector<Real>& values,
                        const std::function<Coin(Real value)>& coin) {
    StudyStream stream{.name = name, .text = kCoinText, .x = x};
    for (const Policy& policy : kPolicies) {
        for (const Real value : values)
            stream.methods.push_back({fmt::format("{}, {:.3g}", policy.name, value), "", policy.name, value});
    }
    stream.run = [coin](Cell& cell) {
        run_policy(find_row(kPolicies, "policy", cell.method().line), coin(cell.method().x), cell);
    };
    return stream;
}

/// The coin for several steps, and Hazan's stream for several windows.
void add_lower_bounds(StudyPlan& plan, StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const Round rounds = full ? 32'768 : 2048;
    const std::vector<Real> windows =
        full ? std::vector<Real>{4, 8, 16, 32, 64, 128} : std::vector<Real>{4, 8, 16, 32};
    plan.streams.push_back(coin_stream(kCoin, {"step eta", Scale::log}, {0.5, 1, std::numbers::sqrt2, 2, 4},
                                       [=](Real step) { return Coin{.step = step, .rounds = rounds}; }));
    plan.streams.push_back(coin_stream(kHazan, {"window w", Scale::log2}, windows, [=](Real window) {
        return Coin{.window = static_cast<Index>(window), .rounds = rounds};
    }));
    // Bound on the error of a mean over so many coins.
    const Real slack = 4 / std::sqrt(static_cast<Real>(rounds));
    for (const Policy& policy : kPolicies) {
        plan.expectations.push_back({Measure::smallest, kCoin, policy.name, kOverLower, 1 - slack});
        plan.expectations.push_back({Measure::smallest, kHazan, policy.name, kOverLower, 1 - 2 * slack});
        plan.expectations.push_back({Measure::slope, kHazan, policy.name, kRegret, -2.1, -1.8});
    }
    // The bounds are attained.
    plan.expectations.push_back({Measure::value, kCoin, "stays at 1, 1", kOverLower, 1 - slack, 1 + slack});
    plan.expectations.push_back({Measure::value, kCoin, "stays at 0, 4", kOverLower, 1 - 1e-9, 1 + 1e-9});
    plan.expectations.push_back(
        {Measure::smallest, kHazan, "time-smoothed, model zero", kOverLower, 1 - 2 * slack, 1 + 2 * slack});
}

}  // namespace

StudyPlan plan_regret_window(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const std::vector<Index> windows =
        full ? std::vector<Index>{4, 8, 16, 32, 64, 128, 256} : std::vector<Index>{4, 8, 16, 32};
    const Round rounds = full ? 5000 : 600;
    StudyPlan plan;
    plan.question =
        "How does the regret fall with the window, at a fixed delta = 0.3? On a stream that is always ahead "
        "of the point, and on one that\ndrifts; with exact gradients, and with noise of length sigma/w, "
        "sigma = 0.1. Beside it what Theorem 1' proves: from what the run\nmet (C3a), and from tolerances, "
        "noise and variation (C3c). Then the same runs measured by other windows, about which nothing\nis "
        "promised. Last, what no policy avoids: with w = 1 fair coins cost at least min(1/2, 1/eta^2) a "
        "round "
        "in the mean, and with\nw > 1 the stream of Hazan, Singh and Zhang (2017) at least 1/(8 w^2). The "
        "number after a name is w, or what varies.";
    plan.figures = {kRegret,    {kScaledRegret.key, "w^2 Reg_w/T"},
                    kPathBound, kBound,
                    kAttained,  kSteps,
                    kMeterOff,  kOverOwn,
                    kOverLower};
    std::vector<std::string> chased, others;
    for (const ChasedStream& row : kChased) {
        plan.streams.push_back(chased_stream(row, windows, rounds));
        plan.streams.push_back(judged_stream(row, windows, rounds));
        chased.emplace_back(row.name);
        others.push_back(plan.streams.back().name);
        for (const std::string line : {"exact", "bounded noise"}) {
            const std::string longest = fmt::format("{} {}", line, windows.back());
            plan.expectations.push_back(
                {Measure::slope, row.name, line, kRegret, row.steepest, row.flattest});
            plan.expectations.push_back({Measure::largest, row.name, line, kAttained, 0, 1 + 1e-9});
            plan.expectations.push_back({Measure::largest, row.name, line, kMeterOff, 0, 1e-6});
            plan.expectations.push_back({Measure::value, row.name, longest, kOverOwn, 5});
        }
    }
    add_lower_bounds(plan, preset);
    const Axis regret{"Reg_w / T", Scale::log};
    plan.charts = {{.file = "regret.svg",
                    .title = "Regret of the own window, and its bounds",
                    .y = regret,
                    .figures = {{kRegret}, {kPathBound, ": C3a", true}, {kBound, ": C3c", true}},
                    .streams = chased},
                   {.file = "other-windows.svg",
                    .title = "The same runs measured by other windows",
                    .y = {"Reg_w' / T", Scale::log},
                    .figures = {{kRegret}},
                    .streams = others},
                   {.file = "lower-bounds.svg",
                    .title = "Regret over what no policy is below in the mean",
                    .y = {"Reg_w / lower bound", Scale::log},
                    .figures = {{kOverLower}},
                    .streams = {kCoin, kHazan}}};
    return plan;
}

}  // namespace proxstream
