/// Claims about proximal steps, sample counts and applications.
#include "proxstream/core/draw.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "studies/errata.hpp"
#include "studies/ramp_counts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// x = 1 in [-1, 1]; d = 2N/eta with probability 1/N, else 0. The box cuts a long step off, but not the mean
/// of d: |P(x; .)|^2 is not convex, so Jensen's inequality does not apply. Lemma 2 holds, P moves no more
/// than d: |P(x; Ed)| <= sqrt(E|P(x; d)|^2) + sqrt(E|d - Ed|^2).
Trial jensen(Index chances, Cell& /*cell*/) {
    constexpr Real kStep = 0.5;
    const AnyRegulariser box = parse_regulariser("box:-1,1");
    Scratch scratch;
    const auto gap = [&](Real direction) {
        const std::vector<Real> x{1};
        const std::vector<Real> d{direction};
        std::vector<Real> forward(1), p(1);
        return prox_gradient_step(box, x, d, kStep, {forward, p}, scratch).norm;
    };
    const Real odds = 1 / static_cast<Real>(chances);
    const Real rare = 2 / (odds * kStep);
    const Real mean = odds * rare;
    const Real mean_square = odds * square(gap(rare)) + (1 - odds) * square(gap(0));
    const Real variance = odds * square(rare - mean) + (1 - odds) * square(mean);
    return {mean_square, square(gap(mean)), square(std::sqrt(mean_square) + std::sqrt(variance))};
}

/// Corollary 1 as stated, on the ramp: a call of S_{sigma/w} is the mean of (sigma_0 w/sigma)^2 base samples,
/// and w grows like eps^-1/2.
Trial accounting(Index value, Cell& cell) {
    constexpr Real kNoise = 0.2;
    const Real eps = 1 / static_cast<Real>(value);
    const std::string method = fmt::format("reduction:parameters=paper,sigma0={},variation=0", kNoise);
    const auto count = count_on_ramp(fmt::format(":noise={}", kNoise), {method, eps, true, 1e9}, cell);
    if (!count && !cell.interrupted) cell.notes.emplace_back("the reduction did not end");
    if (!count) return {};
    // delta = sigma with L = 1 and eta = 1/4
    const Real window = std::ceil(2 * std::sqrt(8 * square(kNoise)) / std::sqrt(eps));
    return {count->calls, count->samples, count->calls * square(window)};
}

/// The paper's window w = 2 k A/sqrt(eps) is to make 2 k A/(w (w - 1)) <= eps, A = delta^2 + c. Measured: the
/// least w that does.
Trial games_window(Index /*value*/, Cell& /*cell*/) {
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
/// |x|_1 on simplices is the projection of v - eta mu, and a common shift of all coordinates does
/// not change it.
Trial paths_used(Index /*value*/, Cell& cell) {
    constexpr std::uint64_t kSamples = 1000;
    const AnyRegulariser simplices = parse_regulariser("blocks:(simplex),size=4");
    Scratch scratch;
    const auto used = [&](Real mu) {
        Real count = 0;
        std::vector<Real> v(12);
        for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
            for (Index i = 0; i < v.size(); ++i)
                v[i] = normal({.seed = cell.seed, .round = sample, .sample = i}) / 2 - mu;
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
Trial determinant(Index /*value*/, Cell& /*cell*/) {
    using Wide = long double;
    constexpr Wide kB = 0.15L;
    constexpr Wide kDemand[] = {1, 2.5L};
    constexpr Wide kStep = 1e-5L;
    constexpr Wide kP = 0.6L;
    constexpr Wide kQ = 0.4L;
    const auto cost = [&](Wide a, Wide b) {
        return (a + b) * (1 + kB * std::pow(kDemand[0] * a + kDemand[1] * b, Wide{4}));
    };
    const Wide centre = 2 * cost(kP, kQ);
    const Wide pp = cost(kP + kStep, kQ) + cost(kP - kStep, kQ) - centre;
    const Wide qq = cost(kP, kQ + kStep) + cost(kP, kQ - kStep) - centre;
    const Wide pq = (cost(kP + kStep, kQ + kStep) + cost(kP - kStep, kQ - kStep) -
                     cost(kP + kStep, kQ - kStep) - cost(kP - kStep, kQ + kStep)) /
                    4;
    const Wide flow = kDemand[0] * kP + kDemand[1] * kQ;
    const Wide expected =
        -16 * kB * kB * std::pow(flow, Wide{6}) * (kDemand[0] - kDemand[1]) * (kDemand[0] - kDemand[1]);
    return {{},
            static_cast<Real>((pp * qq - pq * pq) / (kStep * kStep * kStep * kStep)),
            static_cast<Real>(expected)};
}

}  // namespace

std::vector<Erratum> other_errata(bool full) {
    const std::string offline = "one fixed loss";
    const std::string applications = "applications";
    using Values = std::vector<Index>;
    return {
        {.group = offline,
         .name = "Jensen's inequality, section 2.3",
         .quantity = "|P(x; Ed)|^2",
         .set_up = "x = 1, g = indicator of [-1, 1], eta = 0.5, d = 2N/eta with probability 1/N, else 0; "
                   "claimed: E|P(x; d)|^2",
         .parameter = "N",
         .values = {10, 100, 1000, 10'000},
         .least_ratio = 9999,
         .ratio_slope = Bounds{0.999, 1.001},
         .run = jensen},
        {.group = offline,
         .name = "Corollary 1, accounting",
         .quantity = "base samples",
         .set_up = "sampler:ramp:noise=0.2, reduction:parameters=paper,sigma0=0.2,variation=0, sigma = "
                   "sigma_0, delta = sigma, w = 4 sqrt(2) sigma/sqrt(eps), T = 2w; claimed: its calls, as "
                   "if each were a sample; corrected: (sigma_0 w/sigma)^2 samples a call",
         .parameter = "1/eps",
         .values = full ? Values{16, 64, 256} : Values{16, 64},
         .random = true,
         .identity = true,
         .least_ratio = 50,
         .ratio_slope = Bounds{0.85, 1.1},
         .run = accounting},
        {.group = applications,
         .name = "Games, window",
         .quantity = "least w with 2 k A/(w (w - 1)) <= eps",
         .set_up = "k = 2 players, A = delta^2 + c = 0.1, eps = 0.0001",
         .identity = true,
         .least_ratio = 1.5,
         .run = games_window},
        {.group = applications,
         .name = "Traffic, L1",
         .quantity = "paths used with mu = 10",
         .set_up = "mu |x|_1 on 3 simplices of 4 paths, prox of 1000 normal vectors; corrected: mu = 0",
         .random = true,
         .identity = true,
         .paper = "mu |x|_1 is there to make them few",
         .run = paths_used},
        {.group = applications,
         .name = "Traffic, unweighted sum",
         .quantity = "det of the Hessian",
         .set_up = "two pairs with demands 1 and 2.5 share a road, l(y) = 1 + 0.15 y^4, x = (0.6, 0.4)",
         .identity = true,
         .run = determinant}};
}

}  // namespace proxstream
