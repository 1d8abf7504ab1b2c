/// Passes over windows against what the machine can read and multiply, and against Eigen; vector kernels.
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "core/cache_aligned.hpp"
#include "fixtures.hpp"
#include "harness/limits.hpp"
#include "harness/machine.hpp"
#include "loss/loss_table.hpp"
#include "offline/row_sum.hpp"
#include "peers/eigen_rival.hpp"
#include "sections.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

double gigabytes(Index bytes, double seconds) {
    return static_cast<double>(bytes) / seconds / 1e9;
}

/// Bytes that no cache holds, nor a good part of.
Index beyond_cache(const Bench& bench) {
    return bench.quick() ? Index{1} << 20U : std::clamp<Index>(4 * last_cache(), 256U << 20U, 1U << 30U);
}
Index rows_beyond_cache(const Bench& bench, Index features) {
    return beyond_cache(bench) / (features * sizeof(Real));
}

/// Where this gains less than twice, the memory ends what two threads can do, not the cores.
void read_by_two(Bench& bench, std::span<const double> values, const ReadWay& way) {
    const auto by = [&](Index parts) {
        return looped(
            [&, parts] {
                set_threads(parts);
                parallel_for(parts, [&](Index i) {
                    const Index begin = values.size() * i / parts;
                    keep(way.read(values.data() + begin, values.size() * (i + 1) / parts - begin));
                });
                set_threads(1);
            },
            bench.effort());
    };
    const Timings timings = comparison({by(1), by(2)}, bench.effort());
    const Index bytes = values.size() * sizeof(double);
    bench.add(
        {.name = "limits.read-memory-threads",
         .measured = fmt::format("reading {} KiB once, half of it by each of two threads", bytes / 1024),
         .against = "one thread",
         .ratio = timings.ratio(0, 1),
         .figure = Figure{gigabytes(bytes, timings.seconds(1).median), "GB/s"}});
}

void limits(Bench& bench) {
    for (const bool memory : {true, false}) {
        const Index bytes = memory ? beyond_cache(bench) : Index{256} << 10U;
        const CacheAlignedVector<double> values(bytes / sizeof(double), 1.0);
        const ReadWay way = fastest_read(values, bench.effort(5));
        const Timings timings = comparison(
            {looped([&] { keep(way.read(values.data(), values.size())); }, bench.effort())}, bench.effort());
        bench.add({.name = memory ? "limits.read-memory" : "limits.read-cache",
                   .measured = fmt::format("reading {} KiB once, widest loads, {}", bytes / 1024, way.name),
                   .against = {},
                   .figure = Figure{gigabytes(bytes, timings.seconds(0).median), "GB/s"}});
        if (memory) read_by_two(bench, values, way);
    }
    double operations = 0;
    const Timings timings =
        comparison({looped([&] { operations = multiply_adds(100'000); }, bench.effort())}, bench.effort());
    bench.add({.name = "limits.multiply-add",
               .measured = "multiply-adds in registers, fused where the processor can",
               .against = {},
               .figure = Figure{operations / timings.seconds(0).median / 1e9, "Gflop/s"}});
}

/// The ratios of a window that have a limit.
enum class Wish { none, read, eigen };

/// Compares the pass with a plain read of as many bytes and with two products of Eigen.
void window(Bench& bench, const std::string& name, const WindowShape& shape, Wish wish) {
    FullWindow window = full_window(shape);
    const Index rows = shape.window * shape.rows, bytes = rows * shape.features * sizeof(Real);
    const CacheAlignedVector<double> plain(window.values.size(), 1.0);  // on pages as large as a window's
    const Effort effort = bench.effort();
    const ReadWay way = fastest_read(plain, bench.effort(5));
    std::vector<double> margins(rows), gradient(shape.features);
    const RivalRows rival{window.values.data(), window.targets.data(), rows, shape.features,
                          static_cast<double>(rows)};
    const auto eigen = [&](const EigenRival& with) {
        return looped(
            [&] {
                with.squared_gradient(rival, window.x.data(), margins.data(), gradient.data());
                keep(gradient.data());
            },
            effort);
    };
    const Timings timings = comparison({looped([&] { keep(window.pass()); }, effort),
                                        looped([&] { keep(way.read(plain.data(), plain.size())); }, effort),
                                        eigen(eigen_plain()), eigen(eigen_native())},
                                       effort);
    Real difference = distance(window.gradient, gradient), size = norm(gradient);
    if (!(difference <= 1e-9 * (1 + size))) throw std::runtime_error("Eigen's gradient is another one");
    const std::string what = fmt::format("window gradient, {} rows of {} features, {} MB", rows,
                                         shape.features, bytes / 1'000'000);
    const Figure figure{gigabytes(bytes, timings.seconds(0).median), "GB/s"};
    const auto wanted = [](bool asked, double bound) {
        return asked ? std::optional(ratio_at_least(bound)) : std::nullopt;
    };
    bench.add({.name = "kernels." + name + "-read",
               .measured = what,
               .against = "reading the bytes",
               .ratio = timings.ratio(1, 0),
               .figure = figure,
               .wanted = wanted(wish == Wish::read, 0.85)});
    bench.add({.name = "kernels." + name + "-eigen",
               .measured = what,
               .against = "Eigen's X*x and X'*s",
               .ratio = timings.ratio(2, 0),
               .figure = figure,
               .wanted = wanted(wish == Wish::eigen, 2)});
    bench.add({.name = "kernels." + name + "-eigen-native",
               .measured = what,
               .against = "native Eigen",
               .ratio = timings.ratio(3, 0),
               .figure = figure});
}

/// Rows that single precision holds may be stored so, and are then half as long to read.
void single_rows(Bench& bench) {
    const WindowShape shape{.features = 512, .window = rows_beyond_cache(bench, 512)};
    WindowShape rounded = shape;
    rounded.single = true;
    FullWindow window = full_window(rounded), plain = full_window(shape);
    const Effort effort = bench.effort();
    const Timings timings = comparison(
        {looped([&] { keep(window.pass()); }, effort), looped([&] { keep(plain.pass()); }, effort)}, effort);
    bench.add({.name = "kernels.window-memory-single",
               .measured = fmt::format("window gradient, {} rows of 512 numbers that single precision holds",
                                       shape.window),
               .against = "the same with numbers that it does not",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{1e3 * timings.seconds(0).median, "ms"}});
}

void two_threads(Bench& bench, const std::string& name, const WindowShape& shape, bool wanted) {
    FullWindow window = full_window(shape);
    const std::string what = fmt::format("{} window gradient, {} rows of {} features, two threads",
                                         shape.loss, shape.window * shape.rows, shape.features);
    const Effort effort = bench.effort();
    const auto on = [&](Index count) {
        return looped(
            [&, count] {
                set_threads(count);
                keep(window.pass());
            },
            effort);
    };
    const Timings timings = comparison({on(2), on(1)}, effort);
    set_threads(1);
    const Real one = window.pass();
    const std::vector<Real> gradient = window.gradient;
    set_threads(2);
    const Real two = window.pass();
    set_threads(1);
    if (one != two || gradient != window.gradient) throw std::runtime_error("two threads give other bits");
    bench.add({.name = "kernels." + name,
               .measured = what,
               .against = "one thread",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{1e6 * timings.seconds(0).median, "us"},
               .wanted = wanted ? std::optional(ratio_at_least(1.7)) : std::nullopt,
               .note = "same bits"});
}

void other_losses(Bench& bench) {
    const Effort effort = bench.effort();
    for (const char* loss : {"cauchy", "logistic", "squared-sigmoid"}) {
        FullWindow plain = full_window({.features = 512, .window = bench.size(256, 8)});
        FullWindow window = full_window({.loss = loss, .features = 512, .window = bench.size(256, 8)});
        const Timings timings = comparison(
            {looped([&] { keep(window.pass()); }, effort), looped([&] { keep(plain.pass()); }, effort)},
            effort);
        bench.add({.name = fmt::format("kernels.loss-{}", loss),
                   .measured = fmt::format("{} window gradient, 256 rows of 512 features", loss),
                   .against = "the squared loss",
                   .ratio = timings.ratio(1, 0),
                   .figure = Figure{1e6 * timings.seconds(0).median, "us"}});
    }
}

void perceptron(Bench& bench) {
    constexpr Index kFeatures = 64, kHidden = 64;
    FullWindow window =
        full_window({.loss = "mlp:hidden=64;64", .features = kFeatures, .window = bench.size(1024, 64)});
    const Index rows = window.targets.size();
    const double operations =
        6.0 * static_cast<double>(rows) * static_cast<double>(kHidden * (kFeatures + kHidden + 1));
    const Effort effort = bench.effort();
    std::vector<double> gradient(window.x.size());
    const RivalRows rival{window.values.data(), window.targets.data(), rows, kFeatures,
                          static_cast<double>(rows)};
    const auto eigen = [&](const EigenRival& with) {
        return looped(
            [&] {
                with.perceptron_gradient(rival, kHidden, window.x.data(), gradient.data());
                keep(gradient.data());
            },
            effort);
    };
    const auto rounds = static_cast<Index>(operations / 192);
    const Timings timings = comparison(
        {looped([&] { keep(window.pass()); }, effort), looped([&] { multiply_adds(rounds); }, effort),
         eigen(eigen_plain()), eigen(eigen_native())},
        effort);
    if (!(distance(window.gradient, gradient) <= 1e-9 * (1 + norm(gradient))))
        throw std::runtime_error("Eigen's gradient of the perceptron is another one");
    const std::string what = fmt::format("perceptron {}-64-64-1, gradient over {} rows", kFeatures, rows);
    const Figure figure{operations / timings.seconds(0).median / 1e9, "Gflop/s"};
    constexpr const char* kAgainst[] = {"as many fused multiply-adds in registers",
                                        "Eigen's products and tanh", "native Eigen"};
    constexpr const char* kNames[] = {"flops", "eigen", "eigen-native"};
    for (Index i = 0; i < 3; ++i) {
        bench.add({.name = fmt::format("kernels.perceptron-{}", kNames[i]),
                   .measured = what,
                   .against = kAgainst[i],
                   .ratio = timings.ratio(i + 1, 0),
                   .figure = figure,
                   .note = i == 0 ? "activations included, multiply-adds not fused" : ""});
    }
}

/// Values and indices of every row once.
std::uint64_t read_sparse(const RowBlock& rows, const ReadWay& way) {
    const Index count = rows.all_values().size();
    std::uint64_t bits = way.read(rows.all_values().data(), count);
    // Indices are half as wide and lie behind one another: so many doubles' worth of them.
    bits ^= way.read(reinterpret_cast<const double*>(rows.indices(0).data()), count / 2);
    return bits;
}

void sparse(Bench& bench, const std::string& name, Index columns) {
    const Index rows = bench.size(200'000, 500), nonzeros = 50;
    RowBlock block(true);
    const std::vector<Real> numbers = normal_numbers(rows * nonzeros, 1);
    std::vector<FeatureIndex> indices(nonzeros);
    for (Index row = 0; row < rows; ++row) {
        std::uint64_t state = row * 0x9e3779b97f4a7c15ULL + 1;
        for (Index i = 0; i < nonzeros; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const Index spacing = columns / nonzeros;
            indices[i] = static_cast<FeatureIndex>(i * spacing + (state >> 33U) % spacing);
        }
        block.add_sparse(indices, ConstView(numbers).subspan(row * nonzeros, nonzeros),
                         row % 2 == 0 ? 1 : -1);
    }
    const Index bytes = rows * nonzeros * (sizeof(Real) + sizeof(FeatureIndex));
    const RowSum sum(parse_loss("squared-sigmoid", {.features = columns, .intercept = false}),
                     std::move(block));
    const std::vector<Real> x(sum.dimension(), 0.01);
    std::vector<Real> gradient(sum.dimension());
    Scratch scratch;
    const Effort effort = bench.effort();
    const ReadWay way = read_ways()[1];
    const auto on = [&](Index count) {
        return looped(
            [&, count] {
                set_threads(count);
                keep(sum.f(x, gradient, scratch));
            },
            effort);
    };
    const Timings timings =
        comparison({on(1), on(2), looped([&] { keep(read_sparse(sum.rows(), way)); }, effort)}, effort);
    set_threads(1);
    const std::string what = fmt::format("gradient over {} sparse rows, {} of {} columns, {} MB", rows,
                                         nonzeros, columns, bytes / 1'000'000);
    bench.add({.name = "kernels." + name + "-read",
               .measured = what,
               .against = "reading values and indices",
               .ratio = timings.ratio(2, 0),
               .figure = Figure{gigabytes(bytes, timings.seconds(0).median), "GB/s"}});
    bench.add({.name = "kernels." + name + "-threads",
               .measured = what + ", two threads",
               .against = "one thread",
               .ratio = timings.ratio(0, 1),
               .figure = Figure{gigabytes(bytes, timings.seconds(1).median), "GB/s"}});
}

/// One pass against a gradient a record, added up.
void batched(Bench& bench) {
    const Effort effort = bench.effort();
    for (const bool is_sparse : {false, true}) {
        const Index window_length = bench.size(256, 8);
        FullWindow window = full_window({.loss = "logistic",
                                         .features = is_sparse ? 20'000U : 512U,
                                         .window = window_length,
                                         .nonzeros = is_sparse ? 400U : 0U});
        std::vector<Real> total(window.x.size()), single(window.x.size());
        const auto apart = [&] {
            fill(total, 0);
            Real value = 0;
            for (Index age = 0; age < window_length; ++age) {
                value += window.weights[age] *
                         window.batch.value_and_gradient(age, window.x, single, window.scratch);
                axpy(window.weights[age], single, total);
            }
            keep(value);
        };
        const Timings timings =
            comparison({looped([&] { keep(window.pass()); }, effort), looped(apart, effort)}, effort);
        bench.add({.name = is_sparse ? "kernels.batched-sparse" : "kernels.batched-dense",
                   .measured = is_sparse ? "window gradient, 256 sparse rows, 400 of 20000 columns"
                                         : "window gradient, 256 rows of 512 features",
                   .against = "a gradient a record, added up",
                   .ratio = timings.ratio(1, 0),
                   .figure = Figure{1e6 * timings.seconds(0).median, "us"}});
    }
}

void vectors(Bench& bench) {
    const Index n = bench.size(4096, 64);
    const std::vector<Real> a = normal_numbers(n, 1), b = normal_numbers(n, 2);
    std::vector<Real> out(n);
    const Effort effort = bench.effort();
    const ReadWay way = fastest_read(a, bench.effort(3));
    const auto row = [&](const char* name, Index reads, const std::function<void()>& call) {
        // The limit reads as many bytes; what is written is not counted.
        const Timings timings = comparison({looped(call, effort), looped(
                                                                      [&] {
                                                                          for (Index i = 0; i < reads; ++i)
                                                                              keep(way.read(a.data(), n));
                                                                      },
                                                                      effort)},
                                           effort);
        bench.add({.name = fmt::format("kernels.vector-{}", name),
                   .measured = fmt::format("{} of {} numbers, in cache", name, n),
                   .against = fmt::format("reading {} array{}", reads, reads == 1 ? "" : "s"),
                   .ratio = timings.ratio(1, 0),
                   .figure = Figure{gigabytes(reads * n * sizeof(Real), timings.seconds(0).median), "GB/s"}});
    };
    row("dot", 2, [&] { keep(dot(a, b)); });
    row("norm", 1, [&] { keep(norm(a)); });
    row("axpy", 2, [&] {
        axpy(1e-9, a, out);
        keep(out.data());
    });
    row("step", 2, [&] {
        step_along(a, 0.5, b, out);
        keep(out.data());
    });
    row("all-finite", 1, [&] { keep(all_finite(a)); });
}

}  // namespace

void limit_rows(Bench& bench) {
    bench.group("limits", [&] { limits(bench); });
}

void kernel_rows(Bench& bench) {
    bench.group("kernels.window-memory", [&] {
        window(bench, "window-memory", {.features = 512, .window = rows_beyond_cache(bench, 512)},
               Wish::read);
    });
    bench.group("kernels.window-memory-single", [&] { single_rows(bench); });
    bench.group("kernels.window-cache", [&] {
        window(bench, "window-cache", {.features = 512, .window = bench.size(128, 16)}, Wish::eigen);
    });
    bench.group("kernels.window-small", [&] {
        window(bench, "window-small", {.features = 16, .window = bench.size(1024, 16)}, Wish::none);
    });
    bench.group("kernels.threads", [&] {
        two_threads(bench, "threads-memory", {.features = 512, .window = rows_beyond_cache(bench, 512)},
                    true);
        two_threads(bench, "threads-cache", {.features = 512, .window = bench.size(2048, 64)}, true);
        two_threads(bench, "threads-perceptron",
                    {.loss = "mlp:hidden=64;64", .features = 64, .window = bench.size(2048, 64)}, false);
    });
    bench.group("kernels.loss", [&] { other_losses(bench); });
    bench.group("kernels.perceptron", [&] { perceptron(bench); });
    bench.group("kernels.sparse", [&] {
        sparse(bench, "sparse", 100'000);
        sparse(bench, "sparse-wide", 1'000'000);
    });
    bench.group("kernels.batched", [&] { batched(bench); });
    bench.group("kernels.vector", [&] { vectors(bench); });
}

}  // namespace proxstream::bench
