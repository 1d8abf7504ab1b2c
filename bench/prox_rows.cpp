/// Projections against sorting, and many small simplices against one after the other.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/total_variation.hpp"

#include "fixtures.hpp"
#include "harness/limits.hpp"
#include "prox/simplex_projection.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

void project_by_sorting(ConstView v, View out, std::vector<Real>& sorted) {
    sorted.assign(v.begin(), v.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Real total = 0, tau = 0;
    for (Index k = 0; k < sorted.size(); ++k) {
        total += sorted[k];
        const Real candidate = (total - 1) / static_cast<Real>(k + 1);
        if (sorted[k] <= candidate) break;
        tau = candidate;
    }
    for (Index i = 0; i < v.size(); ++i) out[i] = std::max(v[i] - tau, 0.0);
}

/// The projection of a few numbers, as it is written for one block: sorted by insertion, then thresholded.
void project_block(const Real* v, Real* out, Index n) {
    Real sorted[32];
    for (Index i = 0; i < n; ++i) {
        Index place = i;
        for (; place > 0 && sorted[place - 1] < v[i]; --place) sorted[place] = sorted[place - 1];
        sorted[place] = v[i];
    }
    Real total = 0, tau = 0;
    for (Index k = 0; k < n; ++k) {
        total += sorted[k];
        const Real candidate = (total - 1) / static_cast<Real>(k + 1);
        if (sorted[k] <= candidate) break;
        tau = candidate;
    }
    for (Index i = 0; i < n; ++i) out[i] = std::max(v[i] - tau, 0.0);
}

void simplex(Bench& bench) {
    const Index n = bench.size(1'000'000, 1000);
    std::vector<Real> plain = normal_numbers(n, 11), zeros(n), feasible(n), same(n, 0.5);
    for (Index i = 0; i < n; i += 3000) zeros[i] = std::abs(plain[i]);
    for (Index i = 0; i < n; ++i) feasible[i] = std::abs(plain[i]);
    scaled(1 / sum(feasible), feasible, feasible);
    std::vector<Real> out(n), sorted, check(n);
    Scratch scratch;
    const Effort effort = bench.effort();
    const ReadWay way = fastest_read(plain, bench.effort(3));
    const struct {
        const char* name;
        const std::vector<Real>& v;
    } kinds[] = {{"normal", plain}, {"many-zeros", zeros}, {"feasible", feasible}, {"ties", same}};
    for (const auto& kind : kinds) {
        const Timings timings = comparison({looped(
                                                [&] {
                                                    project_onto_simplex(kind.v, 1, out, scratch);
                                                    keep(out.data());
                                                },
                                                effort),
                                            looped(
                                                [&] {
                                                    project_by_sorting(kind.v, check, sorted);
                                                    keep(check.data());
                                                },
                                                effort),
                                            looped([&] { keep(way.read(kind.v.data(), n)); }, effort)},
                                           effort);
        if (!(distance(out, check) <= 1e-7)) throw std::runtime_error("the projections differ");
        const std::string what = fmt::format("projection onto the simplex, n = {}, {}", n, kind.name);
        const Figure figure{1e3 * timings.seconds(0).median, "ms"};
        bench.add({.name = fmt::format("prox.simplex-{}", kind.name),
                   .measured = what,
                   .against = "sorting",
                   .ratio = timings.ratio(1, 0),
                   .figure = figure});
        if (&kind.v == &plain) {
            bench.add({.name = "prox.simplex-read",
                       .measured = what,
                       .against = "reading it once",
                       .ratio = timings.ratio(2, 0),
                       .figure = figure});
        }
    }
}

void product(Bench& bench, Index size, bool wanted) {
    const Index blocks = bench.size(100'000, 100);
    const std::vector<Real> v = normal_numbers(blocks * size, 11);
    std::vector<Real> out(v.size()), check(v.size());
    const SimplexProduct product(BlockLayout::of_sizes(std::vector<Index>(blocks, size)), 1);
    Scratch scratch;
    const Effort effort = bench.effort();
    const Timings timings =
        comparison({looped(
                        [&] {
                            product.prox(v, 1, out, scratch);
                            keep(out.data());
                        },
                        effort),
                    looped(
                        [&] {
                            for (Index i = 0; i < blocks; ++i)
                                project_block(v.data() + i * size, check.data() + i * size, size);
                            keep(check.data());
                        },
                        effort),
                    looped(
                        [&] {
                            for (Index i = 0; i < blocks; ++i) {
                                project_onto_simplex(ConstView(v).subspan(i * size, size), 1,
                                                     View(check).subspan(i * size, size), scratch);
                            }
                            keep(check.data());
                        },
                        effort)},
                   effort);
    if (!(distance(out, check) <= 1e-9 * static_cast<Real>(blocks)))
        throw std::runtime_error("the projections differ");
    const std::string what = fmt::format("projection onto {} simplices of {}", blocks, size);
    const Figure figure{1e3 * timings.seconds(0).median, "ms"};
    const auto goal = wanted ? std::optional(ratio_at_least(4)) : std::nullopt;
    bench.add({.name = fmt::format("prox.product-{}", size),
               .measured = what,
               .against = "the scalar projection, a block after the other (insertion sort)",
               .ratio = timings.ratio(1, 0),
               .figure = figure,
               .wanted = goal});
    bench.add({.name = fmt::format("prox.product-{}-library", size),
               .measured = what,
               .against = "the library's own projection, a block after the other",
               .ratio = timings.ratio(2, 0),
               .figure = figure,
               .wanted = goal});
}

void total_variation(Bench& bench) {
    const Index n = bench.size(1'000'000, 1000);
    const std::vector<Real> v = normal_numbers(n, 5);
    std::vector<Real> out(n);
    const TotalVariation g(2);
    Scratch scratch;
    const Effort effort = bench.effort(5);
    const ReadWay way = fastest_read(v, bench.effort(3));
    const Timings timings = comparison({looped(
                                            [&] {
                                                g.prox(v, 1, out, scratch);
                                                keep(out.data());
                                            },
                                            effort),
                                        looped([&] { keep(way.read(v.data(), n)); }, effort)},
                                       effort);
    bench.add({.name = "prox.total-variation",
               .measured = fmt::format("prox of total variation, n = {}, normal", n),
               .against = "reading it once",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{1e3 * timings.seconds(0).median, "ms"}});
}

}  // namespace

void prox_rows(Bench& bench) {
    bench.group("prox.simplex", [&] { simplex(bench); });
    bench.group("prox.product", [&] {
        product(bench, 5, true);
        product(bench, 20, false);
    });
    bench.group("prox.total-variation", [&] { total_variation(bench); });
}

}  // namespace proxstream::bench
