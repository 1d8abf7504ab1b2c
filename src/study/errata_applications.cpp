/// Claims about applications: the games constant, and traffic assignment on simplices.
#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "study/errata.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

constexpr const char* kGroup = "applications";

/// The paper's window w = 2 k A/sqrt(eps) is to make 2 k A/(w (w - 1)) <= eps, A = delta^2 + c. Measured: the
/// least w that does.
Trial games_window(Index /*value*/, std::uint64_t /*seed*/, StopFlag /*stop*/) {
    constexpr Real kPlayers = 2;
    constexpr Real kA = 0.1;
    constexpr Real kAccuracy = 1e-4;
    const Real needed = 2 * kPlayers * kA / kAccuracy;
    Real least = 1;
    while (least * (least - 1) < needed * (1 - 1e-12)) ++least;
    return {std::ceil(2 * kPlayers * kA / std::sqrt(kAccuracy) - 1e-9), least,
            std::ceil(0.5 + std::sqrt(0.25 + needed))};
}

/// Paths with traffic in 3 pairs of 4 paths each, for mu = 10 and (corrected) for mu = 0: the prox of mu
/// |x|_1 on simplices is the projection of v - eta mu, and a simplex does not see what all its coordinates
/// have in common.
Trial paths_used(Index /*value*/, std::uint64_t seed, StopFlag /*stop*/) {
    constexpr Index kPaths = 12;
    constexpr std::uint64_t kSamples = 1000;
    const AnyRegulariser simplices = parse_regulariser("blocks:(simplex),size=4");
    Scratch scratch;
    const auto used = [&](Real mu) {
        Real count = 0;
        std::vector<Real> v(kPaths);
        for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
            for (Index i = 0; i < kPaths; ++i) {
                v[i] = normal({.seed = seed, .round = sample, .sample = i}) / 2 - mu;
            }
            simplices.prox(v, 1, v, scratch);
            count += static_cast<Real>(std::count_if(v.begin(), v.end(), [](Real x) { return x > 0; }));
        }
        return count / kSamples;
    };
    return {{}, used(10), used(0)};
}

/// Two pairs share a road, l(y) = 1 + b y^4, y = lambda_1 x_1 + lambda_2 x_2: the sum of path costs is
/// (x_1 + x_2) l(y), and the determinant of its Hessian -16 b^2 y^6 (lambda_1 - lambda_2)^2, negative: it is
/// not convex. Weighted by demand, it is y l(y), and convex.
Trial determinant(Index /*value*/, std::uint64_t /*seed*/, StopFlag /*stop*/) {
    using Wide = long double;
    constexpr Wide kB = 0.15L;
    constexpr Wide kDemand[] = {1, 2.5L};
    constexpr Wide kStep = 1e-5L;
    const auto flow = [&](Wide p, Wide q) { return kDemand[0] * p + kDemand[1] * q; };
    const auto cost = [&](Wide p, Wide q) { return (p + q) * (1 + kB * std::pow(flow(p, q), Wide{4})); };
    const Wide p = 0.6L;
    const Wide q = 0.4L;
    const Wide centre = 2 * cost(p, q);
    const Wide pp = cost(p + kStep, q) + cost(p - kStep, q) - centre;
    const Wide qq = cost(p, q + kStep) + cost(p, q - kStep) - centre;
    const Wide pq = (cost(p + kStep, q + kStep) + cost(p - kStep, q - kStep) - cost(p + kStep, q - kStep) -
                     cost(p - kStep, q + kStep)) /
                    4;
    const Wide expected =
        -16 * kB * kB * std::pow(flow(p, q), Wide{6}) * (kDemand[0] - kDemand[1]) * (kDemand[0] - kDemand[1]);
    return {{},
            static_cast<Real>((pp * qq - pq * pq) / (kStep * kStep * kStep * kStep)),
            static_cast<Real>(expected)};
}

}  // namespace

std::vector<Erratum> application_errata() {
    return {
        {.group = kGroup,
         .name = "Games, window",
         .quantity = "least w with 2 k A/(w (w - 1)) <= eps",
         .set_up = "k = 2 players, A = delta^2 + c = 0.1, eps = 0.0001",
         .values = {1},
         .identity = true,
         .least_ratio = 1.5,
         .run = games_window},
        {.group = kGroup,
         .name = "Traffic, L1",
         .quantity = "paths used with mu = 10",
         .set_up = "mu |x|_1 on 3 simplices of 4 paths, prox of 1000 normal vectors; corrected: with mu = 0",
         .values = {1},
         .random = true,
         .identity = true,
         .paper = "mu |x|_1 is there to make them few",
         .run = paths_used},
        {.group = kGroup,
         .name = "Traffic, unweighted sum",
         .quantity = "det of the Hessian",
         .set_up = "two pairs with demands 1 and 2.5 share a road, l(y) = 1 + 0.15 y^4, x = (0.6, 0.4)",
         .values = {1},
         .identity = true,
         .run = determinant},
    };
}

}  // namespace proxstream
