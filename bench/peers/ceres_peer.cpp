#include "peers/peer.hpp"

#include <algorithm>
#include <chrono>
#ifdef BENCH_CERES
#include <ceres/ceres.h>
#endif

namespace proxstream::bench {

#ifdef BENCH_CERES
namespace {

/// a.x - y of one row, all of x in one block.
class RowResidual final : public ceres::CostFunction {
  public:
    RowResidual(const double* row, std::size_t features, double target)
        : row_(row), features_(features), target_(target) {
        set_num_residuals(1);
        mutable_parameter_block_sizes()->push_back(static_cast<int>(features));
    }
    bool Evaluate(double const* const* parameters, double* gaps,  // NOLINT: Ceres' name
                  double** jacobians) const override {
        double margin = 0;
        for (std::size_t i = 0; i < features_; ++i) margin += row_[i] * parameters[0][i];
        gaps[0] = margin - target_;
        if (jacobians != nullptr && jacobians[0] != nullptr) std::copy_n(row_, features_, jacobians[0]);
        return true;
    }

  private:
    const double* row_;
    std::size_t features_;
    double target_;
};

class StopAt final : public ceres::IterationCallback {
  public:
    explicit StopAt(double cost) : cost_(cost) {}
    ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
        return summary.cost <= cost_ ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
    }

  private:
    double cost_;
};

}  // namespace

std::optional<PeerRun> ceres_cauchy(const PeerData& data, double target) {
    std::vector<double> x(data.features);
    ceres::CauchyLoss loss(1);
    ceres::Problem::Options ownership;
    ownership.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    ceres::Problem problem(ownership);
    for (std::size_t row = 0; row < data.rows(); ++row) {
        problem.AddResidualBlock(
            new RowResidual(data.values.data() + row * data.features, data.features, data.targets[row]),
            &loss, x.data());
    }
    StopAt stop(target * static_cast<double>(data.rows()));
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
    options.num_threads = 1;
    options.max_num_iterations = 1000;
    options.function_tolerance = 1e-16;
    options.gradient_tolerance = 1e-14;
    options.logging_type = ceres::SILENT;
    options.callbacks.push_back(&stop);
    ceres::Solver::Summary summary;
    const auto begin = std::chrono::steady_clock::now();
    ceres::Solve(options, &problem, &summary);
    return PeerRun{.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                   .objective = summary.final_cost / static_cast<double>(data.rows()),
                   .name = "Ceres " CERES_VERSION_STRING};
}
#else
std::optional<PeerRun> ceres_cauchy(const PeerData& /*data*/, double /*target*/) {
    return std::nullopt;
}
#endif

}  // namespace proxstream::bench
