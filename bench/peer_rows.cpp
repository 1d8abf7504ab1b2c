/// Peers on the same data, with the same objective, until they have the same value of it; one thread each.
/// Labelled with their names and versions, skipped where they are not installed.
#include "proxstream/prox/regulariser_table.hpp"

#include "fixtures.hpp"
#include "loss/loss_table.hpp"
#include "offline/method_table.hpp"
#include "offline/row_sum.hpp"
#include "peers/peer.hpp"
#include "run/learn_run.hpp"
#include "sections.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proxstream::bench {
namespace {

constexpr Real kL1 = 2e-3;

struct FitProblem {
    std::shared_ptr<RowSum> loss;
    OfflineProblem problem;
};

FitProblem make_problem(const RobustData& data, const char* loss, const std::string& g) {
    auto sum = std::make_shared<RowSum>(parse_loss(loss, {.features = data.features, .intercept = false}),
                                        data.block(0, data.rows()));
    OfflineProblem problem =
        make_offline_problem(sum, parse_regulariser(g), std::vector<Real>(data.features));
    return {std::move(sum), std::move(problem)};
}

/// PANOC until F is no more than `target`; what it ended with.
Real solve(const OfflineProblem& problem, Real target, int most) {
    const auto method = make_method("panoc", {.problem = problem});
    Scratch scratch;
    Cost cost;
    Real value = std::numeric_limits<Real>::infinity();
    for (int i = 0; i < most && value > target; ++i) {
        if (method->advance(cost) != StepStatus::moved) break;
        value = method->exact()->value + problem.g.value(method->point(), scratch);
    }
    return value;
}

/// A value that is a millionth of the way from the start above the best that is known.
Real target_of(const OfflineProblem& problem) {
    Scratch scratch;
    std::vector<Real> gradient(problem.dimension());
    const Real start =
        problem.loss->f(problem.start, gradient, scratch) + problem.g.value(problem.start, scratch);
    const Real best = solve(problem, -std::numeric_limits<Real>::infinity(), 2000);
    return best + 1e-6 * (start - best);
}

/// Ours against a peer's run. `peer` tells nothing where it was built without.
void against(Bench& bench, const std::string& name, const std::string& what, const OfflineProblem& problem,
             Real target, const std::function<std::optional<PeerRun>()>& peer) {
    std::optional<PeerRun> run = peer();
    if (!run) return bench.skip("peers." + name, what, "the peer was not there when the bench was built");
    const Timings timings = comparison({once([&] {
                                            if (solve(problem, target, 20'000) > target)
                                                throw std::runtime_error("panoc did not get there");
                                        }),
                                        [&] {
                                            run = peer();
                                            return run->seconds;
                                        }},
                                       bench.effort(5));
    const bool there = run->objective <= target + 1e-12;
    bench.add(
        {.name = "peers." + name,
         .measured = what + ", fit by panoc",
         .against = run->name,
         .ratio = timings.ratio(1, 0),
         .figure = Figure{1e3 * timings.seconds(0).median, "ms"},
         .note = there ? fmt::format("both at {:.9g} or below", target)
                       : fmt::format("the peer stopped at {:.9g}, ours at {:.9g}", run->objective, target)});
}

RobustData labelled(RobustData data) {
    for (Real& target : data.targets) target = target > 0 ? 1 : -1;
    return data;
}

void libraries(Bench& bench) {
    const Index rows = bench.size(2000, 100);
    const RobustData data = robust_regression(rows, 1), labels = labelled(data);
    {
        const FitProblem smooth = make_problem(labels, "logistic", "l2sq:0.01");
        const Real target = target_of(smooth.problem);
        Scratch scratch;
        const PeerObjective f = [&](const double* x, double* gradient) {
            const Index n = smooth.problem.dimension();
            const View g(gradient, n);
            const Real value = smooth.loss->f({x, n}, g, scratch);
            Real squares = 0;
            for (Index i = 0; i < n; ++i) {
                squares += x[i] * x[i];
                gradient[i] += 0.01 * x[i];
            }
            return value + 0.005 * squares;
        };
        against(bench, "nlopt-lbfgs", fmt::format("logistic {} x 500, L2 squared", rows), smooth.problem,
                target, [&] {
                    auto run = nlopt_lbfgs(500, f, target);
                    if (run) run->name += ", L-BFGS on our own passes";
                    return run;
                });
    }
    {
        const FitProblem robust = make_problem(data, "cauchy:1", "zero");
        const Real target = target_of(robust.problem);
        against(bench, "ceres-cauchy", fmt::format("robust regression (Cauchy) {} x 500", rows),
                robust.problem, target, [&] {
                    return ceres_cauchy({data.values, data.targets, data.features}, target);
                });
    }
    {
        const FitProblem sparse = make_problem(labels, "logistic", fmt::format("l1:{}", kL1));
        const Real target = target_of(sparse.problem);
        // Its test is its own: the loosest one that is enough.
        double epsilon = 1e-1;
        const auto run = [&] {
            return liblinear_l1({labels.values, labels.targets, labels.features}, kL1, epsilon);
        };
        for (auto first = run(); first && first->objective > target && epsilon > 1e-9; first = run())
            epsilon /= 4;
        against(bench, "liblinear-logistic", fmt::format("logistic {} x 500, L1", rows), sparse.problem,
                target, run);
    }
}

/// A command's standard output; nothing where it failed.
std::optional<std::string> output_of(const std::string& command) {
    std::FILE* pipe =
        popen((command + " 2>/dev/null").c_str(), "r");  // NOLINT: the bench runs its own script
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        text.append(buffer.data(), count);
    return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

class ScikitLearn {
  public:
    explicit ScikitLearn(const Bench& bench) {
        // Debian's package belongs to Debian's own interpreter, which another one may hide.
        for (const char* python : {"/usr/bin/python3", "python3"}) {
            command_ = fmt::format("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 {} {}/sklearn_peer.py ", python,
                                   bench.peers());
            if (const auto text = output_of(command_ + "version")) {
                name_ = "scikit-learn " + nlohmann::json::parse(*text).at("version").get<std::string>();
                return;
            }
        }
    }
    bool present() const { return !name_.empty(); }
    const std::string& name() const { return name_; }
    PeerRun run(const std::string& arguments, int& exponent) const {
        const auto text = output_of(command_ + arguments);
        if (!text) throw std::runtime_error("scikit-learn failed: " + arguments);
        const auto json = nlohmann::json::parse(*text);
        exponent = json.value("exponent", exponent);
        return {.seconds = json.at("seconds").get<double>(),
                .objective = json.at("objective").get<double>(),
                .name = name_};
    }

  private:
    std::string command_, name_;
};

/// Rows of doubles, features then target.
void write_doubles(const std::string& path, const std::vector<Real>& values,
                   const std::vector<Real>& targets) {
    const Index features = values.size() / targets.size();
    std::ofstream file(path, std::ios::binary);
    for (Index row = 0; row < targets.size(); ++row) {
        file.write(reinterpret_cast<const char*>(values.data() + row * features),
                   static_cast<std::streamsize>(features * sizeof(Real)));
        file.write(reinterpret_cast<const char*>(&targets[row]), sizeof(Real));
    }
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void scikit_fits(Bench& bench, const ScikitLearn& scikit) {
    const Index rows = bench.size(2000, 100);
    const RobustData data = robust_regression(rows, 1);
    const struct {
        const char* task;
        const char* loss;
        const char* what;
        RobustData data;
    } cases[] = {{"lasso", "squared", "Lasso", data},
                 {"liblinear", "logistic", "LogisticRegression with liblinear", labelled(data)},
                 {"saga", "logistic", "LogisticRegression with saga", labelled(data)}};
    for (const auto& each : cases) {
        const FitProblem made = make_problem(each.data, each.loss, fmt::format("l1:{}", kL1));
        const Real target = target_of(made.problem);
        const std::string path = bench.temporary() + "/peer.f64";
        write_doubles(path, each.data.values, each.data.targets);
        against(bench, fmt::format("sklearn-{}", each.task), fmt::format("{} {} x 500, L1", each.loss, rows),
                made.problem, target, [&, exponent = 2]() mutable {
                    PeerRun run = scikit.run(fmt::format("{} {} {} 500 {} {:.17g} {}", each.task, path, rows,
                                                         kL1, target, exponent),
                                             exponent);
                    run.name += std::string(", ") + each.what;
                    return std::optional(run);
                });
    }
}

/// A stream of rows with ten features and a linear target, as a CSV file and as a binary file for the peer.
struct LinearStream {
    static constexpr Index kFeatures = 10;

    LinearStream(const Bench& bench, Index count)
        : rows(count),
          path(bench.temporary() + "/peer.csv"),
          binary(bench.temporary() + "/peer.f64"),
          values(normal_numbers(rows * kFeatures, 5)),
          targets(rows) {
        const std::vector<Real> noise = normal_numbers(rows, 6);
        std::string text = "a,b,c,d,e,f,g,h,i,j,y\n";
        for (Index row = 0; row < rows; ++row) {
            targets[row] = 0.1 * noise[row];
            for (Index i = 0; i < kFeatures; ++i)
                targets[row] += 0.1 * static_cast<Real>(i) * values[row * kFeatures + i];
            for (Index i = 0; i < kFeatures; ++i)
                fmt::format_to(std::back_inserter(text), "{:.6f},", values[row * kFeatures + i]);
            fmt::format_to(std::back_inserter(text), "{:.6f}\n", targets[row]);
        }
        std::ofstream(path, std::ios::binary) << text;
        write_doubles(binary, values, targets);
    }

    /// The mean squared error of a model with intercept on the last tenth of the rows.
    Real error(ConstView x) const {
        const Index last = rows / 10;
        Real total = 0;
        for (Index row = rows - last; row < rows; ++row) {
            Real predicted = x[kFeatures];
            for (Index i = 0; i < kFeatures; ++i) predicted += x[i] * values[row * kFeatures + i];
            total += (predicted - targets[row]) * (predicted - targets[row]) / static_cast<Real>(last);
        }
        return total;
    }

    Index rows;
    std::string path, binary;
    std::vector<Real> values, targets;
};

/// Rows a second, and the prediction error at the end of the stream.
void scikit_streams(Bench& bench, const ScikitLearn& scikit) {
    const LinearStream stream(bench, bench.size(100'000, 500));
    const auto learn = [&](const char* window, Real& error) {
        LearnSettings settings;
        settings.data = {stream.path};
        settings.window = window;
        settings.quiet = true;
        LearnRun run(settings, nullptr);
        const double seconds = once([&] { drive(run); })();
        error = stream.error(run.learner().decide());
        return seconds;
    };
    Real error_1 = 0, error_100 = 0;
    PeerRun single, batches;
    const auto peer = [&](const char* task, PeerRun& run) {
        int none = 0;
        run = scikit.run(
            fmt::format("{} {} {} {}", task, stream.binary, stream.rows, LinearStream::kFeatures), none);
        return run.seconds;
    };
    const Timings timings =
        comparison({[&] { return learn("1", error_1); }, [&] { return learn("100", error_100); },
                    [&] { return peer("sgd-rows", single); }, [&] { return peer("sgd-batches", batches); }},
                   bench.effort(3));
    for (Index ours = 0; ours < 2; ++ours) {
        for (Index theirs = 2; theirs < 4; ++theirs) {
            bench.add(
                {.name =
                     fmt::format("peers.sgd-{}-w{}", theirs == 2 ? "rows" : "batches", ours == 0 ? 1 : 100),
                 .measured = fmt::format("learn, 10 features, w = {}, parser and account included",
                                         ours == 0 ? 1 : 100),
                 .against =
                     scikit.name() + (theirs == 2 ? ", SGDRegressor.partial_fit row by row, from memory"
                                                  : ", the same a thousand rows at a time"),
                 .ratio = timings.ratio(theirs, ours),
                 .figure = Figure{static_cast<double>(stream.rows) / timings.seconds(ours).median / 1e6,
                                  "M rows/s"},
                 .note = fmt::format("mean squared error at the end {:.3g}, the peer's {:.3g}; noise 0.01",
                                     ours == 0 ? error_1 : error_100,
                                     theirs == 2 ? single.objective : batches.objective)});
        }
    }
}

}  // namespace

void peer_rows(Bench& bench) {
    bench.group("peers.libraries", [&] { libraries(bench); });
    bench.group("peers.sklearn", [&] {
        const ScikitLearn scikit(bench);
        if (!scikit.present())
            return bench.skip("peers.sklearn", "fits and streams",
                              "python3 cannot import sklearn (python3-sklearn)");
        scikit_fits(bench, scikit);
        scikit_streams(bench, scikit);
    });
}

}  // namespace proxstream::bench
