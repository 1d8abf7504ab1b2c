// Random runs over every loss, regulariser, window, forecast, solver and oracle, at scales from 1e-8 to 1e8:
// an honest run is never called broken. And deliberate lies: which share of them is found, by kind.

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "regret/tally.hpp"
#include "support/probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream::random_runs {
namespace {

class RunDice {
  public:
    explicit RunDice(std::uint64_t run) : run_(run) {}
    Real real(Real low, Real high) { return low + (high - low) * uniform({60, run_, 0, 0, next_++}); }
    /// A power of ten, evenly in its exponent.
    Real power(Real low, Real high) { return std::pow(10, real(low, high)); }
    Index below(Index bound) { return static_cast<Index>(uniform_below({61, run_, 0, 0, next_++}, bound)); }
    bool one_in(Index n) { return below(n) == 0; }
    Real gauss() { return normal({62, run_, 0, 0, next_++}); }
    template <class List>
    std::string pick(const List& list) {
        return list[below(std::size(list))];
    }

  private:
    std::uint64_t run_;
    std::uint64_t next_ = 0;
};

constexpr std::array kLosses{
    "squared",      "huber:1", "cauchy",          "geman-mcclure",  "welsch", "tukey",
    "logistic",     "sigmoid", "squared-sigmoid", "log-difference", "tanh",   "smoothed-hinge",
    "mlp:hidden=2", "pca"};
constexpr std::array kWindows{"1",
                              "2",
                              "5",
                              "12",
                              "exp:4",
                              "triangle:6",
                              "mean:8,keep=2",
                              "season:2,3",
                              "weights:0.5,0.25,0.25",
                              "auto",
                              "auto:windows=1/3/9"};
constexpr std::array kModels{"previous", "mean", "zero", "season:3", "auto"};
constexpr std::array kSolvers{"prox-grad", "backtracking", "panoc", "auto", "blocks"};
constexpr std::array kOracles{"sphere:0.1", "gaussian:0.1", "heavy:0.1", "dropout:0.1", "minibatch:2"};

/// A regulariser for n coordinates at the scale `size` of x.
std::string draw_regulariser(RunDice& dice, Index n, Real size) {
    const auto weight = [&] { return format_short(dice.power(-4, 1)); };
    const auto radius = [&] { return format_short(size * dice.real(0.5, 3)); };
    const auto list = [&](auto entry) {
        std::string text;
        for (Index i = 0; i < n; ++i) text += (i == 0 ? "" : ";") + format_short(entry());
        return text;
    };
    switch (dice.below(21)) {
        case 0:
            return "zero";
        case 1:
            return "l1:" + weight();
        case 2:
            return "nonneg-l1:" + weight();
        case 3:
            return "l2:" + weight();
        case 4:
            return "l2sq:" + weight();
        case 5:
            return fmt::format("elastic:{},{}", weight(), weight());
        case 6:
            return "linf:" + weight();
        case 7:
            return fmt::format("group:{},size={}", weight(), n);
        case 8:
            return "tv:" + weight();
        case 9:
            return fmt::format("fused:{},{}", weight(), weight());
        case 10:
            return fmt::format("box:{},{}", format_short(-size), format_short(2 * size));
        case 11:
            return "nonneg";
        case 12:
            return "simplex:" + radius();
        case 13:
            return fmt::format("capped-simplex:sum={},lo=0,hi={}", format_short(size), format_short(size));
        case 14:
            return "l1ball:" + radius();
        case 15:
            return "l2ball:" + radius();
        case 16:
            return "linfball:" + radius();
        case 17:
            return fmt::format("halfspace:a={},b={}", list([&] { return dice.gauss(); }), format_short(size));
        case 18:
            return fmt::format("shift:by={},(l1:{})",
                               list([&] { return size * dice.power(0, 3) * dice.gauss(); }), weight());
        case 19:
            return fmt::format("slice:0,{},(l1:{})", std::max<Index>(n / 2, 1), weight());
        default:
            return fmt::format("hyperplane:a={},b={}", list([&] { return dice.gauss(); }),
                               format_short(size));
    }
}

/// A run that was drawn: everything but the learner.
struct RandomRun {
    std::string text;
    std::shared_ptr<const RowFamily> family;
    AnyRegulariser g{Zero{}};
    std::vector<RowBlock> records;
    LearnerConfig parts{.g = Zero(), .make_batch = {}, .start = {}, .budget = {}};
    std::string learner = "time-smoothed";
};

/// How large things are in a run.
struct Scales {
    Real feature = 1;
    Real target = 1;
    Real size = 1;  // of points at which a linear model fits its targets
};

/// Draws the rows. Returns the largest L of a record, or 1 if none is known.
Real draw_records(RunDice& dice, const Scales& scales, const RowShape& shape, bool sign, RandomRun& run) {
    const Index rounds = 12 + dice.below(19);
    const Index rows = dice.one_in(3) ? 3 : 1;
    const Real outlier = dice.one_in(4) ? dice.power(0, 4) : 1;
    std::vector<Real> row(shape.features);
    Real smoothness = 0;
    for (Index t = 0; t < rounds; ++t) {
        RowBlock record;
        for (Index r = 0; r < rows; ++r) {
            for (Real& value : row) value = scales.feature * dice.gauss();
            if (dice.one_in(10)) row[0] *= outlier;
            const Real target = scales.target * dice.gauss();
            record.add_dense(row, sign ? (target < 0 ? -1 : 1) : target);
        }
        smoothness = std::max(smoothness, run.family->smoothness(record).value_or(0));
        run.records.push_back(std::move(record));
    }
    return smoothness > 0 ? smoothness : 1;
}

std::vector<Real> draw_start(RunDice& dice, Real size, const RandomRun& run) {
    std::vector<Real> start(run.family->dimension());
    run.family->start(start, 7);
    for (Real& entry : start) entry += size * dice.power(-3, 3) * dice.gauss();
    Scratch scratch;
    run.g.prox(start, 1, start, scratch);
    return start;
}

void draw_oracle(RunDice& dice, Real usual, RandomRun& run) {
    LearnerConfig& parts = run.parts;
    parts.noise.oracle = dice.pick(kOracles);
    parts.noise.confirm = 1 + dice.below(2);
    parts.noise.force = true;
    parts.noise.base_noise = usual;
    parts.noise.record_rows = run.records.front().rows();
    parts.tolerance = Tolerance::fixed(usual * dice.power(-1, 1));
    parts.inner = "auto";
    parts.model = {};
    parts.switching = 0;
    parts.hysteresis = 1;
}

/// Draws window, solver and learner; `usual` is the size of a usual gradient.
void draw_learner(RunDice& dice, Real usual, Real smoothness, RandomRun& run) {
    LearnerConfig& parts = run.parts;
    parts.window = dice.pick(kWindows);
    const std::string model = dice.pick(kModels);
    parts.model = ForecastRule::parse(model);
    parts.hysteresis = dice.one_in(4) ? dice.real(0.2, 0.9) : 1;
    parts.step = dice.real(0.3, 1) / smoothness;
    parts.smoothness = smoothness;
    parts.tolerance = dice.one_in(2) ? Tolerance::automatic() : Tolerance::fixed(usual * dice.power(-4, 1));
    parts.budget.max_steps = dice.one_in(5) ? 3 : 300;
    parts.inner = dice.pick(kSolvers);
    // No L is known of a network, so fixed steps, which oracles need as well, would rest on a guess.
    const bool smooth = run.family->smoothness(run.records.front()).has_value();
    if (!smooth) parts.inner = "backtracking";
    parts.seed = dice.below(1000);
    if (dice.one_in(4)) parts.switching = dice.power(-4, 0) * usual;
    const bool sampled = smooth && dice.one_in(5);
    if (sampled) draw_oracle(dice, usual, run);
    if (dice.one_in(6)) run.learner = dice.pick(std::array{"adagrad", "adam", "momentum", "prox-sgd:0.1"});
    run.text += fmt::format(", {} window {} model {} inner {} oracle {}", run.learner, parts.window, model,
                            parts.inner, parts.noise.oracle);
    // Drawn last, so that the runs without it stay the same.
    if (!sampled && dice.one_in(3)) {
        parts.proximal.named = dice.power(-4, 1) * smoothness;
        run.text += fmt::format(" mu {:.1e}", *parts.proximal.named);
    }
}

RandomRun draw_run(RunDice& dice) {
    RandomRun run;
    RowShape shape;
    shape.features = 1 + dice.below(6);
    Scales scales;
    scales.feature = dice.power(-8, 8);
    scales.target = dice.power(-3, 3);
    scales.size = std::clamp(scales.target / scales.feature, 1e-8, 1e8);
    const std::string loss = dice.pick(kLosses);
    shape.intercept = dice.one_in(3);
    run.family = parse_loss(loss, shape);
    const std::string regulariser = draw_regulariser(dice, run.family->dimension(), scales.size);
    run.g = parse_regulariser(regulariser);
    const Real smoothness = draw_records(dice, scales, shape, loss_target(loss) == TargetKind::sign, run);
    run.parts.g = run.g;
    run.parts.make_batch = [family = run.family](Index capacity) { return family->make_batch(capacity); };
    run.parts.start = draw_start(dice, scales.size, run);
    run.text = fmt::format("{} n={} {} features {:.1e} size {:.1e}", loss, run.family->dimension(),
                           regulariser, scales.feature, scales.size);
    draw_learner(dice, smoothness * scales.size + 1e-3 * scales.feature, smoothness, run);
    return run;
}

/// What a liar does to a report before the referee sees it.
using Lie = void (*)(RoundReport&);

Certificate play(AnyLearner& learner, const RandomRun& run, Lie lie = nullptr) {
    Tally tally(learner.facts());
    for (const RowBlock& record : run.records) {
        RoundReport report = learner.observe(record);
        if (lie != nullptr && report.status != RoundStatus::refused) lie(report);
        RowExtras extras;
        extras.ensemble = learner.ensemble();
        tally.add(report, extras);
    }
    return tally.certificate(tally.footer(learner.close(), RunEnding::finished, 0));
}

std::unique_ptr<AnyLearner> make(const RandomRun& run) {
    return make_learner(run.learner, run.parts);
}

TEST(RandomRuns, NoHonestRunIsCalledBroken) {
    const std::uint64_t kRuns = long_runs() ? 10'000 : 2000;
    std::map<std::string, std::uint64_t> refused;
    std::map<std::string, std::map<std::string, std::uint64_t>> verdicts;
    std::uint64_t played = 0;
    std::uint64_t alarms = 0;
    for (std::uint64_t index = 0; played < kRuns; ++index) {
        RunDice dice(index);
        const RandomRun run = draw_run(dice);
        std::unique_ptr<AnyLearner> learner;
        try {
            learner = make(run);
        } catch (const ConfigError& error) {
            ++refused[std::string(error.what()).substr(0, 40)];
            continue;
        }
        SCOPED_TRACE("run " + std::to_string(index) + ": " + run.text);
        const Certificate certificate = play(*learner, run);
        ++played;
        std::vector<const Certificate*> all{&certificate};
        for (const Certificate& member : certificate.members) all.push_back(&member);
        for (const Certificate* each : all) {
            for (const Inequality& line : each->inequalities) {
                ++verdicts[line.id][std::string(name(line.verdict))];
                if (line.verdict == Verdict::violated) {
                    ++alarms;
                    ADD_FAILURE() << "run " << index << ": " << run.text << "\n"
                                  << line.id << ' ' << line.left << " against " << line.right << " + "
                                  << line.slack << "; " << line.explanation;
                }
            }
        }
        if (alarms > 5) break;  // enough to look at
    }
    for (const auto& [id, counts] : verdicts) {
        std::string text = id + ":";
        for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", verdict, count);
        RecordProperty(id, text);
        if (std::getenv("PROXSTREAM_SHOW") != nullptr) std::cout << text << '\n';
    }
    RecordProperty("played", std::to_string(played));
    if (std::getenv("PROXSTREAM_SHOW") != nullptr) {
        std::cout << "played " << played << '\n';
        for (const auto& [why, count] : refused) std::cout << count << " refused: " << why << '\n';
    }
}

// ---- lies

/// A regulariser whose prox is not its own.
struct WrongProx {
    AnyRegulariser g;
    Real factor;
    Real value(ConstView x, Scratch& scratch) const { return g.value(x, scratch); }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        g.prox(v, step, out, scratch);
        scaled(factor, out, out);
        return g.value(out, scratch);
    }
    void check_dimension(Index n) const { g.check_dimension(n); }
};

/// A store whose gradients or values are not those of its losses.
struct WrongBatch {
    using Record = RowBlock;
    AnyBatch batch;
    Real value_factor = 1;
    Real gradient_factor = 1;
    bool flip = false;  // the sign of the first coordinate

    void push(const RowBlock& record) { batch.push(record); }
    void drop_newest() { batch.drop_newest(); }
    Index size() const { return batch.size(); }
    Index capacity() const { return batch.capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const {
        return value_factor * batch.value(age, x, scratch);
    }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return wrong(batch.value_and_gradient(age, x, gradient, scratch), gradient);
    }
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return value_factor * batch.weighted_value(weights, x, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return wrong(batch.weighted_value_and_gradient(weights, x, gradient, scratch), gradient);
    }
    Real wrong(Real value, View gradient) const {
        scaled(gradient_factor, gradient, gradient);
        if (flip) gradient[0] = -gradient[0];
        return value_factor * value;
    }
};

/// An honest setting in which every kind of lie can matter: robust losses, a box of several losses.
RandomRun ordinary_run(std::uint64_t index) {
    RunDice dice(1'000'000 + index);
    for (;;) {
        RandomRun run = draw_run(dice);
        run.parts.noise = {};
        run.parts.window = std::to_string(1 + dice.below(8));
        run.parts.model = {};
        run.parts.inner = dice.pick(std::array{"prox-grad", "backtracking", "panoc"});
        run.parts.switching = 0;
        run.parts.proximal = {};
        run.parts.hysteresis = 1;
        run.parts.budget.max_steps = 300;
        run.learner = "time-smoothed";
        try {
            const Certificate honest = play(*make(run), run);
            if (honest.summary.totals.steps > 5 && honest.summary.totals.rounds > 5) return run;
        } catch (const ConfigError&) {
        }
    }
}

struct KindOfLie {
    const char* name;
    void (*setting)(RandomRun&);  // a wrong prox or gradient
    Lie figure;                   // or a wrong figure in every row
    Real least;                   // share that has to be found
};

template <class Change>
void wrong_batch(RandomRun& run, Change change) {
    run.parts.make_batch = [family = run.family, change](Index capacity) {
        WrongBatch wrong{family->make_batch(capacity)};
        change(wrong);
        return AnyBatch(std::move(wrong));
    };
}

// The least shares are a tenth or so below what was seen: docs/certificate.md has the table.
constexpr std::array kLies{
    KindOfLie{"prox stretched by 1.3",
              [](RandomRun& run) {
                  run.parts.g = AnyRegulariser(WrongProx{run.g, 0.6});
              },
              nullptr, 0.5},
    KindOfLie{"prox shrunk to 0.9",
              [](RandomRun& run) {
                  run.parts.g = AnyRegulariser(WrongProx{run.g, 0.65});
              },
              nullptr, 0.0},
    KindOfLie{"sign of one gradient coordinate",
              [](RandomRun& run) { wrong_batch(run, [](WrongBatch& b) { b.flip = true; }); }, nullptr, 0.2},
    KindOfLie{"gradient too short by a tenth",
              [](RandomRun& run) { wrong_batch(run, [](WrongBatch& b) { b.gradient_factor = 0.9; }); },
              nullptr, 0.0},
    KindOfLie{"gradient too long by a tenth",
              [](RandomRun& run) { wrong_batch(run, [](WrongBatch& b) { b.gradient_factor = 1.1; }); },
              nullptr, 0.0},
    KindOfLie{"values too small by a tenth",
              [](RandomRun& run) { wrong_batch(run, [](WrongBatch& b) { b.value_factor = 0.9; }); }, nullptr,
              0.0},
    KindOfLie{"R := 0", nullptr, [](RoundReport& r) { r.entry_gap = 0; }, 0.95},
    KindOfLie{"R := R/2", nullptr, [](RoundReport& r) { r.entry_gap /= 2; }, 0.95},
    KindOfLie{"R and Rq := R/2", nullptr, [](RoundReport& r) { r.forecast_gap = r.entry_gap /= 2; }, 0.55},
    KindOfLie{"r := r/2", nullptr, [](RoundReport& r) { r.exit_gap /= 2; }, 0.65},
    KindOfLie{"N := N/2", nullptr, [](RoundReport& r) { r.steps /= 2; }, 0.75},
    KindOfLie{"f := f/2", nullptr, [](RoundReport& r) { r.loss /= 2; }, 0.95},
    KindOfLie{"Px := Px - 1 %", nullptr,
              [](RoundReport& r) { r.objective_exit -= std::abs(r.objective_exit) / 100; }, 0.95},
    KindOfLie{"d := d/2", nullptr, [](RoundReport& r) { r.variation /= 2; }, 0.65},
    KindOfLie{"path := path/2", nullptr, [](RoundReport& r) { r.path /= 2; }, 0.85},
};

TEST(RandomRuns, FalseReportsAreDetected) {
    const std::uint64_t kRuns = long_runs() ? 2000 : 200;
    std::map<std::string, std::uint64_t> found;
    for (std::uint64_t index = 0; index < kRuns; ++index) {
        const RandomRun honest = ordinary_run(index);
        for (const KindOfLie& lie : kLies) {
            RandomRun run = honest;
            if (lie.setting != nullptr) lie.setting(run);
            try {
                if (!play(*make(run), run, lie.figure).sound()) ++found[lie.name];
            } catch (const Error&) {
                ++found[lie.name];  // refused outright: a prox that leaves dom g, say
            }
        }
    }
    for (const KindOfLie& lie : kLies) {
        const Real share = static_cast<Real>(found[lie.name]) / static_cast<Real>(kRuns);
        EXPECT_GE(share, lie.least) << lie.name;
        RecordProperty(lie.name, std::to_string(share));
        if (std::getenv("PROXSTREAM_SHOW") != nullptr) std::cout << lie.name << ": " << share << '\n';
    }
}

/// False figures in the header or the rows of a run with a proximal term.
struct ProximalLie {
    const char* name;
    void (*header)(RunHeader&);
    Lie figure;
};

constexpr std::array kProximalLies{
    ProximalLie{"mu := 0", [](RunHeader& header) { header.proximal = 0; }, nullptr},
    ProximalLie{"mu := 2 mu", [](RunHeader& header) { header.proximal *= 2; }, nullptr},
    ProximalLie{"mv := mv/2", nullptr, [](RoundReport& r) { r.movement /= 2; }},
    ProximalLie{"pen := 0", nullptr, [](RoundReport& r) { r.penalty = 0; }},
    ProximalLie{"r := 1000 r", nullptr, [](RoundReport& r) { r.exit_gap *= 1000; }},
};

/// The certificate of the run after the lie.
Certificate certificate_after(const RandomRun& run, const ProximalLie& lie) {
    const auto learner = make(run);
    RunHeader header = learner->facts();
    if (lie.header != nullptr) lie.header(header);
    Tally tally(header);
    for (const RowBlock& record : run.records) {
        RoundReport report = learner->observe(record);
        if (lie.figure != nullptr && report.status != RoundStatus::refused) lie.figure(report);
        tally.add(report);
    }
    return tally.certificate(tally.footer(learner->close(), RunEnding::finished, 0));
}

TEST(RandomRuns, FalseReportsOfTheProximalTermAreDetected) {
    constexpr std::uint64_t kRuns = 100;
    std::map<std::string, std::uint64_t> found;
    for (std::uint64_t index = 0; index < kRuns; ++index) {
        RandomRun run = ordinary_run(index);
        run.parts.proximal.named = run.parts.smoothness / 2;
        run.parts.inner = "backtracking";  // of networks no L is known
        const Certificate honest = certificate_after(run, {"nothing", nullptr, nullptr});
        ASSERT_TRUE(honest.sound()) << index << ": " << run.text << "\n" << to_text(honest);
        for (const ProximalLie& lie : kProximalLies)
            found[lie.name] += certificate_after(run, lie).sound() ? 0 : 1;
    }
    for (const ProximalLie& lie : kProximalLies) {
        EXPECT_GE(found[lie.name], kRuns * 95 / 100) << lie.name;
        if (std::getenv("PROXSTREAM_SHOW") != nullptr)
            std::cout << lie.name << ": " << found[lie.name] << '\n';
    }
}

}  // namespace
}  // namespace proxstream::random_runs
