#include "peers/peer.hpp"

#include <chrono>
#ifdef BENCH_NLOPT
#include <nlopt.h>
#endif

namespace proxstream::bench {

#ifdef BENCH_NLOPT
namespace {

double evaluate(unsigned /*dimension*/, const double* x, double* gradient, void* objective) {
    return (*static_cast<const PeerObjective*>(objective))(x, gradient);
}

}  // namespace

std::optional<PeerRun> nlopt_lbfgs(std::size_t dimension, const PeerObjective& f, double target) {
    int major = 0, minor = 0, patch = 0;
    nlopt_version(&major, &minor, &patch);
    PeerObjective own = f;
    std::vector<double> x(dimension);
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(dimension));
    nlopt_set_min_objective(optimiser, evaluate, &own);
    nlopt_set_stopval(optimiser, target);
    nlopt_set_maxeval(optimiser, 20'000);
    PeerRun run{.name = "NLopt " + std::to_string(major) + "." + std::to_string(minor)};
    const auto begin = std::chrono::steady_clock::now();
    nlopt_optimize(optimiser, x.data(), &run.objective);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    nlopt_destroy(optimiser);
    return run;
}
#else
std::optional<PeerRun> nlopt_lbfgs(std::size_t /*dimension*/, const PeerObjective& /*f*/, double /*target*/) {
    return std::nullopt;
}
#endif

}  // namespace proxstream::bench
