#include "fixtures.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "loss/loss_table.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace proxstream::bench {

std::vector<Real> normal_numbers(Index count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<Real> normal;
    std::vector<Real> values(count);
    for (Real& value : values) value = normal(random);
    return values;
}

FullWindow full_window(const WindowShape& shape) {
    auto family = parse_loss(shape.loss, {.features = shape.features, .intercept = false});
    auto batch = family->make_batch(shape.window);
    const Index count = shape.window * shape.rows;
    const bool sparse = shape.nonzeros > 0;
    // A large window repeats a few million numbers: what is read does not matter, that it is read does.
    const Index period = sparse ? count * shape.nonzeros : std::min<Index>(count * shape.features, 4'000'037);
    std::vector<Real> numbers = normal_numbers(period, 1);
    if (shape.single) {
        for (Real& number : numbers) number = static_cast<Real>(static_cast<float>(number));
    }
    std::vector<Real> values, targets(count), row(sparse ? shape.nonzeros : shape.features);
    if (!sparse) values.reserve(count * shape.features);
    std::vector<FeatureIndex> indices(shape.nonzeros);
    Index next = 0;
    for (Index record = 0; record < shape.window; ++record) {
        RowBlock block(sparse);
        for (Index k = 0; k < shape.rows; ++k) {
            const Index place = record * shape.rows + k;
            targets[place] = place % 2 == 0 ? 1 : -1;
            for (Real& value : row) value = numbers[next++ % period];
            if (sparse) {
                const Index spacing = shape.features / shape.nonzeros;
                for (Index i = 0; i < shape.nonzeros; ++i) {
                    indices[i] = static_cast<FeatureIndex>(
                        i * spacing + uniform_below({.seed = 3, .round = place, .sample = i}, spacing));
                }
                block.add_sparse(indices, row, targets[place]);
            } else {
                block.add_dense(row, targets[place]);
                values.insert(values.end(), row.begin(), row.end());
            }
        }
        batch.push(block);
    }
    const Index n = family->dimension();
    std::vector<Real> x = normal_numbers(n, 2);
    scaled(1 / std::sqrt(static_cast<Real>(n)), x, x);
    return {.family = std::move(family),
            .batch = std::move(batch),
            .weights = std::vector<Real>(shape.window, 1 / static_cast<Real>(shape.window)),
            .x = std::move(x),
            .gradient = std::vector<Real>(n),
            .values = std::move(values),
            .targets = std::move(targets)};
}

RowBlock RobustData::block(Index first, Index count) const {
    RowBlock block;
    for (Index i = first; i < first + count; ++i)
        block.add_dense(ConstView(values).subspan(i * features, features), targets[i]);
    return block;
}

RobustData robust_regression(Index rows, std::uint64_t seed) {
    RobustData data;
    std::vector<Real> truth(data.features);
    for (Index i = 0; i < 25; ++i) {
        truth[uniform_below({.seed = seed, .round = 1, .sample = i}, data.features)] =
            normal({.seed = seed, .round = 2, .sample = i});
    }
    std::vector<Real> row(data.features);
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (Index j = 0; j < data.features; ++j)
            row[j] = normal({.seed = seed, .round = 3, .record = i, .sample = j});
        Real target = dot(row, truth) + 0.1 * normal({.seed = seed, .round = 4, .sample = i});
        if (uniform({.seed = seed, .round = 5, .sample = i}) < 0.1)
            target += 10 * normal({.seed = seed, .round = 6, .sample = i});
        data.values.insert(data.values.end(), row.begin(), row.end());
        data.targets.push_back(target);
    }
    return data;
}

Real largest_eigenvalue(const RobustData& data, Index first, Index count, Real divisor) {
    std::vector<Real> x = normal_numbers(data.features, 7), next(data.features);
    Real eigenvalue = 0;
    for (int i = 0; i < 100; ++i) {
        scaled(1 / norm(x), x, x);
        fill(next, 0);
        for (Index row = first; row < first + count; ++row) {
            const ConstView values = ConstView(data.values).subspan(row * data.features, data.features);
            axpy(dot(values, x) / divisor, values, next);
        }
        eigenvalue = norm(next);
        x.swap(next);
    }
    return eigenvalue;
}

}  // namespace proxstream::bench
