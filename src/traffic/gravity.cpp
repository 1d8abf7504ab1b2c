#include "traffic/gravity.hpp"

#include <cmath>
#include <numeric>

namespace proxstream {

std::vector<Real> gravity(ConstView from, ConstView to, ConstView cost, Real deterrence) {
    const Index n = from.size();
    const Real all_from = std::accumulate(from.begin(), from.end(), Real{0});
    const Real all_to = std::accumulate(to.begin(), to.end(), Real{0});
    std::vector<Real> trips(n * n);
    for (Index i = 0; i < n * n; ++i) trips[i] = std::exp(-deterrence * cost[i]);
    Real worst = 1;
    for (int sweep = 0; sweep < 1000 && worst > 1e-12; ++sweep) {
        worst = 0;
        for (Index j = 0; j < n; ++j) {
            Real sum = 0;
            for (Index i = 0; i < n; ++i) sum += trips[i * n + j];
            const Real factor = to[j] / all_to / sum;
            for (Index i = 0; i < n; ++i) trips[i * n + j] *= factor;
        }
        for (Index i = 0; i < n; ++i) {
            Real sum = 0;
            for (Index j = 0; j < n; ++j) sum += trips[i * n + j];
            const Real factor = from[i] / all_from / sum;
            worst = std::max(worst, std::abs(factor - 1));
            for (Index j = 0; j < n; ++j) trips[i * n + j] *= factor;
        }
    }
    return trips;
}

}  // namespace proxstream
