/// `fit` on a robust regression for which figures of peers are known, 2000 x 500, to |P| <= 1e-8, with L1
/// from 0 and on the simplex from its centre. Weight and tolerance are halved with the loss, as in
/// inner_rows.cpp.
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "fixtures.hpp"
#include "loss/loss_table.hpp"
#include "offline/method_table.hpp"
#include "offline/row_sum.hpp"
#include "peers/eigen_rival.hpp"
#include "sections.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

struct FitCase {
    const char* name;
    const char* g;
    double l1;     // of the rival; negative: the simplex
    double panoc;  // the peer's, in milliseconds on its machine
    double prox_grad;
    double iterations;  // of its prox-grad
};

/// Iterations until the gap is small enough; passes.
double solve(const OfflineProblem& problem, const std::string& text, Real epsilon) {
    const auto method = make_method(text, {.problem = problem, .epsilon = epsilon});
    Scratch scratch;
    std::vector<Real> forward(problem.dimension()), gap(problem.dimension());
    Cost cost;
    for (int i = 0; i < 20'000; ++i) {
        if (method->advance(cost) != StepStatus::moved) throw std::runtime_error(text + " did not get there");
        const Real norm = prox_gradient_step(problem.g, method->point(), method->exact()->gradient,
                                             problem.reference_step, {forward, gap}, scratch)
                              .norm;
        if (norm <= epsilon) return static_cast<double>(cost.passes);
    }
    throw std::runtime_error(text + " did not get there in 20000 iterations");
}

void fit(Bench& bench, const FitCase& task) {
    const Index rows = bench.size(2000, 200);
    const Real epsilon = bench.quick() ? 1e-3 : 0.5e-8;
    const RobustData data = robust_regression(rows, 1);
    const auto loss = std::make_shared<RowSum>(
        parse_loss("geman-mcclure:1", {.features = data.features, .intercept = false}), data.block(0, rows));
    const Real start = task.l1 < 0 ? 1 / static_cast<Real>(data.features) : 0;
    const OfflineProblem problem =
        make_offline_problem(loss, parse_regulariser(task.g), std::vector<Real>(data.features, start));
    const std::vector<std::string> methods{"panoc", "accelerated", "backtracking"};
    std::vector<double> passes(methods.size() + 2);
    std::vector<Timed> timed;
    for (Index i = 0; i < methods.size(); ++i)
        timed.push_back(once([&, i] { passes[i] = solve(problem, methods[i], epsilon); }));
    for (const EigenRival* rival : {&eigen_plain(), &eigen_native()}) {
        const Index place = timed.size();
        timed.push_back(once([&, rival, place] {
            std::vector<double> x(data.features, start);
            const RivalReport report = rival->prox_gradient(
                {data.values.data(), data.targets.data(), rows, data.features, static_cast<double>(rows)},
                {task.l1, problem.reference_step, epsilon, 100'000}, x.data());
            passes[place] = report.passes;
            if (report.gap > epsilon) throw std::runtime_error("Eigen's prox-gradient did not get there");
        }));
    }
    const Timings timings = comparison(timed, bench.effort(7));
    const Index eigen = methods.size();
    const std::string what = fmt::format("{} x 500 robust regression, {}, to |P| <= 1e-8", rows, task.name);
    for (Index i = 0; i < methods.size(); ++i) {
        bench.add({.name = fmt::format("fit.{}-{}", task.name, methods[i]),
                   .measured = what + ", " + methods[i],
                   .against = "Eigen's prox-gradient",
                   .ratio = timings.ratio(eigen, i),
                   .figure = Figure{1e3 * timings.seconds(i).median, "ms"},
                   .note = fmt::format("{:.0f} passes, the rival {:.0f}", passes[i], passes[eigen])});
    }
    const std::string peer = fmt::format("best peer {} ms (prox-grad {})", task.panoc, task.prox_grad);
    const auto add_peer = [&](const std::string& name, const std::string& against, Index place,
                              double scale) {
        bench.add({.name = fmt::format("fit.{}-panoc-peer-by-{}", task.name, name),
                   .measured = what + ", panoc",
                   .against = against,
                   .ratio = timings.ratio(place, 0, scale),
                   .figure = Figure{1e3 * timings.seconds(0).median, "ms"},
                   .wanted = ratio_at_least(2)});
    };
    const double share = task.panoc / task.prox_grad;
    add_peer("backtracking", peer + ", by backtracking", eigen - 1, share);
    const Index native = eigen + 1;
    add_peer("eigen-native", peer + ", by native Eigen", native, share);
    // A whole run depends on how hard the instance is, which was another one there; a pass does not.
    add_peer("eigen-native-pass", fmt::format("best peer {} ms, by a pass of native Eigen", task.panoc),
             native, share * task.iterations / passes[native]);
}

}  // namespace

void fit_rows(Bench& bench) {
    bench.group("fit.l1", [&] { fit(bench, {"l1", "l1:0.001", 0.001, 26, 42, 85}); });
    bench.group("fit.simplex", [&] { fit(bench, {"simplex", "simplex", -1, 23, 228, 474}); });
}

}  // namespace proxstream::bench
