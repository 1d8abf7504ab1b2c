#include "peers/peer.hpp"

#include <chrono>
#include <cmath>
#ifdef BENCH_LIBLINEAR
#include <linear.h>
#endif

namespace proxstream::bench {

#ifdef BENCH_LIBLINEAR
std::optional<PeerRun> liblinear_l1(const PeerData& data, double l1, double epsilon) {
    const std::size_t rows = data.rows(), features = data.features;
    std::vector<feature_node> nodes(rows * (features + 1));
    std::vector<feature_node*> starts(rows);
    std::vector<double> labels(data.targets);
    for (std::size_t row = 0; row < rows; ++row) {
        feature_node* place = nodes.data() + row * (features + 1);
        starts[row] = place;
        for (std::size_t i = 0; i < features; ++i)
            place[i] = {static_cast<int>(i + 1), data.values[row * features + i]};
        place[features] = {-1, 0};
    }
    problem task{};
    task.l = static_cast<int>(rows);
    task.n = static_cast<int>(features);
    task.y = labels.data();
    task.x = starts.data();
    task.bias = -1;
    parameter how{};
    how.solver_type = L1R_LR;
    how.C = 1 / (l1 * static_cast<double>(rows));
    how.eps = epsilon;
    how.p = 0.1;
    set_print_string_function([](const char* /*text*/) {});
    const auto begin = std::chrono::steady_clock::now();
    model* found = train(&task, &how);
    PeerRun run{.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                .name = "LIBLINEAR " + std::to_string(liblinear_version)};
    // Its weights are for the label it met first.
    const double sign = found->label[0] > 0 ? 1 : -1;
    for (std::size_t row = 0; row < rows; ++row) {
        double margin = 0;
        for (std::size_t i = 0; i < features; ++i) margin += found->w[i] * data.values[row * features + i];
        run.objective += std::log1p(std::exp(-sign * labels[row] * margin)) / static_cast<double>(rows);
    }
    for (std::size_t i = 0; i < features; ++i) run.objective += l1 * std::abs(found->w[i]);
    free_and_destroy_model(&found);
    return run;
}
#else
std::optional<PeerRun> liblinear_l1(const PeerData& /*data*/, double /*l1*/, double /*epsilon*/) {
    return std::nullopt;
}
#endif

}  // namespace proxstream::bench
